"""Turn a dynamically quantised int8 ONNX graph into the same graph with float32 weights and activations.

The int8 graph rounds each activation to eight bits on its way, which is heard as noise. The float32 graph keeps the
eight-bit weights (as floats) and rounds nothing else.
"""

from collections import defaultdict

import numpy as np
import numpy.typing as npt
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from pipeline.models.subgraph import subgraph

Floats = npt.NDArray[np.float32]


def dequantise(model: ModelProto) -> ModelProto:
    """Return `model` with ConvInteger, MatMulInteger and DynamicQuantizeLSTM replaced by their float32 kin.

    Products of two activations stay as they are: they have no weights.
    """
    graph = _Graph(model)
    for node in model.graph.node:
        if node.op_type == "ConvInteger":
            graph.replace_convolution(node)
        elif node.op_type == "MatMulInteger" and node.input[1] in graph.constants:
            graph.replace_product(node)
        elif node.op_type == "DynamicQuantizeLSTM":
            graph.replace_lstm(node)
    return graph.rebuilt()


class _Graph:
    """A quantised graph, and the float32 nodes and weights that replace parts of it."""

    def __init__(self, model: ModelProto) -> None:
        self.model = model
        self.constants = {constant.name: constant for constant in model.graph.initializer}
        self.maker = {output: node for node in model.graph.node for output in node.output}
        self.users: dict[str, list[NodeProto]] = defaultdict(list)
        for node in model.graph.node:
            for port in node.input:
                self.users[port].append(node)
        self.instead: dict[str, NodeProto] = {}  # by the output that a new node takes over
        self.weights: dict[str, TensorProto] = {}

    def replace_convolution(self, node: NodeProto) -> None:
        """ConvInteger [-> Add of the bias in integers] -> Cast -> Mul by the scales becomes Conv."""
        weight = self._weight(node, axis=0)
        user = self._only_user(node.output[0])
        bias = []
        if user.op_type == "Add":
            bias = [self._bias(user, node.output[0])]
            user = self._only_user(user.output[0])
        self._put("Conv", node, [self._unquantised(node.input[0]), weight, *bias], self._scaled(user))

    def replace_product(self, node: NodeProto) -> None:
        """MatMulInteger -> Cast -> Mul by the scales becomes MatMul."""
        weight = self._weight(node, axis=-1)
        user = self._only_user(node.output[0])
        self._put("MatMul", node, [self._unquantised(node.input[0]), weight], self._scaled(user))

    def replace_lstm(self, node: NodeProto) -> None:
        """DynamicQuantizeLSTM, whose weights lie transposed, becomes LSTM."""
        weight = self._add(f"{node.name}_W", self._lstm_weight(node, 1, 8, 9))
        recurrence = self._add(f"{node.name}_R", self._lstm_weight(node, 2, 10, 11))
        inputs = [node.input[0], weight, recurrence, *node.input[3:8]]
        while not inputs[-1]:
            inputs.pop()
        self._put("LSTM", node, inputs, list(node.output))

    def rebuilt(self) -> ModelProto:
        """Return the new model: replaced nodes in place of the old, and nothing that feeds no output."""
        nodes = [self._successor(node) for node in self.model.graph.node]
        kept = [constant for constant in self.model.graph.initializer if constant.name not in self.weights]
        graph = helper.make_graph(
            nodes,
            "float32",
            list(self.model.graph.input),
            list(self.model.graph.output),
            [*kept, *self.weights.values()],
        )
        whole = helper.make_model(graph, opset_imports=self.model.opset_import, ir_version=self.model.ir_version)
        return subgraph(whole, self.model.graph.input, self.model.graph.output, "float32")

    def _successor(self, node: NodeProto) -> NodeProto:
        return next((self.instead[output] for output in node.output if output in self.instead), node)

    def _put(self, kind: str, old: NodeProto, inputs: list[str], outputs: list[str]) -> None:
        node = helper.make_node(kind, inputs, outputs, name=f"{old.name}_float32")
        node.attribute.extend(old.attribute)
        self.instead[outputs[0]] = node

    def _only_user(self, tensor: str) -> NodeProto:
        (user,) = self.users[tensor]
        return user

    def _scaled(self, cast: NodeProto) -> list[str]:
        """Output of the multiplication by the scales, which ends the quantised pattern."""
        product = self._only_user(cast.output[0])
        if (cast.op_type, product.op_type) != ("Cast", "Mul"):
            raise ValueError(f"unknown quantised pattern at {cast.name}: {cast.op_type}, {product.op_type}")
        return [product.output[0]]

    def _unquantised(self, tensor: str) -> str:
        """Return the float tensor of which `tensor` is the dynamic quantisation."""
        return str(self.maker[tensor].input[0])

    def _bias(self, add: NodeProto, product: str) -> str:
        """Return the float bias: the quantised graph divides it by the scales before it adds it."""
        (other,) = (port for port in add.input if port != product)
        node = self.maker[other]
        while node.op_type != "Div":
            node = self.maker[node.input[0]]
        return str(node.input[0])

    def _weight(self, node: NodeProto, axis: int) -> str:
        quantised = node.input[1]
        base = quantised.removesuffix("_quantized")
        name = f"{base}_float32"
        if name not in self.weights:
            zero = self._array(node.input[3]) if len(node.input) > 3 and node.input[3] else np.zeros((), np.float32)
            values = self._array(quantised)
            shape = [1] * values.ndim
            shape[axis] = -1
            scale = self._array(f"{base}_scale")
            self._add(name, (values - _along(zero, shape)) * _along(scale, shape))
        return name

    def _lstm_weight(self, node: NodeProto, values: int, scale: int, zero: int) -> Floats:
        quantised = self._array(node.input[values])
        directions = quantised.shape[0]

        def spread(numbers: Floats) -> Floats:
            return numbers.reshape((-1, 1, 1) if numbers.size <= directions else (directions, 1, -1))

        floats = (quantised - spread(self._array(node.input[zero]))) * spread(self._array(node.input[scale]))
        return floats.transpose(0, 2, 1)

    def _array(self, name: str) -> Floats:
        return np.asarray(numpy_helper.to_array(self.constants[name])).astype(np.float32)

    def _add(self, name: str, values: Floats) -> str:
        self.weights[name] = numpy_helper.from_array(np.ascontiguousarray(values, np.float32), name)
        return name


def _along(numbers: Floats, shape: list[int]) -> Floats:
    return numbers.reshape(()) if numbers.size == 1 else numbers.reshape(shape)
