"""Shortcuts in a corpus: what rules that know one feature of the voice activity make of it, before there is sound.

A corpus whose tasks are solved by one feature, say by how long a burst lasts, says little about detectors. The audit
scores such rules like detectors, and compares the lengths of takeovers' first bursts, failed claims, backchannels and
laughs. ``python -m pipeline.audit CORPUS`` prints it; :func:`audit` takes timelines.
"""

from pipeline.audit.auditing import audit
from pipeline.audit.records import Audit

__all__ = ["Audit", "audit"]
