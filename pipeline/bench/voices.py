"""What each voice needs once, for all corpora with one cache: the syllables that its hums and laughs are made of."""

import time
from collections.abc import Sequence

from pipeline.conversation import Job
from pipeline.speech.laughter import VOWELS
from pipeline.speech.nasal import SYLLABLES
from pipeline.speech.opening import open_backend
from pipeline.speech.voices import voice


def voices_s(jobs: Sequence[Job]) -> float:
    """Have them in the cache, for all voices of the conversations; CPU seconds that it took."""
    backend, begin = open_backend(jobs[0].settings.tts), time.process_time()
    for name in sorted({speaker.voice for job in jobs for speaker in job.spec.speakers}):
        for phonemes in (*SYLLABLES, *VOWELS):
            backend.syllable(phonemes, voice(name))
    return time.process_time() - begin
