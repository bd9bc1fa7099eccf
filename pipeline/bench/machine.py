"""The machine that was measured on, in a few words."""

import platform
from pathlib import Path

from pipeline.executors.settings import cores


def machine() -> str:
    """Processor and number of cores, such as `AMD EPYC 7B13, 2 cores`."""
    return f"{_processor()}, {cores()} cores"


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    named = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    found = next((line.split(":", 1)[1].strip() for line in named if line.startswith("model name")), "")
    return found or platform.processor() or platform.machine()
