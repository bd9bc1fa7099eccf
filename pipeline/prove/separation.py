"""How well the speaker encoder tells the voices of the pool apart: what the limit of the gate `voices` rests on.

Each voice says the same sentences, in two halves that share none. Two halves of one voice should be more alike than
halves of two voices.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from pipeline.calibrate.samples import sentences
from pipeline.command import command_parser, ended
from pipeline.errors import ConfigError, PipelineError
from pipeline.judges import need
from pipeline.speech.backend import Backend
from pipeline.speech.opening import open_backend
from pipeline.speech.settings import TtsSettings
from pipeline.speech.voices import Voice, pool, voice

from .embedding import PACKAGE, Vector, likeness, together, voice_vectors


@dataclass(frozen=True)
class Separation:
    """Likeness of halves of one voice, and of halves of two."""

    same: dict[str, float]
    different: dict[tuple[str, str], float]

    @property
    def error_rate(self) -> float:
        """Equal error rate: where as many pairs of one voice are told apart as pairs of two are not."""
        same, different = np.array([*self.same.values()]), np.array([*self.different.values()])
        rates = [(float((same < at).mean()), float((different >= at).mean())) for at in np.sort([*same, *different])]
        return min(max(pair) for pair in rates)


def separation(voices: Sequence[Voice], backend: Backend, texts: Sequence[str]) -> Separation:
    """Hear `texts` in two halves from each voice."""
    halves: dict[str, list[Vector]] = {}
    for one in voices:
        halves[one.id] = [_vector(one, backend, texts[n::2]) for n in (0, 1)]
        print(f"{one.id} {one.kokoro}", file=sys.stderr)
    pairs = combinations(halves, 2)
    return Separation(
        same={name: likeness(*found) for name, found in halves.items()},
        different={(a, b): max(likeness(x, y) for x in halves[a] for y in halves[b]) for a, b in pairs},
    )


def _vector(speaker: Voice, backend: Backend, texts: Sequence[str]) -> Vector:
    return together(voice_vectors(np.concatenate([backend.render(backend.clock(text, speaker)) for text in texts])))


def main(argv: Sequence[str] | None = None) -> int:
    """Print the likenesses; 2 for bad input."""
    parser = command_parser(
        "pipeline.prove.separation", __doc__, "python -m pipeline.prove.separation --voices v01,v02"
    )
    parser.add_argument("--voices", default="", help="ids, such as v01,v02 (default: the pool)")
    parser.add_argument("--sentences", type=int, default=20, help="a voice, four at least (default: 20)")
    given = parser.parse_args(argv)
    try:
        need(PACKAGE, extra="prove")
        chosen = [voice(name) for name in given.voices.split(",")] if given.voices else [*pool().values()]
        if given.sentences < 4 or len(chosen) < 2:
            raise ConfigError("give four sentences and two voices at least")
        found = separation(chosen, open_backend(TtsSettings()), sentences()["check"][: given.sentences])
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    print("\n".join(_lines(found)))
    return 0


def _lines(found: Separation) -> list[str]:
    same = sorted(found.same.items(), key=lambda one: one[1])
    different = sorted(found.different.items(), key=lambda one: -one[1])
    return [
        f"one voice: {len(same)} pairs of halves, likeness {same[0][1]:.3f} ({same[0][0]}) to {same[-1][1]:.3f}, "
        f"median {np.median([value for _, value in same]):.3f}",
        f"two voices: {len(different)} pairs, {different[-1][1]:.3f} to {different[0][1]:.3f}, "
        f"median {np.median([value for _, value in different]):.3f}",
        *(f"  {a} and {b}: {value:.3f}" for (a, b), value in different[:8]),
        f"equal error rate {100 * found.error_rate:.1f} %",
    ]


if __name__ == "__main__":
    sys.exit(ended(main))
