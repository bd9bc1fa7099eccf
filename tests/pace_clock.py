"""A clock that reads durations off the text, for tests of the simulation alone."""

from pipeline.records import Pause, Span, Speaker, Utterance, Word
from pipeline.samples import to_samples
from pipeline.text import words_of

LETTER_S, SPACE_S, CLAUSE_S, EDGE_S = 0.055, 0.05, 0.22, 0.3


def pace_clock(act, speaker: Speaker) -> Utterance:
    """55 ms a letter, 220 ms at each clause boundary, 300 ms of silence on either side."""
    at, words, pauses = to_samples(EDGE_S), [], []
    first = at
    text = act.text
    laughs = getattr(act, "kind", "") == "laughter"
    position = 0
    for word in ["ha"] * 8 if laughs else words_of(text):
        length = to_samples(LETTER_S * max(2, len(word)))
        if not laughs:
            words.append(Word(text=word, start=at, end=at + length))
            position = text.index(word, position) + len(word)
        at += length
        end = at
        if not laughs and text[position : position + 1] in tuple(",;:.?!—") and position < len(text) - 1:
            pauses.append(Pause(start=at, end=at + to_samples(CLAUSE_S), clause=True))
            at += to_samples(CLAUSE_S)
        else:
            at += to_samples(SPACE_S)
    return Utterance(
        id=f"u.{act.id}",
        speaker=speaker.id,
        act_id=act.id,
        kind="laughter" if laughs else "speech",
        author=act.author,
        written=text,
        spoken=text,
        voice=speaker.voice,
        n_samples=end + to_samples(EDGE_S),
        words=tuple(words),
        speech=Span(start=first, end=end),
        pauses=tuple(pauses),
    )
