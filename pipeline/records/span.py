"""A range of samples."""

from typing import Self

from pydantic import model_validator

from pipeline.records.base import Record


class Span(Record):
    """Samples `start` (first) to `end` (one past the last); may be empty, never negative in length.

    >>> Span(start=10, end=30).overlap(Span(start=20, end=50))
    10
    """

    start: int
    end: int

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.end < self.start:
            raise ValueError(f"span ends at {self.end} before it starts at {self.start}")
        return self

    @property
    def length(self) -> int:
        """Number of samples."""
        return self.end - self.start

    def shifted(self, by: int) -> "Span":
        """The same span `by` samples later."""
        return Span(start=self.start + by, end=self.end + by)

    def overlap(self, other: "Span") -> int:
        """Number of samples that both hold; 0 where they do not meet."""
        return max(0, min(self.end, other.end) - max(self.start, other.start))

    def holds(self, sample: int) -> bool:
        """Whether `sample` lies inside."""
        return self.start <= sample < self.end
