"""What comes out of a scenario: speed, cost, the tail, what was busy how much, and what holds the rest up."""

from pipeline.records import Record
from pipeline.scale.cluster import Ran, simulate
from pipeline.scale.measured import Measured
from pipeline.scale.run import Run
from pipeline.scale.scenario import Scenario
from pipeline.scale.work import drawn

CORES = "cores"
REQUESTS = "requests a minute of the endpoint"
TOKENS = "tokens a minute of the endpoint"
AT_ONCE = "questions at once (llm.concurrency)"
OWN = "the run's own process, which plans, writes and finishes"
TAIL = "the last conversations, while other workers have none"


class Outcome(Record):
    """The answers of the model for one scenario."""

    scenario: Scenario
    conversations: int
    unwritten: int
    """Of these: those whose script was not had within the retries."""
    audio_h: float
    wall_h: float
    """From the command to the finished corpus."""
    making_h: float
    """Of that, until the last conversation is made."""
    audio_h_per_h: float
    """Hours of audio for each hour of wall time."""
    node_h: float
    cost_nodes: float
    cost_tokens: float
    tail_s: float
    """From the moment when the first worker has nothing more to do to the end of the last one."""
    idle_core_h: float
    """Of all workers after their last conversation, while others still have one."""
    lost_core_h: float
    """Spent on what was lost with a worker or a node, and on starting again."""
    node_losses: int
    worker_losses: int
    """Of processes, with their nodes or by themselves."""
    most_losses: int
    """Of one worker; more than `retries` of them end a run of `ray`, which then is to be started again."""
    requests: int
    failed_requests: int
    prompt_tokens: float
    completion_tokens: float
    disk_tb: float
    used: dict[str, float]
    """Share of the time in which each thing that can hold the others up was in use, by its name."""

    @property
    def cost(self) -> float:
        """Of nodes and tokens."""
        return self.cost_nodes + self.cost_tokens

    @property
    def bottleneck(self) -> str:
        """What was in use the most."""
        return max(self.used, key=lambda name: self.used[name])

    @property
    def cores(self) -> float:
        """Share of the time in which a core worked, while conversations were made."""
        return self.used[CORES]

    @property
    def endpoint(self) -> float | None:
        """The same of the endpoint, by the tightest of its limits; None where none is asked."""
        found = [share for name, share in self.used.items() if name in (REQUESTS, TOKENS, AT_ONCE)]
        return max(found, default=None)


def outcome(measured: Measured, scenario: Scenario) -> Outcome:
    """Simulate a scenario; the same one gives the same answer."""
    works = drawn(measured, scenario)
    ran = simulate(works, measured, scenario)
    finish_s = _finish_s(len(works), measured, scenario)
    wall_s = ran.made_s + finish_s
    node_s = sum(ran.node_ends_s) + finish_s * (scenario.nodes if scenario.executor == "ray" else 1)
    audio_s = sum(worker.audio_s for worker in ran.workers)
    return Outcome(
        scenario=scenario,
        conversations=len(works),
        unwritten=sum(run.unwritten for run in ran.runs),
        audio_h=audio_s / 3600,
        wall_h=wall_s / 3600,
        making_h=ran.made_s / 3600,
        audio_h_per_h=audio_s / wall_s,
        node_h=node_s / 3600,
        cost_nodes=node_s / 3600 * scenario.price_node_hour,
        cost_tokens=_tokens_cost(ran, scenario),
        tail_s=_tail_s(ran),
        idle_core_h=sum(map(_idle_s, ran.runs)) / 3600,
        lost_core_h=sum(worker.lost_s for worker in ran.workers) / 3600,
        node_losses=ran.node_losses,
        worker_losses=sum(worker.losses for worker in ran.workers),
        most_losses=max(worker.losses for worker in ran.workers),
        requests=ran.bill.requests,
        failed_requests=ran.bill.failed,
        prompt_tokens=ran.bill.prompt_tokens,
        completion_tokens=ran.bill.completion_tokens,
        disk_tb=sum(worker.bytes for worker in ran.workers) / 1e12,
        used=_used(ran, scenario, finish_s),
    )


def _idle_s(run: Run) -> float:
    """Of the workers of a run, between their last conversation and the last one of all of them."""
    ends = [worker.idle_from for worker in run.workers]
    return sum(max(ends) - end for end in ends)


def _tail_s(ran: Ran) -> float:
    return ran.made_s - min(worker.idle_from for worker in ran.workers)


def _finish_s(conversations: int, measured: Measured, scenario: Scenario) -> float:
    """After the last conversation: the corpus's own files; with shares, a last command that looks at all of them."""
    finish_s = measured.finish_s * conversations
    if scenario.executor == "slurm":
        finish_s += (measured.plan_s + measured.check_s / scenario.workers) * conversations
    return finish_s


def _tokens_cost(ran: Ran, scenario: Scenario) -> float:
    bill = ran.bill
    return (bill.prompt_tokens * scenario.price_prompt + bill.completion_tokens * scenario.price_completion) / 1e6


def _used(ran: Ran, scenario: Scenario, finish_s: float) -> dict[str, float]:
    """Shares of the time in which each thing was in use; the endpoint's are of the time until its last reply."""
    made_s, asked_s = ran.made_s, ran.bill.last_s or 1.0
    workers = scenario.nodes * scenario.workers
    used = {CORES: sum(worker.busy_s for worker in ran.workers) / (workers * made_s)}
    if scenario.requests_a_minute:
        used[REQUESTS] = min(1.0, ran.requests_busy_s / asked_s)
    if scenario.tokens_a_minute:
        used[TOKENS] = min(1.0, ran.tokens_busy_s / asked_s)
    if scenario.writer != "none":
        at_once = scenario.concurrency * (scenario.nodes if scenario.executor == "slurm" else 1)
        used[AT_ONCE] = ran.bill.replying_s / (at_once * asked_s)
    own_s = max(run.own.busy_s for run in ran.runs)
    used[OWN] = min(1.0, (own_s + finish_s) / (made_s + finish_s))
    used[TAIL] = _tail_s(ran) / made_s
    return used
