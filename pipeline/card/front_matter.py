"""The front matter of a corpus's readme: the metadata of a dataset card on the Hugging Face hub.

Source: `datasetcard.md` of huggingface/hub-docs, which lists the keys and what each takes.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from pipeline.card.facts import Facts
from pipeline.card.features import EVENTS, told
from pipeline.card.licences import hub_terms

TASKS = ("voice-activity-detection", "automatic-speech-recognition", "audio-classification")
TAGS = (
    "turn-taking", "end-of-turn", "interruptions", "backchannels", "overlapping-speech", "full-duplex",
    "multi-party", "conversation", "speaker-diarization", "synthetic", "turnfloor",
)  # fmt: skip
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_ACTS = "acts_by_"
_BY_MACHINE = ("model", "template")
CONFIGS = (
    {"config_name": "conversations", "default": True, "data_files": "manifest.jsonl"},
    {"config_name": "events", "data_files": "conversations/*/events.jsonl"},
)
"""What `datasets.load_dataset` reads from the folder: a line a conversation, or a line an event."""


def front_matter(name: str, stats: Mapping[str, Any], licences: tuple[str, ...], facts: Facts) -> str:
    """The block between the dashed lines, as YAML, those lines with it.

    Parameters
    ----------
    name
        The corpus folder.
    stats
        What `stats.json` holds.
    licences
        As SPDX names them.
    facts
        What the publisher says.

    """
    script = stats["all"].get("script", {})
    found = metadata(
        facts.title or name,
        licences,
        stats["all"]["conversations"],
        creators=creators(key.removeprefix(_ACTS) for key, count in script.items() if key.startswith(_ACTS) and count),
        configs=[dict(config) for config in CONFIGS],
    )
    return dumped(found | {"dataset_info": [{"config_name": "events", "features": told(EVENTS)}]}) + "\n"


def metadata(
    title: str, licences: tuple[str, ...], rows: int, *, creators: list[str], configs: list[dict[str, Any]]
) -> dict[str, Any]:
    """The hub's metadata of a dataset of so many `rows`; `creators`: of its words, `configs`: where its files are."""
    return {
        "pretty_name": title,
        "language": ["en"],
        **hub_terms(licences),
        "annotations_creators": ["machine-generated"],
        "language_creators": creators,
        "multilinguality": ["monolingual"],
        "size_categories": [size(rows)],
        "source_datasets": ["original"],
        "task_categories": list(TASKS),
        "tags": list(TAGS),
        "configs": configs,
    }


def dumped(data: Mapping[str, Any]) -> str:
    """Metadata as a block of front matter."""
    return f"---\n{yaml.safe_dump(dict(data), sort_keys=False, allow_unicode=True, width=120)}---\n"


def creators(authors: Iterable[str]) -> list[str]:
    """Where the words are from, in the hub's terms, by the authors of the scripts' acts.

    >>> creators({"model", "lexicon"}), creators({"authored"})
    (['machine-generated', 'other'], ['other'])
    """
    return sorted({"machine-generated" if author in _BY_MACHINE else "other" for author in authors})


def size(conversations: int) -> str:
    """The hub's category of so many rows.

    >>> size(240), size(1000)
    ('n<1K', '1K<n<10K')
    """
    return next((name for most, name in _SIZES if conversations < most), "1M<n<10M")
