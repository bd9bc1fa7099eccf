"""One participant: listens, responds, claims the floor, holds it, and gives it up or loses it."""

from collections.abc import Generator
from typing import Any

import simpy

from pipeline.records import ClaimAct, TurnAct, VocalisationAct
from pipeline.samples import RATE, to_samples
from pipeline.simulation import placing
from pipeline.simulation.ledger import OpenTurn
from pipeline.simulation.performance import Contest, Performance
from pipeline.simulation.policy import Attempt, Policy
from pipeline.simulation.resuming import resumed_act
from pipeline.simulation.room import Room

Process = Generator[simpy.Event, Any, None]
BREAK_OFF_S = 0.2
"""How long a claimant still sounds after a rival has made it give up."""
RIVAL_MARGIN_S = 0.15
"""A claimant that gives up is silent at least this long before a rival takes the floor."""
BRIEFEST_S = 0.15
"""Whoever has taken the floor keeps it at least this long."""


class Participant:
    """The processes of one speaker. What it decides is its policy's; what it does is here."""

    def __init__(self, room: Room, ident: str, policy: Policy) -> None:
        self.room = room
        self.id = ident
        self.policy = policy
        self.sounding_until = -to_samples(room.timing.self_gap_s)
        """End of this speaker's latest sound."""

    @property
    def free_at(self) -> int:
        """The first sample at which this speaker may sound again."""
        return self.sounding_until + to_samples(self.room.timing.self_gap_s)

    # Listening ---------------------------------------------------------------------------------------

    def hears(self, turn: Performance) -> None:
        """Somebody else has begun to hold the floor: start whatever this speaker means to do about it."""
        for act in self.room.script.landing_in(turn.act.id):
            if act.speaker == self.id:
                does = self.claim(act, turn) if isinstance(act, ClaimAct) else self.vocalise(act, turn)
                self.room.env.process(does)
        following = self.room.next_turn()
        if following is not None and following.speaker == self.id:
            self.room.env.process(self.follow(following, turn))

    def _wait(self, until: int, turn: Performance, *others: simpy.Event) -> Process:
        """Wait until sample `until`, or until `turn` is over or one of `others` fires."""
        yield simpy.AnyOf(self.room.env, [self.room.env.timeout(max(0, until - self.room.now)), turn.over, *others])

    # Holding the floor -------------------------------------------------------------------------------

    def open(self, act: TurnAct) -> Process:
        """Begin the conversation after its lead-in."""
        yield self.room.env.timeout(to_samples(self.room.timing.lead_in_s))
        yield from self.take(act, "opening")

    def follow(self, act: TurnAct, before: Performance) -> Process:
        """Take the next turn around the end of the one before, unless that is cut off first."""
        gap, earliest = self.policy.gap(act), self.room.now + to_samples(BRIEFEST_S)
        # Where the one before leaves off at a pause, its end is another than it seemed.
        while self.room.now < (until := max(wanted := max(before.end + gap, earliest), self.free_at)):
            yield self.room.env.timeout(until - self.room.now) | self._cut(before)
            if before.taken_by is not None:
                return
        if self.room.now > wanted:
            self.room.ledger.adjust(act.id, "waited", "its speaker was still sounding", self.room.now - wanted)
        yield from self.take(act, "handover")

    def _cut(self, turn: Performance) -> simpy.Event:
        """Fire when `turn` is over early; never when it has ended already."""
        return turn.over if not turn.over.triggered else self.room.env.event()

    def take(self, act: TurnAct, entry: str) -> Process:
        """Take the floor with a turn of the script, from now on."""
        turn = OpenTurn(self.room.ledger.next_turn_id(), self.id, entry, resumes=_resumed(act, self.room), act=act)
        self.room.ledger.open_turn(turn)
        yield from self.hold(self.perform(act, turn.id))

    def perform(self, act: TurnAct, turn_id: str) -> Performance:
        """Begin a turn of the script now; it is next no longer."""
        if act in self.room.agenda:
            self.room.agenda.remove(act)
        utterance = self.room.utterance(act)
        return Performance(
            utterance, act, turn_id, self.room.now, self.room.env.event(), self.policy.holds(act, utterance)
        )

    def hold(self, performance: Performance) -> Process:
        """Hold the floor with `performance`, and with own turns that follow it, until yielding or losing it."""
        request = self.room.floor.seize(self.id)
        yield request
        going: Performance | None = performance
        while going is not None:
            self.sounding_until = going.end
            self.room.announce(going)
            try:
                yield self.room.env.timeout(going.stops_at - self.room.now)
            except simpy.Interrupt:
                yield from self._lose(going)
                return
            going.stopped = going.stops_at < going.end
            self.sounding_until = going.end
            going.over.succeed("done")
            going = yield from self._continue(going)
        self.room.floor.release(request, self.id)

    def _lose(self, going: Performance) -> Process:
        """Stop at once when cut off; sound to the end when the next speaker only started early."""
        if going.taken_by is None:
            yield self.room.env.timeout(going.end - self.room.now)
            going.over.succeed("done")
            self.room.ledger.floor(going, "yield")
            return
        going.cut = self.room.now
        self.sounding_until = self.room.now
        self.room.ledger.floor(going, "interrupted")
        going.over.succeed("cut")
        following = self.room.next_turn()
        if (following is None or following.speaker != self.id) and self.policy.resumes(going):
            again = resumed_act(going)
            if again is not None:
                self.room.agenda.appendleft(again)

    def _continue(self, done: Performance) -> Generator[simpy.Event, Any, Performance | None]:
        """Go on with the next turn when it is this speaker's own; otherwise yield."""
        following = self.room.next_turn()
        if following is None or following.speaker != self.id:
            self.room.ledger.floor(done, "yield")
            return None
        self.room.ledger.floor(done, "continues")
        yield self.room.env.timeout(self.policy.continuation_gap(following))
        return self.perform(following, done.turn_id)

    # Claiming the floor ------------------------------------------------------------------------------

    def claim(self, act: ClaimAct, turn: Performance) -> Process:
        """Claim the floor during `turn`: press until it is taken, or give up and leave it."""
        attempt = self.policy.attempt(act)
        if attempt is None:
            self.room.ledger.adjust(act.id, "dropped", "its speaker let it be")
            return
        wanted = self._wanted(act, attempt, turn)
        while True:
            attempt, place = self._place(act, attempt, turn, wanted)
            if place is None:
                self.room.ledger.adjust(act.id, "dropped", f"no room left in turn {turn.turn_id}")
                return
            yield from self._wait(place.onset, turn)
            if turn.over.triggered:
                self.room.ledger.adjust(act.id, "dropped", f"turn {turn.turn_id} was cut off before")
                return
            if self.room.now >= self.free_at:
                break
            self.room.ledger.adjust(act.id, "waited", "its speaker was still sounding", self.free_at - self.room.now)
        self._note_move(act.id, self.room.now - wanted)
        yield from self._contest(act, attempt, turn, place)

    def _wanted(self, act: ClaimAct, attempt: Attempt, turn: Performance) -> int:
        """Where the claim would start if there were room: in the holder's pause, or after the words heard."""
        aimed = placing.into_hold(turn, attempt.reaction) if attempt.into_hold else None
        return aimed if aimed is not None else self._heard(act, turn) + attempt.reaction

    def _heard(self, act: ClaimAct | VocalisationAct, turn: Performance) -> int:
        """When the landing words have been heard; the middle of the turn when they do not occur in it."""
        heard = turn.heard(act.landing)
        return heard if heard is not None else (turn.start + turn.end) // 2

    def _place(
        self, act: ClaimAct, attempt: Attempt, turn: Performance, wanted: int
    ) -> tuple[Attempt, placing.Placement | None]:
        """Where the claim goes, seen from now; a claim that cannot press any more gives up instead."""
        room, timing = self.room, self.room.timing
        length = room.utterance(act).speech.length
        earliest = max(room.now, self.free_at, turn.start + to_samples(placing.FIRST_CHANCE_S, RATE))
        if attempt.presses:
            place = placing.press(turn, attempt, length, wanted, earliest, timing)
            if place is not None:
                return attempt, place
            room.ledger.adjust(act.id, "demoted", f"no room for its overlap in turn {turn.turn_id}")
            attempt = Attempt(False, attempt.reaction, attempt.overlap, attempt.strength)
        last = turn.end - to_samples(timing.failed_margin_s)
        return attempt, placing.give_up(turn, length, wanted, earliest, last, timing)

    def _note_move(self, act_id: str, by: int) -> None:
        if by:
            self.room.ledger.adjust(act_id, "moved", "to fit into its turn", by)

    def _contest(self, act: ClaimAct, attempt: Attempt, turn: Performance, place: placing.Placement) -> Process:
        """Sound the claim; whoever presses harder makes the others give up."""
        end = self._limit(act, attempt, turn, place)
        if end is None:
            return
        presses = attempt.presses and end == place.onset + place.length
        contest = Contest(
            self.id, attempt.strength, presses, place.cut if presses and place.cut else end, self.room.env.event()
        )
        if presses:
            _break_rivals(turn, contest)
        turn.contests.append(contest)
        self.sounding_until = end
        yield from self._wait(contest.cut_at, turn, contest.broken)
        if contest in turn.contests:
            turn.contests.remove(contest)
        if contest.broken.triggered:
            end = min(end, self.room.now + to_samples(BREAK_OFF_S), int(contest.broken.value or end))
            self.room.ledger.adjust(act.id, "demoted" if presses else "shortened", "a rival pressed harder")
        elif presses:
            if self.room.participants[turn.speaker].policy.yields(attempt):
                yield from self._win(act, turn, place.onset)
                return
            self.room.ledger.adjust(act.id, "demoted", f"{turn.speaker} did not yield")
            end = min(end, turn.end - to_samples(self.room.timing.failed_margin_s))
        self._fail(act, turn, place.onset, end)

    def _limit(self, act: ClaimAct, attempt: Attempt, turn: Performance, place: placing.Placement) -> int | None:
        """End of the claim's sound, before a stronger rival takes the floor; None: too short to be made."""
        end = place.onset + place.length
        ahead = [c for c in turn.contests if c.presses and (not attempt.presses or c.strength >= attempt.strength)]
        if not ahead:
            return end
        if attempt.presses:
            self.room.ledger.adjust(act.id, "demoted", f"{ahead[0].speaker} pressed harder")
        end = min(end - 1, min(c.cut_at for c in ahead) - to_samples(RIVAL_MARGIN_S))
        if end - place.onset < to_samples(self.room.timing.least_claim_s):
            self.room.ledger.adjust(act.id, "dropped", f"{ahead[0].speaker} was about to take the floor")
            return None
        return end

    def _win(self, act: ClaimAct, turn: Performance, onset: int) -> Process:
        """Take the floor from its holder, who is cut off now, and hold it."""
        ledger = self.room.ledger
        opened = OpenTurn(ledger.next_turn_id(), self.id, "interruption", interrupts=turn.turn_id)
        ledger.open_turn(opened)
        performance = Performance(self.room.utterance(act), act, opened.id, onset, self.room.env.event())
        turn.taken_by = performance
        yield from self.hold(performance)

    def _fail(self, act: ClaimAct, turn: Performance, onset: int, end: int) -> None:
        """Note a claim that did not get the floor; it ended at sample `end`."""
        utterance = self.room.utterance(act)
        length = end - onset
        if length < utterance.speech.length:
            self.room.ledger.adjust(act.id, "shortened", "its speaker gave up", length - utterance.speech.length)
        self.sounding_until = end
        self.room.ledger.aside(utterance, self.id, "claim", onset, length, turn.turn_id)

    # Responding --------------------------------------------------------------------------------------

    def vocalise(self, act: VocalisationAct, turn: Performance) -> Process:
        """Sound a backchannel or a laugh during `turn`; when that is cut off first, during the next one."""
        reaction = self.policy.reaction(act)
        if reaction is None:
            self.room.ledger.adjust(act.id, "dropped", "its speaker let it be")
            return
        wanted = self._heard(act, turn) + reaction
        while True:
            place = self._place_vocalisation(act, turn, wanted)
            if place is None:
                self.room.ledger.adjust(act.id, "dropped", f"no room in turn {turn.turn_id}")
                return
            yield from self._wait(place.onset, turn)
            if turn.over.triggered:
                if turn.taken_by is None or turn.taken_by.speaker == self.id:
                    self.room.ledger.adjust(act.id, "dropped", f"turn {turn.turn_id} was over")
                    return
                turn = turn.taken_by
                wanted = self.room.now + reaction
            elif _is_about_to_be_cut(turn, self.room.now):
                yield turn.over
            elif self.room.now >= self.free_at:
                break
        self._note_move(act.id, self.room.now - wanted)
        self.sounding_until = self.room.now + place.length
        utterance = self.room.utterance(act)
        self.room.ledger.aside(utterance, self.id, act.kind, self.room.now, place.length, turn.turn_id)

    def _place_vocalisation(self, act: VocalisationAct, turn: Performance, wanted: int) -> placing.Placement | None:
        timing, following = self.room.timing, self.room.next_turn()
        is_next = following is not None and following.speaker == self.id
        last = turn.end + to_samples(-timing.failed_margin_s if is_next else timing.late_vocalisation_s)
        earliest = max(self.room.now, self.free_at, turn.start + to_samples(placing.FIRST_CHANCE_S))
        return placing.vocalise(turn, self.room.utterance(act).speech.length, wanted, earliest, last)


def _is_about_to_be_cut(turn: Performance, now: int) -> bool:
    """Whether a claimant presses so near its goal that nobody would respond to the turn any more."""
    last_chance = to_samples(placing.LAST_CHANCE_S)
    return any(contest.presses and contest.cut_at - now <= last_chance for contest in turn.contests)


def _break_rivals(turn: Performance, contest: Contest) -> None:
    """Make everybody give up who presses less, or would still sound when the floor is taken."""
    limit = contest.cut_at - to_samples(RIVAL_MARGIN_S)
    for rival in [c for c in turn.contests if c.presses or c.cut_at > limit]:
        rival.broken.succeed(limit)
        turn.contests.remove(rival)


def _resumed(act: TurnAct, room: Room) -> str | None:
    """The turn whose words `act` takes up again, if it does."""
    base = act.id.removesuffix(".resumed")
    if base == act.id:
        return None
    for sound in room.ledger.sounds:
        if sound.utterance.act_id == base and sound.role == "floor":
            return sound.turn_id
    return None
