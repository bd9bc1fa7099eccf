"""The two conversations of a pair, planned from one."""

from pipeline.records import ConversationSpec, Membership
from pipeline.records.spec import Member

MEMBERS: tuple[Member, Member] = ("a", "b")


def members_of(spec: ConversationSpec) -> tuple[ConversationSpec, ConversationSpec]:
    """The specs of both members: `spec` under the names ``ID.a`` and ``ID.b``, with all draws in common."""
    a, b = (_member(spec, member) for member in MEMBERS)
    return a, b


def _member(spec: ConversationSpec, member: Member) -> ConversationSpec:
    data = spec.model_dump() | {"id": f"{spec.id}.{member}", "pair": Membership(id=spec.id, member=member)}
    return ConversationSpec.model_validate(data)
