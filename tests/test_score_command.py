"""python -m pipeline.score on a corpus of buzzes: what it prints, writes, reads back and refuses."""

import json

import numpy as np
import pytest
from floor_support import example
from test_detectors import RATE, talk

from pipeline.evaluation.command import main
from pipeline.evaluation.corpus import read_corpus
from pipeline.evaluation.published import published
from pipeline.gold import gold
from pipeline.output.flac import flac_bytes
from pipeline.workspace import write_text

LENGTH_S = 14.5


def write_conversation(corpus, ident, split):
    """The worked example, each segment a vowel on its speaker's channel."""
    timeline = example().model_copy(update={"conversation_id": ident})
    folder = corpus / "conversations" / ident
    (folder / "noisy").mkdir(parents=True)
    write_text(folder / "timeline.json", timeline.to_json())
    write_text(folder / "gold.json", gold(timeline).to_json())
    write_text(folder / "meta.json", json.dumps({"spec": {"type": "casual", "split": split}}))
    for number, speaker in enumerate(timeline.speakers):
        spans = [(s.bounds.start / RATE, s.bounds.end / RATE) for s in timeline.segments if s.speaker == speaker.id]
        samples = talk(*spans, length_s=LENGTH_S, seed=number)
        (folder / "noisy" / f"{speaker.id}.flac").write_bytes(flac_bytes(np.clip(samples, -0.99, 0.99), RATE))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    out = tmp_path_factory.mktemp("score") / "my corpus"
    for ident, split in (("c0", "dev"), ("c1", "dev"), ("c2", "test")):
        write_conversation(out, ident, split)
    return out


def run(capsys, *args):
    code = main([*map(str, args), "--workers", "1"])
    said = capsys.readouterr()
    return code, said.out, said.err


def scores(capsys, *args):
    code, out, err = run(capsys, *args, "--json", "--resamples", "200")
    assert code == 0, err
    return {(r["detector"], r["task"]): r for r in json.loads(out)["scores"]["results"]}


def test_it_prints_table_3_beside_the_published_rows_after_the_verdict(capsys, corpus):
    code, out, err = run(capsys, corpus, "--detectors", "rms", "--slices")
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0].endswith("fewer than 20 positives or hard negatives, no verdict about shortcuts")
    assert "1 conversations scored by multiparty; thresholds chosen on 2 others, then frozen" in lines
    assert "EOT: 2 positives, 1 hard negatives" in lines
    at = next(n for n, line in enumerate(lines) if line.startswith("rms "))
    assert lines[at + 1].split()[:5] == ["published", "rms", "-50", "49.8", "[44.4,"]
    assert any(line.split()[:2] == ["published", "kyutai"] for line in lines)
    contested = next(line for line in lines if line.startswith("hold contested"))
    assert contested.endswith("- / 39.3"), "the published ones that are not run here have columns"
    at = next(n for n, line in enumerate(lines) if line.startswith("speakers 3"))
    assert lines[at + 1].split() == ["published", "61.1", "/", "62.5"]
    assert sum(line.startswith("latency p10/p50/p90 [ms]") for line in lines) == 2
    assert any(line.startswith("own silence ") for line in lines)


def test_what_energy_finds_on_buzzes_is_what_the_log_says(capsys, corpus):
    found = scores(capsys, corpus, "--detectors", "rms", "--no-shortcuts")
    eot = found["rms", "eot"]
    assert eot["test"]["recall"] == 1.0
    assert eot["test"]["latency_p50_ms"] == pytest.approx(300, abs=40)
    assert eot["test"]["fpr"] == 1.0  # the pause of 0.8 s is silence, too
    assert found["rms", "interruption"]["test"]["recall"] == 1.0


def test_predictions_that_are_written_score_the_same_when_they_are_read(capsys, corpus, tmp_path):
    own = scores(capsys, corpus, "--detectors", "rms", "--no-shortcuts", "--write", tmp_path)
    again = scores(
        capsys, corpus, "--detectors", "", "--no-shortcuts", "--predictions", f"again={tmp_path / 'rms.json'}"
    )
    for task in ("eot", "interruption"):
        assert again["again", task]["test"] == own["rms", task]["test"]
        assert not again["again", task]["has_threshold"]


def test_probabilities_are_swept_on_dev_and_frozen(capsys, corpus, tmp_path):
    rate = 10.0
    for task, anchors in (("eot", {"A": 5.9, "C": 11.2}), ("int", {"C": 8.4})):
        entries = []
        for one in read_corpus(corpus):
            curves = {}
            for ident, key in one.keys.items():
                prob = np.full(int(LENGTH_S * rate), 0.1)
                if ident in anchors:
                    prob[round((anchors[ident] + 0.2) * rate)] = 0.8
                curves[key] = {"prob": prob.tolist()}
            entries.append({"conversation_id": one.id, **curves})
        file = {"schema_version": 1, "task": task, "frame_rate_hz": rate, "probs": entries}
        write_text(tmp_path / f"{task}.json", json.dumps(file))
    given = [f"--probabilities=mine={tmp_path / name}" for name in ("eot.json", "int.json")]
    found = scores(capsys, corpus, "--detectors", "", "--no-shortcuts", *given)
    for task in ("eot", "interruption"):
        result = found["mine", task]
        assert result["within_budget"] is True
        assert 0.1 <= result["dev"]["threshold"] < 0.8
        assert (result["test"]["recall"], result["test"]["fpr"]) == (1.0, 0.0)
        assert result["test"]["latency_p50_ms"] == pytest.approx(300.0)


def test_thresholds_may_come_from_another_corpus(capsys, corpus):
    _, out, _ = run(capsys, corpus, "--dev", corpus, "--detectors", "rms", "--no-shortcuts")
    assert "1 conversations scored by multiparty; thresholds chosen on 3 others, then frozen" in out


def test_a_corpus_of_one_split_says_that_it_is_in_sample(capsys, tmp_path):
    write_conversation(tmp_path, "c0", "dev")
    _, out, _ = run(capsys, tmp_path, "--detectors", "rms")
    assert "1 conversations scored by multiparty; thresholds chosen on the same, in-sample" in out
    assert "shortcut rules, end of turn (EOT) (in-sample)" in out


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--detectors", "rms,vap"], "error: detector 'vap': there is rms, webrtc, silero, smart_turn"),
        (["--profile", "mine"], "error: profile 'mine': there is multiparty, turnbench"),
        (["--predictions", "x=nowhere.json"], "error: nowhere.json: cannot be read"),
        (["--resamples", "-1"], "error: --resamples -1: give 0 or more"),
    ],
)
def test_bad_input_is_one_line_and_2(capsys, corpus, args, told):
    code, out, err = run(capsys, corpus, "--detectors", "", "--no-shortcuts", *args)
    assert (code, out) == (2, "")
    assert err.startswith(told)
    assert len(err.splitlines()) == 1


def test_what_is_no_corpus_is_one_line_and_2(capsys, tmp_path):
    assert run(capsys, tmp_path)[2].startswith(f"error: {tmp_path}: not a corpus")
    (tmp_path / "conversations").mkdir()
    assert "no finished conversation" in run(capsys, tmp_path)[2]


def test_predictions_for_part_of_a_corpus_are_refused(capsys, corpus, tmp_path):
    nothing = {"eot": [], "interruption": []}
    entry = {"conversation_id": "c0", "speaker_1": nothing, "speaker_2": nothing, "speaker_3": nothing}
    path = tmp_path / "p.json"
    write_text(path, json.dumps({"schema_version": 1, "predictions": [entry]}))
    given = [corpus, "--detectors", "", "--no-shortcuts", "--predictions", path]
    assert "detector 'p': no eot for conversation 'c1'; add it" in run(capsys, *given)[2]
    write_text(path, json.dumps({"schema_version": 1, "predictions": [{**entry, "conversation_id": "c9"}]}))
    assert "conversation 'c9' is not in the corpus; it has c0, c1, c2" in run(capsys, *given)[2]


def test_predictions_of_test_alone_are_scored_without_a_point_on_dev(capsys, corpus, tmp_path):
    only = ["--detectors", "", "--no-shortcuts", "--predictions"]
    own = scores(capsys, corpus, "--detectors", "rms", "--no-shortcuts", "--write", tmp_path)
    written = json.loads((tmp_path / "rms.json").read_text())
    dev = {one.id for one in read_corpus(corpus) if one.split == "dev"}
    assert dev
    written["predictions"] = [one for one in written["predictions"] if one["conversation_id"] not in dev]
    write_text(tmp_path / "test.json", json.dumps(written))
    alone = scores(capsys, corpus, *only, tmp_path / "test.json", "--write", tmp_path / "again")
    for task in ("eot", "interruption"):
        assert alone["test", task]["test"] == own["rms", task]["test"]
        assert "dev" not in alone["test", task]
        assert "within_budget" not in alone["test", task]
    assert json.loads((tmp_path / "again" / "test.json").read_text()) == written
    assert "test" in run(capsys, corpus, *only, tmp_path / "test.json")[1]


def test_any_number_of_workers_gives_the_same(capsys, corpus):
    main([str(corpus), "--detectors", "rms,webrtc", "--workers", "2", "--json"])
    two = capsys.readouterr().out
    main([str(corpus), "--detectors", "rms,webrtc", "--workers", "1", "--json"])
    assert capsys.readouterr().out == two


def test_the_published_scores_are_those_of_the_paper():
    source = published()
    assert source.systems["kyutai"]["interruption"].recall == 56.2
    assert source.systems["vap"]["eot"].fpr == 7.5
    assert source.systems["silero"]["interruption"].slices["speakers"]["5"] == (92.1, 90.0)
    assert source.systems["vap"]["eot"].slices["hold"] == {"contested": (None, 39.3), "uncontested": (None, 1.9)}
    assert set(source.beside.values()) <= set(source.systems)
