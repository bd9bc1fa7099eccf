"""Whether the realised figures of a corpus prove what it is to isolate."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pipeline.errors import InputError
from pipeline.records.base import Record
from pipeline.stress.settings import Proof, StressSettings

Verdict = Literal["proved", "NOT PROVED", "not measured"]


class Proved(Record):
    """A proof beside what came out."""

    figure: str
    realised: float | None = None
    """None where nothing was counted, or the stage that it is about was not run."""
    wanted: str
    at_least: float | None = None
    at_most: float | None = None
    verdict: Verdict

    def __str__(self) -> str:
        """One line of the summary."""
        value = "" if self.realised is None else f" {self.realised:g}"
        return f"{self.verdict}: {self.figure}{value}, wanted {self.wanted}"


def proved(stress: StressSettings, figures: Mapping[str, Any]) -> list[Proved]:
    """Each proof of a stress corpus beside the figures of all its conversations, as `stats.json` has them."""
    return [_proved(proof, _value(figures, proof.figure)) for proof in stress.proves]


def again(kept: Mapping[str, Any], figures: Mapping[str, Any]) -> list[Proved]:
    """The proofs of :func:`as_stats` beside `figures` that were counted anew; InputError where they cannot be read."""
    try:
        proofs = [Proof.model_validate({k: one.get(k) for k in Proof.model_fields}) for one in kept.get("proofs", ())]
    except (ValueError, AttributeError):
        raise InputError("stats.json: its proofs cannot be read; finish the corpus by making it again") from None
    return [_proved(proof, _value(figures, proof.figure)) for proof in proofs]


def _proved(proof: Proof, value: float | None) -> Proved:
    verdict: Verdict = "not measured" if value is None else "proved" if proof.holds(value) else "NOT PROVED"
    return Proved(
        figure=proof.figure,
        realised=value,
        wanted=proof.wanted,
        at_least=proof.at_least,
        at_most=proof.at_most,
        verdict=verdict,
    )


def _value(figures: Mapping[str, Any], name: str) -> float | None:
    """The figure of that name; None where nothing was counted."""
    found: Any = figures
    for key in name.split("."):
        found = found.get(key) if isinstance(found, Mapping) else None
    return float(found) if isinstance(found, int | float) else None


def as_stats(stress: StressSettings, figures: Mapping[str, Any]) -> dict[str, Any]:
    """What `stats.json` keeps: what is to be isolated, and each proof beside what came out."""
    return {"isolates": stress.isolates, "proofs": [one.model_dump(mode="json") for one in proved(stress, figures)]}


def lines(kept: Mapping[str, Any]) -> Iterator[str]:
    """What the summary of a run says of it, from what `stats.json` keeps."""
    proofs = [Proved.model_validate(one) for one in kept["proofs"]]
    yield f"isolates: {kept['isolates']}"
    yield from map(str, proofs)
    if missing := [one for one in proofs if one.verdict != "proved"]:
        yield f"{len(missing)} of {len(proofs)} proofs do not hold: the corpus does not show what it is to isolate"
