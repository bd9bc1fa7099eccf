"""The page that plays what corpora are made of: everything is on it, and every player has a sound."""

import re

import numpy as np
import pytest
import soundfile

from pipeline.listen import main
from pipeline.writers.vocalising import load_lexicon

pytestmark = [pytest.mark.speech, pytest.mark.slow]


def test_each_scene_effect_voice_backchannel_and_laugh_is_played(tmp_path):
    assert main([str(tmp_path)]) == 0
    page = (tmp_path / "index.html").read_text()
    sounds = len(load_lexicon().sounds)
    counts = {name.lower(): int(n) for name, n in re.findall(r"<h2>(\w+) \((\d+)\)</h2>", page)}
    assert sounds >= 30
    assert counts == {"scenes": 10, "effects": 10, "voices": 24, "backchannels": 2 * sounds, "laughs": 24}
    files = re.findall(r'src="([^"]+)"', page)
    assert len(files) == sum(counts.values())
    for file in files:
        sound, rate = soundfile.read(tmp_path / file)
        assert rate == 24_000
        assert 0.01 < np.abs(sound).max() < 1.0, file
