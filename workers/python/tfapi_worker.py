"""TensorFlow's documented functions as a backend of equiv: tf.*, tf.math, tf.linalg, tf.image and others, by name.

Options: mode=..., one of Backend.modes; threads=N.
Installed: site/ with tensorflow and what it needs.
"""

import os
import tempfile
import warnings

import forms
from worker_types import Unsupported


class Backend(forms.Backend):
    library = "tensorflow"
    elements = "tf.math"  # has the functions of single elements
    lenient = "graph"
    # by documentation XLA has not all of TensorFlow's operations and types, and a graph has no eager tensors
    absent = (*forms.ABSENT, "Detected unsupported operations", "No registered", "SymbolicTensor", "numpy() is",
              "XLA compilation requires", "must be a compile-time constant", "not a valid TF", "No gradient",
              "Could not find device", "could not be transformed",
              # what operations say of themselves, and plain calls do not check: ranks and sizes, lists of tensors
              "with input shapes:", "Expected list for", "Expected any non-tensor type")

    def open(self, folder, options):
        warnings.filterwarnings("ignore")
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        import tensorflow as tf

        tf.get_logger().setLevel("ERROR")
        threads = int(options.get("threads", "1"))
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(threads)
        tf.config.optimizer.set_experimental_options({"min_graph_nodes": -1})  # small graphs are optimized, too
        self.tf, self.space = tf, {"tf": tf}
        self.reopen(options)
        return tf.__version__

    def names(self):
        tf = self.tf
        parts = ("", "math", "math.special", "linalg", "nn", "image", "signal", "strings", "bitwise", "sparse",
                 "ragged", "sets", "random", "quantization", "audio", "keras.activations", "keras.losses", "keras.ops")
        places = []
        for part in parts:
            module = tf
            for name in filter(None, part.split(".")):
                module = getattr(module, name, None)
            if isinstance(module, type(tf)) or part == "":
                places.append((module, f"tf.{part}".rstrip(".")))
        return forms.public_of(places, forms.is_function)

    def tensor(self, array):
        return self.tf.constant(array)

    def slopes(self, form, tensors):
        tf = self.tf
        chosen, moved = derivable(tensors)
        with tf.GradientTape() as tape:
            tape.watch(moved)
            results = floats(self, form, tensors)
        heads = [tf.constant(forms.drawn(self.heads, r.shape), r.dtype) for r in results]
        found = dict(zip(chosen, tape.gradient(results, moved, output_gradients=heads)))
        if any(found[i] is None for i in chosen):  # it is not derivable by that, or does not hang on it
            raise Unsupported("no gradient by one of the tensors")
        return results, [found.get(i) for i in range(len(tensors))]

    def is_array(self, value):
        tf = self.tf
        return tf.is_tensor(value) or isinstance(value, (tf.Variable, tf.IndexedSlices))

    def array(self, value):
        import numpy
        tf = self.tf
        if isinstance(value, tf.sparse.SparseTensor):
            value = tf.sparse.to_dense(tf.sparse.reorder(value))
        if isinstance(value, tf.RaggedTensor):
            value = value.to_tensor()
        if isinstance(value, tf.IndexedSlices):
            value = tf.convert_to_tensor(value)
        made = numpy.asarray(value.numpy() if hasattr(value, "numpy") else value)
        if made.dtype.kind in "OSUV":
            raise Unsupported(f"a result of {made.dtype}")
        return made.astype(numpy.float32) if made.dtype.name == "bfloat16" else made


# ---- modes: the same call in another way ---------------------------------------------------------------------------


def eager(b, form, tensors):
    return b.function(form)(*tensors)


def program(**how):
    """A graph, kept for the next numbers."""
    def run(b, form, tensors):
        key = form.text, tuple((t.dtype, tuple(t.shape)) for t in tensors)
        return b.kept(key, lambda: b.tf.function(b.function(form), autograph=False, **how))(*tensors)
    return run


def dynamic(b, form, tensors):
    """A graph of tensors whose sizes are not known when it is made."""
    tf = b.tf
    key = form.text, tuple((t.dtype, len(t.shape)) for t in tensors)
    of_any_size = [tf.TensorSpec([None] * len(t.shape), t.dtype) for t in tensors]
    return b.kept(key, lambda: tf.function(b.function(form), autograph=False, input_signature=of_any_size))(*tensors)


def constant(b, form, tensors):
    """All tensors but the first are constants of the graph: of what is constant the optimizer makes something else."""
    f = b.function(form)
    if len(tensors) < 2:
        return folded(b, form, tensors)
    arrays = [t.numpy() for t in tensors[1:]]
    return b.tf.function(lambda first: f(first, *map(b.tf.constant, arrays)), autograph=False)(tensors[0])


def folded(b, form, tensors):
    """All tensors are constants: the optimizer computes the result."""
    f, arrays = b.function(form), [t.numpy() for t in tensors]
    return b.tf.function(lambda: f(*map(b.tf.constant, arrays)), autograph=False)()


def saved(b, form, tensors):
    """Through a SavedModel, kept for the next numbers."""
    tf = b.tf

    def again():
        written = tf.Module()
        written.f = tf.function(b.function(form), autograph=False,
                                input_signature=[tf.TensorSpec(t.shape, t.dtype) for t in tensors])
        with tempfile.TemporaryDirectory() as folder:
            tf.saved_model.save(written, folder)
            return tf.saved_model.load(folder)
    return b.kept((form.text, tuple((t.dtype, tuple(t.shape)) for t in tensors)), again).f(*tensors)


def mapped(b, form, tensors):
    """Of two that are the same the first."""
    if not tensors:
        raise Unsupported("no tensor")
    f = b.function(form)
    both = b.tf.vectorized_map(lambda items: f(*items), tuple(b.tf.stack([t, t]) for t in tensors),
                               fallback_to_while_loop=False)
    return [v[0] if b.is_array(v) and len(v.shape) else v for v in forms.leaves(both, b.is_array)]


def floats(b, form, tensors):
    results = [r for r in forms.leaves(b.function(form)(*tensors), b.is_array) if b.is_array(r) and r.dtype.is_floating]
    if not results:
        raise Unsupported("no result of floats")
    return results


def weighed(b, form, tensors):
    """Σ head · result."""
    tf = b.tf
    return tf.add_n([tf.cast(tf.reduce_sum(r * tf.constant(b.head(r.shape, k), r.dtype)), tf.float32)
                     for k, r in enumerate(floats(b, form, tensors))])


def derivable(tensors):
    chosen = [i for i, t in enumerate(tensors) if t.dtype.is_floating]
    if not chosen:
        raise Unsupported("no tensor of floats")
    return chosen, [tensors[i] for i in chosen]


def along(b, moved):
    return [b.tf.constant(b.along(t.shape, i), t.dtype) for i, t in enumerate(moved)]


def slope(b, gradients, moved):
    """The derivative along the direction."""
    tf = b.tf
    return tf.add_n([tf.cast(tf.reduce_sum(tf.convert_to_tensor(g) * d), tf.float32)
                     for g, d in zip(gradients, along(b, moved)) if g is not None] or [tf.zeros([])])


def gradient(b, form, tensors):
    """Of Σ head · result: None by tensors that TensorFlow does not derive by."""
    _, moved = derivable(tensors)
    with b.tf.GradientTape() as tape:
        tape.watch(moved)
        y = weighed(b, form, tensors)
    forms.check_value(y)
    return tape.gradient(y, moved)


def reverse(b, form, tensors):
    return slope(b, gradient(b, form, tensors), derivable(tensors)[1])


def forward(b, form, tensors):
    _, moved = derivable(tensors)
    with b.tf.autodiff.ForwardAccumulator(moved, along(b, moved)) as accumulator:
        y = weighed(b, form, tensors)
    forms.check_value(y)
    return accumulator.jvp(y, unconnected_gradients="zero")


def accumulated(b, form, tensors):
    """The gradient of two results of the call, a half of each, which the tape adds up."""
    _, moved = derivable(tensors)
    with b.tf.GradientTape() as tape:
        tape.watch(moved)
        both = [weighed(b, form, tensors), weighed(b, form, tensors)]
    forms.check_value(both[0])
    halves = [b.tf.constant(0.5)] * 2
    return slope(b, tape.gradient(both, moved, output_gradients=halves, unconnected_gradients="zero"), moved)


def second(b, form, tensors):
    """The gradient of the derivative along the direction: reverse mode of reverse mode."""
    _, moved = derivable(tensors)
    with b.tf.GradientTape() as tape:
        tape.watch(moved)
        gradients = gradient(b, form, tensors)
        first = slope(b, gradients, moved)
    forms.check_value(first)
    found = tape.gradient(first, moved, unconnected_gradients="zero")
    return [h for h, g in zip(found, gradients) if g is not None]  # of the others half of the matrix is not there


def second_forward(b, form, tensors):
    """The derivative of the gradient along the direction: forward mode of reverse mode, which is the same.

    Not along tensors that TensorFlow has no gradient by, which the other side cannot know about."""
    _, moved = derivable(tensors)
    known = [g is not None for g in gradient(b, form, tensors)]
    direction = [d if k else b.tf.zeros_like(d) for d, k in zip(along(b, moved), known)]
    with b.tf.autodiff.ForwardAccumulator(moved, direction) as accumulator:
        gradients = [g if g is None else b.tf.convert_to_tensor(g) for g in gradient(b, form, tensors)]
    forms.check_value(slope(b, gradients, moved))
    return [accumulator.jvp(g, unconnected_gradients="zero") for g in gradients if g is not None]


Backend.modes = {"eager": eager, "graph": program(), "dynamic": dynamic, "constant": constant, "folded": folded,
                 "xla": program(jit_compile=True), "mapped": mapped, "saved": saved, "reverse": reverse,
                 "forward": forward, "accumulated": accumulated, "second": second, "second_forward": second_forward}
