"""What everything slow shares: one tiny corpus a session, spoken by the real voice model."""

from pathlib import Path

import pytest
from command_support import pipeline

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
    """A corpus of four conversations of about 25 seconds each, made by the command."""
    out = tmp_path_factory.mktemp("corpora") / "tiny"
    done = pipeline(*TINY, f"out={out}")
    assert done.returncode == 0, done.stderr
    return out
