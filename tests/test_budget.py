"""A budget of requests and tokens is never passed, stops cleanly, and a larger one goes on."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from script_support import Answer, FakeEndpoint, chat, completion, reply_of

from pipeline.__main__ import main
from pipeline.compose import composed, settings_from
from pipeline.errors import BudgetError, EndpointError
from pipeline.llm.account import Account, Spent, tokens_of
from pipeline.llm.client import Client
from pipeline.run import planned
from pipeline.writers.settings import ScriptSettings
from pipeline.writers.whole import request

ASK = {"messages": [{"role": "user", "content": "x" * 400}], "max_tokens": 50}
"""At most 150 tokens."""
BASE = (
    "script=whole",
    "llm=openai",
    "llm.model=fake",
    "llm.structured=json_schema",
    "llm.retries=0",
    "llm.backoff_s=0",
)
REQUEST = (*BASE, "n=3", "duration=20", "speakers=2", "seed=4", "until=script")


def used(prompt: int, completion: int) -> dict[str, Any]:
    """A chat completion whose server says what it took."""
    return chat("hello", usage={"prompt_tokens": prompt, "completion_tokens": completion})


def client_of(fake: FakeEndpoint, **changes: Any) -> Client:
    return Client(fake.settings(**changes), sleep=lambda _: None)


# The client ------------------------------------------------------------------------------------------------


def test_as_many_requests_are_sent_as_the_budget_holds() -> None:
    with FakeEndpoint(Answer(chat("hello"))) as fake:
        client = client_of(fake, budget_requests=3)
        for _ in range(3):
            client.ask("chat", dict(ASK))
        with pytest.raises(
            BudgetError, match=r"llm.budget_requests=3 is spent \(3 requests, 54 tokens\): raise llm.budget_requests"
        ):
            client.ask("chat", dict(ASK))
    assert len(fake.requests) == 3
    assert client.account.spent == Spent(3, 33, 21)


def test_each_retry_counts_as_a_request() -> None:
    with FakeEndpoint(Answer("", 503), Answer("", 429), Answer(chat("hello"))) as fake:
        with pytest.raises(BudgetError):
            client_of(fake, budget_requests=2, retries=5).ask("chat", dict(ASK))
        assert len(fake.requests) == 2


def test_looking_for_the_way_to_ask_for_json_counts() -> None:
    with FakeEndpoint(Answer("", 400), Answer("", 400), Answer(chat("{}"))) as fake:
        client = client_of(fake, budget_requests=2)
        with pytest.raises(BudgetError):
            client.ask_json(dict(ASK), {})
    assert len(fake.requests) == 2


def test_a_request_that_could_go_beyond_the_tokens_left_is_not_sent() -> None:
    with FakeEndpoint(Answer(used(100, 10))) as fake:
        client = client_of(fake, budget_tokens=260)
        client.ask("chat", dict(ASK))
        client.ask("chat", dict(ASK))  # 110 + 150 = 260: just fits
        with pytest.raises(BudgetError, match=r"budget_tokens=260 is spent \(2 requests, 220 tokens, .* take 150\)"):
            client.ask("chat", dict(ASK))
        client.ask("chat", {**ASK, "messages": [], "max_completion_tokens": 1, "max_tokens": None})
    assert len(fake.requests) == 3
    with FakeEndpoint(Answer(used(100, 10))) as fake, pytest.raises(BudgetError):
        client_of(fake, budget_tokens=149).ask("chat", dict(ASK))
    assert fake.requests == []


def test_tokens_that_no_server_reports_are_estimated_from_the_characters() -> None:
    with FakeEndpoint(Answer(chat("y" * 41, usage=None))) as fake:
        client = client_of(fake)
        client.ask("chat", dict(ASK))
    assert client.account.spent == Spent(1, 100, 11, estimated=1)
    with FakeEndpoint(Answer({**completion("y" * 8), "usage": {"prompt_tokens": 7}})) as fake:
        client = client_of(fake)
        client.ask("completions", {"prompt": "x" * 40, "max_tokens": 5})
    assert client.account.spent == Spent(1, 7, 2, estimated=1)


@pytest.mark.parametrize(
    ("answer", "tokens"),
    [
        (Answer("", 500), 0),
        (Answer("", 401), 0),
        (Answer(hang_up=True), 150),
        (Answer(chat("late"), delay=2), 150),
        (Answer("what is this"), 150),
    ],
)
def test_an_attempt_without_an_answer_counts_what_it_may_have_taken(answer: Answer, tokens: int) -> None:
    with FakeEndpoint(answer) as fake:
        client = client_of(fake, timeout_s=0.3)
        with pytest.raises(EndpointError):
            client.ask("chat", dict(ASK))
    assert (client.account.spent.requests, client.account.spent.tokens) == (1, tokens)


def test_a_server_that_is_not_there_takes_no_tokens() -> None:
    with FakeEndpoint(Answer("")) as fake:
        client = client_of(fake, base_url="http://127.0.0.1:9/v1", budget_tokens=160, retries=3)
        with pytest.raises(EndpointError, match="cannot be reached"):
            client.ask("chat", dict(ASK))
    assert client.account.spent == Spent(4)


@pytest.mark.parametrize("budget", [{"budget_requests": 20}, {"budget_tokens": 20 * 110 + 40}])
def test_several_threads_at_once_never_go_beyond_it(budget: dict[str, int]) -> None:
    with FakeEndpoint(Answer(used(100, 10), delay=0.005)) as fake, ThreadPoolExecutor(8) as pool:
        client = client_of(fake, concurrency=8, **budget)

        def ask(_: int) -> bool:
            try:
                client.ask("chat", dict(ASK))
            except BudgetError:
                return False
            return True

        answered = sum(pool.map(ask, range(40)))
    assert answered == len(fake.requests) == 20, "those under way are waited for, so that nothing of it is lost"
    assert fake.most_busy > 2
    assert client.account.spent.tokens == 2200


def test_a_request_waits_for_those_under_way_and_then_fits() -> None:
    with FakeEndpoint(Answer(used(100, 10))) as fake:
        account = Account(fake.settings(budget_tokens=260))
        begun = threading.Event()

        def second() -> None:
            with account.asking(ASK):
                begun.set()

        with account.asking(ASK) as first:
            thread = threading.Thread(target=second)
            thread.start()
            assert not begun.wait(0.05)
            first.refused()
        thread.join(2)
    assert begun.is_set()
    assert account.spent == Spent(2, 100, 50, estimated=1)


def test_costs_are_stated_where_prices_are_set() -> None:
    spent = Spent(1200, 2_000_000, 300_000, estimated=2)
    with FakeEndpoint(Answer("")) as fake:
        priced = fake.settings(price_prompt=2.5, price_completion=10, currency="EUR")
        free = fake.settings(price_prompt=0, price_completion=0)
        assert spent.line(priced) == (
            "language model: 1,200 requests, 2,000,000 prompt and 300,000 completion tokens "
            "(estimated for 2 of them), 8.00 EUR"
        )
        assert spent.line(free).endswith(", 0.00 USD")
        assert spent.line(fake.settings()).endswith("(estimated for 2 of them)")


# The command -----------------------------------------------------------------------------------------------


@pytest.fixture
def fake() -> Iterator[FakeEndpoint]:
    """An endpoint that writes a valid script for each conversation of the request, in 100 + 50 tokens."""
    settings = settings_from(composed([*REQUEST, "llm.base_url=http://127.0.0.1:1/v1"]))
    known = {request(spec, settings.script)[1]["content"]: json.dumps(reply_of(spec)) for spec in planned(settings)}

    def answer(body: dict[str, Any]) -> Answer:
        usage = {"prompt_tokens": 100, "completion_tokens": 50}
        return Answer(chat(known[body["messages"][1]["content"]], usage=usage))

    with FakeEndpoint(answer) as endpoint:
        yield endpoint


def told(capsys: pytest.CaptureFixture[str], fake: FakeEndpoint, out: Path, *more: str) -> tuple[int, str, str]:
    """Exit code and output of the command."""
    code = main([*REQUEST, f"llm.base_url={fake.url}", f"out={out}", *more])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_budget_that_just_suffices_stops_nothing(
    fake: FakeEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prices = ("llm.price_prompt=1000", "llm.price_completion=4000", "llm.currency=EUR")
    code, out, _ = told(capsys, fake, tmp_path / "corpus", "llm.budget_requests=3", *prices)
    assert code == 0
    assert "language model: 3 requests, 300 prompt and 150 completion tokens, 0.9000 EUR\n" in out
    code, out, _ = told(capsys, fake, tmp_path / "corpus", "llm.budget_requests=1")
    assert (code, len(fake.requests)) == (0, 3)
    assert "language model" not in out, "nothing was asked"


def test_a_spent_budget_keeps_what_is_written_and_a_larger_one_goes_on(
    fake: FakeEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = tmp_path / "corpus"
    code, out, err = told(capsys, fake, corpus, "llm.budget_requests=2", "llm.concurrency=1")
    assert code == 1
    assert "2 scripts in" in out
    assert "not written: c0002: llm.budget_requests=2 is spent (2 requests, 300 tokens): raise" in out
    assert "Traceback" not in err
    before = {path: path.stat().st_mtime_ns for path in corpus.rglob("script.json")}
    assert len(before) == 2
    code, out, _ = told(capsys, fake, corpus, "llm.budget_requests=9", "llm.price_prompt=1", "llm.price_completion=1")
    assert (code, len(fake.requests)) == (0, 3), "neither budget nor price writes anything again"
    assert "language model: 1 requests, 100 prompt and 50 completion tokens" in out
    assert before.items() <= {path: path.stat().st_mtime_ns for path in corpus.rglob("script.json")}.items()


def test_a_budget_of_tokens_stops_as_cleanly(
    fake: FakeEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    messages = request(planned(settings_from(composed([*REQUEST, "llm.base_url=http://x/v1"])))[0], ScriptSettings())
    room = sum(tokens_of(message["content"]) for message in messages) + 1000
    budget = f"llm.budget_tokens={room + 225}"
    code, out, _ = told(capsys, fake, tmp_path / "corpus", budget, "script.whole.reply_tokens=1000")
    assert (code, len(fake.requests)) == (1, 2)
    assert "language model: 2 requests, 200 prompt and 100 completion tokens\n" in out
    assert f"{budget} is spent (2 requests, 300 tokens, and the next may take " in out


def test_where_nothing_could_be_written_it_is_one_line(
    fake: FakeEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = told(capsys, fake, tmp_path / "corpus", "llm.budget_tokens=100")
    assert (code, out, fake.requests) == (2, "", [])
    assert err.splitlines()[-1].startswith("error: llm.budget_tokens=100 is spent (0 requests, 0 tokens")
    assert not (tmp_path / "corpus").exists()


def test_a_conversation_is_not_begun_once_a_request_did_not_fit(
    fake: FakeEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told(capsys, fake, tmp_path / "corpus", "only=c0001")
    code, out, _ = told(capsys, fake, tmp_path / "corpus", "llm.budget_tokens=100")
    assert code == 1, "there is a script to go on with"
    assert len(fake.requests) == 1
    assert "not written: c0000, c0002: llm.budget_tokens=100 is spent" in out


@pytest.mark.speech
def test_conversations_with_a_script_are_spoken_and_the_corpus_tells_what_failed(
    fake: FakeEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = tmp_path / "corpus"
    told(capsys, fake, corpus, "only=c0000")
    code, out, _ = told(
        capsys, fake, corpus, "only=c0000,c0001", "llm.budget_tokens=1", "until=assemble", "noise=none", "workers=1"
    )
    assert code == 1
    assert "1 conversations, " in out
    stats = json.loads((corpus / "stats.json").read_text())
    assert stats["failed"]["c0001"].startswith("llm.budget_tokens=1 is spent")
    script = stats["all"]["script"]
    assert (script["requests"], script["prompt_tokens"], script["completion_tokens"]) == (1, 100, 50)
    assert script["rates"] == {"first_time_valid": 1, "repaired": 0, "begun_anew": 0, "failed": 0}
    assert "asked 1 times for them: 100 prompt and 50 completion tokens" in (corpus / "README.md").read_text()


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("llm.budget_requests=0", "greater than or equal to 1"),
        ("llm.budget_tokens=-5", "greater than or equal to 1"),
        ("llm.budget_tokens=many", "valid integer"),
        ("llm.price_prompt=-1", "greater than or equal to 0"),
        ("llm.price_prompt=inf", "finite number"),
        ("llm.price_completion=3", "price_prompt and price_completion belong together"),
        ("llm.currency='US Dollars'", "pattern"),
    ],
)
def test_what_is_no_budget_or_price_is_named(setting: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["script=template", setting]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: setting llm")
    assert said in line
