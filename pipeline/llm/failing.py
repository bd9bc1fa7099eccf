"""One failed attempt at an endpoint: whether to try again, after how long, and what to say in the end."""

import time
from email.utils import parsedate_to_datetime
from importlib import import_module

import openai

from pipeline.errors import EndpointError
from pipeline.llm.faults import connection_error, scrubbed, status_error, timeout_error
from pipeline.llm.settings import LlmSettings

_HTTP = import_module(openai.DefaultHttpxClient.__mro__[1].__module__.partition(".")[0])
"""The HTTP library that the installed `openai` speaks through; its errors while a body comes in are not wrapped."""
BROKEN: tuple[type[Exception], ...] = (_HTTP.HTTPError, OSError)
"""What a connection that breaks or falls silent in the middle of an answer raises."""
_NEVER_ARRIVED: tuple[type[Exception], ...] = (_HTTP.ConnectError, _HTTP.ConnectTimeout)
_TRANSIENT = (408, 409, 425, 429)


class FailedAttemptError(Exception):
    """An attempt that gave no answer; `status` None: the connection failed."""

    def __init__(
        self,
        why: str,
        status: int | None = None,
        late: bool = False,
        after: float | None = None,
        arrived: bool = True,
    ) -> None:
        super().__init__(why)
        self.status = status
        self.late = late
        self.after = after
        """Seconds that the server asks to wait."""
        self.arrived = arrived
        """Whether the server was reached at all."""
        self.attempts = 1

    @property
    def unanswered(self) -> bool:
        """Whether the server may have worked on the question, though no answer came."""
        return self.arrived and self.status is None

    @property
    def transient(self) -> bool:
        """Whether another attempt may succeed."""
        return self.status is None or self.status in _TRANSIENT or self.status >= 500

    def error(self, settings: LlmSettings) -> EndpointError:
        """What the user is told."""
        if self.late:
            return timeout_error(settings, self.attempts)
        if self.status is None:
            return connection_error(settings, str(self), self.attempts)
        return status_error(settings, self.status, str(self), self.attempts)


def failed(error: openai.APIError, key: str) -> FailedAttemptError:
    """The failed attempt that an error of the `openai` package stands for."""
    arrived = not isinstance(error.__cause__, _NEVER_ARRIVED)
    if isinstance(error, openai.APITimeoutError):
        return FailedAttemptError("no answer in time", late=True, arrived=arrived)
    if isinstance(error, openai.APIStatusError):
        after = _retry_after(error.response.headers.get("retry-after"))
        return FailedAttemptError(scrubbed(_said(error), key), error.status_code, after=after)
    cause = error.__cause__ or error
    return FailedAttemptError(scrubbed(str(cause) or type(cause).__name__, key), arrived=arrived)


def broken(error: Exception) -> FailedAttemptError:
    """The failed attempt of an answer that broke off or fell silent."""
    return FailedAttemptError(scrubbed(str(error), ""), late=isinstance(error, _HTTP.TimeoutException))


def _said(error: openai.APIStatusError) -> str:
    body = error.body
    if isinstance(body, dict):
        return str(body.get("message") or body)
    return str(body or "")


def _retry_after(value: str | None) -> float | None:
    """Seconds that a Retry-After header asks for, as a number or a date; None when it says nothing usable."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return max(0.0, seconds) if seconds == seconds else None
