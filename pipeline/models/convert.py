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

INPUTS = ("tokens", "style", "speed")
AUDIO = "audio"


def split(model: ModelProto) -> tuple[ModelProto, ModelProto]:
    """Cut the published model into its prosody graph and its decoder graph."""
    rename(model.graph, TENSORS)
    ports = {port.name: port for port in (*model.graph.input, *model.graph.output)}
    durations = helper.make_tensor_value_info("durations", TensorProto.INT64, None)
    crossing = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in CROSSING]
    prosody = subgraph(model, [ports[name] for name in INPUTS], [durations, *crossing], "prosody")
    decoder = subgraph(model, [ports["tokens"], *crossing], [ports[AUDIO]], "decoder")
    return prosody, decoder


def whole(path: Path, precision: Precision) -> ModelProto:
    """Read the published int8 model in one piece, dequantised where `precision` says so."""
    model = load(str(path))
    return dequantise(model) if precision == "float32" else model
