"""The embedded bank: beds and effects by recipe or from its own recordings, distant speech by an injected voice."""

import hashlib
from functools import cache

from pipeline.errors import ConfigError
from pipeline.records.nuisance import Clip, Kind
from pipeline.samples import RATE, to_samples
from pipeline.sound.bank import Sound
from pipeline.sound.beds import Scenes, scene_named
from pipeline.sound.catalogue import shipped
from pipeline.sound.clips import Clips, Recording, terms_of
from pipeline.sound.distant import LABEL, Distance, SpeechSource, checked_snippet, distance, exactly
from pipeline.sound.effects import Effects, effect_named
from pipeline.sound.synthesis import Rng, Samples, draw_seed, rng_of

OWN_LICENCE = "Apache-2.0"
OWN_ATTRIBUTION = "turnfloor, synthesised"


class EmbeddedBank:
    """The sounds that the installation carries or makes; distant speech is by an injected voice.

    Parameters
    ----------
    speech
        Gives the speech of voices not in the conversation; without one there is no distant speech.
    rate
        Rate of all samples [Hz].

    """

    def __init__(self, speech: SpeechSource | None = None, rate: int = RATE) -> None:
        self._speech = speech
        self._rate = rate

    @property
    def rate(self) -> int:
        """Rate of all samples [Hz]."""
        return self._rate

    def identity(self) -> str:
        """What its sounds depend on beside the generator and the voices: the catalogues."""
        return f"embedded {_catalogue_sum()}"

    def bed(self, scene: str, n: int, rng: Rng) -> Sound:
        """`n` samples of a scene of the catalogue; InputError for a name it does not hold."""
        clip = _own("bed", scene, scene, draw_seed(rng), n)
        return Sound(self.recall(clip), clip)

    def effect(self, label: str, max_s: float, rng: Rng) -> Sound:
        """An effect of the catalogue; InputError for a label it does not hold."""
        seed = draw_seed(rng)
        effect = effect_named(label)
        samples = effect.render(rng_of(seed), max_s, self._rate)
        clip, recipe = _own("effect", label, label, seed, len(samples)), effect.drawn_recipe(rng_of(seed))
        if isinstance(recipe, Recording):
            clip = clip.model_copy(update={"id": recipe.clip, **terms_of(recipe.clip).model_dump()})
        return Sound(samples, clip)

    def distant(self, seconds: float, rng: Rng) -> Sound:
        """A snippet by the injected voice, as heard from afar.

        Raises
        ------
        ConfigError
            when the bank was made without one.

        """
        seed, n = draw_seed(rng), to_samples(seconds, self._rate)
        samples, source = self._far(seed, n)
        return Sound(samples, _own("distant", source, LABEL, seed, n))

    def recall(self, clip: Clip) -> Samples:
        """The sound of a clip again."""
        if clip.seed is None:
            raise ConfigError(f"clip {clip.id!r} is not of the embedded bank: remix with the bank it is from")
        if clip.kind == "bed":
            return scene_named(clip.label).render(clip.length, rng_of(clip.seed), self._rate)
        if clip.kind == "effect":
            return effect_named(clip.label).render(rng_of(clip.seed), clip.length / self._rate, self._rate)
        return self._far(clip.seed, clip.length)[0]

    def _far(self, seed: int, n: int) -> tuple[Samples, str]:
        if self._speech is None:
            raise ConfigError("distant speech needs voices: give a speech source, or set noise.distant.probability=0")
        rng = rng_of(seed)
        near, source = self._speech.snippet(rng, n / self._rate)
        return distance().apply(exactly(checked_snippet(near, source), n), rng, self._rate), source


@cache
def _catalogue_sum() -> str:
    """Over scenes, effects and distance as they are read, so that a comment counts for nothing."""
    kinds = (("scenes.yaml", Scenes), ("effects.yaml", Effects), ("distant.yaml", Distance), ("clips.yaml", Clips))
    texts = [shipped(name, kind).model_dump_json() for name, kind in kinds]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def _own(kind: Kind, ident: str, label: str, seed: int, n: int) -> Clip:
    return Clip(
        bank="embedded",
        kind=kind,
        id=ident,
        label=label,
        licence=OWN_LICENCE,
        attribution=OWN_ATTRIBUTION,
        seed=seed,
        length=n,
    )
