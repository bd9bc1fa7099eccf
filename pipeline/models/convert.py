"""Cut the published Kokoro graph in two; see :mod:`pipeline.models.graphs` for why."""

from pathlib import Path

from onnx import ModelProto, TensorProto, helper

from pipeline.models.dequantise import dequantise
from pipeline.models.graphs import CROSSING, Precision
from pipeline.models.subgraph import load, rename, subgraph

TENSORS = {
    "/encoder/Gather_output_0": "durations",
    "/encoder/Cast_4_output_0": "alignment",
    "/encoder/F0_proj/Conv_output_0": "f0",
    "/encoder/N_proj/Conv_output_0": "energy",
    "/decoder/Slice_output_0": "decoder_style",
}
"""Tensors of the published graph where it is cut, and the names that they get."""


def parts(path: Path, precision: Precision) -> dict[str, ModelProto]:
    """Read the published int8 model and cut it into the graphs of one precision."""
    cut = split(load(str(path)))
    return cut | {"decoder": dequantise(cut["decoder"])} if precision == "float32" else cut


def split(model: ModelProto) -> dict[str, ModelProto]:
    """Cut the published model into its parts, named as in :data:`pipeline.models.graphs.PARTS`."""
    rename(model.graph, TENSORS)
    ports = {port.name: port for port in (*model.graph.input, *model.graph.output)}
    ports["durations"] = helper.make_tensor_value_info("durations", TensorProto.INT64, None)
    for name in CROSSING:
        ports[name] = helper.make_tensor_value_info(name, TensorProto.FLOAT, None)

    def part(name: str, inputs: str, outputs: str) -> ModelProto:
        return subgraph(model, [ports[p] for p in inputs.split()], [ports[p] for p in outputs.split()], name)

    return {
        "prosody": part("prosody", "tokens style speed", "durations f0 energy"),
        "melody": part("melody", "tokens style alignment", "f0 energy"),
        "decoder": part("decoder", "tokens alignment f0 energy decoder_style", "audio"),
    }
