"""The command: ``python -m pipeline n=5 type=argumentative``; composes the configuration and makes the corpus."""

import argparse
import json
import sys
import textwrap
from pathlib import Path

from omegaconf import OmegaConf

from pipeline.command import command_parser, ended
from pipeline.compose import composed, settings_from
from pipeline.errors import PipelineError
from pipeline.resources import resource
from pipeline.run import run
from pipeline.slurm import hand_in

_NO_GROUPS = ("models", "schema", "scoring", "targets")
"""Folders of the configuration that hold data instead of choices."""
USAGE = "python -m pipeline [--config-dir DIR] [--config-name NAME] [--cfg] [--json] [key=value ...] [group=choice ...]"


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
            told = [*hand_in(settings)]
            print(json.dumps({"told": told}, indent=1) if given.json else "\n".join(told))
            return 0
        summary = run(settings)
    except PipelineError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        print("stopped; the same command goes on where this one was", file=sys.stderr)
        return 130
    if given.json:
        print(json.dumps(summary.data(), indent=1, ensure_ascii=False))
    else:
        print(*summary.lines(), sep="\n")
    return 1 if summary.failed else 0


def command() -> int:
    """Run as the installed command `turnfloor`."""
    return ended(main)


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "pipeline",
        "Make a corpus of synthetic multi-party conversations with an exact log of the floor.\n\n"
        "A stopped run goes on where it was when the same command is given again, and a corpus grows with n.",
        "python -m pipeline n=5 type=casual speakers=2,3",
        "python -m pipeline n=2 script=template noise=none out=corpora/first",
        status="0 made, 1 some conversations failed, 2 bad input, 130 interrupted",
        more=_help(),
        usage=USAGE,
    )
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="settings that differ from the defaults")
    parser.add_argument("--config-dir", type=Path, help="a folder of your own configuration, searched first")
    parser.add_argument("--config-name", default="config", help="the file to start from (default: config)")
    parser.add_argument("--cfg", action="store_true", help="print the resolved configuration and stop")
    parser.add_argument("--json", action="store_true", help="print what became of the run as one JSON object")
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
    return "\n\n".join(
        f"{title}:\n{textwrap.indent(text, '  ')}"
        for title, text in (("settings", keys), ("groups", "\n".join(choices)), ("more", more))
    )


if __name__ == "__main__":
    sys.exit(command())
