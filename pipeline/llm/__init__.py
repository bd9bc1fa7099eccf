"""The language model of stage 1: an OpenAI-compatible endpoint, the embedded server, the recorded exchange."""
