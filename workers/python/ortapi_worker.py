"""Graphs of ONNX operators as a backend of equiv: ONNX Runtime's optimizers, each by itself.

A form is a graph: onnx.Relu(onnx.Add(onnx.MatMul(t0, t1), t2)) has three nodes, microsoft.Gelu(t0) one of ONNX
Runtime's own operators.  What is written twice in the same way is one node, but for another number again=N, and but
for constants, each of which is a new one:

    graph.constant(t0)              a tensor of the form, as an initializer
    graph.number(t0, 0.5)           one number of a tensor's type, or of a type by its name
    graph.fill(t0, [2, 3], 0.5)     several of them
    graph.ints([0, 1])              int64, for sizes and axes

graph.opset(t0, 20) is t0, in a model of that opset.

Options: level=O0, O1, O2, O3, O99; only=NAME: that optimizer is on and all others that have a name are off; a graph
that it does not change is Unsupported.  Installed: site/ with onnxruntime.
"""

import os

import forms
import onnx_defaults
import onnx_types
import ort_optimizers
from onnx_builder import attribute
from wire import Writer
from worker_types import Rejected, Unsupported

OPSET, IR_VERSION, MICROSOFT = 17, 8, "com.microsoft"
WITHOUT_ATTRIBUTES = ("Expand", "Identity", "MatMul", "MatMulInteger", "Not", "QLinearMatMul", "Tile", "Where")


class Wire:
    """What a node gives, or a graph is given; `dtype` of numpy's where it is known."""

    def __init__(self, graph, name, dtype=None):
        self.graph, self.name, self.dtype = graph, name, dtype

    def array(self):
        return self.graph.given[self.name]


class Graph:
    """One graph, of the tensors of a form."""

    def __init__(self, tensors):
        self.writer, self.count, self.given = Writer(), 0, {f"t{i}": t for i, t in enumerate(tensors)}
        self.version, self.nodes = OPSET, {}
        self.inputs = [Wire(self, name, t.dtype) for name, t in self.given.items()]

    def fresh(self):
        self.count += 1
        return f"y{self.count}"

    def initializer(self, array):
        import numpy
        array, made, name = numpy.ascontiguousarray(array).reshape(array.shape), Writer(), self.fresh()
        for d in array.shape:
            made.number(1, d)
        made.number(2, onnx_types.onnx_type(array.dtype))
        made.block(8, name)
        made.block(9, array.tobytes())
        self.writer.message(5, made)
        return Wire(self, name, array.dtype)

    def node(self, operator, domain, inputs, named):
        key = operator, domain, tuple(wire and wire.name for wire in inputs), str(sorted(named.items()))
        named.pop("again", None)
        if key not in self.nodes:
            self.nodes[key] = self.new_node(operator, domain, inputs, named)
        return self.nodes[key]

    def new_node(self, operator, domain, inputs, named):
        outputs, made = named.pop("outputs", 1), Writer()
        names = [self.fresh() for _ in range(outputs)]
        for wire in inputs:
            made.block(1, wire.name if wire else "")
        for name in names:
            made.block(2, name)
        made.block(3, "n" + names[0])
        made.block(4, operator)
        for name, value in named.items():
            made.message(5, attribute(name, value))
        made.block(7, domain)
        self.writer.message(1, made)
        wires = [Wire(self, name) for name in names]
        return wires if outputs > 1 else wires[0]

    def serialize(self, results):
        """The model, with the wires that are its results; an input that no node reads stays one."""
        graph, model = self.writer, Writer()
        graph.block(2, "form")
        for wire in self.inputs:
            graph.message(11, described(wire.name, self.given[wire.name]))
        for wire in results:
            name = Writer()
            name.block(1, wire.name)
            graph.message(12, name)
        model.number(1, IR_VERSION)
        model.message(7, graph)
        for domain, version in (("", self.version), (MICROSOFT, 1)):
            opset = Writer()
            opset.block(1, domain)
            opset.number(2, version)
            model.message(8, opset)
        return model.getvalue()


def described(name, array):
    shape, tensor, kind, out = Writer(), Writer(), Writer(), Writer()
    for d in array.shape:
        dim = Writer()
        dim.number(1, d)
        shape.message(1, dim)
    tensor.number(1, onnx_types.onnx_type(array.dtype))
    tensor.message(2, shape)
    kind.message(1, tensor)
    out.block(1, name)
    out.message(2, kind)
    return out


class Operators:
    """onnx.X or microsoft.X: makes a node."""

    def __init__(self, backend, domain):
        self.backend, self.domain = backend, domain

    def __getattr__(self, operator):
        return lambda *inputs, **named: self.backend.graph.node(operator, self.domain, inputs, named)


class Constants:
    """graph.X: makes an initializer."""

    def __init__(self, backend):
        self.backend = backend

    def constant(self, wire):
        return self.backend.graph.initializer(wire.array())

    def fill(self, kind, shape, value):
        import numpy
        dtype = getattr(kind, "dtype", kind)
        if dtype is None:
            raise Rejected("the type of what a node gives is not known")
        return self.backend.graph.initializer(numpy.full(shape, value, dtype))

    def number(self, kind, value):
        return self.fill(kind, [], value)

    def opset(self, wire, version):
        self.backend.graph.version = version
        return wire

    def ints(self, values):
        import numpy
        return self.backend.graph.initializer(numpy.array(values, numpy.int64))


class Backend(forms.Backend):
    library = "onnxruntime"
    absent = (*forms.ABSENT, "NOT_IMPLEMENTED", "Could not find an implementation", "is not a registered function/op")

    def open(self, folder, options):
        import numpy
        import onnxruntime
        onnxruntime.set_default_logger_severity(4)
        self.numpy, self.onnxruntime, self.graph = numpy, onnxruntime, None
        self.space = {"onnx": Operators(self, ""), "microsoft": Operators(self, MICROSOFT), "graph": Constants(self)}
        self.saved = os.memfd_create("saved.onnx")  # the library writes models to a path
        self.reopen(options)
        return onnxruntime.__version__

    def reopen(self, options):
        super().reopen(options)
        levels = self.onnxruntime.GraphOptimizationLevel
        self.level = {"O0": levels.ORT_DISABLE_ALL, "O1": levels.ORT_ENABLE_BASIC, "O2": levels.ORT_ENABLE_EXTENDED,
                      "O3": getattr(levels, "ORT_ENABLE_LAYOUT", None),  # since 1.23
                      "O99": levels.ORT_ENABLE_ALL}.get(options.get("level", "O99"))
        if self.level is None:
            raise Unsupported(f"onnxruntime {self.onnxruntime.__version__} has no level {options.get('level')}")
        self.only = options.get("only")
        if self.only and self.only not in ort_optimizers.NAMES:
            raise Rejected(f"only={self.only}: there are {', '.join(ort_optimizers.NAMES)}")

    def names(self):
        spaces = {"": "onnx", MICROSOFT: "microsoft"}
        parts = [name.rpartition(":") for name in onnx_defaults.ATTRIBUTES]
        parts += [("", "", name) for name in WITHOUT_ATTRIBUTES]
        return {f"{spaces[domain]}.{name}": f"{name} of {domain or 'ONNX'}" for domain, _, name in parts
                if domain in spaces}

    def tensor(self, array):
        return array

    def is_array(self, value):
        return isinstance(value, (Wire, self.numpy.ndarray, self.numpy.generic))

    def array(self, value):
        return value

    def session(self, model, left_out=(), save=False):
        """A session, and the model that the library saves when it has optimized it."""
        options = self.onnxruntime.SessionOptions()
        options.graph_optimization_level = self.level
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4  # it warns of each model that it saves
        # the library's own choice, 4, rounds the float32 side of a product to 8 bits, as it documents
        options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "1")
        if save:
            os.ftruncate(self.saved, 0)
            options.optimized_model_filepath = f"/proc/self/fd/{self.saved}"
        made = self.onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"],
                                                 disabled_optimizers=list(left_out))
        return made, os.pread(self.saved, os.fstat(self.saved).st_size, 0) if save else None

    def optimized(self, model):
        """A session as the options say."""
        if not self.only:
            return self.session(model)[0]
        _, plain = self.session(model, ort_optimizers.NAMES, True)
        made, changed = self.session(model, [name for name in ort_optimizers.NAMES if name != self.only], True)
        if plain == changed:
            raise Unsupported(f"{self.only} alone changes nothing of this graph")
        return made


def run(b, form, tensors):
    b.graph = Graph(tensors)
    results = [r for r in forms.leaves(b.function(form)(*b.graph.inputs), b.is_array) if isinstance(r, Wire)]
    model = b.graph.serialize(results)
    session = b.optimized(model)
    taken = {i.name for i in session.get_inputs()}
    return session.run(None, {name: t for name, t in b.graph.given.items() if name in taken})


Backend.modes = {"eager": run}
