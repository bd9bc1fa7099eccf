"""A share of a corpus: which conversations one of several runs on the same folder makes."""

import hashlib
import re
from typing import Self

from pydantic import Field, model_validator

from pipeline.records import Record


class Shard(Record):
    """Number `index` of `count` shares, counted from 0; written `3/16`."""

    index: int = Field(ge=0)
    count: int = Field(ge=1)

    @model_validator(mode="before")
    @classmethod
    def _read(cls, value: object) -> object:
        """Take text such as `3/16`."""
        if not isinstance(value, str):
            return value
        found = re.fullmatch(r"(\d+)/(\d+)", value)
        if not found:
            raise ValueError(f"{value!r} is no share of a corpus; write shard=3/16 for number 3 of 16, counted from 0")
        return {"index": int(found[1]), "count": int(found[2])}

    @model_validator(mode="after")
    def _inside(self) -> Self:
        if self.index >= self.count:
            raise ValueError(f"{self} is not there: shares are counted from 0 to {self.count - 1}")
        return self

    def __str__(self) -> str:
        """As it is written on the command line."""
        return f"{self.index}/{self.count}"

    def holds(self, ident: str) -> bool:
        """Whether the conversation belongs to this share, whatever others there are in the corpus."""
        return int(hashlib.sha256(ident.encode()).hexdigest()[:8], 16) % self.count == self.index
