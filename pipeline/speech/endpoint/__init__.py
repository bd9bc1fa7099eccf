"""Voices of an OpenAI-compatible speech endpoint (`/v1/audio/speech`), clocked by having them speak once."""
