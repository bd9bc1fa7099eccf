"""ELAN's annotation format, with the mono mix beside it as the media file that ELAN plays."""

import math
from typing import TYPE_CHECKING

from pipeline.exports.audio import mono, wav_bytes
from pipeline.exports.job import Job
from pipeline.exports.tiers import tiers
from pipeline.loader import Conversation

if TYPE_CHECKING:
    from pympi import Eaf

PER_S = 1000
"""ELAN counts milliseconds."""
NO_DATE = "1970-01-01T00:00:00+00:00"
"""The format wants a date; a second export is to give the same bytes."""


def eaf(job: Job) -> None:
    """Write ``ID.eaf`` and ``ID.wav`` of each conversation: a tier for each of :func:`pipeline.exports.tiers.tiers`."""
    from pympi.Elan import to_string

    for conversation in job.conversations():
        document = to_string(_document(conversation), encoding="UTF-8")
        job.bytes(f"{conversation.id}.eaf", document)
        job.bytes(f"{conversation.id}.wav", wav_bytes(mono(conversation, job.kind), conversation.rate, job.rate))


def _document(conversation: Conversation) -> "Eaf":
    from pympi import Eaf

    document = Eaf(author="turnfloor")
    document.adocument["DATE"] = NO_DATE
    document.remove_tier("default")
    document.add_linked_file(f"{conversation.id}.wav", f"./{conversation.id}.wav", "audio/x-wav")
    # Two samples that fall into one millisecond must not meet: the least interval is two milliseconds of samples.
    for tier in tiers(conversation, math.ceil(2 * conversation.rate / PER_S)):
        document.add_tier(tier.name, part=tier.speaker or None)
        for mark in tier.marks:
            document.add_annotation(
                tier.name, *(_ms(at, conversation.rate) for at in (mark.start, mark.end)), mark.text
            )
    return document


def _ms(samples: int, rate: int) -> int:
    return math.floor(samples * PER_S / rate + 0.5)
