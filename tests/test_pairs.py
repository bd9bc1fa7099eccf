"""Counterfactual pairs as their users get them: sound that is the same before the fork, to the sample."""

import json
import shutil

import numpy as np
import pytest
import soundfile
from command_support import pipeline, sums
from pair_support import plays

from pipeline.records import PAIR_KINDS, Gold, Timeline

pytestmark = pytest.mark.speech

LABELS = {
    "claim": ("non_floor_taking", "interruption"),
    "pause": ("turn_hold", "turn_yield"),
    "words": ("backchannel", "turn_yield"),
}


def request(folder, n=3):
    """Three pairs of one screenplay, so that a synthesis serves them all; effects and far voices are certain."""
    return (
        "experiment=pairs",
        f"n={n}",
        "seed=3",
        f"script.path={plays(folder / 'plays', n)}",
        "noise.distant.probability=1",
        "noise.effects.slots=[3]",
        "tts.endings.mode=clear",
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A corpus of one pair of each kind, made by one worker."""
    folder = tmp_path_factory.mktemp("pairs")
    done = pipeline(*request(folder), f"out={folder}/corpus", "workers=1")
    assert done.returncode == 0, done.stderr
    return folder / "corpus"


def lines(corpus):
    return [json.loads(line) for line in (corpus / "pairs.jsonl").read_text().splitlines()]


def members(corpus, kind):
    """The folders of members a and b of the pair of this kind, and their fork."""
    (line,) = [line for line in lines(corpus) if line["kind"] == kind]
    a, b = (corpus / "conversations" / member["conversation_id"] for member in line["members"])
    return a, b, line["fork"]


@pytest.mark.parametrize("kind", PAIR_KINDS)
def test_every_channel_is_the_same_before_the_fork_and_another_after_it(made, kind):
    a, b, fork = members(made, kind)
    names = sorted(path.relative_to(a) for part in ("clean", "noisy") for path in (a / part).iterdir())
    assert len(names) == 6
    differing = []
    for name in [*names, "mix.flac"]:
        one, other = (soundfile.read(folder / name, dtype="int16")[0] for folder in (a, b))
        assert len(one) == len(other)
        assert np.array_equal(one[:fork], other[:fork]), name
        differing += [np.flatnonzero(one != other)[:1]]
    first = int(min(places[0] for places in differing if len(places)))
    assert fork <= first <= fork + 0.1 * 24000, "the fork is where they part, not long before"


@pytest.mark.parametrize("kind", PAIR_KINDS)
def test_the_fork_lies_in_talk_with_noise_around_it(made, kind):
    a, _, fork = members(made, kind)
    nuisance = json.loads((a / "meta.json").read_text())["nuisance"]["nuisance"]
    assert {sound["kind"] for sound in nuisance} == {"bed", "effect", "distant"}
    assert 4 * 24000 < fork < Timeline.read(a / "timeline.json").n_samples - 4 * 24000


def test_the_labels_differ_as_the_kinds_say(made):
    assert sorted(line["kind"] for line in lines(made)) == sorted(PAIR_KINDS)
    for line in lines(made):
        assert tuple(member["label"] for member in line["members"]) == LABELS[line["kind"]]
        assert line["asked"] == line["kind"]
        for member in line["members"]:
            folder = made / "conversations" / member["conversation_id"]
            events = [json.loads(text) for text in (folder / "events.jsonl").read_text().splitlines()]
            (event,) = [event for event in events if event["id"] == member["event_id"]]
            assert event["kind"] == member["label"]


def test_the_gold_of_the_members_differs_at_the_moment_in_question(made):
    a, b, _ = members(made, "claim")
    assert len(Gold.read(a / "gold.json").interruption.excluded) > len(Gold.read(b / "gold.json").interruption.excluded)
    a, b, fork = members(made, "pause")
    held = [span for span in Gold.read(a / "gold.json").eot.negatives if span.start < fork <= span.end]
    given = [anchor for anchor in Gold.read(b / "gold.json").eot.positives if anchor.sample < fork]
    assert held[0].start == given[-1].sample, "the same sample is where a pause starts and where a turn ends"
    a, b, fork = members(made, "words")
    heard = Gold.read(a / "gold.json").interruption.negatives
    assert len([s for s in heard if s.end <= fork]) == 1 + len(
        [s for s in Gold.read(b / "gold.json").interruption.negatives if s.end <= fork]
    )


def test_timeline_metadata_and_manifest_link_the_members(made):
    manifest = {line["id"]: line for line in map(json.loads, (made / "manifest.jsonl").read_text().splitlines())}
    assert len(manifest) == 6
    for ident, line in manifest.items():
        folder = made / "conversations" / ident
        pair = Timeline.read(folder / "timeline.json").pair
        meta = json.loads((folder / "meta.json").read_text())
        assert line["pair"] == meta["pair"] == {**pair.model_dump(), "fork_s": round(pair.fork / 24000, 6)}
        assert manifest[pair.sibling]["pair"]["sibling"] == ident
        assert meta["spec"]["pair"] == {"id": pair.id, "member": pair.member}
        assert f'<a href="../{pair.sibling}/index.html">' in (folder / "index.html").read_text()


def test_both_members_get_one_level_and_one_bed(made):
    for kind in PAIR_KINDS:
        one, other = (json.loads((folder / "meta.json").read_text()) for folder in members(made, kind)[:2])
        for name in ("gain_db", "mix_gain_db", "active_speech_db"):
            assert one["levels"][name] == other["levels"][name]
        assert one["nuisance"]["nuisance"] == other["nuisance"]["nuisance"]
        assert one["nuisance"]["levels"]["snr_db"] == other["nuisance"]["levels"]["snr_db"]


def test_the_validator_passes_pairs(made):
    done = pipeline(str(made), module="pipeline.validate")
    assert done.returncode == 0, done.stdout
    assert "6 conversations, 0 faulty" in done.stdout


def test_the_validator_finds_a_sample_that_differs_before_the_fork(made, tmp_path):
    corpus = shutil.copytree(made, tmp_path / "corpus", ignore=shutil.ignore_patterns("work"))
    _, b, fork = members(corpus, "pause")
    samples, rate = soundfile.read(b / "noisy" / "s2.flac", dtype="int16")
    samples[fork - 1] += 1
    soundfile.write(b / "noisy" / "s2.flac", samples, rate, subtype="PCM_16")
    done = pipeline(str(corpus), module="pipeline.validate")
    assert done.returncode == 1
    assert f"{b.name}  pair-equal: noisy/s2.flac" in done.stdout
    shutil.rmtree(b)
    assert "pair-linked" in pipeline(str(corpus), module="pipeline.validate").stdout


def test_two_workers_in_another_order_make_the_same_bytes(made, tmp_path):
    asked = request(tmp_path)
    first = pipeline(*asked, "only=dev-002", f"out={tmp_path}/corpus", "workers=1")
    assert first.returncode == 0, first.stderr
    assert {name.partition("/")[0] for name in sums(tmp_path / "corpus")} == {"dev-002.a", "dev-002.b"}
    rest = pipeline(*asked, "workers=2", f"out={tmp_path}/corpus")
    assert rest.returncode == 0, rest.stderr
    assert "6 conversations" in rest.stdout
    assert "(4 made, 2 as they were)" in rest.stdout
    assert sums(tmp_path / "corpus") == sums(made)
    assert (tmp_path / "corpus" / "pairs.jsonl").read_bytes() == (made / "pairs.jsonl").read_bytes()


def test_a_member_that_was_harmed_is_made_again(made):
    expected = sums(made)
    a, b, _ = members(made, "words")
    (a / "gold.json").write_text("{}")
    (made / "work" / b.name / "stems.flac").unlink()
    done = pipeline(*request(made.parent), f"out={made}", "workers=1")
    assert "(2 made, 4 as they were)" in done.stdout
    assert sums(made) == expected


def test_pairs_and_single_conversations_do_not_share_a_folder(made):
    done = pipeline(*request(made.parent), "pairs.kind=null", f"out={made}")
    assert done.returncode == 2
    assert "counterfactual pairs" in done.stderr
