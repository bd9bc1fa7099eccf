"""The child process that serves a GGUF model: ``python -m pipeline.llm.serving``, started by `pipeline.llm.server`."""

import json
import os
import shutil
import sys
import time

PARENT_POLL_S = 0.5


def main() -> None:
    """Serve what the first line of standard input asks for; say where on standard output; end with the parent."""
    asked = json.loads(sys.stdin.readline())
    parent = int(asked["parent"])
    server = serve(asked)
    sys.stdout.write(f"READY {server.listening_address}\n")  # type: ignore[attr-defined]  # xllamacpp has no stubs
    sys.stdout.flush()
    # A parent that was killed cannot stop this process; an orphan has another parent.
    while os.getppid() == parent:
        time.sleep(PARENT_POLL_S)
    shutil.rmtree(str(asked["folder"]), ignore_errors=True)
    os._exit(0)


def serve(asked: dict[str, object]) -> object:
    """Start the server: one slot, fixed threads, no cache beside it, so that equal questions get equal answers."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(asked["model"])
    params.hostnames = ["127.0.0.1"]
    params.port = asked["port"]
    params.n_ctx = asked["context"]
    params.n_parallel = 1
    params.n_gpu_layers = 0
    params.cpuparams.n_threads = asked["threads"]
    params.cpuparams_batch.n_threads = asked["threads"]
    params.cache_ram_mib = 0
    params.endpoint_slots = True
    params.slot_save_path = f"{asked['folder']}/"
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
