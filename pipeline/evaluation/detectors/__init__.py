"""Detectors that hear a conversation's channels and decide, for each speaker, when a turn ends and who takes the floor.

Each is causal: what it decides up to a moment depends on nothing after it.
"""
