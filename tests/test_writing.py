"""While a remote endpoint writes the next scripts, those that are there are spoken; it is never far ahead."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from script_support import Answer, FakeEndpoint, chat, reply_of

from pipeline.__main__ import main
from pipeline.compose import composed, settings_from
from pipeline.run import planned
from pipeline.writers.whole import request

N = 6
REQUEST = (
    "script=whole",
    "llm=openai",
    "llm.model=fake",
    "llm.structured=json_schema",
    "llm.retries=0",
    f"n={N}",
    "duration=20",
    "speakers=2",
    "seed=4",
    "until=orchestrate",
)


@pytest.fixture
def fake() -> Iterator[FakeEndpoint]:
    """An endpoint that takes its time over each conversation of the request."""
    settings = settings_from(composed([*REQUEST, "llm.base_url=http://127.0.0.1:1/v1"]))
    known = {request(spec, settings.script)[1]["content"]: reply_of(spec) for spec in planned(settings)}

    def answer(body: dict[str, Any]) -> Answer:
        return Answer(chat(json.dumps(known[body["messages"][1]["content"]])), delay=0.2)

    with FakeEndpoint(answer) as endpoint:
        yield endpoint


def notes(capsys: pytest.CaptureFixture[str], fake: FakeEndpoint, out: Path, *more: str) -> list[str]:
    """What the command told of its conversations, such as `c0000 script`, in order."""
    code = main([*REQUEST, f"llm.base_url={fake.url}", f"out={out}", "executor=serial", *more])
    said = capsys.readouterr()
    assert code == 0, said.err
    return [line.partition(" [")[0] for line in said.err.splitlines()]


@pytest.mark.speech
@pytest.mark.parametrize("concurrency", [1, 2])
def test_speaking_goes_on_while_the_next_scripts_are_written(
    concurrency: int, fake: FakeEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = notes(capsys, fake, tmp_path / "corpus", f"llm.concurrency={concurrency}")
    begun = [n for n, line in enumerate(told) if line.endswith(" script")]
    spoken = [n for n, line in enumerate(told) if line.endswith(" done")]
    assert len(begun) == len(spoken) == len(fake.requests) == N
    assert spoken[0] < begun[-1], "the first is planned before the last is asked for"
    ahead = [sum(b < at for b in begun) - sum(s < at for s in spoken) for at in range(len(told))]
    assert max(ahead) <= 2 * concurrency + 2, "no more is asked for than is soon wanted"
    assert fake.most_busy <= concurrency


@pytest.mark.speech
def test_what_is_written_is_kept_when_the_endpoint_goes_down(
    fake: FakeEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = fake.answers[0]
    fake.answers = [usual, usual, Answer({"error": "down"}, status=500)]
    more = (f"llm.base_url={fake.url}", f"out={tmp_path}/corpus", "llm.concurrency=1", "workers=2")
    assert main([*REQUEST, *more]) == 1
    said = capsys.readouterr()
    assert "2 planned conversations" in said.out
    assert f"{N - 2} of {N} failed; the same command tries them again" in said.out
    fake.answers = [usual]
    asked = len(fake.requests)
    assert main([*REQUEST, *more]) == 0
    assert len(fake.requests) == asked + N - 2, "what was written is not asked for again"
