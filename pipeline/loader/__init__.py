"""A finished corpus as data, read when asked for.

>>> from pipeline import load_corpus
>>> corpus = load_corpus("corpora/mine")                                                     # doctest: +SKIP
>>> corpus["c0000"].channel("s1", kind="clean", start_s=1.5, end_s=3.0).shape                # doctest: +SKIP
(36000,)
"""

from pipeline.loader.conversation import KINDS, Conversation, Kind, Sound
from pipeline.loader.corpus import Corpus, load_corpus

__all__ = ["KINDS", "Conversation", "Corpus", "Kind", "Sound", "load_corpus"]
