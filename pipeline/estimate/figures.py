"""The figures of an estimate: a value, its unit, and what it rests on."""

from collections.abc import Mapping

from pipeline.estimate.need import (
    AUDIO,
    BYTES_A_CHANNEL_S,
    CACHED_SHARE,
    REQUESTS_A_LINE,
    SECONDS_A_LINE_REQUEST,
    TOKENS_A_LINE_REPLY,
    TOKENS_A_WORD,
    TOKENS_AN_ACT,
    WORDS,
    Need,
    Ratio,
    cpu_seconds,
    most_requests,
    seconds_of,
)
from pipeline.llm.account import CHARACTERS_A_TOKEN, amount, price
from pipeline.llm.settings import LlmSettings
from pipeline.records import Record
from pipeline.settings import Settings


class Figure(Record):
    """One figure of an estimate."""

    value: float | None = None
    """None: not known."""
    unit: str
    basis: str
    """The assumption it rests on."""
    factor: float = 1.0
    """What the conversations there took over what the assumption says of them; the value is scaled by it."""
    measured_on: int = 0
    """How many of them it was measured on."""

    def shown(self) -> str:
        """The value for people.

        >>> Figure(value=5000, unit="s", basis="").shown(), Figure(value=123456, unit="tokens", basis="").shown()
        ('1.4 h', '123,000')
        """
        value = self.value
        if value is None:
            return "unknown"
        if self.unit == "s":
            return (
                f"{value:.0f} s" if value < 90 else f"{value / 60:.0f} min" if value < 5000 else f"{value / 3600:.1f} h"
            )
        if self.unit == "bytes":
            return f"{value / 1e6:,.0f} MB" if value < 1e9 else f"{value / 1e9:,.1f} GB"
        if self.unit in ("words", "requests", "tokens"):
            return f"{float(f'{value:.3g}'):,.0f}"
        return f"{value:.1f} min" if self.unit == "min" else amount(value, self.unit)

    def scaled(self) -> str:
        """What the corpus there says of the assumption, as an appendix to it."""
        if not self.measured_on:
            return ""
        return f"; times {self.factor:.2f}, as measured on {self.measured_on} there"


def figures_of(
    settings: Settings, writing: Need, speaking: Need, unmade: int, known: Mapping[str, Ratio]
) -> dict[str, Figure]:
    """The figures by name.

    Parameters
    ----------
    settings
        The request.
    writing, speaking
        What is still to be written, and to be spoken; scaled by `known`.
    unmade
        Number of conversations still to be spoken.
    known
        What the conversations there took over what the constants say.

    """
    bases = _bases(settings, unmade)

    def figure(name: str, value: float | None, unit: str) -> Figure:
        ratio = known.get(name, Ratio())
        rounded = None if value is None else round(value, 6)
        return Figure(
            value=rounded, unit=unit, basis=bases[name], factor=round(ratio.factor, 4), measured_on=ratio.conversations
        )

    return {
        "words": figure("words", round(writing.words), "words"),
        "audio": figure("audio_s", speaking.audio_s / 60, "min"),
        "requests": figure("requests", round(writing.requests), "requests"),
        "prompt tokens": figure("prompt_tokens", round(writing.prompt_tokens), "tokens"),
        "completion tokens": figure("completion_tokens", round(writing.completion_tokens), "tokens"),
        "cost": figure("cost", _cost(settings, writing), settings.llm.currency),
        "writing": figure("writing", _writing_s(settings, writing), "s"),
        "speaking and mixing": figure(
            "speaking", cpu_seconds(settings, speaking.audio_s) / _at_once(settings, unmade), "s"
        ),
        "disk": figure("bytes", speaking.bytes, "bytes"),
    }


def _bases(settings: Settings, unmade: int) -> dict[str, str]:
    count = _at_once(settings, unmade)
    return {
        "words": _word_basis(settings),
        "audio_s": f"{AUDIO:g} of the length that the words were planned for",
        **_asking(settings),
        "speaking": f"{cpu_seconds(settings, 1.0):.2f} CPU s a second of audio (make bench), {count} at once",
        "bytes": f"{BYTES_A_CHANNEL_S / 1000:g} kB a second of audio and channel",
    }


def _word_basis(settings: Settings) -> str:
    writer = settings.script.writer
    if writer == "file":
        return "counted in script.path"
    return f"{WORDS[writer]:g} of those asked for" if writer in WORDS else "as asked for"


def _asking(settings: Settings) -> dict[str, str]:
    """What the figures about the language model rest on."""
    writer, llm = settings.script.writer, settings.llm
    if not settings.script.needs_model:
        none = dict.fromkeys(
            ("requests", "prompt_tokens", "completion_tokens", "cost"), f"script={writer} asks no model"
        )
        return {**none, "writing": f"{seconds_of('script'):.4f} CPU s a second of audio (make bench)"}
    both = {"cost": _price_basis(llm), "writing": _writing_basis(settings)}
    if writer == "lines":
        return both | {
            "requests": f"{REQUESTS_A_LINE:g} a turn or claim asked for",
            "prompt_tokens": f"the transcript so far with each; {CACHED_SHARE:.0%} of it was in the one before",
            "completion_tokens": f"{TOKENS_A_LINE_REPLY:g} a request",
        }
    return both | {
        "requests": f"one reply a conversation and nothing to mend; at most {most_requests(settings)} each",
        "prompt_tokens": f"the messages as they would be sent, {CHARACTERS_A_TOKEN} characters a token",
        "completion_tokens": f"{TOKENS_AN_ACT} an act and {TOKENS_A_WORD:g} a word",
    }


def _price_basis(llm: LlmSettings) -> str:
    if llm.price_prompt is None:
        return (
            "the model runs on this machine"
            if llm.kind == "embedded"
            else "llm.price_prompt and llm.price_completion are not set"
        )
    return f"{llm.price_prompt:g} and {llm.price_completion:g} a million tokens, nothing off for cached ones"


def _writing_basis(settings: Settings) -> str:
    if _is_timed(settings):
        return f"{SECONDS_A_LINE_REQUEST:g} s a request on two cores"
    return "not measured for this model" if settings.llm.kind == "embedded" else "depends on the endpoint"


def _is_timed(settings: Settings) -> bool:
    """Whether it was measured how long the model takes."""
    llm = settings.llm
    shipped = llm.kind == "embedded" and llm.model == LlmSettings().model and llm.model_path is None
    return shipped and settings.script.writer == "lines"


def _writing_s(settings: Settings, writing: Need) -> float | None:
    if not settings.script.needs_model:
        return writing.audio_s * seconds_of("script")
    return writing.requests * SECONDS_A_LINE_REQUEST if _is_timed(settings) else None


def _cost(settings: Settings, writing: Need) -> float | None:
    cost = price(settings.llm, writing.prompt_tokens, writing.completion_tokens)
    here = settings.llm.kind == "embedded" and cost is None
    return 0.0 if here or not settings.script.needs_model else cost


def _at_once(settings: Settings, conversations: int) -> int:
    return max(1, min(settings.processes, conversations))
