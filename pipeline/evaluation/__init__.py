"""Scoring of turn-taking detectors against a corpus's gold: the protocol, operating points, detectors, shortcut audits.

Nothing that makes a corpus imports this folder. ``python -m pipeline.score CORPUS`` is its command.
"""
