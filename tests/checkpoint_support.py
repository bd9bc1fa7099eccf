"""The checkpoint that the official package loads, rebuilt from the embedded ONNX file.

The published checkpoint is on a model hub. The graph holds the same weights, rounded to eight bits; only scales and
shifts that are one and zero in the published network are not in it, and are so in a fresh one.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import ModelProto, NodeProto, numpy_helper

from pipeline.models import ensure
from pipeline.models.dequantise import dequantise
from pipeline.models.graphs import MODEL
from pipeline.speech.g2p import symbols

CONFIG = {
    "istftnet": {
        "upsample_kernel_sizes": [20, 12],
        "upsample_rates": [10, 6],
        "gen_istft_hop_size": 5,
        "gen_istft_n_fft": 20,
        "resblock_dilation_sizes": [[1, 3, 5], [1, 3, 5], [1, 3, 5]],
        "resblock_kernel_sizes": [3, 7, 11],
        "upsample_initial_channel": 512,
    },
    "hidden_dim": 512,
    "max_dur": 50,
    "n_layer": 3,
    "n_mels": 80,
    "n_token": 178,
    "style_dim": 128,
    "dim_in": 64,
    "dropout": 0.2,
    "text_encoder_kernel_size": 5,
    "plbert": {
        "hidden_size": 768,
        "num_attention_heads": 12,
        "intermediate_size": 2048,
        "max_position_embeddings": 512,
        "num_hidden_layers": 12,
        "dropout": 0.1,
    },
}
_SUFFIX = re.compile(r"/(?:Conv|ConvTranspose|MatMul|Gemm|Gemm_MatMul|LSTM)(?:_quant)?(?:_float32)?$")
_REPEATED = re.compile(r"(query|key|value|dense|ffn|ffn_output|attention)_\d+")
"""Layers that the network goes through several times have a node for each."""
_SHARED_ZERO = "encoder.bert.embeddings.word_embeddings.weight_zero_point"
_OF_PREDICTOR = re.compile(r"(?:F0|N)(?:\.|_proj)|shared")


def write_checkpoint(folder: Path) -> int:
    """Write `kokoro-v1_0.pth` and `config.json` into `folder`; returns how many tensors are the graph's."""
    from kokoro import KModel

    (folder / "config.json").write_text(json.dumps(CONFIG | {"vocab": symbols()}))
    path = folder / "kokoro-v1_0.pth"
    torch.save({}, path)
    fresh = KModel("hexgrad/Kokoro-82M", str(folder / "config.json"), str(path)).state_dict()
    model = onnx.load(ensure(MODEL))
    found = {name: values for name, values in _tensors(model, fresh) if name in fresh}
    checkpoint: dict[str, dict[str, Any]] = {}
    for name, values in fresh.items():
        part, _, rest = name.partition(".")
        given = found.get(name)
        checkpoint.setdefault(part, {})[rest] = (
            values if given is None else torch.from_numpy(np.array(given, np.float32)).reshape(values.shape)
        )
    torch.save(checkpoint, path)
    return len(found)


def _tensors(model: ModelProto, fresh: dict[str, Any]) -> Iterator[tuple[str, np.ndarray]]:
    """Weights of the graph by the names that the package gives them."""
    originals = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    yield from _named(originals)
    graph = dequantise(model).graph
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    for node in graph.node:
        if len(node.input) < 2 or node.input[1] not in constants or "istft" in node.name:
            continue
        if node.op_type == "LSTM":
            yield from _recurrent(node, constants)
        elif node.op_type in ("Conv", "ConvTranspose"):
            yield from _weight(_module(node.name), constants[node.input[1]], fresh)
        elif node.op_type == "MatMul":
            yield from _weight(_module(node.name), constants[node.input[1]].T, fresh)


def _named(constants: dict[str, np.ndarray]) -> Iterator[tuple[str, np.ndarray]]:
    """What the graph stores under the package's own names: biases, scales of the snakes, embeddings."""
    for name, values in constants.items():
        side, _, rest = name.partition(".")
        if side not in ("encoder", "decoder"):
            continue
        if rest.endswith(("embeddings.weight_quantized", "embedding.weight_quantized")):
            base = name.removesuffix("_quantized")
            zero = constants.get(f"{base}_zero_point", constants[_SHARED_ZERO]).astype(np.float32)
            yield rest.removesuffix("_quantized"), (values.astype(np.float32) - zero) * constants[f"{base}_scale"]
        elif values.dtype == np.float32:
            yield rest, values


def _module(node: str) -> str:
    """The module that a node belongs to: `/encoder/predictor/lstm/LSTM` is of `predictor.lstm`."""
    _, side, *parts = _REPEATED.sub(r"\1", _SUFFIX.sub("", node)).split("/")
    path: list[str] = []
    for part in parts[1:] if side == "decoder" else parts:
        if path and part.startswith(f"{path[-1]}."):
            path.pop()
        path.append(part)
    name = ".".join(path)
    if side == "decoder":
        return f"decoder.{name}"
    return f"predictor.{name}" if _OF_PREDICTOR.match(name) else name


def _weight(module: str, values: np.ndarray, fresh: dict[str, Any]) -> Iterator[tuple[str, np.ndarray]]:
    """A weight, taken apart into direction and length where the package holds it so."""
    if f"{module}.weight_v" not in fresh:
        yield f"{module}.weight", values
        return
    length = np.sqrt((values.reshape(len(values), -1) ** 2).sum(1)).reshape([-1] + [1] * (values.ndim - 1))
    # A filter of zeros has no direction: any will do at length zero.
    yield f"{module}.weight_v", np.where(length == 0, np.float32(1), values)
    yield f"{module}.weight_g", length


def _recurrent(node: NodeProto, constants: dict[str, np.ndarray]) -> Iterator[tuple[str, np.ndarray]]:
    """Weights of an LSTM, whose gates ONNX has in the order input, output, forget, cell, and torch i, f, c, o."""
    module = _module(node.name)
    weights, recurrences, biases = (constants[name] for name in node.input[1:4])
    for direction, suffix in enumerate(("", "_reverse")):
        yield f"{module}.weight_ih_l0{suffix}", _gates(weights[direction])
        yield f"{module}.weight_hh_l0{suffix}", _gates(recurrences[direction])
        inward, hidden = np.split(biases[direction], 2)
        yield f"{module}.bias_ih_l0{suffix}", _gates(inward)
        yield f"{module}.bias_hh_l0{suffix}", _gates(hidden)


def _gates(values: np.ndarray) -> np.ndarray:
    inward, outward, forget, cell = np.split(values, 4)
    return np.concatenate([inward, forget, cell, outward])
