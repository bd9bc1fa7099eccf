"""What one conversation takes, from its spec and constants that were measured once."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache

from pipeline.llm.account import tokens_of
from pipeline.records import ConversationSpec
from pipeline.scale.measured import SHIPPED, Measured
from pipeline.script import write_script
from pipeline.settings import Settings
from pipeline.stages import STAGES, Stage, reaches
from pipeline.writers.prompting import few_shot, heading
from pipeline.writers.settings import WriterName
from pipeline.writers.whole import request
from pipeline.writers.words import words

# Ten conversations of all types and two to five speakers, written by the embedded model with script=lines:
# 468 requests for 223 turns and claims asked for, 738,959 prompt and 9,660 completion tokens, 4,058 words.
REQUESTS_A_LINE = 2.1
"""script=lines: requests a turn or claim asked for."""
TOKENS_A_LINE_REPLY = 20.6
"""script=lines: completion tokens a request."""
TOKENS_A_WORD_BEFORE = 3.0
"""script=lines: prompt tokens a word of the transcript so far, which grows from nothing to the whole conversation."""
CACHED_SHARE = 0.97
"""script=lines: share of a prompt that it has in common with the start of the one before."""
SECONDS_A_LINE_REQUEST = 2.4
"""script=lines with the embedded model writer-1.5b, on two cores that others used too [s]."""
WORDS: Mapping[WriterName, float] = {"lines": 0.94}
"""Words written over words asked for, by writer; 1 for the others, which write what is asked, or are counted."""
# Twenty reference scripts as a model would reply them, counted with the tokens of Qwen2.5.
TOKENS_AN_ACT = 43
"""script=whole: completion tokens of the JSON around the words of an act."""
TOKENS_A_WORD = 1.34
"""script=whole: completion tokens a word."""
AUDIO = 0.9
"""Seconds of a conversation over those that its words were planned for: 0.88 of five argumentative ones (the README's
first example), 0.93 of four of other types; much is said at once."""
BYTES_A_CHANNEL_S = 38_000
"""A second of a finished conversation, its work folder with it, for each speaker and the mix (27,000 to 51,000)."""


@dataclass(frozen=True)
class Ratio:
    """What was measured over what the constants say."""

    factor: float = 1.0
    conversations: int = 0
    """How many it was measured on; 0: none, and the constants stand as they are."""


@dataclass(frozen=True)
class Need:
    """What conversations take; can be added."""

    words: float = 0.0
    audio_s: float = 0.0
    requests: float = 0.0
    prompt_tokens: float = 0.0
    completion_tokens: float = 0.0
    bytes: float = 0.0

    def __add__(self, other: "Need") -> "Need":
        """Both together."""
        return Need(*(getattr(self, name) + getattr(other, name) for name in QUANTITIES))

    def times(self, ratios: Mapping[str, Ratio]) -> "Need":
        """Each quantity times its ratio."""
        return Need(*(getattr(self, name) * ratios[name].factor for name in QUANTITIES))


QUANTITIES = tuple(field.name for field in fields(Need))


def need_of(spec: ConversationSpec, settings: Settings) -> Need:
    """What a conversation takes by the constants of this module.

    Raises
    ------
    InputError
        when a script of the user's own cannot be used.

    """
    written = _words(spec, settings)
    audio_s = spec.target_s * written / spec.amounts.words * AUDIO
    requests, prompt_tokens, completion_tokens = _asked(spec, settings, written)
    return Need(
        words=written,
        audio_s=audio_s,
        requests=requests,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        bytes=audio_s * (len(spec.speakers) + 1) * BYTES_A_CHANNEL_S,
    )


def _words(spec: ConversationSpec, settings: Settings) -> float:
    if settings.script.writer == "file":
        script, _ = write_script(spec, settings.script)
        return sum(len(words(act.text)) for act in script.acts)
    return spec.amounts.words * WORDS.get(settings.script.writer, 1.0)


def _asked(spec: ConversationSpec, settings: Settings, written: float) -> tuple[float, float, float]:
    """Requests, prompt tokens and completion tokens."""
    asked, writer = spec.amounts, settings.script.writer
    if writer == "lines":
        requests = REQUESTS_A_LINE * (asked.floor_turns + asked.floor_claims)
        prompt = tokens_of(few_shot(spec) + heading(spec)) + TOKENS_A_WORD_BEFORE * written / 2
        return requests, requests * prompt, requests * TOKENS_A_LINE_REPLY
    if writer == "whole":
        acts = asked.floor_turns + asked.floor_claims + asked.backchannels + asked.laughs
        prompt = sum(tokens_of(message["content"]) for message in request(spec, settings.script))
        return 1.0, prompt, acts * TOKENS_AN_ACT + written * TOKENS_A_WORD
    return 0.0, 0.0, 0.0


def most_requests(settings: Settings) -> int:
    """Replies that script=whole may ask for at most, for one conversation."""
    whole = settings.script.whole
    return (whole.attempts + whole.act_rounds) * (1 + settings.script.fresh_tries)


def cpu_seconds(settings: Settings, audio_s: float) -> float:
    """Of stages 2 to 5, as far as the run goes, on one core."""
    return audio_s * sum(seconds_of(stage) for stage in STAGES[1:] if reaches(settings.until, stage))


def seconds_of(stage: Stage) -> float:
    """CPU seconds of one core that a second of conversation takes, by the shipped bench; no language model."""
    return _bench().seconds(stage)


@cache
def _bench() -> Measured:
    return Measured.read(SHIPPED)
