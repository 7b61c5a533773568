"""Runs an ONNX graph node by node through a binding table, for libraries that do not read ONNX.

A binding table maps "Op" or "domain:Op" to a function of one Call, which returns its output, or a tuple of them.  A
binding says exactly what ONNX says, or raises Unsupported with the reason: it never approximates.  Values are the
library's own arrays, or numpy arrays where they are known on the host; sequences are lists, optionals
worker_types.Optional.
"""

import numpy as np

import onnx_defaults
import onnx_reader
import onnx_types
from worker_types import Rejected, Unsupported


class Call:
    """One node about to be run."""

    def __init__(self, session, scope, node, opset, attributes):
        self.session, self.scope, self.node, self.opset, self.attributes = session, scope, node, opset, attributes
        self.op, self.n_out = node.op, len(node.outputs)
        self.name = f"{node.domain}:{node.op}" if node.domain else node.op
        self.inputs = [scope.find(name) if name else None for name in node.inputs]

    def unsupported(self, why):
        raise Unsupported(f"{self.op}: {why}")

    def attr(self, name, otherwise=None):
        """An attribute, or its default; `otherwise` where it has none."""
        value = self.attributes.get(name)
        if value is None:
            value = onnx_defaults.default(self.name, name, self.opset)
        if value is None or isinstance(value, onnx_defaults.Each):
            value = otherwise
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else value

    def each(self, name, n):
        """A list that has n elements unless it says otherwise: an attribute, or n times its default."""
        return self.attributes.get(name) or [int(onnx_defaults.default(self.name, name, self.opset))] * n

    def flag(self, name):
        """An attribute, or its default; 0 in an operator that has no such attribute."""
        return self.attr(name) if name in onnx_defaults.ATTRIBUTES[self.name] else 0

    def has(self, i):
        return i < len(self.inputs) and self.inputs[i] is not None

    def value(self, i):
        """An input as it is, or a refusal of the model."""
        if not self.has(i):
            raise Rejected(f"{self.op}: input {i} is missing")
        return self.inputs[i]

    def x(self, i=0):
        """A required input as an array of the library."""
        return self.session.library.array(self.value(i), self)

    def opt(self, i, otherwise=None):
        return self.x(i) if self.has(i) else otherwise

    def all(self):
        return [self.x(i) for i in range(len(self.inputs))]

    def known(self, i):
        """An input's elements on the host, as numpy: shapes, axes, pads and the like."""
        return self.session.library.known(self.value(i), self)

    def ints(self, name, i, since, otherwise=None):
        """A list of integers: an attribute before opset `since`, input i from there on."""
        if self.opset < since:
            value = self.attr(name)
            return otherwise if value is None else [int(v) for v in (value if isinstance(value, list) else [value])]
        return [int(v) for v in self.known(i).reshape(-1)] if self.has(i) else otherwise

    def wants(self, i):
        return i < self.n_out and self.node.outputs[i] != ""

    def graph(self, name):
        return self.attributes[name]

    def subgraph(self, graph, values):
        """Outputs of a graph attribute for values of its inputs; it sees the names around the node."""
        inner = Scope(self.scope.opsets, self.scope.attributes, self.scope)
        for info, value in zip(graph.inputs, values):
            inner.names[info.name] = value
        return self.session.walk(graph, inner)


class Scope:
    """Names and their values; a subgraph sees those of the graph around it."""

    def __init__(self, opsets, attributes=None, outer=None):
        self.names, self.opsets, self.attributes, self.outer = {}, opsets, attributes or {}, outer

    def find(self, name):
        scope = self
        while scope:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        raise Rejected(f"no value is called '{name}'")


class Session:
    """A model prepared for many runs.  The library gives table, array(), known() and, if it likes, call()."""

    def __init__(self, library, data, extra_outputs=()):
        try:
            self.model = onnx_reader.read_model(data)
        except onnx_reader.ModelError as e:
            raise Rejected(str(e)) from None
        except onnx_types.NoSuchType as e:
            raise Unsupported(str(e)) from None
        self.library, self.extra = library, list(extra_outputs)
        self.outputs = [o.name for o in self.model.graph.outputs]
        self.outputs += [name for name in self.extra if name not in self.outputs]
        self._check(self.model.graph.nodes)
        for f in self.model.functions.values():
            self._check(f.nodes)

    def _check(self, nodes):
        for node in nodes:
            if (node.domain, node.op, node.overload) not in self.model.functions:
                self.binding(node)
            for value in node.attributes.values():
                for graph in value if isinstance(value, list) else [value]:
                    if isinstance(graph, onnx_reader.Message) and hasattr(graph, "nodes"):
                        self._check(graph.nodes)

    def binding(self, node):
        name = f"{node.domain}:{node.op}" if node.domain else node.op
        if name not in self.library.table:
            raise Unsupported(f"no binding for operator {name}")
        return self.library.table[name]

    def run(self, inputs, constants=None, given=None):
        """All values of the main graph by name; `constants` replace initializers, and nodes whose outputs are all given
        are not run."""
        scope = Scope(self.model.opsets)
        scope.names.update(self.model.graph.constants if constants is None else constants)
        scope.names.update(inputs)
        for info in self.model.graph.inputs:
            if info.name not in scope.names:
                raise Rejected(f"input '{info.name}' is not given")
        scope.names.update(given or {})
        self.walk_nodes([n for n in self.model.graph.nodes if not given or not set(n.outputs) <= set(given)], scope)
        return scope

    def walk(self, graph, scope):
        for name, value in graph.constants.items():
            scope.names.setdefault(name, value)
        self.walk_nodes(graph.nodes, scope)
        return [scope.find(o.name) for o in graph.outputs]

    def walk_nodes(self, nodes, scope):
        for node in nodes:
            attributes = {}
            for name, value in node.attributes.items():
                if isinstance(value, onnx_reader.Reference):
                    if value.name not in scope.attributes:
                        continue
                    value = scope.attributes[value.name]
                attributes[name] = value
            outputs = self._node(node, scope, attributes)
            for name, value in zip(node.outputs, outputs):
                if name:
                    scope.names[name] = value

    def _node(self, node, scope, attributes):
        function = self.model.functions.get((node.domain, node.op, node.overload))
        if function:
            return self._function(function, node, scope, attributes)
        opset = scope.opsets.get(node.domain)
        if opset is None:
            raise Rejected(f"{node.op}: the model imports no opset of domain '{node.domain}'")
        call = Call(self, scope, node, opset, attributes)
        result = self.library.call(self.binding(node), call)
        result = result if isinstance(result, tuple) else (result,)
        if any(call.wants(i) for i in range(len(result), call.n_out)):
            call.unsupported(f"output {len(result)} is not bound")
        return result

    def _function(self, function, node, scope, attributes):
        inner = Scope(function.opsets, {**function.defaults, **attributes})
        for i, name in enumerate(function.inputs):
            given = i < len(node.inputs) and node.inputs[i]
            inner.names[name] = scope.find(node.inputs[i]) if given else None
        self.walk_nodes(function.nodes, inner)
        return tuple(inner.find(name) for name in function.outputs)


def same_shape_list(values, n, what):
    """A list of n integers, or a refusal of the model."""
    if len(values) != n:
        raise Rejected(f"{what} has {len(values)} entries for {n} axes")
    return list(values)


def axis_of(axis, rank, op):
    if not -rank <= axis < max(rank, 1):
        raise Rejected(f"{op}: axis {axis} is outside of {rank} axes")
    return axis + rank if axis < 0 else axis


def axes_of(axes, rank, op):
    return [axis_of(int(a), rank, op) for a in axes]


# ---- windows of convolutions and poolings --------------------------------------------------------------------------

class Window:
    """Sizes of a sliding window in each spatial axis: kernel, strides, dilations and pads, made from attributes.

    .pads are pairs (before, after); .out are output sizes; .extra is how far the last window reaches beyond input and
    pads (ceil_mode) in each axis, at least 0.
    """

    def __init__(self, call, spatial, kernel):
        n = len(spatial)
        self.kernel = same_shape_list(kernel, n, f"{call.op}: kernel_shape")
        self.strides = same_shape_list(call.each("strides", n), n, f"{call.op}: strides")
        self.dilations = same_shape_list(call.each("dilations", n), n, f"{call.op}: dilations")
        if min(self.kernel + self.strides + self.dilations, default=1) < 1:
            raise Rejected(f"{call.op}: kernel, strides and dilations must be positive")
        self.reach = [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations)]
        auto = call.attr("auto_pad")
        flat = same_shape_list(call.each("pads", 2 * n), 2 * n, f"{call.op}: pads")
        self.pads = list(zip(flat[:n], flat[n:]))
        ceil_mode = bool(call.flag("ceil_mode")) and auto == "NOTSET"
        if auto in ("SAME_UPPER", "SAME_LOWER"):
            self.pads = [self._same(auto, size, s, r) for size, s, r in zip(spatial, self.strides, self.reach)]
        elif auto == "VALID":
            self.pads = [(0, 0)] * n
        elif auto != "NOTSET":
            raise Rejected(f"{call.op}: auto_pad '{auto}'")
        self.out, self.extra = [], []
        for size, (before, after), s, r in zip(spatial, self.pads, self.strides, self.reach):
            room = size + before + after - r
            if room < 0:
                call.unsupported("a kernel that is larger than the padded input")
            count = (-(-room // s) if ceil_mode else room // s) + 1
            if ceil_mode and (count - 1) * s >= size + before:  # a window must not begin in the pads after the input
                count -= 1
            self.out.append(count)
            self.extra.append(max(0, (count - 1) * s + r - (size + before + after)))

    @staticmethod
    def _same(auto, size, stride, reach):
        total = max((-(-size // stride) - 1) * stride + reach - size, 0)
        small, large = total // 2, total - total // 2
        return (small, large) if auto == "SAME_UPPER" else (large, small)

    def counts(self, spatial, include_pads):
        """How many elements an average divides by, for each window: an array of the output's spatial shape."""
        result = np.ones(())
        for size, (before, after), k, s, d, out in zip(spatial, self.pads, self.kernel, self.strides, self.dilations,
                                                       self.out):
            at = np.arange(out)[:, None] * s - before + np.arange(k)[None, :] * d
            low, high = (-before, size + after) if include_pads else (0, size)
            result = np.multiply.outer(result, ((at >= low) & (at < high)).sum(axis=1))
        return result
