"""The language-model client: what a server may do, and what the user is told."""

import os
import pickle
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from pathlib import Path

import pytest
from pydantic import ValidationError
from script_support import Answer, FakeEndpoint, chat, completion

from pipeline.errors import EndpointError, PipelineError
from pipeline.llm import server
from pipeline.llm.client import Client
from pipeline.llm.exchange import dump_exchanges, read_exchanges
from pipeline.llm.opening import open_client
from pipeline.llm.recording import RecordingSession, open_session
from pipeline.llm.settings import LlmSettings, shown

KEY = "sk-very-secret-0123456789"
ASK = {"messages": [{"role": "user", "content": "hello"}], "max_tokens": 5}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def ask(fake: FakeEndpoint, waits: list[float] | None = None, **changes: object) -> str:
    client = Client(fake.settings(**changes), sleep=(waits if waits is not None else []).append)
    try:
        return client.ask("chat", dict(ASK)).text
    finally:
        client.close()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer({"error": {"message": "no such key"}}, 401), "401 (no such key): put a valid key into"),
        (Answer({"error": {"message": "not for you"}}, 403), "403 (not for you): the key in OPENAI_API_KEY may not"),
        (Answer("nothing here", 404), "404 (nothing here): check llm.base_url"),
        (Answer({"error": {"message": "bad field"}}, 400), "400 (bad field): the request does not suit"),
        (Answer({"error": {"message": "slow down"}}, 429), "429 (slow down): wait, lower llm.concurrency"),
        (Answer("oops", 500), "500 (oops): see the server's log"),
        (Answer("", 503), "503 (nothing said)"),
        (Answer("teapot", 418), "418 (teapot)"),
        (Answer("<html>welcome</html>"), "what is not JSON (found '<html>welcome</html>')"),
        (Answer(""), "what is not JSON (found '')"),
        (Answer('{"choices": [{"mess'), "what is not JSON"),
        (Answer(b"\xff\xfe\x00\x01"), "what is not JSON"),
        (Answer("[" * 100_000), "what is not JSON"),
        (Answer([]), "no completion"),
        (Answer("7"), "no completion"),
        (Answer("null"), "no completion"),
        (Answer({}), "no completion, choices: Field required"),
        (Answer({"choices": []}), "no completion, choices: List should have at least 1 item"),
        (Answer({"choices": "none"}), "no completion, choices: Input should be a valid list"),
        (Answer({"choices": [7]}), "no completion, choices.0"),
        (Answer({"choices": [{}]}), "a choice without content"),
        (Answer({"choices": [{"message": None}]}), "a choice without content"),
        (Answer({"choices": [{"message": {"content": None}}]}), "a choice without content"),
        (Answer({"choices": [{"message": {"content": 7}}]}), "no completion, choices.0.message.content"),
        (Answer(completion("wrong kind")), "a choice without content"),
        (Answer({"error": {"message": "overloaded"}}), "an error in place of a reply"),
        (Answer("data: {}\n\ndata: [DONE]\n", headers={"Content-Type": "text/event-stream"}), "what is not JSON"),
        (Answer(chat("short"), stated_length=9000), "broke off"),
        (Answer(hang_up=True), "broke off"),
    ],
)
def test_what_a_server_sends_is_told_in_one_line(answer: Answer, said: str) -> None:
    with FakeEndpoint(answer) as fake, pytest.raises(EndpointError) as error:
        ask(fake)
    told = str(error.value)
    assert said in told
    assert fake.url in told
    assert "\n" not in told
    assert KEY not in told


def test_a_refused_connection_names_the_address_and_the_remedy() -> None:
    client = Client(LlmSettings(kind="openai", base_url="http://127.0.0.1:9/v1", retries=0))
    with pytest.raises(EndpointError, match=r"http://127.0.0.1:9/v1 cannot be reached .*start the server"):
        client.ask("chat", dict(ASK))


def test_a_host_that_does_not_exist_is_told() -> None:
    client = Client(LlmSettings(kind="openai", base_url="http://no-such-host.invalid/v1", retries=0))
    with pytest.raises(EndpointError, match=r"no-such-host.invalid/v1 cannot be reached"):
        client.ask("chat", dict(ASK))


@pytest.mark.parametrize("answer", [Answer(chat("late"), delay=5), Answer(chat("slow"), drip=0.05)])
def test_a_server_that_hangs_or_drips_is_given_up_in_time(answer: Answer) -> None:
    start = time.monotonic()
    with FakeEndpoint(answer) as fake, pytest.raises(EndpointError, match=r"no whole answer within 0.3 s"):
        ask(fake, timeout_s=0.3)
    assert time.monotonic() - start < 3


def test_an_endless_reply_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.llm.client.LARGEST_BODY", 1000)
    with FakeEndpoint(Answer(chat("x" * 5000))) as fake, pytest.raises(EndpointError, match="endless"):
        ask(fake)


@pytest.mark.parametrize(
    "fault", [Answer("", 429), Answer("", 500), Answer("", 502), Answer("", 503), Answer(hang_up=True)]
)
def test_a_passing_fault_is_survived(fault: Answer) -> None:
    with FakeEndpoint(fault, fault, Answer(chat("here"))) as fake:
        assert ask(fake, retries=2) == "here"
    assert len(fake.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_lasting_fault_is_not_tried_again(status: int) -> None:
    with FakeEndpoint(Answer("", status)) as fake, pytest.raises(EndpointError):
        ask(fake, retries=5)
    assert len(fake.requests) == 1


def test_waits_double_and_stay_below_their_bound() -> None:
    waits: list[float] = []
    with FakeEndpoint(Answer("", 503)) as fake, pytest.raises(EndpointError, match="503 after 6 attempts"):
        ask(fake, waits, retries=5, backoff_s=1, wait_most_s=6)
    assert len(waits) == 5
    assert all(0.5 * 2**i <= wait <= 2**i for i, wait in enumerate(waits[:3]))
    assert max(waits) <= 6


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [("7", 7, 7), ("0.5", 0.5, 0.5), ("900", 60, 60), ("soon", 0, 0.02), ("nan", 0, 0.02), ("-3", 0, 0.02)],
)
def test_retry_after_is_honoured_within_a_bound(header: str, least: float, most: float) -> None:
    waits: list[float] = []
    with FakeEndpoint(Answer("", 429, {"Retry-After": header}), Answer(chat("here"))) as fake:
        assert ask(fake, waits, retries=1, wait_most_s=60) == "here"
    assert least <= waits[0] <= most


def test_retry_after_may_be_a_date() -> None:
    waits: list[float] = []
    when = formatdate(time.time() + 30, usegmt=True)
    with FakeEndpoint(Answer("", 429, {"Retry-After": when}), Answer(chat("here"))) as fake:
        ask(fake, waits, retries=1)
    assert 25 <= waits[0] <= 31


def test_429_for_a_minute_is_survived() -> None:
    waits: list[float] = []

    def answer(_: object) -> Answer:
        return Answer(chat("here")) if sum(waits) > 60 else Answer("", 429)

    with FakeEndpoint(answer) as fake:
        assert ask(fake, waits, retries=LlmSettings().retries, backoff_s=LlmSettings().backoff_s * 2) == "here"


def test_the_key_is_sent_and_stands_nowhere_else() -> None:
    leak = Answer({"error": {"message": f"Incorrect API key provided: {KEY}. Authorization: Bearer abcdef"}}, 401)
    with FakeEndpoint(leak) as fake, pytest.raises(EndpointError) as error:
        ask(fake)
    assert fake.headers[0]["authorization"] == f"Bearer {KEY}"
    assert KEY not in str(error.value)
    assert "abcdef" not in str(error.value)
    with FakeEndpoint(Answer(chat("fine", finish=KEY))) as fake:
        client = Client(fake.settings())
        session = RecordingSession(client, "c1")
        session.chat(ASK["messages"], purpose="p", seed=1, max_tokens=5, sampling={})  # type: ignore[arg-type]
        assert KEY not in dump_exchanges(session.exchanges)
        assert "Authorization" not in dump_exchanges(session.exchanges)
        assert KEY.encode() not in pickle.dumps(client)
        assert KEY not in repr(client.settings)


def test_credentials_in_an_address_stand_in_no_message_or_record() -> None:
    with FakeEndpoint(Answer("", 404)) as fake:
        url = fake.url.replace("http://", "http://me:hunter2@") + "?token=hunter3"
        with pytest.raises(EndpointError) as error:
            ask(fake, base_url=url)
    settings = fake.settings(base_url=url)
    for told in (str(error.value), str(settings.public()), settings.shown_url):
        assert "hunter" not in told
    assert shown("http://[::1]:8/v1#x") == "http://[::1]:8/v1"


@pytest.mark.parametrize("url", ["", "example.org/v1", "ftp://example.org", "http://", "file:///etc/passwd"])
def test_an_address_must_be_one(url: str) -> None:
    with pytest.raises(ValidationError, match="must be an http"):
        LlmSettings(kind="openai", base_url=url)


def test_a_key_that_cannot_be_one_is_named_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "geheim\u00e9")
    with pytest.raises(EndpointError, match="MY_KEY") as error:
        Client(LlmSettings(kind="openai", base_url="http://127.0.0.1/v1", api_key_env="MY_KEY"))
    assert "geheim" not in str(error.value)


def test_no_address_is_told() -> None:
    with pytest.raises(EndpointError, match=r"llm.base_url is not set"):
        Client(LlmSettings(kind="openai"))


def test_a_client_travels_to_another_process() -> None:
    with FakeEndpoint(Answer(chat("hello"))) as fake:
        client = pickle.loads(pickle.dumps(Client(fake.settings(structured="text"))))  # noqa: S301 - our own
        assert client.ask("chat", dict(ASK)).text == "hello"
        assert client.mode == "text"


def test_no_more_questions_are_in_flight_than_allowed() -> None:
    with FakeEndpoint(Answer(chat("hello"), delay=0.05)) as fake, ThreadPoolExecutor(8) as pool:
        client = Client(fake.settings(concurrency=2))
        list(pool.map(lambda _: client.ask("chat", dict(ASK)), range(12)))
    assert fake.most_busy == 2


def _takes(*formats: str | None) -> FakeEndpoint:
    def answer(body: dict[str, object]) -> Answer:
        asked = body.get("response_format")
        kind = asked["type"] if isinstance(asked, dict) else None
        return Answer(chat("{}")) if kind in formats else Answer({"error": {"message": f"no {kind}"}}, refusal)

    refusal = 400
    return FakeEndpoint(answer)


@pytest.mark.parametrize(
    ("formats", "mode", "tries"),
    [
        (("json_schema", "json_object", None), "json_schema", 1),
        (("json_object", None), "json_object", 2),
        ((None,), "text", 3),
    ],
)
def test_how_json_is_asked_for_is_found_out_once(formats: tuple[str | None, ...], mode: str, tries: int) -> None:
    with _takes(*formats) as fake:
        client = Client(fake.settings())
        assert client.ask_json(dict(ASK), {"type": "object"})[1] == mode
        assert len(fake.requests) == tries
        assert client.ask_json(dict(ASK), {"type": "object"})[1] == mode
        assert len(fake.requests) == tries + 1


def test_a_server_that_fails_on_a_schema_is_asked_without_one() -> None:
    def answer(body: dict[str, object]) -> Answer:
        return Answer("no grammar", 500) if "response_format" in body else Answer(chat("{}"))

    with FakeEndpoint(answer) as fake:
        client = Client(fake.settings(retries=3), sleep=lambda _: None)
        assert client.ask_json(dict(ASK), {})[1] == "text"
    assert len(fake.requests) == 3


def test_a_bad_key_is_not_taken_for_a_missing_schema() -> None:
    with FakeEndpoint(Answer("", 401)) as fake, pytest.raises(EndpointError, match="401"):
        Client(fake.settings()).ask_json(dict(ASK), {})
    assert len(fake.requests) == 1


def test_the_exchange_holds_question_and_raw_reply(tmp_path: Path) -> None:
    with FakeEndpoint(Answer(completion(" one")), Answer(completion("\ud800 two", "length"))) as fake:
        session = RecordingSession(Client(fake.settings(sampling={"min_p": 0.1})), "c1")
        for prompt in ("Once upon", "Once upon a time"):
            session.complete(prompt, purpose="line", seed=2**40 + 5, max_tokens=9, sampling={"temperature": 0.5})
    path = tmp_path / "exchange.jsonl"
    path.write_text(dump_exchanges(session.exchanges), encoding="utf-8")
    first, second = read_exchanges(path)
    assert (first, second) == session.exchanges
    assert second.kept == len("Once upon")
    assert second.whole_prompt(first.whole_prompt("")) == "Once upon a time"
    assert first.parameters == {"max_tokens": 9, "stop": ["\n"], "min_p": 0.1, "temperature": 0.5, "seed": 5}
    assert first.parameters.items() <= fake.requests[0].items()
    assert (first.reply.text, first.reply.prompt_tokens, first.reply.completion_tokens) == (" one", 11, 7)
    assert second.reply.finish_reason == "length"


def test_fields_are_called_what_the_endpoint_calls_them() -> None:
    with FakeEndpoint(Answer(chat("hello"))) as fake:
        settings = fake.settings(token_limit="max_completion_tokens", seeded=False)  # noqa: S106 - a name
        session = RecordingSession(Client(settings), "c1")
        session.chat(ASK["messages"], purpose="p", seed=1, max_tokens=5, sampling={})  # type: ignore[arg-type]
    assert fake.requests[0]["max_completion_tokens"] == 5
    assert not {"max_tokens", "seed"} & fake.requests[0].keys()


def test_a_missing_server_package_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EndpointError, match=r"extra `embedded`: pip install"), open_client():
        pass


def test_a_file_that_is_no_model_is_told(tmp_path: Path) -> None:
    fake = tmp_path / "model.gguf"
    fake.write_bytes(b"not a model")
    with pytest.raises(PipelineError, match=r"embedded server ended at its start.*llm.model_path"):  # noqa: SIM117
        with open_client(LlmSettings(model_path=fake)):
            pass
    with pytest.raises(EndpointError, match="no such file"), open_client(LlmSettings(model_path=tmp_path / "none")):
        pass


@pytest.mark.model
def test_the_embedded_server_is_gone_when_its_user_is_killed() -> None:
    code = (
        "import os, time\n"
        "from pipeline.llm.opening import open_client\n"
        "with open_client() as client:\n"
        "    print(client.settings.base_url, client.settings.slot_folder, flush=True)\n"
        "    time.sleep(60)\n"
    )
    user = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert user.stdout is not None
        url, folder = user.stdout.readline().split()
        client = Client(LlmSettings(kind="openai", base_url=url, retries=0))
        client.ask("completions", {"prompt": "One two", "max_tokens": 1})
    finally:
        user.kill()
        user.wait()
    deadline = time.monotonic() + 10
    while os.path.exists(folder) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not os.path.exists(folder)
    with pytest.raises(EndpointError, match="cannot be reached"):
        client.ask("completions", {"prompt": "One two", "max_tokens": 1})


@pytest.mark.model
def test_a_conversation_never_depends_on_the_one_before() -> None:
    def talk(client: Client, word: str) -> tuple[str, ...]:
        with open_session(client, "c1") as session:
            session.begin(f"A list of things: apple, pear.\nAnother list, of {word}s:")
            prompt = f"A list of things: apple, pear.\nAnother list, of {word}s:"
            for number in range(3):
                sampling = {"temperature": 0.8}
                reply = session.complete(
                    prompt, purpose="p", seed=number, max_tokens=12, sampling=sampling, stop="\n\n"
                )
                prompt += reply.text + " and"
            return tuple(exchange.reply.text for exchange in session.exchanges)

    with open_client() as client:
        alone = talk(client, "river")
        talk(client, "town")
        assert talk(client, "river") == alone
    with open_client() as client:
        talk(client, "town")
        assert talk(client, "river") == alone
