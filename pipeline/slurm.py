"""A corpus as a Slurm array: each task a plain command that makes one share, and one more that finishes the corpus.

No process waits for the cluster: the scripts stand in the corpus folder and can be handed in by hand as well.
"""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from pipeline.errors import WorkerError
from pipeline.request import check_folder, write_request
from pipeline.run import planned
from pipeline.settings import Settings
from pipeline.storage.depot import depot_of
from pipeline.workspace import write_text

FOLDER = "slurm"


def hand_in(settings: Settings) -> Iterator[str]:
    """Write the scripts and hand them in; yields what there is to say.

    Raises
    ------
    ConfigError, OutputError
        when the request cannot be met or the folder holds something else; nothing is written then.
    WorkerError
        when `sbatch` refuses.

    """
    root, chosen = settings.root.resolve(), settings.executor
    planned(settings)
    depot = depot_of(settings)
    if depot:
        depot.bring_request()
    check_folder(root, settings)
    root.mkdir(parents=True, exist_ok=True)
    write_request(root, settings)
    if depot:
        depot.send_request()
    array, finish = root / FOLDER / "array.sh", root / FOLDER / "finish.sh"
    command = _command(settings, root)
    share = f"{command} shard=$SLURM_ARRAY_TASK_ID/{chosen.shards}"
    write_text(array, _script(root, share, "share-%a.log", (f"--array=0-{chosen.shards - 1}", *chosen.options)))
    write_text(finish, _script(root, command, "finish.log", chosen.options))
    if chosen.submit and shutil.which("sbatch"):
        number = _sbatch(array)
        after = _sbatch(finish, f"--dependency=afterany:{number}")
        yield f"{chosen.shards} tasks are array job {number}; job {after} finishes the corpus in {root} after them"
        return
    yield "hand in:" if chosen.submit else "not handed in (executor.submit=false); by hand:"
    yield f"  number=$(sbatch --parsable {shlex.quote(str(array))})"
    yield f"  sbatch --dependency=afterany:$number {shlex.quote(str(finish))}"


def _command(settings: Settings, root: Path) -> str:
    """The corpus as it is recorded in its folder, up to the stage and of the conversations that are asked for."""
    only = [f"only={settings.only}"] if settings.only else []
    asked = [f"out={settings.store or root}", f"until={settings.until}", *only]
    command = [sys.executable, "-m", "pipeline", "--config-dir", str(root), "--config-name", "corpus", *asked]
    return f"{shlex.join(command)} workers=${{SLURM_CPUS_PER_TASK:-1}}"


def _script(root: Path, command: str, log: str, options: Sequence[str]) -> str:
    settings = ["--job-name=turnfloor", f"--output={_quoted(root / FOLDER, log)}", *options]
    return "\n".join(["#!/bin/bash", *(f"#SBATCH {option}" for option in settings), f"exec {command}", ""])


def _quoted(folder: Path, pattern: str) -> str:
    """A file as sbatch reads it in a script: quotes keep spaces together, and a lone % begins a pattern."""
    escaped = str(folder).replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}/{pattern}"'


def _sbatch(script: Path, *options: str) -> str:
    """Number of the job."""
    done = subprocess.run(["sbatch", "--parsable", *options, str(script)], capture_output=True, text=True, check=False)  # noqa: S603, S607 - the user's own cluster
    if done.returncode:
        said = done.stderr.strip() or f"exit code {done.returncode}"
        raise WorkerError(f"sbatch {script}: {said[:200]}; mend executor.options, or hand the script in yourself")
    return done.stdout.strip().partition(";")[0]
