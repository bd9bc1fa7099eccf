"""MUSAN directories for tests: a few real clips in the true layout, and one built with clips that are trouble."""

from pathlib import Path

import numpy as np
import soundfile

RATE = 16_000
REAL = Path(__file__).resolve().parent / "data" / "musan"
BLOCKS = """noise-sound-bible-0003
Title: Audience Applause
License: Attribution 3.0
Recorded by Matthiew11
License: Attribution 3.0
http://soundbible.com/2087-Audience-Applause.html
========================================================================
noise-sound-bible-0071
Title: Silly Sounds
Recorded by Joe
License: Attribution 3.0
http://soundbible.com/2088.html
========================================================================
Alarm-SoundBible.com-1446113505.mp3
Title: Vehicle Alarm
License: Public Domain
Recorded by nps.gov
http://soundbible.com/888-Vehicle-Alarm.html
========================================================================
noise-sound-bible-0034
Title: Long Sound
About: one line more
License: Attribution 3.0
Recorded by ReamProductions
http://soundbible.com/2078.html
========================================================================
noise-sound-bible-0002
Apple Bite
License: Attribution 3.0
Recorded by Simon Craggs
http://soundbible.com/1968-Apple-Bite.html
========================================================================
noise-sound-bible-0009
Title: No Licence Given
Recorded by Nobody
"""


def voice(seconds):
    """Someone who reads aloud, over and over [n]."""
    spoken, _ = soundfile.read(REAL / "speech/librivox/speech-librivox-0001.wav")
    return np.resize(spoken, int(seconds * RATE))


def _write(path, samples):
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, samples, RATE, subtype="PCM_16")


def build(root):
    """A directory in the layout of MUSAN with a handful of clips; returns `root`."""
    rng = np.random.default_rng(5)
    free, bible, speech = root / "noise/free-sound", root / "noise/sound-bible", root / "speech"
    hiss = 0.05 * rng.standard_normal(8 * RATE)
    _write(free / "noise-free-sound-0000.wav", hiss)
    _write(free / "noise-free-sound-0001.wav", hiss)
    _write(free / "noise-free-sound-0002.wav", voice(8) + 0.02 * hiss)
    _write(free / "noise-free-sound-0003.wav", np.zeros(8 * RATE))
    _write(free / "noise-free-sound-0004.wav", hiss[:480])
    _write(free / "noise-free-sound-0182.wav", 0.5 * hiss[: RATE // 2])
    free_sounds = "Background noises:\n" + "".join(f"noise-free-sound-{i:04d}\n" for i in (2, 0, 1, 3, 4, 30))
    (free / "ANNOTATIONS").write_text(free_sounds)
    (free / "LICENSE").write_text("All selected recordings were marked as in the Public Domain\non Free Sound.\n")
    burst = np.concatenate([np.zeros(RATE), 0.3 * rng.standard_normal(RATE // 4), np.zeros(RATE)])
    for i in (0, 3, 9, 71, 2):
        _write(bible / f"noise-sound-bible-{i:04d}.wav", burst)
    _write(bible / "noise-sound-bible-0034.wav", 0.3 * rng.standard_normal(9 * RATE))
    (bible / "LICENSE").write_text(BLOCKS)
    _write(speech / "librivox/speech-librivox-0001.wav", np.concatenate([np.zeros(5 * RATE), voice(8)]))
    _write(speech / "librivox/speech-librivox-0002.wav", voice(8))
    (speech / "librivox/ANNOTATIONS").write_text("speech-librivox-0001 m english\nspeech-librivox-0002 m portuguese\n")
    _write(speech / "us-gov/speech-us-gov-0000.wav", np.zeros(6 * RATE))
    return root
