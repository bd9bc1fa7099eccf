"""Stress corpora: what one isolates, and the realised figures that prove it.

``python -m pipeline.stress NAME`` makes the one that ``conf/experiment/stress/NAME.yaml`` describes, or lists them.
"""
