"""What is known of MUSAN beyond its own files: `noise/musan.yaml`."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from pipeline.models.place import cache_dir
from pipeline.sound.catalogue import Recipe, shipped

Url = Annotated[str, Field(pattern=r"^https?://[^\s/]+/\S+$")]


class Archive(Recipe):
    """The published archive."""

    name: str
    bytes: int = Field(gt=0)
    md5: str = Field(pattern=r"^[0-9a-f]{32}$")
    unpacked_bytes: int = Field(gt=0)
    """What its files take on the disk."""
    folder: str
    """The one folder that it holds."""
    mirrors: tuple[Url, ...] = Field(min_length=1)
    """Where it is had, the first that delivers."""


class MusanCatalogue(Recipe):
    """The catalogue `noise/musan.yaml`."""

    schema_version: Literal[1]
    archive: Archive
    language: str
    """Of the distant speech taken from librivox."""
    not_beds: tuple[str, ...]
    """Background noises in which people are heard to talk."""
    shortest_bed_s: float
    crossfade_s: float


def known() -> MusanCatalogue:
    """The shipped catalogue."""
    return shipped("musan.yaml", MusanCatalogue)


def default_folder() -> Path:
    """Where `make musan` puts the directory, and where it is looked for unless another one is named."""
    return cache_dir() / known().archive.folder
