"""Opens the configured language model for the length of a run."""

from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext

from pipeline.llm.account import Account
from pipeline.llm.client import Client
from pipeline.llm.server import Say, embedded_server
from pipeline.llm.settings import LlmSettings


@contextmanager
def open_client(
    settings: LlmSettings | None = None, say: Say = lambda text: None, account: Account | None = None
) -> Iterator[Client]:
    """A client of the language model; the embedded server is started first and stopped at the end.

    Parameters
    ----------
    settings
        Which model; None: the embedded one.
    say
        Told in a line what is being waited for.
    account
        Counts what is asked, against the budget; None: one of its own.

    Raises
    ------
    EndpointError, ModelError
        when it cannot be had.

    """
    settings = settings or LlmSettings()
    server = embedded_server(settings, say) if settings.kind == "embedded" else nullcontext(settings)
    with server as reachable, closing(Client(reachable, account=account)) as client:
        yield client
