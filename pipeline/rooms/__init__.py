"""How conversations are heard: rooms with microphones at places, and telephone lines; the labels stay as they are."""
