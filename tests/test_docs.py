"""What the documentation and the README say can be typed, read and found.

Each command is brought to the program's own parser, and each request is composed as a run would; make's own through
`make -n`. Commands that take no voices, no network and no minutes run: see `RUNS`. Python runs as it stands.
"""

import argparse
import re
import shutil
import tomllib

import pytest
import yaml
from command_support import ROOT
from corpus_support import example_corpus
from docs_support import PAGES, all_blocks, blocks, module_of, named, python_commands, texts

from pipeline.compose import composed, settings_from
from pipeline.editor.reference import reference
from pipeline.output.corpus import About, finish_corpus
from pipeline.request import write_request

DOCS = ROOT / "docs"
REQUESTS = ("pipeline", "pipeline.estimate", "pipeline.stress")
"""Commands that take settings."""
RUNS = {
    "pipeline.audit", "pipeline.card", "pipeline.estimate", "pipeline.export", "pipeline.models", "pipeline.prove",
    "pipeline.report", "pipeline.schema", "pipeline.score", "pipeline.taxonomy", "pipeline.validate", "pipeline.view",
}  # fmt: skip
NEEDS = {"huggingface": "pyarrow"}
SHELL = {"mkdir", "cp"}
PLACES = {"corpora/mine"}
"""Corpora that the pages speak of and that are there when their commands run."""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder as a reader has it: the checkout's data, a corpus, and every file that a page shows."""
    folder = tmp_path_factory.mktemp("reader")
    for name in ("docs", "prompts", "conf", "voices"):
        shutil.copytree(ROOT / name, folder / name)
    corpus = example_corpus(folder / "corpora" / "mine")
    write_request(corpus, settings_from(composed(["n=3", "script=file", "script.path=mine", "split=both"])))
    finish_corpus(corpus, About())
    for block in all_blocks():
        if block.file:
            path = folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
    return folder


def parsed(name, arguments, monkeypatch):
    """What the parser of a command makes of its arguments; a usage error fails the test."""
    caught = []
    for method in ("parse_args", "parse_intermixed_args"):
        real = getattr(argparse.ArgumentParser, method)

        def keep(self, given=None, namespace=None, real=real):
            caught.append(real(self, given, namespace))
            raise KeyboardInterrupt

        monkeypatch.setattr(argparse.ArgumentParser, method, keep)
    with pytest.raises(KeyboardInterrupt):
        module_of(name).main(list(arguments))
    monkeypatch.undo()
    return caught[-1]


def check_request(name, given):
    """The settings are composed and checked as a run does."""
    overrides = list(given.overrides)
    if name == "pipeline.stress" and given.name:
        overrides = [f"experiment=stress/{given.name}", *overrides]
    return settings_from(composed(overrides, given.config_dir, getattr(given, "config_name", "config")))


def is_light(name, arguments):
    if name == "pipeline":
        return "until=script" in arguments or "--cfg" in arguments
    return name in RUNS and not (set(arguments) & {"--all"})


def lines_of(page):
    return [(block, line) for block in blocks(page) for line in block.commands]


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_command_can_be_typed(page, place, monkeypatch, capsys):
    for block, line in lines_of(page):
        if block.language == "sh" and line.split()[0] in SHELL:
            continue
        for name, *arguments in python_commands(line):
            monkeypatch.chdir(place)
            given = parsed(name, arguments, monkeypatch)
            monkeypatch.chdir(place)
            if name in REQUESTS:
                check_request(name, given)
            monkeypatch.undo()


@pytest.mark.parametrize("page", [page for page in PAGES if page.is_relative_to(DOCS)], ids=named)
def test_light_commands_run(page, place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    for _, line in lines_of(page):
        if line.split()[0] in SHELL:
            copied(line, place)
            continue
        for name, *arguments in python_commands(line):
            if not is_light(name, arguments) or corpora(arguments) - PLACES:
                continue
            for need in {NEEDS[one] for one in arguments if one in NEEDS}:
                pytest.importorskip(need)
            status = module_of(name).main(list(arguments))
            faulty = name in ("pipeline.prove", "pipeline.validate")  # one conversation is odd on purpose
            assert status in (0, int(faulty)), (line, capsys.readouterr())


def corpora(arguments):
    """The corpora that a command reads, those that it writes left out."""
    given = [one for one in arguments if one.startswith("corpora/")]
    return set(given[:1])


def copied(line, place):
    """`mkdir -p FOLDER` and `cp FILE FILE`, as the pages have them."""
    command, *words = line.split()
    if command == "mkdir":
        (place / words[-1]).mkdir(parents=True, exist_ok=True)
    else:
        shutil.copy(place / words[0], place / words[1])


def python_blocks():
    """Each block with the page it is on; those that speak take the real voices."""
    for page in PAGES:
        for number, block in enumerate(block for block in blocks(page) if block.language == "python"):
            marks = [pytest.mark.speech] if "open_backend" in block.text else []
            yield pytest.param(block, id=f"{named(page)}-{number}", marks=marks)


@pytest.mark.parametrize("block", list(python_blocks()))
def test_python_runs_as_it_stands(block, place, monkeypatch):
    monkeypatch.chdir(place)
    known = block.text.replace('corpus["c0000"]', 'corpus["example"]')  # of the README
    exec(compile(known, f"{named(block.page)} block", "exec"), {})  # noqa: S102, the project's own pages


def test_yaml_and_json_can_be_read():
    shown = [block for block in all_blocks() if block.language == "yaml"]
    assert len(shown) >= 5
    for block in shown:
        assert isinstance(yaml.safe_load(block.text), dict), block.file
        assert block.file, f"{named(block.page)}: a yaml block needs the file it shows in the line before"


def test_every_block_has_a_language_that_says_how_it_is_tested():
    for page in PAGES[1:]:
        for block in blocks(page):
            assert block.language in {"sh", "python", "yaml", "text"}, f"{named(page)}: {block.text[:40]}"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("http"):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{named(page)}: {target}"
        if anchor:
            headings = re.findall(r"^#+ (.+)$", there.read_text(encoding="utf-8"), re.M)
            slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert anchor in slugs, f"{named(page)}: {target}"


def test_every_page_is_in_the_index():
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    for page in PAGES[2:] if PAGES[1] == DOCS / "README.md" else PAGES[1:]:
        if page != DOCS / "README.md":
            assert page.relative_to(DOCS).as_posix() in index, named(page)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_files_and_settings_named_are_there(page):
    text = page.read_text(encoding="utf-8")
    for path in re.findall(r"`((?:pipeline|tests|conf|prompts|voices|noise|docs)/[\w./-]*)`", text):
        assert (ROOT / path).exists(), f"{named(page)}: {path}"
    known = set(re.findall(r"^\| `([\w.\[\]]+)` \|", reference(), re.M))
    known |= {key.rpartition(".")[0] for key in known}
    groups = "design|timing|script|llm|tts|noise|room|output|executor|pairs"
    for key in re.findall(rf"`((?:{groups})\.[a-z_.0-9]+)(?:=[^`]*)?`", text):
        if key.rpartition(".")[2] in ("json", "jsonl", "flac", "yaml", "py"):
            continue
        assert key in known or any(key.startswith(f"{one}.") for one in known if "." in one), f"{named(page)}: {key}"


def test_the_configuration_reference_is_what_the_command_prints():
    assert (DOCS / "configuration.md").read_text(encoding="utf-8") == reference(), (
        "run python -m pipeline.schema --reference > docs/configuration.md"
    )


def test_every_message_of_troubleshooting_is_one_of_the_program():
    page = (DOCS / "troubleshooting.md").read_text(encoding="utf-8")
    told = re.findall(r"^> `(.+)`$", page, re.M)
    assert len(told) > 25
    for message in told:
        assert any(message in text for text in texts()), message


def test_the_voices_that_may_be_added_are_those_that_are_fetched_and_not_in_the_pool():
    page = (DOCS / "make-your-own.md").read_text(encoding="utf-8")
    (told,) = re.findall(r"in the cache and not in the pool: (.+) and `(\w+)`", page)
    files = yaml.safe_load((ROOT / "conf/models/default.yaml").read_text())["models"]["kokoro-voices"]["files"]
    pool = yaml.safe_load((ROOT / "voices/pool.yaml").read_text())["voices"]
    spare = {one["name"].removesuffix(".bin") for one in files} - {one["kokoro"] for one in pool.values()}
    assert {*re.findall(r"`(\w+)`", told[0]), told[1]} == spare
    assert f"v{len(pool) + 1}" in page


def test_every_stage_has_a_page():
    from pipeline.stages import STAGES

    assert [path.stem.partition("-")[2] for path in sorted((DOCS / "stages").glob("*.md"))] == list(STAGES)


def test_every_kind_of_event_has_its_heading_and_picture():
    from pipeline.records.timeline import EVENT_KINDS

    page = (DOCS / "events.md").read_text(encoding="utf-8")
    for kind in EVENT_KINDS:
        assert f"\n## {kind}\n" in page
        assert f"](events/{kind}.svg)" in page


def test_extras_named_are_there():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for page in PAGES:
        for named_ in re.findall(r"pip install -e '\.\[([\w,]+)\]'", page.read_text(encoding="utf-8")):
            assert set(named_.split(",")) <= set(extras), named(page)


def test_every_command_of_make_is_on_the_page_of_commands():
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z-]+): \$\(STAMP\)  ##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    for target in set(targets) - {"test", "bench", "lint"}:
        assert f"make {target}" in page, target
