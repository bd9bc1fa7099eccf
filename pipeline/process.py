"""What this process is called where several machines share a folder."""

import os
import platform


def process_name() -> str:
    """Machine and number: containers that share a folder have the same numbers."""
    return f"{platform.node()}.{os.getpid()}"
