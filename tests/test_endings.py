"""How speech ends: boundary tones that tell, or do not tell, a yield from a hold; final lengthening in the clock."""

import librosa
import numpy as np
import pytest
from talk_support import Quotas, Told, a_script, a_spec, paper_timing, turn

from pipeline.clock import speaking_clock
from pipeline.compose import composed, settings_from
from pipeline.conversation import Job, make_conversation
from pipeline.endings import shaped_endings
from pipeline.orchestrate import drawer, orchestrate
from pipeline.output.events import event_line
from pipeline.records import Timeline
from pipeline.render import render
from pipeline.samples import RATE
from pipeline.speech.cache import ArrayCache
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.settings import EndingSettings, TtsSettings
from pipeline.speech.tones import Place, median_f0, semitones, slope, toned, voiced
from pipeline.speech.voices import voice
from pipeline.validate import faults
from pipeline.workspace import sha256_of

HELD = "We could take the early train, but nobody wants to go."
ASKED = "Are you coming along?"
VOICES = ("v07", "v03", "v18")
"""af_heart, am_adam, bm_daniel."""


def spoken_by(voices, n_speakers=3):
    spec = a_spec(n_speakers)
    named = tuple(s.model_copy(update={"voice": v}) for s, v in zip(spec.speakers, voices, strict=True))
    return spec.model_copy(update={"speakers": named})


# On the curve -----------------------------------------------------------------------------------------


def curve():
    """Speech that falls by half a semitone a value from 200 Hz, slides into silence, and is followed by more speech."""
    falling = 200.0 * 2 ** (-np.arange(40) / 80)
    return np.concatenate([np.full(20, 200.0), falling, [90, 30, 8, 8, 8, 8, 8, 8], np.full(30, 190.0)]).astype(
        np.float32
    )


PLACE = Place(start=0, stop=62, until=65)


def movement(f0, made):
    at = np.arange(made.first, made.last)
    return slope(at, semitones(f0[at], 100.0)) * (len(at) - 1)


def test_the_slide_into_voicelessness_is_no_pitch():
    heard = voiced(curve())
    assert heard[:60].all()
    assert not heard[60:68].any()
    assert heard[68:].all()


@pytest.mark.parametrize(("kind", "least"), [("fall", -6.0), ("continuation", 1.0), ("rise", 6.0)])
def test_an_ending_moves_as_far_as_the_settings_say_and_nothing_else_does(kind, least):
    f0 = curve()
    made = toned(f0, PLACE, kind, EndingSettings(mode="clear"), 180.0)
    assert made.own == pytest.approx(-23 * 12 / 80, abs=0.05)
    assert made.semitones == pytest.approx(least, abs=0.01)
    assert movement(made.f0, made) == pytest.approx(least, abs=0.01)
    assert np.array_equal(made.f0[:26], f0[:26])
    assert np.array_equal(made.f0[65:], f0[65:])


def test_what_moves_further_by_itself_is_left_to():
    made = toned(curve(), PLACE, "fall", EndingSettings(mode="clear", fall_st=-1.0), 180.0)
    assert made.semitones == pytest.approx(made.own)


def test_strength_is_the_part_of_the_way():
    half = toned(curve(), PLACE, "rise", EndingSettings(mode="clear", strength=0.5), 180.0)
    assert half.semitones == pytest.approx((half.own + 6.0) / 2, abs=0.01)


def test_a_level_is_the_speakers_median():
    f0 = curve()
    made = toned(f0, PLACE, "level", EndingSettings(mode="neutral"), median_f0(f0))
    assert np.ptp(made.f0[made.first : made.last]) < 0.01
    assert made.f0[made.first] == pytest.approx(median_f0(f0), rel=1e-5)


def test_too_little_voice_is_left_alone():
    assert toned(np.full(40, 8.0, np.float32), Place(0, 40, 40), "fall", EndingSettings(mode="clear"), 150.0) is None


# On the sound -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def backend():
    return KokoroOnnx(cache=ArrayCache())


def planned(spec, backend):
    """Every speaker holds once, yields, and asks a question."""
    script = a_script(
        *(turn(f"t{n}", f"s{n}", HELD) for n in (1, 2, 3)), *(turn(f"q{n}", f"s{n}", ASKED) for n in (1, 2, 3))
    )
    timing = paper_timing(resume_probability=0.0)
    holding = Told(timing, Quotas(), drawer(spec), pauses={f"t{n}": 0.4 for n in (1, 2, 3)})
    return orchestrate(
        spec, script, speaking_clock(spec, backend, timing), timing, {s.id: holding for s in spec.speakers}
    )


@pytest.fixture(scope="module")
def rendered(backend):
    spec = spoken_by(VOICES)
    timeline = planned(spec, backend)
    return {
        mode: render(spec, timeline, backend, TtsSettings(endings=EndingSettings(mode=mode)))
        for mode in ("clear", "neutral")
    }


def heard_movements(made):
    """Movement of F0 over each shaped window as pYIN hears it [semitones], by segment id; None: hardly any voice."""
    found = {}
    for segment in made.timeline.segments:
        window = segment.tone.window
        sound = made.stems[segment.channel][window.start - 960 : window.end + 960]
        f0, sure, _ = librosa.pyin(
            sound, fmin=60, fmax=350, sr=RATE, frame_length=1920, hop_length=240, center=False, fill_na=0.0
        )
        at = np.flatnonzero(sure)
        line = slope(at, semitones(f0[at], 100.0)) if at.size >= 15 else None
        found[segment.id] = None if line is None else line * window.length / 240
    return found


@pytest.mark.speech
def test_clear_endings_fall_continue_and_rise(rendered):
    made = rendered["clear"]
    assert faults(made.timeline) == []
    kinds = {s.id: s.tone.kind for s in made.timeline.segments}
    assert sorted(kinds.values()) == ["continuation"] * 3 + ["fall"] * 3 + ["rise"] * 3
    bounds = {"fall": (-30, -5.0), "continuation": (0.9, 12), "rise": (5.0, 30)}
    for segment in made.timeline.segments:
        low, high = bounds[segment.tone.kind]
        assert low <= segment.tone.semitones <= high, segment.tone
    heard = heard_movements(made)
    by_kind = {kind: [heard[i] for i in kinds if kinds[i] == kind and heard[i] is not None] for kind in bounds}
    assert sum(map(len, by_kind.values())) >= 7, "most endings are voiced to the ear of pYIN"
    assert max(by_kind["fall"]) < -3, by_kind
    assert min(by_kind["continuation"]) > -1.5, by_kind
    assert min(by_kind["rise"]) > 2, by_kind


@pytest.mark.speech
def test_neutral_endings_do_not_tell_a_yield_from_a_hold(rendered):
    made = rendered["neutral"]
    assert {s.tone.kind for s in made.timeline.segments} == {"level"}
    assert all(abs(s.tone.semitones) < 0.01 for s in made.timeline.segments)
    heard = heard_movements(made)
    parts = [
        [heard[s.id] for s in made.timeline.segments if s.ending == ending and heard[s.id] is not None]
        for ending in ("yield", "hold")
    ]
    assert abs(np.mean(parts[0]) - np.mean(parts[1])) < 1.5, parts


@pytest.mark.speech
def test_tones_change_no_planned_time_and_stand_in_the_log(rendered):
    clear, neutral = rendered["clear"].timeline, rendered["neutral"].timeline
    assert [s.planned for s in clear.segments] == [s.planned for s in neutral.segments]
    assert Timeline.from_json(clear.to_json()) == clear
    lines = [event_line(event, clear) for event in clear.events]
    assert {line["tone"]["kind"] for line in lines if line["kind"] == "turn_hold"} == {"continuation"}
    assert {line["tone"]["kind"] for line in lines if line["kind"] == "turn_yield"} == {"fall", "rise"}


@pytest.mark.speech
@pytest.mark.parametrize("settings", [EndingSettings(), EndingSettings(mode="clear", strength=0.0)])
def test_own_endings_are_not_touched(backend, settings):
    spec = spoken_by(VOICES)
    timeline = planned(spec, backend)
    (utterance,) = [u for u in timeline.utterances if u.act_id == "t1"]
    segments = [s for s in timeline.segments if s.utterance_id == utterance.id]
    clocked = backend.replay(utterance, voice("v07"))
    kept, same = shaped_endings(clocked, utterance, segments, settings)
    assert kept is clocked
    assert same == segments
    assert '"tone"' not in timeline.to_json()
    assert all("tone" not in event_line(event, timeline) for event in timeline.events)


# In the clock -----------------------------------------------------------------------------------------


@pytest.mark.speech
@pytest.mark.parametrize("name", VOICES)
def test_final_lengthening_lengthens_the_last_syllable_and_no_other(backend, name):
    own = backend.clock(HELD, voice(name))
    longer = backend.clock(HELD, voice(name), edits={"final_length": 1.5})
    changed = [n for n, (a, b) in enumerate(zip(own.token_frames, longer.token_frames, strict=True)) if a != b]
    assert changed
    assert min(changed) >= len(own.token_frames) - 4, "the rhyme before the stop and the silence"
    assert longer.speech.end > own.speech.end
    assert longer.edits == {"final_length": 1.5}


@pytest.mark.speech
def test_clause_lengthening_lengthens_before_the_pause(backend):
    own = backend.clock(HELD, voice("v07"))
    longer = backend.clock(HELD, voice("v07"), edits={"clause_length": 1.5})
    before, after = ([c.words[n] for n in (5, 10)] for c in (own, longer))
    assert before[0].text == "train"
    assert after[0].end - after[0].start > before[0].end - before[0].start + 1200
    assert after[1].end - after[1].start == pytest.approx(before[1].end - before[1].start, abs=600)


@pytest.mark.speech
def test_only_the_stages_concerned_are_repeated(tmp_path):
    spec = spoken_by(VOICES[:2], 2)
    script = a_script(turn("t1", "s1", "Oh well.")).model_copy(update={"conversation_id": spec.id})
    work = tmp_path / "work" / spec.id
    work.mkdir(parents=True)
    (work / "script.json").write_text(script.to_json())

    def made(*changes):
        settings = settings_from(composed(["script=template", "until=render", *changes]))
        return make_conversation(Job(spec, settings, tmp_path), lambda note: None).made

    assert made() == ("orchestrate", "render")
    first = {name: sha256_of(work / name) for name in ("timeline.json", "stems.flac", "rendered.json")}
    assert made("tts.endings.strength=0.5", "tts.endings.fall_st=-3") == (), "nothing that acts was changed"
    assert made("tts.endings.mode=clear") == ("render",)
    assert sha256_of(work / "timeline.json") == first["timeline.json"]
    assert sha256_of(work / "stems.flac") != first["stems.flac"]
    assert made() == ("render",)
    assert first == {name: sha256_of(work / name) for name in first}
    assert made("tts.endings.final_length=1.5") == ("orchestrate", "render")
