"""Synthetic multi-party conversation corpora with an exact, typed log of the conversational floor.

Five stages, each a module of this package and callable alone, in their order:
:mod:`~pipeline.script`, :mod:`~pipeline.orchestrate`, :mod:`~pipeline.render`,
:mod:`~pipeline.augment`, :mod:`~pipeline.assemble`.
"""

__version__ = "0.1.0"
