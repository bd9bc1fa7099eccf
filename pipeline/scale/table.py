"""Outcomes for people: one as a list of figures, several as a table, a row a scenario."""

from collections.abc import Iterator, Sequence

from pipeline.llm.account import amount
from pipeline.scale.measured import Measured
from pipeline.scale.outcome import Outcome
from pipeline.scale.scenario import Scenario


def lines(found: Outcome, measured: Measured) -> Iterator[str]:
    """One outcome, each figure with what it means, then what it rests on."""
    asked = found.scenario
    yield (
        f"{found.audio_h:,.1f} h of audio in {found.conversations - found.unwritten:,} conversations, "
        f"{asked.nodes} x {asked.workers} workers, executor={asked.executor}"
    )
    for name, value, note in _figures(found):
        yield f"  {name:<26}{value:>16}   {note}"
    yield f"  bottleneck: {found.bottleneck}"
    for name, share in sorted(found.used.items(), key=lambda item: -item[1]):
        yield f"    {share:>6.1%}  {name}"
    yield from basis(found, measured)


def _figures(found: Outcome) -> Iterator[tuple[str, str, str]]:
    asked = found.scenario
    yield "hours of audio an hour", f"{found.audio_h_per_h:,.1f}", "all of it, from the command to the finished corpus"
    yield "done after", span(found.wall_h * 3600), f"conversations after {span(found.making_h * 3600)}"
    yield (
        "cost",
        amount(found.cost, asked.currency),
        f"{found.node_h:,.1f} node hours {amount(found.cost_nodes, asked.currency)}, "
        f"tokens {amount(found.cost_tokens, asked.currency)}",
    )
    yield "tail", span(found.tail_s), f"with too few conversations left: {found.idle_core_h:,.2f} core hours idle"
    yield "cores in use", f"{found.cores:.1%}", "of the time until the last conversation is made"
    if found.endpoint is not None:
        tokens = found.prompt_tokens + found.completion_tokens
        yield "endpoint in use", f"{found.endpoint:.1%}", f"{found.requests:,} requests, {tokens / 1e6:,.1f} M tokens"
    yield (
        "lost",
        f"{found.lost_core_h:,.2f} core h",
        f"{found.node_losses} nodes, {found.worker_losses} workers, {found.failed_requests:,} requests",
    )
    yield "disk", f"{found.disk_tb * 1000:,.1f} GB", "work folders included"


def basis(found: Outcome, measured: Measured) -> Iterator[str]:
    """What the figures rest on, and what ends such a run."""
    asked, known = found.scenario, len(measured.conversations)
    yield (
        f"stage times: {known} conversations, {measured.audio_s:.0f} s of audio, measured on {measured.machine}; "
        f"drawn with replacement by seed {asked.seed}"
    )
    if max(measured.crowding) < asked.workers:
        yield (
            f"{asked.workers} workers on a node are taken to be as fast as {max(measured.crowding)}, the most that "
            "were measured on one"
        )
    if asked.writer != "none":
        yield (
            f"replies at {asked.tokens_a_second:g} tokens a second and {asked.repairs:g} repairs a script are assumed; "
            "tokens are those of make estimate"
        )
    if asked.executor == "ray" and found.most_losses > asked.retries:
        yield (
            f"a worker is lost {found.most_losses} times, more than executor.retries={asked.retries}: the run would "
            f"stop there and go on with the same command; set executor.retries={found.most_losses} or more"
        )
    if found.unwritten:
        yield f"{found.unwritten:,} conversations get no script within the retries; the same command tries them again"


HEADER = f"{'nodes':>6}{'h an h':>10}{'done after':>12}{'cost':>16}{'tail':>10}{'cores':>8}{'endpoint':>10}  bottleneck"


def rows(several: Sequence[Outcome]) -> Iterator[str]:
    """Several outcomes, one a line."""
    yield HEADER
    for found in several:
        endpoint = "-" if found.endpoint is None else f"{found.endpoint:.0%}"
        yield (
            f"{found.scenario.nodes:>6}{found.audio_h_per_h:>10,.1f}{span(found.wall_h * 3600):>12}"
            f"{amount(found.cost, found.scenario.currency):>16}{span(found.tail_s):>10}{found.cores:>8.0%}"
            f"{endpoint:>10}  {found.bottleneck}"
        )


def span(seconds: float) -> str:
    """A duration for people.

    >>> span(41.2), span(600), span(10_000), span(1e6)
    ('41 s', '10 min', '2.8 h', '11.6 days')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 3 * 86400 else f"{seconds / 86400:.1f} days"


def with_nodes(scenario: Scenario, nodes: Sequence[int]) -> list[Scenario]:
    """The same with other numbers of nodes."""
    return [scenario.model_copy(update={"nodes": count}) for count in nodes]
