"""What a user can cause: every message is one line that names the value, the place and the remedy."""


class PipelineError(Exception):
    """Base of the project's own errors; the command prints it without a traceback and exits with `code`."""

    code = 2

    def __str__(self) -> str:
        """The message on one line, whatever text it was made from."""
        return " ".join(super().__str__().split())


class ConfigError(PipelineError):
    """A setting or override that cannot be used."""


class InputError(PipelineError):
    """A file or folder of the user's that cannot be used."""


class ModelError(PipelineError):
    """A model file that is missing, unreachable or has the wrong sum."""


class DownloadError(PipelineError):
    """A file that no source delivers whole, or that arrives with the wrong sum."""


class EndpointError(PipelineError):
    """A language-model endpoint that refuses, fails or answers nonsense."""


class BudgetError(PipelineError):
    """A budget of the run that is spent: requests or tokens asked of the language model."""


class ScriptError(PipelineError):
    """No valid script was had within the attempts allowed."""


class FloorError(PipelineError):
    """A timeline that breaks an invariant of the floor; `invariant` is its name."""

    def __init__(self, invariant: str, message: str) -> None:
        super().__init__(f"{invariant}: {message}")
        self.invariant = invariant


class NoEventError(PipelineError):
    """A script without any moment that can have both outcomes of a counterfactual pair."""


class OutputError(PipelineError):
    """An output that cannot be written: another corpus stands there, or the disk is full."""


class StorageError(PipelineError):
    """A store that cannot be opened, reached, read or written."""


class WorkerError(PipelineError):
    """A worker process that was lost."""

    code = 1
