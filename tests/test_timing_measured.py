"""`python -m pipeline.timing`: annotations become floor events by the mapping of Table 23, and a profile to use."""

import json

import numpy as np
import pytest
import yaml
from command_support import pipeline
from hypothesis import given
from hypothesis import strategies as st
from test_timing import settings_of, simulated

from pipeline.errors import InputError
from pipeline.output.figures import figures, pooled
from pipeline.records import Timeline
from pipeline.samples import to_samples, to_seconds
from pipeline.timing import Quantiles, Uniform
from pipeline.timing.__main__ import main
from pipeline.timing.mapping import KINDS, floor_events, merge
from pipeline.timing.measured import measure
from pipeline.timing.rttm import Stretch, read_rttm
from pipeline.timing.transcripts import read_words

MEETING = """
A 0.00 3.00   A 3.10 5.00        merged
B 1.00 1.50                      backchannel, in A's speech
A 5.80 8.00                      hold of 0.8
B 6.00 7.50                      failed claim: A goes on
C 8.30 12.00                     yield, gap of 0.3
A 11.20 14.00                    interruption, C stops after 0.8
B 14.30 14.70                    backchannel, in A's pause
A 15.00 17.00                    hold of 1.0
B 16.95 19.00                    yield, in 0.05 of overlap
C 19.20 19.60                    yield: brief, but B does not go on
A 20.00 22.00                    yield, gap of 0.4
"""
EVENTS = {
    "floor_transfer_offset": [0.3, -0.8, -0.05, 0.2, 0.4],
    "yield_gap": [0.3, -0.05, 0.2, 0.4],
    "hold_pause": [0.8, 1.0],
    "interruption_overlap": [0.8],
    "floor_segment": [5.0, 2.2, 3.7, 2.8, 2.0, 2.05, 0.4],
    "failed_claim": [1.5],
    "backchannel": [0.5, 0.4],
}


def said(text: str) -> list[Stretch]:
    """`SPEAKER ONSET OFFSET`, several a line, remarks after them."""
    fields = text.split()
    found = []
    for n, field in enumerate(fields):
        if field in "ABCD" and n + 2 < len(fields) and fields[n + 1][0].isdigit():
            found.append(Stretch(field, to_samples(float(fields[n + 1])), to_samples(float(fields[n + 2]))))
    return found


def rttm(stretches, name="meeting") -> str:
    lines = (
        f"SPEAKER {name} 1 {to_seconds(s.start):.6f} {to_seconds(s.length):.6f} <NA> <NA> {s.speaker} <NA> <NA>\n"
        for s in stretches
    )
    return "".join(lines)


def events(text: str, words=None) -> dict[str, list[float]]:
    found = floor_events(said(text), words)
    return {kind: [to_seconds(n) for n in lengths] for kind, lengths in found.items() if lengths}


# The mapping -------------------------------------------------------------------------------------------


def test_a_meeting_written_by_hand_has_the_events_that_were_written_into_it():
    assert events(MEETING) == EVENTS


@pytest.mark.parametrize(
    ("below", "at", "kind"),
    [
        ("A 0 3 A 3.199 5", "A 0 3 A 3.2 5", "hold_pause"),
        ("A 0 3 B 2.901 5", "A 0 3 B 2.9 5", "interruption_overlap"),
        ("A 0 9 B 2 3.201", "A 0 9 B 2 3.2", "backchannel"),
        ("A 0 4.501 B 2 9", "A 0 4.5 B 2 9", "interruption_overlap"),
    ],
)
def test_each_threshold_of_table_23_counts_from_its_value_on(below, at, kind):
    assert kind not in events(below)
    assert kind in events(at)


def test_a_speakers_own_gaps_are_closed_below_the_threshold_alone():
    below = to_samples(0.15)
    assert merge(said("A 0 3 A 3.149 5 A 4 4.5"), below) == said("A 0 5")
    assert merge(said("A 0 3 A 3.15 5"), below) == said("A 0 3 A 3.15 5")


def test_an_interrupter_speaks_for_a_second_at_least_and_longer_than_the_holder():
    words = {"B": [to_samples(2.1 + n / 10) for n in range(5)]}
    assert "interruption_overlap" not in events("A 0 2.5 B 2 2.999", words)
    assert "interruption_overlap" in events("A 0 2.5 B 2 3", words)
    assert events("A 0 5 B 3 4.9") == {"failed_claim": [1.9]}


def test_many_words_are_no_backchannel_however_fast():
    words = {"B": [to_samples(2.1 + n / 10) for n in range(4)]}
    assert events("A 0 9 B 2 2.6") == {"backchannel": [0.6]}
    assert events("A 0 9 B 2 2.6", words) == {"failed_claim": [0.6]}


@given(
    st.lists(st.tuples(st.sampled_from("ABCD"), st.integers(0, 10**6), st.integers(1, 10**5)), max_size=40),
)
def test_whatever_the_annotation_every_transfer_and_hold_ends_a_floor_segment(drawn):
    stretches = [Stretch(who, start, start + length) for who, start, length in drawn]
    counts = {kind: len(lengths) for kind, lengths in floor_events(stretches).items()}
    assert set(counts) == set(KINDS)
    assert counts["floor_transfer_offset"] == counts["yield_gap"] + counts["interruption_overlap"]
    assert counts["floor_segment"] == counts["floor_transfer_offset"] + counts["hold_pause"]
    asides = counts["failed_claim"] + counts["backchannel"]
    assert counts["floor_segment"] + asides <= len(merge(stretches, to_samples(0.15)))


# Reading -----------------------------------------------------------------------------------------------


def test_rttm_is_read_whatever_stands_around_it(tmp_path):
    (tmp_path / "a.rttm").write_text(
        ";; a comment\n\nSPKR-INFO m 1 <NA> <NA> <NA> unknown B <NA> <NA>\n"
        "SPEAKER m 1 2 0 <NA> <NA> A <NA> <NA>\nSPEAKER m 1 0.5 1.25 <NA> <NA> A <NA>\n"
    )
    (tmp_path / "b.rttm").write_text(rttm(said("B 1 2"), "m"))
    (read,) = read_rttm([tmp_path / "a.rttm", tmp_path / "b.rttm"]).values()
    assert read.stretches == [Stretch("A", 12000, 42000), Stretch("B", 24000, 48000)]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("SPEAKER m 1 0.5 1.25 <NA>", "bad.rttm:2: 6 fields instead of 10; an RTTM line is SPEAKER RECORDING"),
        ("SPEAKER m 1 x 1.25 <NA> <NA> A <NA> <NA>", "bad.rttm:2: onset 'x' is not a number of seconds, 0 or more"),
        ("SPEAKER m 1 1 -2 <NA> <NA> A <NA> <NA>", "bad.rttm:2: duration '-2' is not a number .* correct the line"),
        ("SPEAKER m 1 nan 1 <NA> <NA> A <NA> <NA>", "bad.rttm:2: onset 'nan'"),
        ("start,end,speaker", "bad.rttm:2: 'start,end,speaker' is no type of line; an RTTM line is SPEAKER"),
        ("SPKR-INFO m 1 <NA> <NA> <NA> unknown B <NA> <NA>", "bad.rttm: no SPEAKER line in it"),
    ],
)
def test_a_bad_line_is_named_with_its_place_and_the_remedy(line, said, tmp_path):
    bad = tmp_path / "bad.rttm"
    bad.write_text(f";; head\n{line}\n")
    with pytest.raises(InputError, match=said):
        read_rttm([bad])


def test_words_come_from_ctm_by_speaker_or_channel_and_from_stm_spread_evenly(tmp_path):
    (tmp_path / "m.rttm").write_text(
        "SPEAKER m 2 0 5 <NA> <NA> Ann <NA> <NA>\nSPEAKER m 1 5 5 <NA> <NA> Ben <NA> <NA>\n"
    )
    recordings = read_rttm([tmp_path / "m.rttm"])
    (tmp_path / "m.ctm").write_text("m Ann 1.0 0.5 well\nm 1 5.0 1.0 yes 0.9\nother 1 0 1 no\n")
    (tmp_path / "m.stm").write_text("m 1 Ann 0 4 <o,f0> so it is\nm 1 Ben 5 6 right\n")
    assert read_words([tmp_path / "m.ctm"], recordings) == {"m": {"Ann": [30000], "Ben": [132000]}}
    spread = [to_samples(4 * (n + 0.5) / 3) for n in range(3)]
    assert read_words([tmp_path / "m.stm"], recordings) == {"m": {"Ann": spread, "Ben": [132000]}}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("w.ctm", "m Eve 0 1 hello\n", r"w.ctm:1: 'Eve' is no speaker of the recording in the RTTM \(A, B, C\)"),
        ("w.ctm", "m A 0 hello\n", "w.ctm:1: 4 fields; a CTM line is"),
        ("w.ctm", "other A 0 1 hello\n", "no word of any recording in the RTTM"),
        ("w.txt", "m A 0 1 hello\n", "neither .ctm nor .stm"),
    ],
)
def test_words_that_cannot_be_used_are_named(name, text, said, tmp_path):
    (tmp_path / "m.rttm").write_text(rttm(globals()["said"](MEETING), "m"))
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=said):
        read_words([tmp_path / name], read_rttm([tmp_path / "m.rttm"]))


# The whole way -----------------------------------------------------------------------------------------


def annotated(timeline: Timeline) -> tuple[str, str]:
    """RTTM and CTM of a timeline's speech, laughter left out."""
    spoken = [s for s in timeline.segments if s.role != "laughter"]
    name = timeline.conversation_id
    words = []
    for segment in spoken:
        for word in timeline.utterance(segment.utterance_id).words:
            if segment.source.start <= word.start < segment.source.end:
                at = to_seconds(word.start + segment.bounds.start - segment.source.start)
                words.append(f"{name} {segment.speaker} {at} {to_seconds(word.end - word.start)} {word.text}\n")
    return rttm([Stretch(s.speaker, s.bounds.start, s.bounds.end) for s in spoken], name), "".join(words)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Annotations of 60 simulated conversations, and their own figures."""
    settings = settings_of("timing=icsi", "timing.contested_share=0", "script=template", "duration=120")
    folder = tmp_path_factory.mktemp("annotated")
    made = list(simulated(settings, 60))
    for timeline in made:
        spoken, words = annotated(timeline)
        (folder / f"{timeline.conversation_id}.rttm").write_text(spoken)
        (folder / f"{timeline.conversation_id}.ctm").write_text(words)
    return folder, pooled(map(figures, made))


def test_the_annotations_of_a_simulated_corpus_give_its_own_figures_back(corpus):
    """But for claims that run into a hold: to the mapping, which sees no intonation, they have silenced the holder."""
    folder, own = corpus
    recordings = read_rttm(sorted(folder.glob("*.rttm")))
    found = measure(recordings, read_words(sorted(folder.glob("*.ctm")), recordings))
    for kind in ("yield_gap", "hold_pause", "interruption_overlap", "backchannel"):
        due = own.durations[kind]
        assert found.count(kind) == pytest.approx(len(due), rel=0.2), kind
        for p in (0.1, 0.5, 0.9):
            assert np.quantile(found.durations[kind], p) == pytest.approx(np.quantile(due, p), abs=0.05, rel=0.1), kind


def test_a_measured_profile_is_used_by_name(corpus, tmp_path, capsys):
    folder, own = corpus
    out = tmp_path / "my conf" / "timing" / "mine.yaml"
    files = map(str, sorted(folder.glob("*.rttm")))
    assert main([*files, "--words", *map(str, sorted(folder.glob("*.ctm"))), f"--out={out}"]) == 0
    assert f"use it: python -m pipeline --config-dir {out.parent.parent} timing=mine" in capsys.readouterr().out
    timing = settings_of("timing=mine", config_dir=out.parent.parent).timing
    assert isinstance(timing.gaps, Quantiles)
    assert timing.gaps.at(0.5) == pytest.approx(np.quantile(own.durations["yield_gap"], 0.5), abs=0.05)
    assert timing.claim_success_rate["casual"] == pytest.approx(own.summary()["claims_won_share"], abs=0.1)
    again = settings_of("timing=mine", "script=template", "duration=60", config_dir=out.parent.parent)
    assert len(list(simulated(again, 3))) == 3


def test_the_command_prints_what_it_measured_and_keeps_the_papers_where_that_is_too_little(tmp_path):
    (tmp_path / "meeting.rttm").write_text(rttm(said(MEETING)))
    done = pipeline("meeting.rttm", "--name", "small", module="pipeline.timing", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 recordings, 0.01 h, 3 speakers" in done.stdout
    assert [line.split()[:3] for line in done.stdout.splitlines() if line.startswith("yield gap")] == [
        ["yield", "gap", "4"]
    ]
    text = (tmp_path / "timing" / "small.yaml").read_text()
    assert "the paper's; 2 of hold_pause are too few" in text
    assert Uniform.model_validate(yaml.safe_load(text)["hold_pause"]) == Uniform(low=0.4, high=1.2)
    assert settings_of("timing=small", config_dir=tmp_path).timing == settings_of("timing=paper").timing


def test_json_is_one_object_and_errors_are_one_line(tmp_path):
    (tmp_path / "meeting.rttm").write_text(rttm(said(MEETING)))
    done = pipeline("meeting.rttm", "--json", module="pipeline.timing", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert {kind: row["n"] for kind, row in found["events"].items()} == {k: len(v) for k, v in EVENTS.items()}
    assert found["claim_success_rate"] == 0.5
    assert not (tmp_path / "timing").exists(), "nothing is written unasked"
    for args in (["none.rttm"], ["meeting.rttm", "--out=x.json"]):
        done = pipeline(*args, module="pipeline.timing", cwd=tmp_path)
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
