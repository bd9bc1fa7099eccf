"""Specs and small helpers that the tests of stage 1 share."""

import json
import socket
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pipeline.llm.client import Client
from pipeline.llm.exchange import Exchange
from pipeline.llm.recording import open_session
from pipeline.llm.settings import LlmSettings
from pipeline.records import Amounts, ConversationSpec, Dithers, InteractionType, Script, Speaker
from pipeline.script import write_script
from pipeline.writers.settings import ScriptSettings
from pipeline.writers.topics import ROLES, load_bank

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve")
VOICES = ("af_alloy", "am_adam", "af_aoede", "am_echo", "af_nova")


def make_spec(
    type: InteractionType = "argumentative",
    n: int = 3,
    *,
    turns: int = 12,
    claims: int = 4,
    backchannels: int = 4,
    laughs: int = 1,
    words: int = 210,
    index: int = 0,
    seed: int = 7,
    topic: str | None = None,
    **changes: object,
) -> ConversationSpec:
    """A spec of stage 1 whose topic is the first of its type in the bank."""
    topic = topic if topic is not None else load_bank().keys(type=type)[0]
    found = load_bank().topic(topic) if topic in set(load_bank().keys()) else None
    spec = ConversationSpec(
        id=f"c{index:04d}",
        index=index,
        corpus_seed=seed,
        type=type,
        split="dev",
        domain=found.domain if found else "book club",
        tone="casual and friendly",
        topic=topic,
        title=found.title if found else topic,
        setting=found.setting if found else "Friends talk at a kitchen table.",
        target_s=60.0,
        speakers=tuple(
            Speaker(
                id=f"s{i + 1}",
                name=NAMES[i],
                voice=VOICES[i],
                gender="FM"[i % 2],  # type: ignore[arg-type]
                style="warm",
                persona="likes long walks",
                stance=_part(type, i),
                channel=i,
            )
            for i in range(n)
        ),
        scene="cafe",
        amounts=Amounts(floor_turns=turns, floor_claims=claims, backchannels=backchannels, laughs=laughs, words=words),
        dithers=Dithers(claims_won=0.5, holds=0.5, contested=0.5),
    )
    return spec.model_copy(update=changes)


def _part(type: InteractionType, place: int) -> str:
    """The part of the speaker at `place`: one teller, explainer or lead, whatever the number."""
    first, *rest = ROLES[type]
    single = type in ("instructional", "narrative", "task_oriented")
    return (first, *rest, *(rest if single else ROLES[type]))[place]


def reply_of(spec: ConversationSpec) -> dict[str, Any]:
    """A valid whole script as a model would reply it."""
    script, _ = write_script(spec, ScriptSettings(writer="template"))
    drop = {"author", "addressing"}
    return {"acts": [act.model_dump(exclude=drop) for act in script.acts]}


def chat(content: object, finish: str = "stop", **more: object) -> dict[str, Any]:
    """The body of a chat completion."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion", "choices": [choice], "usage": USAGE, **more}


def completion(text: object, finish: str = "stop") -> dict[str, Any]:
    """The body of a completion."""
    return {"id": "x", "choices": [{"index": 0, "text": text, "finish_reason": finish}], "usage": USAGE}


USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


@dataclass
class Answer:
    """What a fake endpoint sends."""

    body: bytes | str | dict[str, Any] | list[Any] = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    stated_length: int | None = None
    """Of the Content-Length header, where it shall lie."""
    delay: float = 0.0
    drip: float = 0.0
    """Seconds between single bytes."""
    hang_up: bool = False
    """Close the connection without a word."""

    @property
    def data(self) -> bytes:
        """The body as bytes."""
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode("utf-8", "surrogatepass")


Behaviour = Answer | Callable[[dict[str, Any]], Answer]


class FakeEndpoint:
    """A real HTTP server on loopback that gives one answer after another, the last one for ever."""

    def __init__(self, *answers: Behaviour) -> None:
        self.answers = list(answers)
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.busy = self.most_busy = 0
        self.lock = threading.Lock()

    def __enter__(self) -> "FakeEndpoint":
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                fake.serve(self)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.block_on_close = False
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    @property
    def url(self) -> str:
        """The base URL that a user would configure."""
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def settings(self, **changes: Any) -> LlmSettings:
        """Settings that reach it, quick to give up."""
        return LlmSettings(
            **{
                "kind": "openai",
                "base_url": self.url,
                "model": "fake",
                "timeout_s": 5,
                "retries": 0,
                "backoff_s": 0.01,
                "sampling": {},
                **changes,
            }
        )

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer one request."""
        body = json.loads(handler.rfile.read(int(handler.headers.get("Content-Length", 0))) or b"{}")
        with self.lock:
            self.requests.append(body)
            self.paths.append(handler.path)
            self.headers.append({name.lower(): value for name, value in handler.headers.items()})
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            self.busy += 1
            self.most_busy = max(self.most_busy, self.busy)
        try:
            self._send(handler, answer if isinstance(answer, Answer) else answer(body))
        except OSError:
            handler.close_connection = True
        finally:
            with self.lock:
                self.busy -= 1

    @staticmethod
    def _send(handler: BaseHTTPRequestHandler, answer: Answer) -> None:
        time.sleep(answer.delay)
        if answer.hang_up:
            handler.close_connection = True
            handler.connection.shutdown(socket.SHUT_RDWR)
            return
        handler.send_response(answer.status)
        data = answer.data
        headers = {"Content-Type": "application/json", **answer.headers}
        length = len(data) if answer.stated_length is None else answer.stated_length
        for name, value in {**headers, "Content-Length": str(length)}.items():
            handler.send_header(name, value)
        handler.end_headers()
        if answer.drip:
            for byte in data:
                handler.wfile.write(bytes([byte]))
                handler.wfile.flush()
                time.sleep(answer.drip)
        else:
            handler.wfile.write(data)
        if answer.stated_length is not None:
            handler.close_connection = True


def ask_whole(
    fake: FakeEndpoint, spec: ConversationSpec, settings: ScriptSettings | None = None, **llm: Any
) -> tuple[Script, tuple[Exchange, ...]]:
    """Write a script with the whole writer at a fake endpoint, without waiting."""
    with (
        closing(Client(fake.settings(**llm), sleep=lambda _: None)) as client,
        open_session(client, spec.id) as session,
    ):
        return write_script(spec, settings or ScriptSettings(writer="whole"), session)
