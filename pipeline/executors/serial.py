"""No pool at all."""

from collections.abc import Iterable, Iterator

from pipeline.executors.base import JobT, Notify, ResultT, Work


class Serial:
    """One after another in this process."""

    def map(self, work: Work[JobT, ResultT], jobs: Iterable[JobT], notify: Notify) -> Iterator[ResultT]:
        """Do `work` on every job in order."""
        yield from (work(job, notify) for job in jobs)
