"""What can go wrong at a speech endpoint, said in one line: where, what was found, what to do; never a key."""

from pipeline.errors import EndpointError
from pipeline.llm.failing import FailedAttemptError
from pipeline.speech.endpoint.settings import EndpointSettings


def no_answer(failure: FailedAttemptError, settings: EndpointSettings) -> EndpointError:
    """The error for a request that got no sound within the attempts allowed."""
    if failure.late:
        return EndpointError(
            f"{_place(settings)} gave no whole answer within {settings.timeout_s:g} s in {failure.attempts} attempts: "
            "see whether the server is alive, or raise tts.endpoint.timeout_s"
        )
    if failure.status is None:
        return EndpointError(
            f"{_place(settings)} cannot be reached or broke off in {failure.attempts} attempts ({failure}): "
            "start the server there, or set tts.endpoint.base_url"
        )
    tried = f" after {failure.attempts} attempts" if failure.attempts > 1 else ""
    said = str(failure) or "nothing said"
    return EndpointError(f"{_place(settings)} answers {failure.status}{tried} ({said}): {_remedy(failure, settings)}")


def no_sound(what: str, settings: EndpointSettings, remedy: str = "") -> EndpointError:
    """The error for an answer that holds no usable sound."""
    remedy = remedy or "is it an OpenAI-compatible speech endpoint? check tts.endpoint.base_url and tts.endpoint.format"
    return EndpointError(f"{_place(settings)} answered with {what}: {remedy}")


def _remedy(failure: FailedAttemptError, settings: EndpointSettings) -> str:
    status = failure.status or 0
    asked = "check tts.endpoint.model, tts.endpoint.voices, tts.endpoint.format and tts.endpoint.extra"
    return {
        400: f"the request does not suit this server: {asked}",
        401: f"put a valid key into the environment variable {settings.api_key_env}",
        403: f"the key in {settings.api_key_env} may not use model {settings.model!r}: use another key or model",
        404: f"check tts.endpoint.base_url (it usually ends in /v1) and that the server has model {settings.model!r}",
        422: f"the request does not suit this server: {asked}",
        429: "wait, use fewer workers=, or check the account's quota",
    }.get(status, "see the server's log" if status >= 500 else "check tts.endpoint.base_url")


def _place(settings: EndpointSettings) -> str:
    return f"speech endpoint at {settings.shown_url}"
