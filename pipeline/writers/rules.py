"""What a script must satisfy, one small function a rule; all writers are held to the same."""

import re
from collections.abc import Callable, Iterator

from pipeline.records import ClaimAct, ConversationSpec, Script, TurnAct, VocalisationAct
from pipeline.records.script import LAUGHTER
from pipeline.writers.barred import coarse_words, real_persons
from pipeline.writers.case import Case, Violation, breach, shown
from pipeline.writers.landing import landing_index
from pipeline.writers.manner import claims_in_manner, one_main_speaker
from pipeline.writers.settings import ScriptSettings
from pipeline.writers.speakable import unspeakable
from pipeline.writers.words import bare_words, words

LAUGHING_WORDS = 8
"""Most words that may follow a laugh."""
LEAST_WORDS, LEAST_COMMON = 20, 0.2
"""Words from which on the language is judged, and the share of common ones that it takes; written talk has 0.40."""
LEAST_WORD_ROOM = 20
"""Words by which a script may always differ from the request."""


Rule = Callable[[Case], Iterator[Violation]]


def violations(
    script: Script, spec: ConversationSpec, settings: ScriptSettings, rules: tuple[Rule, ...] | None = None
) -> list[Violation]:
    """Everything in `script` that breaks one of the `rules` (None: all), rule by rule; empty when it is valid."""
    case = Case(script, spec, settings)
    return [breach for rule in (RULES if rules is None else rules) for breach in rule(case)]


def known_speakers(case: Case) -> Iterator[Violation]:
    """Every act is by a speaker of the spec."""
    known = [speaker.id for speaker in case.spec.speakers]
    for path, act in case.placed:
        if act.speaker not in known:
            yield breach("known_speakers", f"{path}.speaker", act, repr(act.speaker), f"one of {', '.join(known)}")


def unique_ids(case: Case) -> Iterator[Violation]:
    """No two acts share an id."""
    seen: set[str] = set()
    for path, act in case.placed:
        if act.id in seen:
            yield breach("unique_ids", f"{path}.id", act, f"{act.id!r} again", "an id of its own for every act")
        seen.add(act.id)


def first_act_is_turn(case: Case) -> Iterator[Violation]:
    """The conversation opens with a turn."""
    acts = case.script.acts
    if not acts or not isinstance(acts[0], TurnAct):
        found = f"a {acts[0].act}" if acts else "no act"
        yield Violation(rule="first_act_is_turn", path="acts.0", found=found, allowed="a turn as the first act")


def during_earlier_turn(case: Case) -> Iterator[Violation]:
    """A claim or vocalisation names a turn that stands before it."""
    turns: list[str] = []
    for path, act in case.placed:
        if isinstance(act, TurnAct):
            turns.append(act.id)
        elif act.during not in turns:
            allowed = f"the id of an earlier turn, such as {turns[-1]!r}" if turns else "the id of an earlier turn"
            yield breach("during_earlier_turn", f"{path}.during", act, repr(act.during), allowed)


def not_in_own_turn(case: Case) -> Iterator[Violation]:
    """Nobody claims the floor from themself or vocalises in their own turn."""
    for path, act in case.placed:
        if isinstance(act, TurnAct) or act.during not in case.turns:
            continue
        if act.speaker == case.turns[act.during].speaker:
            others = [s.id for s in case.spec.speakers if s.id != act.speaker]
            found = f"{act.speaker!r} in their own turn {act.during!r}"
            yield breach("not_in_own_turn", f"{path}.speaker", act, found, f"one of {', '.join(others)}")


def no_turn_after_own(case: Case) -> Iterator[Violation]:
    """No turn follows a turn of the same speaker."""
    last = None
    for path, act in case.placed:
        if isinstance(act, TurnAct):
            if act.speaker == last:
                allowed = "another speaker than the turn before"
                yield breach("no_turn_after_own", f"{path}.speaker", act, f"{act.speaker!r} again", allowed)
            last = act.speaker


def everyone_heard(case: Case) -> Iterator[Violation]:
    """Every speaker has a turn."""
    heard = {turn.speaker for turn in case.script.turns}
    for speaker in case.spec.speakers:
        if speaker.id not in heard:
            found = f"no turn of {speaker.id!r}"
            yield Violation(rule="everyone_heard", path="acts", found=found, allowed="at least one turn a speaker")


def landing_words_occur(case: Case) -> Iterator[Violation]:
    """The words that a claim or vocalisation lands on are in its turn."""
    for path, act in case.placed:
        if isinstance(act, TurnAct) or act.during not in case.turns:
            continue
        text = case.turns[act.during].text
        if landing_index(text, act.landing) is None:
            allowed = f"two or three words in a row out of {shown(text, 160)}"
            yield breach("landing_words_occur", f"{path}.landing", act, shown(act.landing), allowed)


def amounts_near_request(case: Case) -> Iterator[Violation]:
    """The counts of each act are near the request (`count_tolerance`, at least one)."""
    for name, found, asked in _counts(case):
        room = max(1, round(asked * case.settings.count_tolerance)) if asked else 0
        if not asked - room <= found <= asked + room:
            low = max(0, asked - room)
            allowed = f"{low} to {asked + room} {name}" if room else f"no {name}"
            yield Violation(rule="amounts_near_request", path="acts", found=f"{found} {name}", allowed=allowed)


def words_near_target(case: Case) -> Iterator[Violation]:
    """The words are near the request (`word_tolerance`, at least 20): all together not fewer, the turns' not more."""
    held = sum(len(words(turn.text)) for turn in case.script.turns)
    found = max(held, min(case.spec.amounts.words, sum(len(words(act.text)) for _, act in case.spoken())))
    asked, share = case.spec.amounts.words, case.settings.word_tolerance
    room = max(LEAST_WORD_ROOM, round(asked * share))
    if abs(found - asked) > room:
        allowed = f"{max(0, asked - room)} to {asked + room} words together"
        yield Violation(rule="words_near_target", path="acts", found=f"{found} words", allowed=allowed)


def backchannel_is_short(case: Case) -> Iterator[Violation]:
    """A backchannel has at most `max_backchannel_words` words."""
    most = case.settings.max_backchannel_words
    for path, act in case.placed:
        if isinstance(act, VocalisationAct) and act.kind == "backchannel" and len(words(act.text)) > most:
            found = f"{len(words(act.text))} words in {shown(act.text)}"
            yield breach("backchannel_is_short", f"{path}.text", act, found, f"at most {most} words")


def laughter_is_marked(case: Case) -> Iterator[Violation]:
    """A laughter act begins with the marker; a few words may follow the laugh (Table 32 has such)."""
    for path, act in case.placed:
        if not isinstance(act, VocalisationAct) or act.kind != "laughter":
            continue
        if not act.text.startswith(LAUGHTER) or len(words(act.text.removeprefix(LAUGHTER))) > LAUGHING_WORDS:
            allowed = f"the text {LAUGHTER!r}, alone or before at most {LAUGHING_WORDS} words"
            yield breach("laughter_is_marked", f"{path}.text", act, shown(act.text), allowed)


def only_speech(case: Case) -> Iterator[Violation]:
    """No text holds what a voice cannot say."""
    for path, act in case.spoken():
        yield from (breach(rule, f"{path}.text", act, *rest) for rule, *rest in _speech_faults(act.text))


def no_assistant_talk(case: Case) -> Iterator[Violation]:
    """Nobody speaks as a language model."""
    for path, act in case.spoken():
        yield from (breach(rule, f"{path}.text", act, *rest) for rule, *rest in _assistant_faults(act.text))


def no_line_repeated(case: Case) -> Iterator[Violation]:
    """No turn or claim of three words and more says what an earlier one said."""
    seen: dict[tuple[str, ...], str] = {}
    for path, act in case.spoken():
        said = bare_words(act.text)
        if case.settings.allow_repeats or isinstance(act, VocalisationAct) or len(said) < 3:
            continue
        if said in seen:
            found = f"the words of act {seen[said]} again, {shown(act.text)}"
            yield breach("no_line_repeated", f"{path}.text", act, found, "a line that was not said before")
        seen.setdefault(said, act.id)


def in_english(case: Case) -> Iterator[Violation]:
    """The script is in English: of twenty words and more, a fifth are among the commonest of the language."""
    said = [word for _, act in case.spoken() for word in bare_words(act.text)]
    share = sum(word in _COMMONEST for word in said) / max(1, len(said))
    if len(said) >= LEAST_WORDS and share < LEAST_COMMON:
        found = f"{share:.0%} common English words in {len(said)}"
        yield Violation(rule="in_english", path="acts", found=found, allowed=f"English, {LEAST_COMMON:.0%} at least")


def no_real_person(case: Case) -> Iterator[Violation]:
    """Nobody speaks of a living person whom everybody knows (`prompts/barred.yaml`)."""
    for path, act in case.spoken():
        yield from (breach(rule, f"{path}.text", act, *rest) for rule, *rest in _person_faults(act.text))


def no_profanity(case: Case) -> Iterator[Violation]:
    """No coarse words, unless `allow_profanity`."""
    if case.settings.allow_profanity:
        return
    for path, act in case.spoken():
        yield from (breach(rule, f"{path}.text", act, *rest) for rule, *rest in _coarse_faults(act.text))


RULES: tuple[Rule, ...] = (
    known_speakers,
    unique_ids,
    first_act_is_turn,
    during_earlier_turn,
    not_in_own_turn,
    no_turn_after_own,
    everyone_heard,
    landing_words_occur,
    amounts_near_request,
    words_near_target,
    backchannel_is_short,
    laughter_is_marked,
    only_speech,
    no_assistant_talk,
    no_line_repeated,
    one_main_speaker,
    claims_in_manner,
    in_english,
    no_real_person,
    no_profanity,
)

AMOUNT_RULES: tuple[Rule, ...] = (amounts_near_request, words_near_target)
"""Rules on how much was asked for."""

_COMMONEST = frozenset(
    bare_words("""
    i you he she it we they me him her us them my your his its our their the a an this that these those and but or so
    because if when then than as at by for from in of off on out to up with about into over is are was were be been am
    do does did have has had will would can could should not no yes yeah it's i'm don't that's you're we're there what
    who how why where all just
""")
)
_ASSISTANT = re.compile(
    r"\bas an? (?:AI|artificial|assistant|(?:large )?language model)\b|\blanguage model\b"
    r"|\bI(?:'m| am) an? (?:AI|assistant)\b|\b(?:can(?:'|no)t|can not|unable to|won't) (?:assist|comply|fulfil)"
    r"|\bhere(?:'s| is) (?:the|your|a) (?:script|line|dialogue)",
    re.IGNORECASE,
)


def line_faults(text: str) -> list[tuple[str, str, str]]:
    """What the rules on a single line find in `text`: (rule, found, allowed)."""
    return [*_speech_faults(text), *_assistant_faults(text), *_person_faults(text), *_coarse_faults(text)]


def _speech_faults(text: str) -> Iterator[tuple[str, str, str]]:
    for kind, found in unspeakable(text):
        yield "only_speech", f"{kind}, {shown(found)}", "words and punctuation that a voice can say"


def _assistant_faults(text: str) -> Iterator[tuple[str, str, str]]:
    match = _ASSISTANT.search(text)
    if match:
        yield "no_assistant_talk", shown(match.group()), "what a person in this conversation would say"


def _person_faults(text: str) -> Iterator[tuple[str, str, str]]:
    for name in real_persons(text):
        yield "no_real_person", shown(name), "invented people, by their first names"


def _coarse_faults(text: str) -> Iterator[tuple[str, str, str]]:
    for word in coarse_words(text):
        yield "no_profanity", shown(word), "the same thing in other words, or script.allow_profanity=true"


def _counts(case: Case) -> Iterator[tuple[str, int, int]]:
    acts, asked = case.script.acts, case.spec.amounts
    yield "turns", len(case.script.turns), asked.floor_turns
    yield "claims", sum(isinstance(act, ClaimAct) for act in acts), asked.floor_claims
    kinds = [act.kind for act in acts if isinstance(act, VocalisationAct)]
    yield "backchannels", kinds.count("backchannel"), asked.backchannels
    yield "laughs", kinds.count("laughter"), asked.laughs
