"""A judge of what is heard: YAMNet, an audio tagger that knows 521 kinds of sound, among them speech and laughter.

YAMNet (Google, Apache-2.0) was trained on AudioSet: Gemmeke et al. (2017), Audio Set: an ontology and human-labeled
dataset for audio events, ICASSP. The graph here is Qualcomm's export with eight-bit weights and activations; its
activations are left unrounded, since they would cut the scores into steps of 0.76 (log odds).
"""

import zipfile
from functools import cache

import librosa
import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
from scipy.signal import get_window

from pipeline.models import ensure
from pipeline.models.session import open_session
from pipeline.speech.backend import Floats

MODEL = "yamnet"
JUDGE_RATE = 16_000
SPEECH = slice(0, 4)
"""Classes: speech, child speech, conversation, narration."""
LAUGHTER = slice(13, 19)
"""Classes: laughter, baby laughter, giggle, snicker, belly laugh, chuckle."""
WINDOW, HOP, BINS = 400, 160, 512
BANDS, BAND_HZ = 64, (125.0, 7500.0)
PATCH, STEP = 96, 48
"""Frames that are judged at once (0.96 s), and from one such patch to the next."""
OFFSET = 0.001
"""Added to a band's magnitude before the logarithm; the range of the graph's input begins at its logarithm."""
LEVEL = 0.05
"""RMS at which every sound is judged."""


def probabilities(sound: Floats, rate: int) -> npt.NDArray[np.float64]:
    """Probability of each class in `sound` [n] at `rate`, each for itself: the mean over its patches [521].

    Raises
    ------
    ModelError
        when the tagger cannot be had.

    """
    logits = np.array([_session().run(None, {"audio": patch[None, None]})[0][0] for patch in _patches(sound, rate)])
    return np.asarray((1.0 / (1.0 + np.exp(-logits.astype(np.float64)))).mean(axis=0))


def laughter_and_speech(sound: Floats, rate: int) -> tuple[float, float]:
    """Probability of laughter and of speech, each the highest of its kinds (see :func:`probabilities`)."""
    found = probabilities(sound, rate)
    return float(found[LAUGHTER].max()), float(found[SPEECH].max())


def _patches(sound: Floats, rate: int) -> list[Floats]:
    """Log-mel patches [96, 64] of the whole sound, the last one padded with silence."""
    heard = librosa.resample(np.asarray(sound, np.float32), orig_sr=rate, target_sr=JUDGE_RATE).astype(np.float64)
    heard *= LEVEL / max(float(np.sqrt(np.mean(heard**2))), 1e-9)
    frames = max(PATCH, STEP * -(-(len(heard) // HOP) // STEP))
    heard = np.pad(heard, (0, max(0, (frames - 1) * HOP + BINS - len(heard))))
    windows = np.lib.stride_tricks.sliding_window_view(heard, BINS)[::HOP][:frames]
    side = (BINS - WINDOW) // 2
    magnitude = np.abs(np.fft.rfft(windows * np.pad(get_window("hann", WINDOW), side)))
    low, high = BAND_HZ
    bands = librosa.filters.mel(
        sr=JUDGE_RATE, n_fft=BINS, n_mels=BANDS, fmin=low, fmax=high, htk=True, norm=None, dtype=np.float64
    )
    levels = np.log(magnitude @ bands.T + OFFSET).astype(np.float32)
    return [levels[start : start + PATCH] for start in range(0, frames - PATCH + 1, STEP)]


@cache
def _session() -> onnxruntime.InferenceSession:
    return open_session(unrounded(_published()).SerializeToString())


def _published() -> onnx.ModelProto:
    """Read the graph out of the archive, with its weights, which lie in a file of their own."""
    with zipfile.ZipFile(ensure(MODEL)) as archive:
        files = {name.rsplit("/", 1)[-1]: archive.read(name) for name in archive.namelist()}
    model = onnx.load_model_from_string(files["model.onnx"])
    for tensor in model.graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            place = {entry.key: entry.value for entry in tensor.external_data}
            start = int(place.get("offset", 0))
            tensor.raw_data = files[place["location"]][start : start + int(place["length"])]
            tensor.data_location = onnx.TensorProto.DEFAULT
            del tensor.external_data[:]
    return model


def unrounded(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return `model`, one input and one output of bytes, with its activations as floats from end to end.

    A pair of QuantizeLinear and DequantizeLinear is left out; weights keep their DequantizeLinear.
    """
    graph = model.graph
    maker = {output: node for node in graph.node for output in node.output}
    given, made = graph.input[0].name, graph.output[0].name
    instead: dict[str, str] = {}
    for node in graph.node:
        source = maker.get(node.input[0])
        if node.op_type == "DequantizeLinear" and node.input[0] == given:
            instead[node.output[0]] = given
        elif node.op_type == "DequantizeLinear" and source is not None and source.op_type == "QuantizeLinear":
            instead[node.output[0]] = source.input[0]

    def origin(name: str) -> str:
        while name in instead:
            name = instead[name]
        return name

    kept = [node for node in graph.node if node.op_type != "QuantizeLinear" and node.output[0] not in instead]
    for node in kept:
        node.input[:] = [origin(name) for name in node.input]
    ports = [
        onnx.helper.make_tensor_value_info(
            name, onnx.TensorProto.FLOAT, [d.dim_value for d in port.type.tensor_type.shape.dim]
        )
        for name, port in ((given, graph.input[0]), (origin(maker[made].input[0]), graph.output[0]))
    ]
    bare = onnx.helper.make_graph(kept, "unrounded", ports[:1], ports[1:], list(graph.initializer))
    return onnx.helper.make_model(bare, opset_imports=model.opset_import, ir_version=model.ir_version)
