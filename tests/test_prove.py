"""Each gate passes a sound corpus and fails one that was damaged on purpose, and says where."""

import doctest
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import soundfile

from pipeline.judges import recogniser
from pipeline.output.comparison import Comparison
from pipeline.output.flac import flac_bytes, read_flac
from pipeline.prove.__main__ import main
from pipeline.prove.clipping import flat_tops
from pipeline.prove.gate import Gate
from pipeline.prove.proving import GATES, Asked, Proof, prove
from pipeline.prove.reading import read_conversation
from pipeline.prove.realised import RESAMPLES, explained, reach
from pipeline.prove.recognition import SURE, sounds_alike, whole, wrong_words
from pipeline.prove.table import lines
from pipeline.recognise import Heard, can_be_asked, heard_of, said_in, stretch
from pipeline.records import Timeline
from pipeline.samples import RATE

LISTENED = ("alignment", "silence", "voices", "background", "clipping")
Sound = np.ndarray


def answer(corpus: Path, gate: str) -> Gate:
    """One gate's answer."""
    (found,) = prove(corpus, Asked(gates=(gate,))).gates
    return found


@pytest.fixture
def copy(tiny: Path, tmp_path: Path) -> Path:
    shutil.copytree(tiny / "conversations", tmp_path / "copy" / "conversations")
    for name in ("corpus.yaml", "manifest.jsonl", "stats.json"):
        shutil.copy(tiny / name, tmp_path / "copy" / name)
    return tmp_path / "copy"


def rewrite(path: Path, change: Callable[[Sound], Sound]) -> None:
    """Change the samples of a file."""
    sound, rate = read_flac(path)
    path.write_bytes(flac_bytes(np.clip(change(sound), -1, 1 - 2**-15).astype(np.float32), rate))


def first(corpus: Path) -> Path:
    return min((corpus / "conversations").iterdir())


def timeline_of(folder: Path) -> Timeline:
    return Timeline.read(folder / "timeline.json")


def busiest(timeline: Timeline) -> str:
    """The speaker who says most."""
    return spoken(timeline)[0][1]


@pytest.mark.parametrize("gate", [*LISTENED, "validator", "realised"])
def test_a_sound_corpus_passes(tiny: Path, gate: str) -> None:
    found = answer(tiny, gate)
    assert found.outcome == "pass", found
    assert all(one.n > 0 for one in found.figures)


def test_a_channel_that_is_late_is_named(copy: Path) -> None:
    folder = first(copy)
    speaker = busiest(timeline_of(folder))
    rewrite(folder / "clean" / f"{speaker}.flac", lambda sound: np.roll(sound, RATE // 10))
    found = answer(copy, "alignment")
    assert found.outcome == "FAIL"
    assert (found.places[0].conversation, found.places[0].speaker) == (folder.name, speaker)
    assert "ahead of" in found.places[0].says
    late = next(one for one in found.figures if "channel" in one.what)
    assert late.value == pytest.approx(100, abs=20)


def test_sound_in_a_hold_is_named(copy: Path) -> None:
    folder, event = next(
        (folder, event)
        for folder in sorted((copy / "conversations").iterdir())
        for event in timeline_of(folder).events
        if event.kind == "turn_hold"
    )
    middle = (event.onset + event.offset) // 2

    def hum(sound: Sound) -> Sound:
        sound[middle : middle + RATE // 20] += 0.02 * np.sin(np.arange(RATE // 20) / 20)
        return sound

    rewrite(folder / "clean" / f"{event.speaker}.flac", hum)
    found = answer(copy, "silence")
    assert found.outcome == "FAIL"
    place = found.places[0]
    assert (place.conversation, place.speaker) == (folder.name, event.speaker)
    assert place.at_s == pytest.approx(middle / RATE, abs=0.06)


def test_sound_that_no_log_has_is_named(copy: Path) -> None:
    """In the lead-in everybody is silent."""
    folder = first(copy)
    speaker = busiest(timeline_of(folder))
    rewrite(folder / "clean" / f"{speaker}.flac", lambda s: np.concatenate([s[:2000], s[2000:4400] + 0.01, s[4400:]]))
    found = answer(copy, "silence")
    assert found.outcome == "FAIL"
    assert found.places[0].conversation == folder.name
    assert found.places[0].at_s == pytest.approx(0.1, abs=0.1)


def silenced(corpus: Path) -> Path:
    """A corpus in which one speaker's clean channel holds nothing."""
    folder = first(corpus)
    rewrite(folder / "clean" / f"{busiest(timeline_of(folder))}.flac", lambda sound: sound * 0)
    return folder


def test_a_channel_without_sound_is_named(copy: Path) -> None:
    folder = silenced(copy)
    for gate, says in (("alignment", "nothing sounds"), ("silence", "silent")):
        found = answer(copy, gate)
        assert found.outcome == "FAIL", found
        assert any(one.conversation == folder.name and says in one.says for one in found.places), found


def test_channels_that_are_swapped_are_named(copy: Path) -> None:
    folder = first(copy)
    one, other = (folder / "clean" / f"{name}.flac" for _, name in spoken(timeline_of(folder))[:2])
    sounds = one.read_bytes(), other.read_bytes()
    other.write_bytes(sounds[0])
    one.write_bytes(sounds[1])
    assert answer(copy, "alignment").outcome == answer(copy, "silence").outcome == "FAIL"


@pytest.mark.parametrize("gate", ["background", "clipping"])
def test_what_cannot_be_heard_does_not_pass(copy: Path, gate: str) -> None:
    folder = first(copy)
    if gate == "background":
        for path in (folder / "clean").glob("*.flac"):
            rewrite(path, lambda sound: sound * 0)
    else:
        (folder / "mix.flac").unlink()
    found = prove(copy, Asked(gates=(gate,)))
    assert found.verdict == "FAIL"
    assert found.gates[0].places[0].conversation == folder.name
    assert any(folder.name in note for note in found.gates[0].notes)
    assert any(one.what == "conversations that cannot be judged" and one.value == 1 for one in found.gates[0].figures)


def spoken(timeline: Timeline) -> list[tuple[int, str]]:
    """Samples of speech of each speaker, the most first."""
    said = {one.id: 0 for one in timeline.speakers}
    for segment in timeline.segments:
        said[segment.speaker] += segment.bounds.length * (segment.role != "laughter")
    return sorted(((samples, name) for name, samples in said.items()), reverse=True)


def test_two_speakers_with_one_voice_are_named(copy: Path) -> None:
    folder = max((copy / "conversations").iterdir(), key=lambda one: spoken(timeline_of(one))[1])
    timeline = timeline_of(folder)
    (_, one), (_, other) = spoken(timeline)[:2]
    source, _ = read_flac(folder / "clean" / f"{one}.flac")
    speech = np.concatenate([source[s.bounds.start : s.bounds.end] for s in timeline.segments if s.speaker == one])

    def spoken_by_one(sound: Sound) -> Sound:
        at = len(speech) // 2  # other words than those that `one` is heard with first
        for segment in timeline.segments:
            if segment.speaker == other:
                places = np.arange(at, at + segment.bounds.length) % len(speech)
                sound[segment.bounds.start : segment.bounds.end] = speech[places]
                at += segment.bounds.length
        return sound

    rewrite(folder / "clean" / f"{other}.flac", spoken_by_one)
    found = answer(copy, "voices")
    assert found.outcome == "FAIL"
    assert found.places[0].conversation == folder.name
    assert sorted(found.places[0].speaker.split(" and ")) == sorted([one, other])


def at_gain(clean: Sound, factor: float, noisy: Sound) -> Sound:
    """The noisy channel with its noise `factor` times as large."""
    changed: Sound = clean + factor * (noisy - clean)
    return changed


@pytest.mark.parametrize("factor", [0.7, 1.4])
def test_noise_at_another_gain_is_named(copy: Path, factor: float) -> None:
    folder = first(copy)
    for path in (folder / "noisy").glob("*.flac"):
        clean, _ = read_flac(folder / "clean" / path.name)
        rewrite(path, partial(at_gain, clean, factor))
    found = answer(copy, "background")
    assert found.outcome == "FAIL"
    assert {place.conversation for place in found.places} == {folder.name}
    snr = next(one for one in found.figures if "SNR" in one.what)
    assert snr.value == pytest.approx(abs(20 * np.log10(factor)), abs=0.3)


@pytest.mark.parametrize("part", [1.0, 0.3])
def test_a_clipped_file_is_named(copy: Path, part: float) -> None:
    """At full scale, and under it, where it was clipped before it was turned down."""
    path = next(iter((first(copy) / "noisy").glob("*.flac")))
    rewrite(path, lambda sound: part * np.clip(sound / (0.5 * np.abs(sound).max()), -1, 1))
    found = answer(copy, "clipping")
    assert found.outcome == "FAIL"
    assert f"noisy/{path.name}" in found.places[0].says
    assert found.figures[0].value == 1


def test_what_is_not_clipped_has_no_flat_tops() -> None:
    rng = np.random.default_rng(1)
    sound = (0.3 * rng.standard_normal(RATE)).clip(-0.99, 0.99).astype(np.float32)
    assert flat_tops(sound) == []
    assert flat_tops(np.zeros(RATE, np.float32)) == []
    assert len(flat_tops(np.sin(np.arange(RATE, dtype=np.float32) / 30).clip(-0.5, 0.5))) > 1


def test_a_changed_file_is_the_validators(copy: Path) -> None:
    folder = first(copy)
    rewrite(folder / "mix.flac", lambda sound: 0.9 * sound)
    found = answer(copy, "validator")
    assert found.outcome == "FAIL"
    assert "mix.flac" in found.places[0].says


def test_figures_that_the_timelines_contradict_are_named(copy: Path) -> None:
    stats = json.loads((copy / "stats.json").read_text())
    stats["all"]["rates_per_min"]["turns"] += 1
    (copy / "stats.json").write_text(json.dumps(stats))
    found = answer(copy, "realised")
    assert found.outcome == "FAIL"
    assert "all.rates_per_min.turns" in found.places[0].says


def a_figure(realised: float, within: float) -> Comparison:
    """A figure whose target is 0."""
    return Comparison(
        table="",
        name="f",
        label="f",
        by="all",
        group="all",
        unit="s",
        realised=realised,
        target=0.0,
        distance=realised,
        low=-within,
        high=within,
        expected=100.0,
        verdict="MISSED",
    )


def judged_missed(draws: np.ndarray, within: float, rng: np.random.Generator) -> np.ndarray:
    """For each figure (columns) of one corpus (rows: conversations), whether chance does not explain its mean."""
    conversations, figures = draws.shape
    again = draws[rng.integers(conversations, size=(RESAMPLES, conversations))].mean(axis=1)
    errors = reach(figures, conversations)
    means = zip(draws.mean(axis=0), again.T, strict=True)
    return np.array([not explained(a_figure(mean, within), list(values), errors) for mean, values in means])


@pytest.mark.parametrize("conversations", [12, 24, 240])
def test_a_corpus_that_is_as_aimed_at_seldom_misses_any_of_its_figures(conversations: int) -> None:
    """Of 60 figures asked at 99 % each, half of all sound corpora would miss one."""
    rng = np.random.default_rng(conversations)
    corpora = [judged_missed(rng.normal(size=(conversations, 60)), 0, rng).any() for _ in range(120)]
    assert np.mean(corpora) <= 0.05


def test_a_figure_that_is_off_by_more_than_chance_is_missed() -> None:
    rng = np.random.default_rng(2)
    off = np.zeros(60)
    off[7] = 1.0
    assert judged_missed(rng.normal(off, size=(240, 60)), 0.5, rng).tolist() == (off > 0.5).tolist()


def test_a_conversation_that_cannot_be_read_fails_the_validator_and_is_told(copy: Path) -> None:
    folder = first(copy)
    (folder / "mix.flac").unlink()
    found = {gate.name: gate for gate in prove(copy, Asked(gates=("clipping", "validator"))).gates}
    assert found["validator"].outcome == "FAIL"
    assert found["clipping"].outcome == "FAIL"
    assert any("mix.flac" in note for note in found["clipping"].notes)


# Recognition ---------------------------------------------------------------------------------------------------


def heard(said: str, found: str) -> Heard:
    import jiwer

    measured = jiwer.process_words(said, found)
    errors = measured.substitutions + measured.deletions + measured.insertions
    return Heard("c0001", "g1", "Anna", 1.0, said, found, errors)


@pytest.mark.parametrize(
    ("said", "found", "errors"),
    [
        ("the sale is on", "the sail is on", 0),
        ("any way you like", "anyway you like", 0),
        ("who'll say", "who will say", 0),
        ("under a roof", "under roof", 1),
        ("the sale is on", "the tale is on", 1),
        ("one two three", "four five six", 3),
    ],
)
def test_words_that_sound_alike_are_right(said: str, found: str, errors: int) -> None:
    pytest.importorskip("jiwer", reason="the extra `prove` is not installed")
    as_heard = " ".join(whole(found).split())
    assert wrong_words(heard(said, found), lambda text: 0.0 if text == as_heard else -SURE - 0.1) == errors


def test_a_word_that_the_recogniser_is_not_sure_of_is_right() -> None:
    pytest.importorskip("jiwer", reason="the extra `prove` is not installed")
    likelihoods = {"a tuber for the waltz": -2.0, "a tuba for the waltz": -SURE - 1.9, "a tuber for a walk": -40.0}
    assert wrong_words(heard("a tuba for the waltz", "a tuber for the waltz"), likelihoods.__getitem__) == 0
    assert wrong_words(heard("a tuber for a walk", "a tuber for the waltz"), likelihoods.__getitem__) == 2


def test_texts_that_cannot_be_said_are_alike_only_when_equal() -> None:
    assert not sounds_alike("", "word")
    assert not sounds_alike("'", "word")
    assert whole("we've seen he's") == "we have seen he's"


@pytest.mark.slow
def test_the_recogniser_hears_the_script_and_not_another(tiny: Path, copy: Path) -> None:
    pytest.importorskip("faster_whisper", reason="the extra `prove` is not installed")
    asked = Asked(gates=("recognition",), words=400)
    assert prove(tiny, asked).verdict == "pass"
    folder = first(copy)
    data = json.loads((folder / "timeline.json").read_text())
    for utterance in data["utterances"]:
        texts = [word["text"] for word in utterance["words"]]
        for word, text in zip(utterance["words"], reversed(texts), strict=True):
            word["text"] = text
    (folder / "timeline.json").write_text(json.dumps(data))
    (found,) = prove(copy, asked).gates
    assert found.outcome == "FAIL"
    assert found.places[0].conversation == folder.name


@pytest.mark.slow
def test_every_word_that_was_not_said_is_found(tiny: Path) -> None:
    """One word of each stretch is replaced by one of another stretch, as if the voice had said something else."""
    pytest.importorskip("faster_whisper", reason="the extra `prove` is not installed")
    conversations = [read_conversation(folder) for folder in (tiny / "conversations").iterdir()]
    asked = [(c, one) for c in conversations for one in c.timeline.segments if can_be_asked(one, c.timeline)]
    words = [word for c, one in asked for word in said_in(one, c.timeline).split()]
    chance, missed = np.random.default_rng(3), 0
    for c, segment in asked:
        sound = c.clean[segment.speaker]
        found = heard_of(segment, c.timeline, sound)
        likelihood = recogniser().likelihood(stretch(sound, c.timeline.rate, segment))
        said = found.said.split()
        at = int(chance.integers(len(said)))
        other = next(w for w in chance.permutation(words).tolist() if not sounds_alike(w, said[at]))
        swapped = replace(found, said=" ".join([*said[:at], other, *said[at + 1 :]]), errors=1)
        missed += wrong_words(swapped, likelihood) <= wrong_words(found, likelihood)
    assert len(asked) >= 20
    assert missed <= len(asked) // 20


# The command ---------------------------------------------------------------------------------------------------


@cache
def proof_of(corpus: Path) -> Proof:
    return prove(corpus, Asked(gates=("silence", "background", "clipping", "validator")))


def test_the_table_says_what_was_measured_and_its_limit(tiny: Path) -> None:
    printed = "\n".join(lines(proof_of(tiny)))
    assert "verdict: pass" in printed
    for one in (figure for gate in proof_of(tiny).gates for figure in gate.figures):
        assert one.what in printed
        assert f"{one.side} {one.limit:g}" in printed


def test_the_command_prints_writes_a_page_and_tells_by_its_exit_code(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = ["--gates", "silence,clipping", "--workers", "1"]
    assert main([str(copy), *chosen, "--json"]) == 0
    found = Proof.from_json(capsys.readouterr().out)
    assert (found.verdict, [gate.name for gate in found.gates]) == ("pass", ["silence", "clipping"])
    path = next(iter((first(copy) / "clean").glob("*.flac")))
    rewrite(path, lambda sound: np.clip(4 * sound, -1, 1))
    assert main([str(copy), *chosen]) == 1
    assert "verdict: FAIL" in capsys.readouterr().out
    page = (copy / "report" / "prove.html").read_text(encoding="utf-8")
    assert f"clean/{path.name}" in page
    assert "prefers-color-scheme: dark" in page
    assert Proof.read(copy / "report" / "prove.json").verdict == "FAIL"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "not a corpus"),
        (["{tiny}", "--gates", "taste"], f"gate taste: there are {', '.join(GATES)}"),
        (["{tiny}", "--words", "-1"], "--words -1"),
    ],
)
def test_bad_input_is_one_line(tiny: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([one.format(tiny=tiny) for one in arguments]) == 2
    printed = capsys.readouterr().err
    assert said in printed
    assert printed.count("\n") == 1


def test_a_corpus_with_other_sound_files_is_told(copy: Path) -> None:
    """A channel at another rate is not listened to as if it were at the corpus rate."""
    folder = first(copy)
    sound, _ = read_flac(folder / "mix.flac")
    soundfile.write(folder / "mix.flac", sound, 16_000, format="FLAC", subtype="PCM_16")
    found = prove(copy, Asked(gates=("clipping",))).gates[0]
    assert any("16000 Hz" in note for note in found.notes)


@pytest.mark.parametrize("name", ["prove.gate", "prove.realised", "prove.recognition", "judges"])
def test_examples_in_docstrings_hold(name: str) -> None:
    tested = doctest.testmod(import_module(f"pipeline.{name}"))
    assert tested.attempted
    assert not tested.failed
