"""Cut-offs inside a word: at the sample decided, without a click, logged as cut; what follows is said anew."""

import numpy as np
import pytest
from scipy.signal import butter, sosfilt
from talk_support import Told, a_script, a_spec, claim, paper_timing, presses, turn

from pipeline import label
from pipeline.clock import speaking_clock
from pipeline.compose import composed, settings_from
from pipeline.errors import ConfigError
from pipeline.orchestrate import drawer, orchestrate
from pipeline.output.events import event_line
from pipeline.records import CutWord, Segment, Span, Utterance, Word
from pipeline.render import _fade, render
from pipeline.samples import RATE, to_samples
from pipeline.simulation.quotas import Quotas
from pipeline.speech.cache import ArrayCache
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.settings import TtsSettings
from pipeline.speech.voices import voice
from pipeline.validate import faults

GOOSE = "I told the goose to leave, and it looked at me, and then it sat down on the cake."


# In the log -------------------------------------------------------------------------------------------

UTTERANCE = Utterance(
    id="u1",
    speaker="s1",
    act_id="t1",
    written="So, the goose sat down, then.",
    voice="v01",
    n_samples=24_000,
    words=tuple(
        Word(text=text, start=start, end=start + 4000)
        for text, start in (
            ("So", 0),
            ("the", 4000),
            ("goose", 8000),
            ("sat", 12_000),
            ("down", 16_000),
            ("then", 20_000),
        )
    ),
    speech=Span(start=0, end=24_000),
)


def cut_at(sample, measured=None, ending="interrupted"):
    floor = {"role": "floor", "turn_id": "T1"} if ending else {"role": "claim", "during": "T2"}
    return Segment(
        id="g1", utterance_id="u1", speaker="s1", channel=0, ending=ending, source=Span(start=0, end=sample),
        lay=Span(start=0, end=sample), planned=Span(start=500, end=500 + sample),
        measured=None if measured is None else Span(start=500, end=500 + measured), **floor,
    )  # fmt: skip


def logged(segment):
    return label.text_of(segment, {"u1": UTTERANCE}), label.cut_word(segment, UTTERANCE)


def test_the_word_that_is_cut_is_logged_whole_with_the_share_that_was_heard():
    assert logged(cut_at(9000)) == ("So, the goose", CutWord(word="goose", heard=0.25))
    assert logged(cut_at(9000, ending=None)) == ("So, the goose", CutWord(word="goose", heard=0.25)), "who gives up"


def test_words_never_said_are_not_logged_as_said():
    assert logged(cut_at(12_000 + to_samples(0.029))) == ("So, the goose", None), "hardly begun"
    assert logged(cut_at(12_000 + to_samples(0.031)))[0] == "So, the goose sat"
    assert logged(cut_at(13_000, measured=12_100)) == ("So, the goose", None), "nothing of it sounded"


def test_no_mark_follows_a_word_that_is_broken_off():
    assert logged(cut_at(19_000)) == ("So, the goose sat down", CutWord(word="down", heard=0.75))
    assert logged(cut_at(19_990)) == ("So, the goose sat down,", None), "said to its end"
    assert logged(cut_at(21_000)) == ("So, the goose sat down, then", CutWord(word="then", heard=0.25))


def test_a_turn_that_ends_by_itself_is_not_cut():
    whole = cut_at(24_000, ending="yield")
    assert logged(whole) == (UTTERANCE.written, None)


@pytest.mark.parametrize("fade", [0.004, 0.016])
def test_a_fade_that_clicks_or_does_not_sound_cut_is_refused(fade):
    with pytest.raises(ConfigError, match=rf"tts\.fade_s: .*{fade}"):
        settings_from(composed([f"tts.fade_s={fade}"]))


# In the sound -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def backend():
    return KokoroOnnx(cache=ArrayCache())


@pytest.fixture(scope="module")
def cut(backend):
    """A turn that is cut off and taken up again."""
    spec = a_spec(2)
    voices = {"s1": "v21", "s2": "v20"}
    spec = spec.model_copy(
        update={"speakers": tuple(s.model_copy(update={"voice": voices[s.id]}) for s in spec.speakers)}
    )
    script = a_script(turn("t1", "s1", GOOSE), claim("c1", "s2", "t1", "the goose", "It was my cake."))
    timing = paper_timing(resume_probability=1.0)
    told = Told(timing, Quotas(), drawer(spec), attempts={"c1": presses()})
    planned = orchestrate(
        spec, script, speaking_clock(spec, backend, timing), timing, dict.fromkeys(("s1", "s2"), told)
    )
    return render(spec, planned, backend, TtsSettings())


@pytest.mark.speech
def test_the_sound_ends_at_the_sample_decided(cut):
    assert faults(cut.timeline) == []
    (segment,) = [s for s in cut.timeline.segments if s.ending == "interrupted"]
    stem, at = cut.stems[segment.channel], segment.planned.end
    assert not stem[at : at + to_samples(0.05)].any()
    assert np.abs(stem[at - to_samples(0.008) : at]).max() > 0, "up to the last sample"
    assert abs(segment.measured.end - at) <= to_samples(0.015)


@pytest.mark.speech
def test_the_log_has_the_cut_word_and_nothing_after_it(cut):
    (event,) = [e for e in cut.timeline.events if e.kind == "turn_interrupted"]
    utterance = cut.timeline.utterance("u.t1")
    segment = cut.timeline.segment(event.segment_id)
    assert GOOSE.startswith(event.text)
    heard = [w for w in utterance.words if w.start + to_samples(0.03) <= segment.source.end]
    assert event.text.split()[-1].strip(",") == heard[-1].text
    assert len(heard) < len(utterance.words)
    line = event_line(event, cut.timeline)
    assert line["text"] == event.text
    inside = heard[-1].end - to_samples(0.02) > segment.source.end
    assert (event.cut is not None and line["cut"]["word"] == heard[-1].text) if inside else True
    assert ("cut" in line) == (event.cut is not None)


@pytest.mark.speech
def test_the_unspoken_words_are_said_later_with_prosody_of_their_own(cut, backend):
    (again,) = [u for u in cut.timeline.utterances if u.act_id == "t1.resumed"]
    first = cut.timeline.utterance("u.t1")
    turns = {turn.id: turn for turn in cut.timeline.turns}
    (resumed,) = [t for t in turns.values() if t.resumes]
    assert turns[resumed.resumes].speaker == resumed.speaker == "s1"
    assert again.written[0].isupper()
    assert GOOSE.lower().endswith(again.written.lower())
    assert first.phonemes.endswith(again.phonemes[3:])
    n = len(again.token_frames) - 3
    assert again.token_frames[-n:] != first.token_frames[-n:], "not a piece of the synthesis that was cut"
    (event,) = [e for e in cut.timeline.events if e.kind == "turn_yield" and e.speaker == "s1"]
    assert event.text == again.written


HIGH = butter(8, 8000, "high", fs=RATE, output="sos")


def loudest(samples, start, width=120):
    """Highest mean square of 5 ms above 8 kHz, from sample `start` on; the filter begins in what comes before."""
    high = sosfilt(HIGH, samples.astype(np.float64))[start:]
    power = np.cumsum(np.concatenate([[0.0], high**2]))
    return float((power[width:] - power[:-width]).max()) / width


@pytest.mark.speech
def test_a_cut_puts_no_energy_above_8_khz_where_the_speech_has_none(cut, backend):
    """None above what it has within 30 ms, or 60 dB under its level. Without a fade a quarter of the cuts fail this."""
    utterance = cut.timeline.utterance("u.t1")
    (segment,) = [s for s in cut.timeline.segments if s.ending == "interrupted"]
    voiced = backend.render(backend.replay(utterance, voice(utterance.voice)))
    speech = voiced[utterance.speech.start : utterance.speech.end]
    floor = float(np.mean(speech.astype(np.float64) ** 2)) * 1e-6
    places = np.random.default_rng(3).integers(utterance.speech.start + 4800, utterance.speech.end - 4800, 60)
    clicks = {fade_s: [_clicks(voiced, at, fade_s, floor) for at in places] for fade_s in (TtsSettings().fade_s, 0.0)}
    assert np.mean(clicks[TtsSettings().fade_s]) == 0.0
    assert np.mean(clicks[0.0]) > 0.15, "the measure hears a click"
    assert segment.lay.end == segment.source.end


def _clicks(voiced, at, fade_s, floor):
    """Whether cutting at sample `at` puts more above 8 kHz than the speech has there by itself."""
    around = voiced[at - 4800 : at + 2400]
    broken, fade = around.copy(), to_samples(fade_s)
    broken[4800:] = 0
    _fade(broken[:4800][::-1], fade)
    own = loudest(around[: 4800 + 720], 4800 - 720)
    return loudest(broken, 4800 - fade - 120) > max(1.05 * own, floor)
