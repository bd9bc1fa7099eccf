"""The folders of the configuration, each with the record that its files are read as."""

from collections.abc import Mapping
from types import MappingProxyType

from pipeline.assemble import AssembleSettings
from pipeline.design import DesignSettings
from pipeline.executors.settings import ExecutorSettings
from pipeline.llm.settings import LlmSettings
from pipeline.records import Record
from pipeline.rooms.settings import RoomSettings
from pipeline.settings import Settings
from pipeline.sound.settings import NoiseSettings
from pipeline.speech.settings import TtsSettings
from pipeline.timing import TimingSettings
from pipeline.writers.settings import ScriptSettings

GROUPS: Mapping[str, type[Record]] = MappingProxyType(
    {
        "design": DesignSettings,
        "timing": TimingSettings,
        "script": ScriptSettings,
        "llm": LlmSettings,
        "tts": TtsSettings,
        "noise": NoiseSettings,
        "room": RoomSettings,
        "output": AssembleSettings,
        "executor": ExecutorSettings,
    }
)
"""The groups of ``conf/config.yaml``, in its order: ``conf/timing/mine.yaml`` is a `TimingSettings`."""
ROOT = "config"
"""What files are called that hold settings of all groups: ``conf/config.yaml``, and those in ``conf/experiment``."""


def record_of(name: str) -> type[Record]:
    """The record that a file of the group `name`, or of `ROOT`, is checked by."""
    return Settings if name == ROOT else GROUPS[name]
