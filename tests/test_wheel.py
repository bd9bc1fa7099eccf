"""A wheel built from the checkout and installed into an empty environment makes a conversation from an empty folder."""

import os
import subprocess
import sys

import pytest
from command_support import ROOT

pytestmark = pytest.mark.speech


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done


def test_an_installed_wheel_makes_a_conversation(tmp_path):
    python = tmp_path / "environment" / "bin" / "python"
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path / "dist", ROOT)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    run(sys.executable, "-m", "venv", tmp_path / "environment")
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run(python, "-m", "pipeline", "script=template", "n=1", "duration=12", "out=made", cwd=elsewhere, env=clean)
    run(python, "-m", "pipeline.validate", "made", cwd=elsewhere, env=clean)
    run(python, "-m", "pipeline.view", "made", cwd=elsewhere, env=clean)
    shipped = elsewhere / "made" / "view" / "assets" / "wavesurfer.min.js"
    assert shipped.is_file(), "the page's library is in the wheel"
    run(python, "-m", "pipeline.card", "made", "--creator", "A. Maker", cwd=elsewhere, env=clean)
    assert "what a request would take" in run(python.parent / "turnfloor", "--help", cwd=elsewhere, env=clean).stdout
    assert run(python, "-m", "pipeline.schema", "--reference", cwd=elsewhere, env=clean).stdout == (
        ROOT / "docs" / "configuration.md"
    ).read_text(encoding="utf-8")
    where = run(python, "-c", "import pipeline; print(pipeline.__file__)", cwd=elsewhere, env=clean).stdout
    assert "environment" in where, "the installed package was used, not the checkout"
    tops = run(
        python, "-c", "import importlib.util as u; print(u.find_spec('noise'), u.find_spec('conf'))", cwd=elsewhere
    )
    assert tops.stdout.split() == ["None", "None"], "data folders are not packages"
    assert [p.name for p in elsewhere.iterdir()] == ["made"], "no stray folder appears"
