"""Logged word and segment times against forced alignment, after the aligner's own bias has been measured."""
