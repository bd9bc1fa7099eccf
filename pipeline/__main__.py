"""The command: ``python -m pipeline n=5 type=argumentative``; composes the configuration and makes the corpus."""

import argparse
import sys
from pathlib import Path

from omegaconf import OmegaConf

from pipeline.compose import composed, settings_from
from pipeline.errors import PipelineError
from pipeline.resources import resource
from pipeline.run import run
from pipeline.slurm import hand_in

_NO_GROUPS = ("models", "targets")
"""Folders of the configuration that hold data instead of choices."""
USAGE = "python -m pipeline [--config-dir DIR] [--config-name NAME] [--cfg] [key=value ...] [group=choice ...]"


def main(argv: list[str] | None = None) -> int:
    """Make a corpus; returns the exit code: 0 made, 1 some conversations failed, 2 bad input, 130 interrupted."""
    parser = _parser()
    given = parser.parse_args(argv)
    try:
        config = composed(given.overrides, given.config_dir, given.config_name)
        if given.cfg:
            print(OmegaConf.to_yaml(config, resolve=True), end="")
            return 0
        settings = settings_from(config)
        if settings.executor.kind == "slurm":
            print(*hand_in(settings), sep="\n")
            return 0
        summary = run(settings)
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        print("stopped; the same command goes on where this one was", file=sys.stderr)
        return 130
    for line in summary.lines():
        print(line)
    return 1 if summary.failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pipeline",
        usage=USAGE,
        description="Make a corpus of synthetic multi-party conversations with an exact log of the floor.",
        epilog=_help(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="settings that differ from the defaults")
    parser.add_argument("--config-dir", type=Path, help="a folder of your own configuration, searched first")
    parser.add_argument("--config-name", default="config", help="the file to start from (default: config)")
    parser.add_argument("--cfg", action="store_true", help="print the resolved configuration and stop")
    return parser


def _help() -> str:
    """The settings with their meaning, as the shipped configuration states them, and the groups with their choices."""
    text = (resource("conf") / "config.yaml").read_text(encoding="utf-8")
    keys = text.partition("  - experiment: null\n")[2].strip()
    groups = sorted(path for path in resource("conf").iterdir() if path.is_dir() and path.name not in _NO_GROUPS)
    choices = [
        f"{folder.name}={'|'.join(sorted(path.stem for path in folder.glob('[!_]*.yaml')))}" for folder in groups
    ]
    more = (
        "any setting of a group: group.key=value\nwhat a request would take: python -m pipeline.estimate, likewise\n"
        "tts=openai has no prosody before its sound: tts.endings and the pitch of tts.lombard are refused,\n"
        "backchannels vary by pace alone"
    )
    return f"settings:\n{keys}\n\ngroups:\n" + "\n".join(choices) + f"\n\n{more}"


if __name__ == "__main__":
    sys.exit(main())
