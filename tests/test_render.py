"""Stage 3 with the real voice: laughter with words, cut-offs, and levels that depend on nothing but the voice."""

import numpy as np
import pytest
from talk_support import a_script, a_spec, claim, paper_timing, sound, turn

from pipeline.clock import speaking_clock, voiced_part
from pipeline.orchestrate import orchestrate
from pipeline.render import render
from pipeline.speech.cache import ArrayCache
from pipeline.speech.kokoro_onnx import KokoroOnnx
from pipeline.speech.settings import TtsSettings
from pipeline.validate import faults

pytestmark = pytest.mark.speech

GOOSE = "I told the goose to leave, and it looked at me, and then it sat down on the cake."


@pytest.fixture(scope="module")
def rendered():
    spec = a_spec(2)
    voices = dict(zip(("s1", "s2"), ("v20", "v21"), strict=True))
    spec = spec.model_copy(
        update={"speakers": tuple(s.model_copy(update={"voice": voices[s.id]}) for s in spec.speakers)}
    )
    script = a_script(
        turn("t1", "s1", GOOSE),
        sound("b1", "s2", "t1", "it looked", "(laughs) Not the goose.", "laughter"),
        turn("t2", "s2", GOOSE),
        claim("c1", "s1", "t2", "and it looked", "It was my cake."),
        turn("t3", "s2", "Fine."),
    )
    timing = paper_timing(claim_success_rate={"argumentative": 1.0}, resume_probability=0.0)
    backend = KokoroOnnx(cache=ArrayCache())
    planned = orchestrate(spec, script, speaking_clock(spec, backend, timing), timing)
    return render(spec, planned, backend, TtsSettings())


def test_the_measured_timeline_keeps_every_invariant(rendered):
    assert faults(rendered.timeline) == []
    assert all(segment.measured for segment in rendered.timeline.segments)


def test_words_follow_the_laugh_in_one_utterance(rendered):
    utterance = rendered.timeline.utterance("u.b1")
    assert utterance.written == "(laughs) Not the goose."
    assert [word.text for word in utterance.words] == ["Not", "the", "goose"]
    assert utterance.speech.start == utterance.laugh.start
    assert utterance.words[0].start >= utterance.laugh.end
    assert voiced_part(utterance).words[0].start == utterance.words[0].start - utterance.voiced_from


def test_a_cut_off_ends_at_its_sample(rendered):
    (cut,) = [s for s in rendered.timeline.segments if s.ending == "interrupted"]
    stem = rendered.stems[cut.channel]
    assert cut.source.end < rendered.timeline.utterance(cut.utterance_id).speech.end
    assert np.abs(stem[cut.planned.end - 2400 : cut.planned.end]).max() > 0.01
    following = min(
        s.planned.start
        for s in rendered.timeline.segments
        if s.speaker == cut.speaker and s.planned.start >= cut.planned.end
    )
    assert not stem[cut.planned.end : following - 2400].any(), "nothing is left of it behind the cut"
    assert np.abs(np.diff(stem[cut.planned.end - 24 : cut.planned.end + 24])).max() < 0.05, "it does not click"
