"""Whose work an installation and a corpus rest on, and under which terms, stands where a user looks."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution

import yaml
from command_support import ROOT
from packaging.requirements import Requirement

from pipeline.sound.catalogue import shipped
from pipeline.sound.clips import Clips

README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def installed(requirements, seen):
    """Licence texts of packages and of all that they require, by name, those that are not installed left out."""
    for required in map(Requirement, requirements):
        name = re.sub(r"[-_.]+", "-", required.name).lower()
        wanted = required.extras or {""}
        if name in seen or (required.marker and not any(required.marker.evaluate({"extra": one}) for one in wanted)):
            continue
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue
        fields = ("License-Expression", "License", "Classifier")
        # Some give the whole text of their licence, and of all that they bundle, as its name.
        seen[name] = " ".join(line[:100] for field in fields for line in found.metadata.get_all(field) or [])
        installed(found.requires or [], seen)
    return seen


def test_the_licence_is_apache_and_said_alike_everywhere():
    assert "Apache License" in (ROOT / "LICENSE").read_text()
    assert PROJECT["license"] == "Apache-2.0"
    assert "Apache-2.0" in README


def test_every_dependency_under_a_gpl_is_named_in_the_readme():
    found = installed(PROJECT["dependencies"], {})
    assert len(found) > 50
    gpl = sorted(name for name, text in found.items() if re.search(r"\bL?GPL|General Public License", text, re.I))
    assert "phonemizer-fork" in gpl
    missing = [name for name in gpl if name not in README]
    assert missing == []
    assert "espeak-ng" in README, "shipped inside espeakng-loader, whose own metadata does not say it"


def test_every_recording_of_the_noise_bank_has_its_notice():
    notice = (ROOT / "noise" / "clips" / "NOTICE").read_text()
    clips = shipped("clips.yaml", Clips).clips
    assert {path.stem for path in (ROOT / "noise" / "clips").glob("*.flac")} == set(clips)
    for name, terms in clips.items():
        assert f"{name}.flac" in notice
        assert terms.url in notice


def test_the_citation_is_that_of_this_version():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors", "version", "license"} <= set(cited)
    assert cited["version"] == PROJECT["version"]
    assert cited["license"] == PROJECT["license"]
    assert all(set(author) & {"name", "family-names"} for author in cited["authors"])
