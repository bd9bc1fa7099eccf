"""A measured timing as a profile that ``timing=NAME`` takes: YAML with what each value was measured on."""

from typing import Any

import yaml

from pipeline.records import TYPES
from pipeline.resources import resource
from pipeline.timing.distributions import Quantiles
from pipeline.timing.measured import LEAST, Measured

MOST_HOLDS = 0.5
"""Stage 2 makes one hold a turn at most: half of the floor segments, when every turn has one."""
COLUMN = 50
"""Where comments begin."""
DISTRIBUTIONS = {"gaps": "yield_gap", "hold_pause": "hold_pause", "interruption_overlap": "interruption_overlap"}
"""The settings that are distributions, and the events they are measured on."""


def profile(measured: Measured, name: str) -> str:
    """The text of profile `name`; what was not measured often enough is the paper's, and its comment says so."""
    known = f"words of {measured.with_words} known" if measured.with_words else "without words"
    lines = [
        "# yaml-language-server: $schema=../schema/timing.json",
        f"# Timing profile {name}: {measured.recordings} recordings, {measured.duration_s / 3600:.2f} hours, {known}.",
        "# Floor events by the mapping of Table 23. Seconds. Use: --config-dir FOLDER timing=NAME, where this file is",
        "# FOLDER/timing/NAME.yaml.",
        _said("defaults: [_measured, _self_]", "what is not named here is as in paper.yaml"),
    ]
    for setting, kind in DISTRIBUTIONS.items():
        lines += _distribution(setting, measured.quantiles(kind), f"{measured.count(kind)} of {kind}")
    if (rate := measured.hold_rate) is not None and measured.count("hold_pause") >= LEAST:
        more = "; a turn has one at most" if rate > MOST_HOLDS else ""
        lines.append(_said(f"hold_rate: {min(rate, MOST_HOLDS):.3f}", f"{rate:.3f} holds per floor segment{more}"))
    if (rate := measured.claim_success_rate) is not None and measured.count("interruption_overlap") >= LEAST:
        lines.append(_said("claim_success_rate:", "interruptions per claim, of every type alike"))
        lines += [f"  {kind}: {rate:.3f}" for kind in TYPES]
    return "\n".join(lines) + "\n"


def _distribution(setting: str, found: Quantiles | None, source: str) -> list[str]:
    if found is None:
        text = yaml.safe_dump({setting: _of_paper(setting)}, sort_keys=False).splitlines()
        return [_said(text[0], f"the paper's; {source} are too few (under {LEAST})"), *text[1:]]
    rows = (("probabilities", found.probabilities), ("values", found.values))
    return [_said(f"{setting}:", source), *(f"  {key}: [{', '.join(f'{v:g}' for v in row)}]" for key, row in rows)]


def _of_paper(setting: str) -> Any:
    return yaml.safe_load(resource("conf", "timing", "paper.yaml").read_text(encoding="utf-8"))[setting]


def _said(text: str, comment: str) -> str:
    return f"{text:<{COLUMN}}# {comment}"
