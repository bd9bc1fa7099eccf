"""Speed and cost over the number of nodes, as a picture."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from pipeline.scale.outcome import Outcome
from pipeline.workspace import replacing


def write_plot(path: Path, several: Sequence[Outcome]) -> None:
    """Write it, as PNG, SVG or PDF by the name's ending; OutputError when the folder takes no file."""
    nodes = [found.scenario.nodes for found in several]
    figure = Figure(figsize=(7, 4), layout="constrained")
    speed = figure.subplots()
    speed.plot(nodes, [found.audio_h_per_h for found in several], "o-", label="as simulated")
    first = several[0]
    speed.plot(nodes, [first.audio_h_per_h * count / nodes[0] for count in nodes], ":", label="in proportion")
    speed.set(xscale="log", yscale="log", xlabel="nodes", ylabel="hours of audio an hour")
    speed.legend(loc="upper left")
    cost = speed.twinx()
    cost.plot(nodes, [found.cost for found in several], "s--", color="tab:red")
    cost.set(ylim=(0, None), ylabel=f"cost [{first.scenario.currency}]")
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=120)
