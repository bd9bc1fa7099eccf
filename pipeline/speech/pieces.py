"""Text in several pieces: Kokoro takes 510 phonemes at once, and hurries long before; a hum is not its synthesis."""

from collections.abc import Sequence

from pipeline.errors import ScriptError
from pipeline.speech.g2p import TokenPhonemes
from pipeline.speech.hum import MARKS, hum_of

MOST = 510
"""Phonemes that the network can take."""
WANTED = 400
"""Phonemes above which a text is cut; longer syntheses hurry."""
STRENGTH = ((".", "?", "!"), (";", ":", "—", "..."), (",",))
"""Marks to cut after, the best first."""


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
    """Runs of at most `limit` phonemes."""
    if length(tokens) <= limit:
        return [list(tokens)]
    cut = _best_cut(tokens, limit)
    if not cut:
        raise ScriptError(f"word {tokens[0].text[:40]!r} is too long to be said: write a shorter one")
    return [list(tokens[:cut]), *_short(tokens[cut:], limit)]


def phonemes_of(tokens: Sequence[TokenPhonemes]) -> str:
    """Phonemes of a run of tokens with the spaces between them, none at its end."""
    return "".join(token.phonemes + (" " if token.whitespace else "") for token in tokens).rstrip(" ")


def length(tokens: Sequence[TokenPhonemes]) -> int:
    """Number of phonemes of a run of tokens, spaces included."""
    return len(phonemes_of(tokens))


def _best_cut(tokens: Sequence[TokenPhonemes], limit: int) -> int:
    """Index after the last strongest mark in the second half of what fits; else after the last whole token."""
    sizes = [length(tokens[:count]) for count in range(len(tokens) + 1)]
    fits = max(count for count, size in enumerate(sizes) if size <= limit)
    for marks in STRENGTH:
        for cut in range(fits, 0, -1):
            if tokens[cut - 1].text in marks and sizes[cut] >= limit // 3:
                return cut
    return fits
