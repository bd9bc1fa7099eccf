"""What all participants share: the clock of the simulation, the floor, who is to speak next, the ledger."""

from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import simpy

from pipeline.records import ClaimAct, Script, TurnAct, Utterance, VocalisationAct
from pipeline.simulation.floor import Floor
from pipeline.simulation.ledger import Ledger
from pipeline.simulation.performance import Performance
from pipeline.timing import TimingSettings

if TYPE_CHECKING:
    from pipeline.simulation.participant import Participant

Clock = Callable[[TurnAct | ClaimAct | VocalisationAct], Utterance]
"""Plans the synthesis of an act's words in its speaker's voice."""


class Room:
    """The shared state of one conversation; simulation time counts samples."""

    def __init__(
        self, script: Script, utterances: Mapping[str, Utterance], clock: Clock, timing: TimingSettings
    ) -> None:
        self.env = simpy.Environment()
        self.floor = Floor(self.env)
        self.ledger = Ledger()
        self.script = script
        self.timing = timing
        self.agenda: deque[TurnAct] = deque(script.turns)
        self.participants: dict[str, Participant] = {}
        self._utterances = dict(utterances)
        self._clock = clock

    @property
    def now(self) -> int:
        """The present sample."""
        return int(self.env.now)

    def utterance(self, act: TurnAct | ClaimAct | VocalisationAct) -> Utterance:
        """The planned synthesis of an act, clocked when it is met for the first time."""
        if act.id not in self._utterances:
            self._utterances[act.id] = self._clock(act)
        return self._utterances[act.id]

    def announce(self, performance: Performance) -> None:
        """Let everybody else hear that `performance` has begun."""
        for ident, participant in self.participants.items():
            if ident != performance.speaker:
                participant.hears(performance)

    def next_turn(self) -> TurnAct | None:
        """The turn that comes next by the script."""
        return self.agenda[0] if self.agenda else None
