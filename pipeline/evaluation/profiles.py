"""The two scoring protocols: that of the MultiPartyTurnBench paper, and what TurnBench's released scorer does.

Both look for a positive from 0.25 s before it to 3.0 s after it, though not past the same speaker's next positive of
the same task: beyond that a prediction is the next one's. The clamp is the released scorer's; neither paper states it.
They differ in the hard negatives:

=============  ===========================================  ====================================================
profile        a negative is fired on by                    a prediction left over in the window of a positive
=============  ===========================================  ====================================================
multiparty     what is left inside the span                 counts
turnbench      what is left from 0.25 s before it to its    does not count
               end
=============  ===========================================  ====================================================
"""

from pipeline.errors import ConfigError
from pipeline.records import Record


class Profile(Record):
    """What a prediction is matched with, and what it is charged for."""

    name: str
    pre_s: float = 0.25
    """How early a prediction may be for a positive [s]."""
    post_s: float = 3.0
    """How late it may be [s]."""
    negative_pre_s: float = 0.0
    """How long before a hard negative a prediction is charged to it [s]."""
    windows_shield: bool = False
    """Whether the window of any positive keeps the predictions in it from being charged."""


MULTIPARTY = Profile(name="multiparty")
TURNBENCH = Profile(name="turnbench", negative_pre_s=0.25, windows_shield=True)
PROFILES = {profile.name: profile for profile in (MULTIPARTY, TURNBENCH)}


def profile_named(name: str) -> Profile:
    """The profile called `name`; ConfigError when there is none."""
    if name not in PROFILES:
        raise ConfigError(f"profile {name!r}: there is {', '.join(PROFILES)}")
    return PROFILES[name]
