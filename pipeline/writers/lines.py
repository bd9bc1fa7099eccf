"""The writer for small models: code plans the skeleton, the model voices one line at a time."""

from collections.abc import Sequence

import numpy as np

from pipeline.records import ConversationSpec, Script
from pipeline.records.script import Author
from pipeline.seeds import generator
from pipeline.writers.acts import Draft, Mark, acts, ways_to_follow
from pipeline.writers.base import Context, writing_report
from pipeline.writers.placing import claim_landing
from pipeline.writers.planned import PlannedTurn
from pipeline.writers.shapes import SHAPES
from pipeline.writers.skeleton import plan_turns
from pipeline.writers.topics import load_bank
from pipeline.writers.vocalising import vocalise
from pipeline.writers.voice import Voice


class LinesWriter:
    """Voices a planned conversation line by line; what the model cannot do is spoken as authored, and says so."""

    def write(self, spec: ConversationSpec, ctx: Context) -> Script:
        """A script whose skeleton is the code's and whose words are the model's."""
        session, settings = ctx.model("lines"), ctx.settings
        rng = generator(spec.corpus_seed, spec.id, "script", "lines", *ctx.draw)
        turns = plan_turns(spec, load_bank(settings.topics).topic(spec.topic), rng)
        voice = Voice(spec, session, settings.lines, ctx.draw)
        drafts = [self._turn(turns, i, voice, rng) for i in range(len(turns))]
        for draft, way in zip(drafts, ways_to_follow(len(drafts), settings.follows, rng), strict=True):
            draft.follows = way
        funny = frozenset(i for i, turn in enumerate(turns) if any(point.does == "jokes" for point in turn.points))
        vocalise(drafts, spec, settings, rng, funny)
        report = writing_report(ctx, repairs=voice.repairs, authored=voice.authored)
        return Script(conversation_id=spec.id, writer="lines", acts=acts(drafts), report=report)

    def _turn(self, turns: Sequence[PlannedTurn], index: int, voice: Voice, rng: np.random.Generator) -> Draft:
        turn = turns[index]
        to = turns[index + 1].speaker if index + 1 < len(turns) and turn.asks else None
        spoken = [voice.point(point, to, place > 0) for place, point in enumerate(turn.points)]
        author: Author = "model" if any(line.author == "model" for line in spoken) else "authored"
        draft = Draft(turn.speaker, " ".join(line.text for line in spoken), author)
        if to:
            draft.addressee = to
            draft.addressing = "explicit" if voice.spec.speaker(to).name in draft.text else "implicit"
        for claim in turn.claims:
            line = voice.claim(claim, rng)
            place = claim_landing(
                draft.text, SHAPES[voice.spec.type].unfinished_claims, [mark.index for mark in draft.marks], rng
            )
            draft.marks.append(Mark(place, "claim", claim.speaker, line.text, line.author))
        return draft
