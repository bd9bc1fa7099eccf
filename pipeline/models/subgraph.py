"""Cut and rename ONNX graphs: the part of a graph between given tensors."""

from collections.abc import Iterable, Mapping, Sequence

import onnx
from onnx import GraphProto, ModelProto, NodeProto, ValueInfoProto, helper


def rename(graph: GraphProto, names: Mapping[str, str]) -> None:
    """Rename tensors of `graph` in place."""
    for node in graph.node:
        for ports in (node.input, node.output):
            ports[:] = [names.get(port, port) for port in ports]
    for port in (*graph.input, *graph.output):
        port.name = names.get(port.name, port.name)


def in_order(nodes: Iterable[NodeProto]) -> list[NodeProto]:
    """Sort nodes so that each stands after those that feed it, else in the order given."""
    nodes = list(nodes)
    maker = {output: index for index, node in enumerate(nodes) for output in node.output}
    ordered: list[NodeProto] = []
    entered: set[int] = set()
    for start in range(len(nodes)):
        path = [] if start in entered else [(start, iter(nodes[start].input))]
        entered.add(start)
        while path:
            index, ports = path[-1]
            feeding = next((maker[p] for p in ports if p in maker and maker[p] not in entered), None)
            if feeding is None:
                ordered.append(nodes[index])
                path.pop()
            else:
                entered.add(feeding)
                path.append((feeding, iter(nodes[feeding].input)))
    return ordered


def subgraph(
    model: ModelProto, inputs: Sequence[ValueInfoProto], outputs: Sequence[ValueInfoProto], name: str
) -> ModelProto:
    """Return the part of `model` that computes `outputs` from `inputs` and its own constants."""
    given = {port.name for port in inputs}
    needed = {port.name for port in outputs}
    kept: list[NodeProto] = []
    for node in reversed(in_order(model.graph.node)):
        if any(output in needed and output not in given for output in node.output):
            kept.append(node)
            needed.update(node.input)
    constants = [constant for constant in model.graph.initializer if constant.name in needed]
    graph = helper.make_graph(kept[::-1], name, list(inputs), list(outputs), constants)
    return helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)


def save(model: ModelProto, path: str) -> None:
    """Write `model` in the deterministic order of protobuf, so that the same graph gives the same bytes."""
    with open(path, "wb") as file:
        file.write(model.SerializeToString(deterministic=True))


def load(path: str) -> ModelProto:
    """Read a model."""
    return onnx.load(path)
