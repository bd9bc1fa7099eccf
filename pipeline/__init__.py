"""Synthetic multi-party conversation corpora with an exact, typed log of the conversational floor.

Five stages, each a module of this package and callable alone, in their order:
:mod:`~pipeline.script`, :mod:`~pipeline.orchestrate`, :mod:`~pipeline.render`,
:mod:`~pipeline.augment`, :mod:`~pipeline.assemble`.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from pipeline.loader import Conversation as Conversation
    from pipeline.loader import Corpus as Corpus
    from pipeline.loader import load_corpus as load_corpus

_LOADER = ("Conversation", "Corpus", "load_corpus")


def __getattr__(name: str) -> Any:
    """The loader, imported when it is asked for: `import pipeline` alone imports neither numpy nor pydantic."""
    if name in _LOADER:
        from pipeline import loader

        return getattr(loader, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
