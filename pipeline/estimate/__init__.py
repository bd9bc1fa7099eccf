"""What a request would take in tokens, time, sound and room, before anything is spent."""
