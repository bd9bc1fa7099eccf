"""Croissant metadata of a corpus: its files with their sums, and the records that can be read from them.

Source: the Croissant format specification 1.0 and its vocabulary for responsible AI (docs.mlcommons.org/croissant).
Files of conversations are sets; the sum of each of them stands in the manifest, whose own sum stands here.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline import __version__
from pipeline.card import statement
from pipeline.card.facts import Facts
from pipeline.card.front_matter import TAGS
from pipeline.card.licences import addresses
from pipeline.workspace import sha256_of

NAME = "croissant.json"
CONFORMS = ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"]
LINES = "application/jsonlines"
FILES = {
    "manifest.jsonl": (LINES, "a line a conversation: what it is, and size and SHA-256 of each of its files"),
    "pairs.jsonl": (LINES, "a line a counterfactual pair"),
    "stats.json": ("application/json", "realised counts, rates and timing"),
    "corpus.yaml": ("application/yaml", "the resolved configuration, which makes the corpus again"),
}
SETS = {
    "noisy": ("conversations/*/noisy/*.flac", "audio/flac", "each speaker's channel with noise"),
    "clean": ("conversations/*/clean/*.flac", "audio/flac", "each speaker's channel without noise"),
    "mix": ("conversations/*/mix.flac", "audio/flac", "all speakers over one copy of the noise"),
    "events-files": ("conversations/*/events.jsonl", LINES, "the event log, in samples and seconds"),
    "gold-files": ("conversations/*/gold.json", "application/json", "positives, hard negatives, excluded intervals"),
    "timeline-files": (
        "conversations/*/timeline.json",
        "application/json",
        "words, segments, turns, events, the floor",
    ),
    "meta-files": ("conversations/*/meta.json", "application/json", "specification, seeds, versions, levels, noise"),
}
TEXT, WHOLE, REAL = "sc:Text", "sc:Integer", "sc:Float"
CONVERSATIONS = {
    "id": (TEXT, "name of the conversation and of its folder"),
    "split": (TEXT, "dev or test; voices of one are not in the other"),
    "type": (TEXT, "interaction type"),
    "title": (TEXT, "what it is about"),
    "domain": (TEXT, "domain of the topic"),
    "scene": (TEXT, "acoustic scene of the background"),
    "duration_s": (REAL, "length [s]"),
    "n_speakers": (WHOLE, "number of speakers"),
}
EVENTS = {
    "conversation_id": (TEXT, "the conversation"),
    "id": (TEXT, "name of the event in its conversation"),
    "kind": (
        TEXT,
        "turn_yield, turn_hold, turn_interrupted, interruption, non_floor_taking, backchannel or laughter",
    ),
    "speaker": (TEXT, "who makes it"),
    "onset": (WHOLE, "first sample"),
    "offset": (WHOLE, "one past the last sample"),
    "onset_s": (REAL, "onset [s]"),
    "offset_s": (REAL, "offset [s]"),
    "text": (TEXT, "the words"),
}
_TERMS = (
    "citeAs", "column", "examples", "extract", "field", "fileProperty", "fileObject", "fileSet", "format", "includes",
    "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex", "repeated",
    "replace", "samplingRate", "separator", "source", "subField", "transform", "equivalentProperty",
)  # fmt: skip


def croissant(
    corpus: Path, name: str, stats: Mapping[str, Any], lines: Sequence[Mapping[str, Any]], licences: tuple[str, ...],
    facts: Facts,
) -> dict[str, Any]:  # fmt: skip
    """The metadata of a corpus whose other files stand.

    Parameters
    ----------
    corpus, name
        Its folder, and what it is called where its publisher gives no title.
    stats, lines
        What `stats.json` and the manifest hold.
    licences
        As SPDX names them.
    facts
        What the publisher says.

    """
    said = " ".join(filter(None, (facts.description, statement.description(stats), statement.SYNTHETIC)))
    return {
        "@context": context(),
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS,
        "name": facts.title or name,
        "description": said,
        **_published(facts),
        "license": addresses(licences),
        "inLanguage": "en",
        "keywords": list(TAGS),
        "isLiveDataset": False,
        **_responsible(lines),
        "distribution": [*_files(corpus), *_sets()],
        "recordSet": [
            _records("conversations", "A line a conversation.", "fileObject", "manifest.jsonl", CONVERSATIONS, ("id",)),
            _records("events", "A line an event.", "fileSet", "events-files", EVENTS, ("conversation_id", "id")),
        ],
    }


def context() -> dict[str, Any]:
    """The JSON-LD context of Croissant 1.0."""
    return {
        "@language": "en",
        "@vocab": "https://schema.org/",
        "cr": "http://mlcommons.org/croissant/",
        "rai": "http://mlcommons.org/croissant/RAI/",
        "dct": "http://purl.org/dc/terms/",
        "sc": "https://schema.org/",
        "conformsTo": "dct:conformsTo",
        "data": {"@id": "cr:data", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        **{term: {"@id": "cr:examples", "@type": "@json"} if term == "examples" else f"cr:{term}" for term in _TERMS},
    }


def _published(facts: Facts) -> dict[str, Any]:
    """What the publisher says, as far as it is known; the time of the run stands nowhere."""
    given = {
        "url": facts.url,
        "version": facts.version,
        "datePublished": facts.published,
        "citeAs": facts.citation,
        "creator": [{"@type": "sc:Person", "name": name} for name in facts.creators],
    }
    return {key: value for key, value in given.items() if value}


def _responsible(lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "rai:dataCollection": statement.COLLECTION,
        "rai:dataCollectionType": ["Synthetic data"],
        "rai:machineAnnotationTools": [f"turnfloor {__version__}"],
        "rai:dataAnnotationProtocol": [statement.ANNOTATION],
        "rai:dataUseCases": list(statement.USES),
        "rai:dataLimitations": [*statement.limits(lines), *(f"Not for {text}." for text in statement.NOT_FOR)],
        "rai:personalSensitiveInformation": [statement.PERSONAL],
    }


def _files(corpus: Path) -> Iterator[dict[str, Any]]:
    for name, (kind, text) in FILES.items():
        path = corpus / name
        if path.is_file():
            yield {
                "@type": "cr:FileObject",
                "@id": name,
                "name": name,
                "description": text,
                "contentUrl": name,
                "contentSize": f"{path.stat().st_size} B",
                "encodingFormat": kind,
                "sha256": sha256_of(path),
            }


def _sets() -> Iterator[dict[str, Any]]:
    for name, (pattern, kind, text) in SETS.items():
        yield {
            "@type": "cr:FileSet",
            "@id": name,
            "name": name,
            "description": f"{text}; the SHA-256 of each file stands in manifest.jsonl",
            "encodingFormat": kind,
            "includes": pattern,
        }


def _records(
    name: str, text: str, kind: str, source: str, fields: Mapping[str, tuple[str, str]], key: tuple[str, ...]
) -> dict[str, Any]:
    ids = [{"@id": f"{name}/{column}"} for column in key]
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": text,
        "key": ids if len(ids) > 1 else ids[0],
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{column}",
                "name": column,
                "description": told,
                "dataType": data_type,
                "source": {kind: {"@id": source}, "extract": {"column": column}},
            }
            for column, (data_type, told) in fields.items()
        ],
    }
