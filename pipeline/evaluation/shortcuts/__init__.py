"""Shortcuts on the sound of a corpus: what single features, and a small classifier over all of them, make of it.

:mod:`pipeline.audit` asks the same of the log, where voice activity is perfect and there is no sound yet.
"""
