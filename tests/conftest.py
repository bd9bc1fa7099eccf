"""What everything slow shares: one tiny corpus a session, spoken by the real voice model."""

import os
import signal
from pathlib import Path

import pytest
from command_support import pipeline

from pipeline.models.place import locked

# What a script starts in the background ignores interrupts, and so would every run that a test interrupts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

TINY = (
    "script=template",
    "n=4",
    "duration=24",
    "speakers=2,3,4",
    "seed=5",
    # Short turns hold, too, and more is claimed, so that two minutes of talk have every kind of event.
    "timing.hold_rate=0.3",
    "timing.hold_min_segment_s=2.5",
    "timing.hold_min_part_s=0.5",
    "timing.contested_share=0.5",
    "design.claims=2.5",
    "design.laughter_share=0.5",
    "noise.distant.probability=0.5",
)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of four conversations of about 25 seconds each, made by the command, once for all test processes."""
    base = tmp_path_factory.getbasetemp()
    home = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    out = home / "corpora" / "tiny"
    with locked(home / "corpora" / "tiny.lock"):
        if not (out / "manifest.jsonl").exists():
            done = pipeline(*TINY, f"out={out}")
            assert done.returncode == 0, done.stderr
    return out
