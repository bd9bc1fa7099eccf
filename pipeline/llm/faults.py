"""What can go wrong at an endpoint, said in one line: where, what was found, what to do; never a key."""

import os
import re

from pipeline.errors import EndpointError
from pipeline.llm.settings import LlmSettings

_KEYLIKE = re.compile(r"\b(?:sk|pk|rk|key|gsk|hf|xai)[-_][A-Za-z0-9*_.-]{4,}|\b[Bb]earer\s+\S+")
NO_KEY = "none"
"""Sent where no key is set: servers of one's own ask for none."""


class FaultyReplyError(EndpointError):
    """An answer that is no completion; worth no retry."""


def api_key(variable: str) -> str:
    """The key from that environment variable; EndpointError when it cannot be one, naming the variable alone."""
    key = os.environ.get(variable, "").strip() or NO_KEY
    if not key.isascii() or not key.isprintable() or " " in key:
        raise EndpointError(f"environment variable {variable} does not hold a key: it has other characters")
    return key


def scrubbed(text: str, key: str, limit: int = 120) -> str:
    """A piece of what an endpoint said, on one line, without the key or anything like one."""
    if key and key != NO_KEY:
        text = text.replace(key, "[key]")
    text = " ".join(_KEYLIKE.sub("[key]", text).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def status_error(settings: LlmSettings, status: int, said: str, attempts: int) -> EndpointError:
    """The error for an HTTP status that is no success."""
    remedy = {
        400: "the request does not suit this server: check llm.model, llm.sampling and llm.token_limit",
        401: f"put a valid key into the environment variable {settings.api_key_env}",
        403: f"the key in {settings.api_key_env} may not use model {settings.model!r}: use another key or llm.model",
        404: f"check llm.base_url (it usually ends in /v1) and that the server has model {settings.model!r}; "
        "script=lines needs /completions, script=whole /chat/completions",
        429: "wait, lower llm.concurrency, or check the account's quota",
    }.get(status, "see the server's log, or choose another llm.base_url" if status >= 500 else "check llm.base_url")
    tried = f" after {attempts} attempts" if attempts > 1 else ""
    return EndpointError(f"{_place(settings)} answers {status}{tried} ({said or 'nothing said'}): {remedy}")


def timeout_error(settings: LlmSettings, attempts: int) -> EndpointError:
    """The error for an answer that did not come in time."""
    return EndpointError(
        f"{_place(settings)} gave no whole answer within {settings.timeout_s:g} s in {attempts} attempts: "
        "see whether the server is alive, or raise llm.timeout_s"
    )


def connection_error(settings: LlmSettings, why: str, attempts: int) -> EndpointError:
    """The error for a connection that was refused or broke."""
    return EndpointError(
        f"{_place(settings)} cannot be reached or broke off in {attempts} attempts ({why}): "
        "start the server there, or set llm.base_url"
    )


def nonsense_error(settings: LlmSettings, what: str, said: str) -> FaultyReplyError:
    """The error for an answer that is not what the protocol promises."""
    return FaultyReplyError(
        f"{_place(settings)} answered with {what} (found {said!r}): "
        "is it an OpenAI-compatible endpoint? check llm.base_url"
    )


def _place(settings: LlmSettings) -> str:
    where = settings.shown_url if settings.kind == "openai" else "embedded server"
    return f"language model at {where}"
