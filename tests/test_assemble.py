"""Stage 5 writes a tree in which everything agrees, the same bytes each time; the command finds what does not."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
from floor_support import bed, example, example_script, example_spec, stems, timelines
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.assemble import AssembleSettings, Stems, assemble, plan_levels
from pipeline.errors import InputError, OutputError
from pipeline.gold import gold
from pipeline.output.corpus import About, finish_corpus
from pipeline.output.events import read_events
from pipeline.output.figures import figures, pooled
from pipeline.output.flac import flac_bytes, quantised, read_flac
from pipeline.records import Gold, Script, Timeline
from pipeline.validate import main

TIMELINE = example()
NUISANCE = {
    "rate": 24000,
    "scene": "cafe",
    "levels": {"snr_db": 27.5},
    "nuisance": [{"kind": "bed", "clip": {"label": "cafe"}, "onset": 0, "level_db": -53.2}],
}
ABOUT = About(request={"n": 1, "type": "argumentative"}, software={"turnfloor": "0.1.0"})


def sound(amplitude: float = 0.2, noise: float = 0.002) -> Stems:
    clean = stems(TIMELINE, amplitude)
    return Stems(clean, clean + bed(TIMELINE, noise))


def make(corpus: Path, stems_: Stems | None = None, **more) -> Path:
    folder = corpus / "conversations" / "example"
    more = {"nuisance": NUISANCE, "meta": {"seed": 7}} | more
    assemble(folder, example_spec(), example_script(), TIMELINE, stems_ or sound(), **more)
    finish_corpus(corpus, ABOUT)
    return folder


def sums(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("corpora") / "mine"
    make(path)
    return path


@pytest.fixture
def copy(corpus, tmp_path) -> Path:
    shutil.copytree(corpus, tmp_path / "mine")
    return tmp_path / "mine"


@pytest.fixture
def folder(copy) -> Path:
    return copy / "conversations" / "example"


# The tree --------------------------------------------------------------------------------------------------


def test_the_tree_is_that_of_the_design(corpus):
    channels = [f"{kind}/{speaker}.flac" for kind in ("clean", "noisy") for speaker in "ABC"]
    records = ["script.json", "exchange.jsonl", "timeline.json", "events.jsonl", "gold.json", "meta.json"]
    due = {f"conversations/example/{name}" for name in [*channels, *records, "mix.flac", "index.html"]}
    plots = ("rates", "timing", "transitions-entry", "strip-example")
    due |= {"report/index.html", *(f"report/{name}.png" for name in plots)}
    assert set(sums(corpus)) == due | {"README.md", "manifest.jsonl", "stats.json", "index.html", "croissant.json"}


def test_records_read_back_as_they_were(corpus):
    folder = corpus / "conversations" / "example"
    assert Timeline.read(folder / "timeline.json") == TIMELINE
    assert Script.read(folder / "script.json") == example_script()
    assert Gold.read(folder / "gold.json") == gold(TIMELINE)


def test_the_log_states_samples_and_seconds_and_what_was_planned(corpus):
    lines = read_events(corpus / "conversations" / "example" / "events.jsonl")
    assert [line["kind"] for line in lines] == [event.kind for event in TIMELINE.events]
    taken = next(line for line in lines if line["kind"] == "interruption")
    assert (taken["onset"], taken["onset_s"], taken["planned_onset_s"]) == (201600, 8.4, 8.405)
    assert (taken["speaker"], taken["links"], taken["turn_id"]) == ("C", {"interrupts": "B1"}, "C1")


def test_the_same_request_gives_the_same_bytes(corpus, tmp_path):
    make(tmp_path / "mine")
    assert sums(tmp_path / "mine") == sums(corpus)


def test_writing_again_replaces_and_leaves_nothing_behind(copy, folder):
    before = sums(copy)
    (folder / "clean" / "Z.flac").write_bytes(b"of another run")
    make(copy)
    assert sums(copy) == before


def test_meta_states_specification_levels_noise_and_figures(corpus):
    meta = json.loads((corpus / "conversations" / "example" / "meta.json").read_text())
    assert meta["spec"] == example_spec().model_dump(mode="json", exclude_none=True)
    assert meta["seed"] == 7
    assert meta["nuisance"] == NUISANCE
    assert meta["realised"]["events"]["turn_yield"] == 2
    assert meta["realised"]["snr_db"]["p50"] == 27.5


def test_a_folder_without_meta_is_unfinished_and_not_in_the_manifest(copy, folder):
    (folder / "meta.json").unlink()
    assert finish_corpus(copy, ABOUT)["all"]["conversations"] == 0
    assert (copy / "manifest.jsonl").read_text() == ""


def test_a_folder_that_cannot_be_written_gives_one_line(tmp_path):
    (tmp_path / "conversations").write_text("a file")
    with pytest.raises(OutputError) as caught:
        make(tmp_path)
    assert "\n" not in str(caught.value)


# Sound -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [16, 24])
def test_channels_are_the_stems_under_one_gain_to_half_a_step(tmp_path, bits):
    stems_ = sound()
    folder = make(tmp_path, stems_, settings=AssembleSettings(bits=bits))
    levels = json.loads((folder / "meta.json").read_text())["levels"]
    gain = 10 ** (levels["gain_db"] / 20)
    for kind, rows in (("clean", stems_.clean), ("noisy", stems_.noisy)):
        for speaker, row in zip("ABC", rows, strict=True):
            assert soundfile.info(folder / kind / f"{speaker}.flac").subtype == f"PCM_{bits}"
            samples, rate = read_flac(folder / kind / f"{speaker}.flac")
            assert rate == 24000
            assert np.abs(samples - row * np.float32(gain)).max() <= 0.5001 / 2 ** (bits - 1) + 1e-8


def test_active_speech_comes_to_its_level():
    levels = plan_levels(TIMELINE, sound(0.9), AssembleSettings())
    assert levels.active_speech_db == pytest.approx(-26.0, abs=1e-3)
    assert not levels.limited
    assert plan_levels(TIMELINE, sound(0.01), AssembleSettings()).gain_db > 0


def test_the_level_gives_way_to_the_peak():
    stems_ = sound()
    stems_.clean[0, 10_000] = stems_.noisy[0, 10_000] = -8.0
    levels = plan_levels(TIMELINE, stems_, AssembleSettings())
    assert levels.limited
    assert levels.peak_db == pytest.approx(-1.0, abs=1e-4)
    assert levels.active_speech_db < -26.0


@given(st.floats(0.001, 50), st.floats(0, 5), st.sampled_from([16, 24]))
@settings(max_examples=20, deadline=None)
def test_no_sample_ever_clips(amplitude, noise, bits):
    stems_ = sound(amplitude, noise)
    levels = plan_levels(TIMELINE, stems_, AssembleSettings(bits=bits))
    for samples, db in (
        (stems_.clean, levels.gain_db),
        (stems_.noisy, levels.gain_db),
        (stems_.mono, levels.gain_db + levels.mix_gain_db),
    ):
        written = quantised(samples * np.float32(10 ** (db / 20)), bits)
        assert np.abs(written).max() <= 2 ** (bits - 1) * 10 ** (-1 / 20) + 1
    assert levels.mix_gain_db <= 0


def test_shared_noise_stands_once_in_the_mix():
    stems_ = sound()
    assert np.allclose(stems_.mono, stems_.clean.sum(axis=0) + bed(TIMELINE), atol=1e-6)
    own = np.zeros(TIMELINE.n_samples, np.float32)
    assert Stems(stems_.clean, stems_.noisy, own).mono is own


def test_silence_stays_silence():
    assert set(quantised(np.zeros(100, np.float32))) == {0}
    assert list(quantised(np.array([0.5 / 32768 + 1e-9, -0.4 / 32768, 1.6 / 32768]))) == [1, 0, 2]


def test_what_does_not_fit_is_refused_rather_than_clipped():
    for bad in (1.0, -1.0001, float("nan")):
        with pytest.raises(InputError, match="does not fit"):
            flac_bytes(np.array([bad]), 24000)


@pytest.mark.parametrize(
    ("stems_", "why"),
    [
        (Stems(sound().clean[:, :-1], sound().noisy), "clean sound has shape"),
        (Stems(sound().clean, sound().noisy[:2]), "noisy sound has shape"),
        (Stems(sound().clean, sound().noisy, np.zeros(5, np.float32)), "mix sound has shape"),
        (Stems(sound().clean * np.float32("nan"), sound().noisy), "no numbers"),
        (Stems(sound().clean * 0, sound().noisy), "no active speech"),
    ],
)
def test_stems_that_do_not_fit_are_refused_before_anything_is_written(tmp_path, stems_, why):
    with pytest.raises(InputError, match=why):
        make(tmp_path, stems_)
    assert list(tmp_path.rglob("*")) == []


# Figures ---------------------------------------------------------------------------------------------------


def test_rates_follow_the_definitions_of_the_paper():
    found = figures(TIMELINE, example_script(), {"levels": {"snr_db": 27.5}}).summary()
    minutes = 14.5 / 60
    assert found["floor_segments"] == 4, "two yields, a hold, a cut-off"
    assert found["rates_per_min"]["turns"] == pytest.approx(4 / minutes, abs=1e-3)
    assert found["rates_per_min"]["backchannels_and_laughter"] == pytest.approx(2 / minutes, abs=1e-3)
    assert found["rates_per_min"]["interruptions"] == pytest.approx(1 / minutes, abs=1e-3)
    assert found["rates_per_min"]["failed_claims"] == pytest.approx(1 / minutes, abs=1e-3)
    assert found["rates_per_min"]["events"] == pytest.approx(8 / minutes, abs=1e-3)
    assert found["mean_turn_s"] == pytest.approx((2.5 + 2.3 + 3.3 + 2.8) / 4)
    assert found["gold"] == {
        "eot": {"positives": 2, "negatives": 1},
        "interruption": {"positives": 1, "negatives": 2},
    }
    assert found["claims_won_share"] == 0.5


def test_overlap_is_any_two_sounding_at_once():
    found = figures(TIMELINE).summary()
    # Mm-hmm in A1; C's claim as A resumes; B before A ends; C over B; A's laugh over C.
    assert found["overlap_s"] == pytest.approx(0.45 + 0.3 + 0.06 + 0.74 + 0.8)
    assert found["overlap_share"] == pytest.approx(2.35 / 14.5, abs=1e-4)


def test_timing_is_that_of_table_21():
    timing = figures(TIMELINE).summary()["timing_s"]
    medians = {name: value["p50"] for name, value in timing.items()}
    assert medians["yield_gap"] == -0.06
    assert medians["hold_pause"] == 0.8
    assert medians["interruption_overlap"] == 0.74
    assert medians["failed_claim"] == 0.95
    assert timing["floor_segment"]["n"] == 4


def test_planned_bounds_are_compared_with_measured_ones():
    near = figures(TIMELINE).summary()["planned_to_measured"]
    assert near == {"bounds": 14, "within_40_ms_share": 1.0, "p95_ms": 5.0}


@given(st.lists(timelines(most_turns=3), min_size=1, max_size=3))
@settings(max_examples=15, deadline=None)
def test_pooled_figures_add_up(found):
    whole = pooled(figures(timeline) for timeline in found)
    assert whole.conversations == len(found)
    assert whole.events.total() == sum(len(timeline.events) for timeline in found)
    assert len(whole.durations["floor_segment"]) == whole.floor_segments
    assert 0 <= whole.overlap_s <= whole.speech_s <= whole.duration_s
    assert len(whole.durations["yield_gap"]) + len(whole.durations["interruption_overlap"]) == whole.switches


def test_nothing_counted_gives_no_figure_and_no_fault():
    summary = pooled([]).summary()
    assert summary["mean_turn_s"] is None
    assert summary["rates_per_min"]["turns"] is None
    json.dumps(summary, allow_nan=False)


# The corpus ------------------------------------------------------------------------------------------------


def test_the_manifest_states_every_file_with_its_sum(corpus):
    (line,) = [json.loads(text) for text in (corpus / "manifest.jsonl").read_text().splitlines()]
    listed = {entry["path"]: entry["bytes"] for entry in line["files"]}
    there = {n: len(d) for n, d in sums(corpus).items() if n.startswith("conversations/")}
    assert listed == there
    assert line["type"] == "argumentative"
    assert [speaker["voice"] for speaker in line["speakers"]] == ["af_aoede", "am_eric", "af_nova"]


def test_the_readme_tells_what_was_made_and_that_it_is_synthetic(corpus):
    text = (corpus / "README.md").read_text()
    assert text.partition("---\n\n")[2].startswith("# mine\n\n**Everything you hear in this corpus is synthetic.**")
    for told in ("`type=argumentative`", "turnfloor: 0.1.0", "GPL-3.0, run", "python -m pipeline.validate ."):
        assert told in text
    assert "| non_floor_taking | 1 |  | excluded |" in text


def test_the_readme_names_what_failed(copy):
    stats = finish_corpus(copy, About(failed={"c0007": "no valid script within 3 attempts"}))
    assert stats["failed"] == {"c0007": "no valid script within 3 attempts"}
    assert "- c0007: no valid script within 3 attempts" in (copy / "README.md").read_text()


def test_a_corpus_of_which_all_failed_still_says_so(tmp_path):
    stats = finish_corpus(tmp_path, About(failed={"c0000": "refused"}))
    assert stats["all"]["conversations"] == 0
    assert "c0000: refused" in (tmp_path / "README.md").read_text()


def test_what_failed_this_time_is_not_passed_off_from_an_earlier_run(copy):
    assert finish_corpus(copy, About(failed={"example": "refused"}))["all"]["conversations"] == 0


def test_statistics_stand_by_type_speakers_and_split(corpus):
    stats = json.loads((corpus / "stats.json").read_text())
    assert list(stats["by_type"]) == ["argumentative"]
    assert list(stats["by_speakers"]) == ["3"]
    assert stats["by_split"]["test"] == stats["all"]
    assert stats["all"]["script"]["first_time_valid"] == 1
    assert stats["all"]["script"]["repaired"] == 0


# The command -----------------------------------------------------------------------------------------------


def test_the_command_passes_a_sound_corpus(corpus):
    done = subprocess.run(
        [sys.executable, "-m", "pipeline.validate", str(corpus)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "example  ok",
        "1 conversations, 0 faulty, 0 faults; 100.0 % of 14 bounds measured within 40 ms of the plan",
    ]


def refused(capsys, copy: Path, *options: str) -> set[str]:
    assert main([str(copy), "--json", *options]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["faulty"] == 1
    return set(report["by_invariant"])


def rewrite(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1))


def test_it_refuses_an_event_log_that_says_otherwise(capsys, copy, folder):
    rewrite(folder, "events.jsonl", '"onset_s": 8.4', '"onset_s": 8.5')
    assert refused(capsys, copy) == {"events-match-timeline", "manifest-sums"}


def test_it_refuses_an_event_log_with_a_line_missing_or_broken(capsys, copy, folder):
    lines = (folder / "events.jsonl").read_text().splitlines(keepends=True)
    (folder / "events.jsonl").write_text("".join(lines[1:]))
    assert refused(capsys, copy) == {"events-match-timeline", "manifest-sums"}
    (folder / "events.jsonl").write_text("{not json\n")
    assert refused(capsys, copy) == {"file-unreadable", "manifest-sums"}


def test_it_refuses_gold_that_does_not_follow(capsys, copy, folder):
    rewrite(folder, "gold.json", '"sample": 268800', '"sample": 268801')
    assert refused(capsys, copy) == {"gold-matches-events", "manifest-sums"}


def test_it_refuses_a_timeline_that_breaks_an_invariant(capsys, copy, folder):
    rewrite(folder, "timeline.json", '"entry": "handover"', '"entry": "opening"')
    assert refused(capsys, copy) == {"turn-entry", "manifest-sums"}


def test_it_refuses_channels_of_other_lengths_and_clipped_samples(capsys, copy, folder):
    samples, rate = read_flac(folder / "clean" / "A.flac")
    soundfile.write(folder / "clean" / "A.flac", samples[:-1], rate)
    assert refused(capsys, copy) == {"channels-equal-length", "manifest-sums"}
    soundfile.write(folder / "clean" / "A.flac", samples * 100, rate)
    assert refused(capsys, copy) == {"no-clipping", "manifest-sums"}


def test_it_refuses_what_is_missing_or_not_audio(capsys, copy, folder):
    (folder / "noisy" / "B.flac").unlink()
    assert refused(capsys, copy) == {"file-missing", "manifest-sums"}
    (folder / "noisy" / "B.flac").write_bytes(b"noise")
    assert refused(capsys, copy) == {"file-unreadable", "manifest-sums"}
    (folder / "timeline.json").unlink()
    assert "file-missing" in refused(capsys, copy)


def test_it_refuses_files_that_the_manifest_does_not_know(capsys, copy, folder):
    (folder / "notes.txt").write_text("mine")
    assert refused(capsys, copy) == {"manifest-sums"}
    (copy / "manifest.jsonl").unlink()
    assert refused(capsys, copy) == {"manifest-sums"}


def test_it_goes_on_after_a_faulty_conversation(capsys, copy, folder):
    shutil.copytree(folder, copy / "conversations" / "another")
    assert main([str(copy)]) == 1
    out = capsys.readouterr().out
    assert "another  links-resolve: the timeline in another is that of example" in out
    assert "example  ok" in out


def test_rules_can_be_set(capsys, copy):
    assert refused(capsys, copy, "--tail", "3.5", "--max-words", "0") >= {"backchannel-words"}


@pytest.mark.parametrize("content", [None, "conversations"])
def test_what_is_no_corpus_gives_one_line_and_exit_code_2(capsys, tmp_path, content):
    if content:
        (tmp_path / content).mkdir()
    assert main([str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert str(tmp_path) in err
