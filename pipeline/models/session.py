"""How a network is opened here: on one thread, so that no result depends on how many cores there are."""

from collections.abc import Mapping
from pathlib import Path

import onnxruntime


def open_session(network: Path | bytes, entries: Mapping[str, str] | None = None) -> onnxruntime.InferenceSession:
    """Open an ONNX network: a file, or its bytes.

    `entries`: more of ONNX Runtime's session settings by name.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    for name, value in (entries or {}).items():
        options.add_session_config_entry(name, value)
    content = network if isinstance(network, bytes) else str(network)
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
