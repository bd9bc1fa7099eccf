"""What is asked of the model: how much audio, on how many machines, with which endpoint, prices and failures."""

from typing import Literal, Self

from pydantic import Field, model_validator

from pipeline.executors.settings import ExecutorSettings
from pipeline.llm.settings import LlmSettings
from pipeline.records import Record

Writer = Literal["none", "whole", "lines"]
"""Who writes: nobody is asked (`reference`, `template`), or a remote language model."""


class Scenario(Record):
    """A corpus to be made, and what it is made on; rates of failure are means of a Poisson process."""

    hours: float = Field(gt=0, default=100.0)
    """Of audio."""
    seconds: float | None = Field(gt=0, default=None)
    """Mean length of a conversation; None: as measured. CPU seconds, tokens and bytes grow with the length."""
    nodes: int = Field(ge=1, default=1)
    workers: int = Field(ge=1, default=2)
    """A node, each on a core of its own."""
    executor: Literal["ray", "slurm"] = "ray"
    """`ray`: all workers take from one queue (on one node also `local`); `slurm`: shares by the hash of the name."""
    shards: int | None = Field(ge=1, default=None)
    """Shares of `slurm`; None: one a node."""
    retries: int = Field(ge=0, default=ExecutorSettings().retries)
    """How often `ray` starts a lost worker again, as `executor.retries`."""

    writer: Writer = "none"
    concurrency: int = Field(ge=1, default=LlmSettings().concurrency)
    """Conversations that are asked for at once in a run, as `llm.concurrency`; each share of `slurm` is a run."""
    requests_a_minute: float | None = Field(gt=0, default=None)
    """What the endpoint takes, of all runs together; None: any number."""
    tokens_a_minute: float | None = Field(gt=0, default=None)
    """Prompts and completions."""
    tokens_a_second: float = Field(gt=0, default=50.0)
    """How fast one reply is written; an assumption, not measured here."""
    repairs: float = Field(ge=0, default=0.0)
    """Mean number of further replies that a script of `whole` needs; an assumption."""

    request_failures: float = Field(ge=0, lt=1, default=0.0)
    """Share of requests that fail and are tried again."""
    worker_failures: float = Field(ge=0, default=0.0)
    """An hour and worker: processes that are lost."""
    node_failures: float = Field(ge=0, default=0.0)
    """An hour and node."""
    node_back_s: float = Field(ge=0, default=300.0)
    """Until a lost node is back or replaced."""

    price_node_hour: float = Field(ge=0, default=0.0)
    price_prompt: float = Field(ge=0, default=0.0)
    """Of a million prompt tokens."""
    price_completion: float = Field(ge=0, default=0.0)
    """Of a million completion tokens."""
    currency: str = Field(default="USD", pattern=r"^[A-Za-z]{1,8}$")
    seed: int = Field(ge=0, lt=2**63, default=1)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.shards is not None and self.executor != "slurm":
            raise ValueError("shards are those of executor=slurm; with ray all workers take from one queue")
        if self.worker_failures and self.executor == "slurm":
            raise ValueError(
                "worker_failures are replaced by executor=ray alone: a share of slurm ends with its first lost worker, "
                "and the command that finishes makes what it leaves"
            )
        limited = self.requests_a_minute or self.tokens_a_minute or self.repairs or self.request_failures
        if limited and self.writer == "none":
            raise ValueError("limits and failures of an endpoint are given, and writer=none asks none: choose a writer")
        return self
