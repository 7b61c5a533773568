"""Keras layers as ONNX nodes: recurrent layers, attention, wrappers of other layers; TABLE has a row for each class."""

import numpy as np

from keras_layer import FLOAT, Row, product
from keras_to_math import function_name, times

# ---- recurrent layers ------------------------------------------------------------------------------------------------

# Keras's activations as ONNX's recurrent operators name them, with the alphas and betas that each takes.
ACTIVATIONS = {"tanh": ("Tanh", [], []), "sigmoid": ("Sigmoid", [], []), "relu": ("Relu", [], []),
               "hard_sigmoid": ("HardSigmoid", [1 / 6], [0.5]), "linear": ("Affine", [1.0], [0.0]),
               "softsign": ("Softsign", [], []), "softplus": ("Softplus", [], []), "elu": ("Elu", [1.0], [])}


class Cell:
    """What tells recurrent layers apart.  order: which block of Keras's weights each block of ONNX's is."""

    def __init__(self, op, order, keys):
        self.op, self.order, self.keys = op, order, keys


CELLS = {"SimpleRNN": Cell("RNN", (0,), ("activation",)),
         "GRU": Cell("GRU", (0, 1, 2), ("recurrent_activation", "activation")),
         "LSTM": Cell("LSTM", (0, 3, 1, 2), ("recurrent_activation", "activation", "activation"))}


def activations(c, cell):
    """Attributes: numbers are taken in the order of those functions that have some."""
    names, alphas, betas = [], [], []
    for key in cell.keys:
        name = function_name(c, key)
        if name not in ACTIVATIONS:
            c.fail(f"{key} {name} is not supported")
        op, alpha, beta = ACTIVATIONS[name]
        names.append(op)
        alphas += [0.2] if c.old and name == "hard_sigmoid" else alpha
        betas += beta
    found = {"activations": names, "activation_alpha": alphas, "activation_beta": betas}
    return {key: value for key, value in found.items() if value}


def blocks(cell, weight, units):
    """Columns of Keras's gates as rows in ONNX's order."""
    return np.concatenate([weight[..., g * units:(g + 1) * units] for g in cell.order], axis=-1).T


def both_biases(cell, c, bias, units):
    """For the input and for the state: GRU has two of them where the gate is applied after the product."""
    if bias is None:
        return np.zeros(2 * len(cell.order) * units, FLOAT)
    two = bias if bias.ndim == 2 else np.stack([bias, np.zeros_like(bias)])
    return np.concatenate([blocks(cell, b, units) for b in two])


def check_recurrent(c, x):
    if x.rank != 3:
        c.fail(f"its input has rank {x.rank}")
    if c.get("stateful") or c.get("time_major"):
        c.fail("stateful and time_major are not supported")


def recur(c, cell, x, backwards, below, states):
    """The state after each step, in the order of time, and the last states; x is (batch, time, features)."""
    units = c.sizes("units", 1)[0]
    use_bias = c.get("use_bias", True)
    kernel, recurrent, *bias = c.take(3 if use_bias else 2, f"{below}cell")
    if kernel.shape[-1] != len(cell.order) * units or recurrent.shape != (units, kernel.shape[-1]):
        c.fail(f"weights of shapes {kernel.shape} and {recurrent.shape}")
    weights = [blocks(cell, kernel, units), blocks(cell, recurrent, units),
               both_biases(cell, c, bias[0] if bias else None, units)]
    inputs = [c.transpose(x, [1, 0, 2])]
    inputs += [c.constant(w[None], name) for w, name in zip(weights, ("kernel", "recurrent", "bias"))]
    if states:
        inputs += [None] + [c.op("Unsqueeze", [s, c.whole([0])], (1, *s.shape)) for s in states]
    attributes = {"hidden_size": units, "direction": "reverse" if backwards else "forward", **activations(c, cell)}
    if cell.op == "GRU":
        attributes["linear_before_reset"] = int(bool(c.get("reset_after", not c.old)))
    n, time = x.shape[:2]
    last = (1, n, units)
    outputs = c.ops(cell.op, inputs, [(time, 1, n, units), last] + ([last] if cell.op == "LSTM" else []), **attributes)
    steps = c.op("Squeeze", [outputs[0], c.whole([1])], (time, n, units))
    return c.transpose(steps, [1, 0, 2]), [c.op("Squeeze", [s, c.whole([0])], (n, units)) for s in outputs[1:]]


def given_states(c, cell):
    """The states that a call is given: further arguments, or members of the first one."""
    given = c.kwargs.get("initial_state")
    first = c.args[0] if isinstance(c.args[0], list) else [c.args[0]]
    given = given if given is not None else (c.args[1] if len(c.args) > 1 else first[1:])
    given = given if isinstance(given, (list, tuple)) else [given] if given is not None else []
    if given and len(given) != (2 if cell.op == "LSTM" else 1):
        c.fail(f"{len(given)} states are given")
    return c.tensor(first[0]), [c.tensor(s) for s in given]


def recurrent(name):
    cell = CELLS[name]

    def run(c):
        x, states = given_states(c, cell)
        check_recurrent(c, x)
        backwards = bool(c.get("go_backwards"))
        steps, last = recur(c, cell, x, backwards, "", states)
        if backwards and c.get("return_sequences"):
            steps = c.part(steps, 1, None, None, -1)  # Keras gives them in the order in which it made them
        first = steps if c.get("return_sequences") else last[0]
        return [first, *last] if c.get("return_state") else first
    return run


MERGES = {"sum": "Add", "mul": "Mul", "ave": "Add"}


def bidirectional(c):
    outer, x = c.config, c.x()
    forward, backward = c.get("layer"), c.get("backward_layer") or c.get("layer")
    names = [side.get("class_name") if isinstance(side, dict) else None for side in (forward, backward)]
    if names[0] not in CELLS or names[1] != names[0]:
        c.fail(f"layers {names} in two directions")
    results, cell = [], CELLS[names[0]]
    for side, layer in (("forward_layer/", forward), ("backward_layer/", backward)):
        c.config = layer.get("config")
        check_recurrent(c, x)
        if c.get("go_backwards") and side == "forward_layer/" or c.get("return_state"):
            c.fail("go_backwards or return_state in two directions")
        steps, last = recur(c, cell, x, side != "forward_layer/", side, [])
        results.append(steps if c.get("return_sequences") else last[0])
    c.config = outer
    mode = c.config.get("merge_mode", "concat")
    if mode is None:
        return results
    if mode == "concat":
        return c.concat(results, -1)
    if mode not in MERGES:
        c.fail(f"merge_mode {mode}")
    y = c.same(MERGES[mode], *results)
    return times(c, y, 0.5) if mode == "ave" else y


# ---- wrappers --------------------------------------------------------------------------------------------------------


def time_distributed(c):
    """The layer on each step: steps become items of the batch, and are steps again afterwards."""
    x, layer = c.x(), c.get("layer")
    if not isinstance(layer, dict) or x.rank < 3:
        c.fail("its layer or its input is not supported")
    steps = c.known(x, 1)
    items = None if x.shape[0] is None else x.shape[0] * steps
    y = c.inner(layer, c.weights.below("layer"), c.reshape(x, (items, *x.shape[2:])))
    return c.reshape(y, (x.shape[0], steps, *y.shape[1:]))


# ---- attention -------------------------------------------------------------------------------------------------------


def causal(c, scores):
    """Scores, very low where a step would look at later ones."""
    rows, columns = c.known(scores, scores.rank - 2), c.known(scores, scores.rank - 1)
    return c.same("Add", scores, c.constant(np.triu(np.full((rows, columns), -1e9, FLOAT), 1)))


def attention(c):
    """softmax(query keyᵀ) value; inputs are query, value and perhaps key."""
    tensors = c.inputs()
    if len(tensors) not in (2, 3) or any(t.rank != 3 for t in tensors) or c.get("score_mode", "dot") != "dot":
        c.fail("its inputs or its score_mode are not supported")
    query, value, key = (*tensors, tensors[1])[:3]
    y = c.op("MatMul", [query, c.transpose(key, [0, 2, 1])], (*query.shape[:2], key.shape[1]))
    if c.get("use_scale"):
        y = c.same("Mul", y, c.constant(c.take(1)[0], "scale"))
    if c.kwargs.get("use_causal_mask"):
        y = causal(c, y)
    return c.op("MatMul", [c.same("Softmax", y, axis=2), value], (*query.shape[:2], value.shape[2]))


def additive_attention(c):
    """softmax over the sums of scale · tanh(query + key), times value."""
    tensors = c.inputs()
    if len(tensors) not in (2, 3) or any(t.rank != 3 for t in tensors):
        c.fail("its inputs are not supported")
    query, value, key = (*tensors, tensors[1])[:3]
    n, rows, width = query.shape
    q, k = c.reshape(query, (n, rows, 1, width)), c.reshape(key, (n, 1, *key.shape[1:]))
    y = c.same("Tanh", c.broadcast("Add", q, k))
    if c.get("use_scale", True):
        y = c.same("Mul", y, c.constant(c.take(1)[0], "scale"))
    y = c.reduce("ReduceSum", y, [3], False)
    if c.kwargs.get("use_causal_mask"):
        y = causal(c, y)
    return c.op("MatMul", [c.same("Softmax", y, axis=2), value], (n, rows, value.shape[2]))


def heads(c, x, below):
    """What a dense layer (features, heads, width) makes of each step, by heads: (batch, heads, steps, width)."""
    found = c.take(2 if c.get("use_bias", True) else 1, below)
    kernel = found[0]
    if kernel.ndim != 3 or x.shape[-1] not in (None, kernel.shape[0]):
        c.fail(f"weights of shape {kernel.shape} for an input of shape {x.shape}")
    width = product(kernel.shape[1:])
    y = c.op("MatMul", [x, c.constant(kernel.reshape(kernel.shape[0], width), "kernel")], (*x.shape[:2], width))
    if len(found) > 1:
        y = c.same("Add", y, c.constant(found[1].reshape(width), "bias"))
    return c.transpose(c.reshape(y, (*x.shape[:2], *kernel.shape[1:])), [0, 2, 1, 3])


def multi_head_attention(c):
    given = [*c.args, *(c.kwargs[k] for k in ("key",) if c.kwargs.get(k) is not None)]
    if c.kwargs.get("value") is not None:
        given.insert(1, c.kwargs["value"])
    tensors = [c.tensor(t) for t in given if t is not None]
    if len(tensors) not in (2, 3) or any(t.rank != 3 for t in tensors) or \
            c.get("attention_axes", [1]) not in ([1], 1) or c.kwargs.get("return_attention_scores"):
        c.fail("its inputs or axes are not supported")
    query, value, key = (*tensors, tensors[1])[:3]
    q = times(c, heads(c, query, "query_dense"), c.sizes("key_dim", 1)[0] ** -0.5)
    k, v = heads(c, key, "key_dense"), heads(c, value, "value_dense")
    n, count, rows = q.shape[:3]
    y = c.op("MatMul", [q, c.transpose(k, [0, 1, 3, 2])], (n, count, rows, k.shape[2]))
    if c.kwargs.get("use_causal_mask"):
        y = causal(c, y)
    y = c.op("MatMul", [c.same("Softmax", y, axis=3), v], (n, count, rows, v.shape[3]))
    y = c.reshape(c.transpose(y, [0, 2, 1, 3]), (n, rows, count * v.shape[3]))
    found = c.take(2 if c.get("use_bias", True) else 1, "output_dense")
    kernel = found[0].reshape(y.shape[2], -1)
    y = c.op("MatMul", [y, c.constant(kernel, "kernel")], (n, rows, kernel.shape[1]))
    return c.same("Add", y, c.constant(found[1].reshape(-1), "bias")) if len(found) > 1 else y


ATTENTION_KWARGS = ("value", "key", "use_causal_mask", "return_attention_scores")

TABLE = {
    **{name: Row(recurrent(name), ("initial_state",)) for name in CELLS}, "Bidirectional": Row(bidirectional),
    "TimeDistributed": Row(time_distributed), "Attention": Row(attention, ("use_causal_mask",)),
    "AdditiveAttention": Row(additive_attention, ("use_causal_mask",)),
    "MultiHeadAttention": Row(multi_head_attention, ATTENTION_KWARGS),
}
