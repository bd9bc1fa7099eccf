"""Text in several pieces: Kokoro takes 510 phonemes at once, and hurries long before; a hum is not its synthesis."""

from collections.abc import Sequence

from pipeline.errors import ScriptError
from pipeline.speech.cuts import best_cut
from pipeline.speech.g2p import TokenPhonemes
from pipeline.speech.hum import MARKS, hum_of

MOST = 510
"""Phonemes that the network can take."""
WANTED = 400
"""Phonemes above which a text is cut; longer syntheses hurry."""


def in_pieces(tokens: Sequence[TokenPhonemes], limit: int = WANTED) -> list[list[TokenPhonemes]]:
    """Cut `tokens` into runs of at most `limit` phonemes, after the strongest mark that divides them well.

    A hum, with the marks after it, is a run of its own.

    Raises
    ------
    ScriptError
        when a single token is too long to be said.

    """
    return [piece for run in _hums_apart(tokens) for piece in _short(run, limit)]


def _hums_apart(tokens: Sequence[TokenPhonemes]) -> list[list[TokenPhonemes]]:
    """Runs of tokens that are one hum or none; marks stay with what is before them."""
    runs: list[list[TokenPhonemes]] = []
    for token in tokens:
        new = _has_sound(token) and any(map(_has_sound, runs[-1] if runs else ()))
        if not runs or (new and (hum_of(token.phonemes) or hum_of(phonemes_of(runs[-1])))):
            runs.append([])
        runs[-1].append(token)
    return runs


def _has_sound(token: TokenPhonemes) -> bool:
    return not set(token.phonemes) <= MARKS


def _short(tokens: Sequence[TokenPhonemes], limit: int) -> list[list[TokenPhonemes]]:
    """Runs of at most `limit` phonemes; a word of more, up to `MOST`, is a run of its own."""
    rest, runs = list(tokens), []
    while length(rest) > limit and any(map(_has_sound, rest)):
        cut = best_cut(rest, limit) or int(length(rest[:1]) <= MOST)
        if not cut:
            raise ScriptError(f"word {rest[0].text[:40]!r} is too long to be said: write a shorter one")
        runs.append(rest[:cut])
        rest = rest[cut:]
    if runs and not any(map(_has_sound, rest)):
        runs[-1] += rest
        return runs
    return [*runs, rest]


def phonemes_of(tokens: Sequence[TokenPhonemes]) -> str:
    """Phonemes of a run of tokens with the spaces between them, none at its end."""
    return "".join(token.phonemes + (" " if token.whitespace else "") for token in tokens).rstrip(" ")


def length(tokens: Sequence[TokenPhonemes]) -> int:
    """Number of phonemes of a run of tokens, spaces included."""
    return len(phonemes_of(tokens))
