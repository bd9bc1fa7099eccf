"""A corpus as its users get it: a validated log, gold from the log, sound that agrees with it to the millisecond."""

import json
from collections import Counter

import numpy as np
import pytest
import soundfile
from command_support import pipeline

from pipeline.evaluation.scorer import read_off, score
from pipeline.gold import gold
from pipeline.records import EVENT_KINDS, Gold, Timeline
from pipeline.samples import to_samples

pytestmark = pytest.mark.speech


def folders(corpus):
    return sorted((corpus / "conversations").iterdir())


def timelines(corpus):
    return [Timeline.read(folder / "timeline.json") for folder in folders(corpus)]


def test_the_validator_passes_the_whole_corpus(tiny):
    done = pipeline(str(tiny), module="pipeline.validate")
    assert done.returncode == 0, done.stdout
    assert "4 conversations, 0 faulty" in done.stdout


def test_every_kind_of_event_occurs(tiny):
    found = Counter(event.kind for timeline in timelines(tiny) for event in timeline.events)
    assert set(found) == set(EVENT_KINDS), found


def test_gold_is_derived_from_the_log_and_the_log_scores_perfectly(tiny):
    for folder in folders(tiny):
        stored = Gold.read(folder / "gold.json")
        assert stored == gold(Timeline.read(folder / "timeline.json"))
        scores = score(stored, read_off(stored)).values()
        assert [(s.misses, s.false_positives) for s in scores] == [(0, 0), (0, 0)]
        assert all(s.recall in (1.0, None) and s.fpr in (0.0, None) for s in scores)


def power(samples, rate):
    """Mean square of windows of 10 ms, one a millisecond."""
    hop = rate // 1000
    return np.convolve(np.square(samples, dtype=np.float64), np.ones(10 * hop) / (10 * hop), "same")[::hop]


def edges(samples, rate):
    """Onsets and offsets [samples] on a channel by its energy alone: 10 ms windows, 40 dB under the loud ones."""
    hop = rate // 1000
    level = power(samples, rate)
    loud = np.percentile(level[level > level.max() * 1e-4], 95)
    sounding = np.flatnonzero(level > loud * 10**-4)
    breaks = np.flatnonzero(np.diff(sounding) > 120)
    starts = np.concatenate([[sounding[0]], sounding[breaks + 1]])
    ends = np.concatenate([sounding[breaks], [sounding[-1]]])
    return starts * hop, (ends + 1) * hop


def test_energy_on_the_clean_channels_finds_the_anchors_where_the_log_has_them(tiny):
    off = []
    for folder in folders(tiny):
        stored = Gold.read(folder / "gold.json")
        for anchors, which in ((stored.interruption.positives, 0), (stored.eot.positives, 1)):
            for anchor in anchors:
                samples, rate = soundfile.read(folder / "clean" / f"{anchor.speaker}.flac")
                off.append(np.abs(edges(samples, rate)[which] - anchor.sample).min() / rate)
    assert len(off) > 20
    assert np.mean(np.array(off) <= 0.030) >= 0.99, sorted(off)[-5:]
    assert np.mean(np.array(off) <= 0.015) >= 0.95, sorted(off)[-10:]


def test_the_holder_is_silent_during_a_hold(tiny):
    held = 0
    for folder, timeline in zip(folders(tiny), timelines(tiny), strict=True):
        for event in timeline.events:
            if event.kind == "turn_hold":
                samples, rate = soundfile.read(folder / "clean" / f"{event.speaker}.flac")
                loud = np.percentile(power(samples, rate)[power(samples, rate) > 1e-8], 95)
                inside = power(samples[event.onset : event.offset], rate)[10:-10]
                assert inside.max() < loud * 10**-3.3
                held += 1
    assert held > 0


def test_planned_bounds_lie_near_the_measured_ones(tiny):
    off = [
        abs(planned - found) / timeline.rate
        for timeline in timelines(tiny)
        for segment in timeline.segments
        for planned, found in zip(
            (segment.planned.start, segment.planned.end), (segment.bounds.start, segment.bounds.end), strict=True
        )
    ]
    assert np.mean(np.array(off) <= 0.040) >= 0.95, sorted(off)[-8:]


def test_all_channels_are_of_one_length_and_none_clips(tiny):
    for folder, timeline in zip(folders(tiny), timelines(tiny), strict=True):
        files = sorted(folder.rglob("*.flac"))
        assert len(files) == 2 * len(timeline.speakers) + 1
        for path in files:
            samples, rate = soundfile.read(path, dtype="int16")
            assert (len(samples), rate) == (timeline.n_samples, timeline.rate)
            assert np.abs(samples.astype(int)).max() < 32767


def test_there_is_room_after_the_last_offset_for_the_last_yields_window(tiny):
    for timeline in timelines(tiny):
        last = max(segment.bounds.end for segment in timeline.segments)
        assert timeline.n_samples - last >= to_samples(3.0)


def test_the_bed_lies_where_the_drawn_snr_puts_it(tiny):
    """Measured on the files: what noisy has beyond clean, where no effect sounds, against active speech."""
    for folder, timeline in zip(folders(tiny), timelines(tiny), strict=True):
        meta = json.loads((folder / "meta.json").read_text())
        log = meta["nuisance"]
        assert abs(log["levels"]["snr_db"] - log["levels"]["snr_drawn_db"]) < 0.1
        clean = {s.id: soundfile.read(folder / "clean" / f"{s.id}.flac")[0] for s in timeline.speakers}
        first = timeline.speakers[0].id
        bed = soundfile.read(folder / "noisy" / f"{first}.flac")[0] - clean[first]
        free = np.ones(len(bed), bool)
        for record in log["nuisance"]:
            if record["kind"] != "bed":
                free[record["onset"] : record["onset"] + record["length"]] = False
        active = np.concatenate([clean[s.speaker][s.bounds.start : s.bounds.end] for s in timeline.segments])
        snr = 10 * np.log10(np.mean(active**2) / np.mean(bed[free] ** 2))
        # The bed moves slowly, so that the stretch without effects differs a little from the whole.
        assert abs(snr - log["levels"]["snr_drawn_db"]) < 1.0


def test_nothing_personal_to_a_run_stands_in_what_is_published(tiny):
    text = "".join(path.read_text() for path in (tiny / "conversations").rglob("*.json*"))
    assert str(tiny) not in text
