"""ONNX operators in TensorFlow Lite: convolutions of one and three axes, einsum, activations, recurrent layers.

Recurrent layers are written out, step by step, in matrix products and activations: the library's own RNN operators have
other gates, biases and layouts.  Softplus is not bound: there is no log(1 + x) that keeps small numbers.
"""

import numpy as np

import onnx_defaults
from worker_types import Rejected
from onnx_graph import Window
from tflite_ops import FLOAT, VALID, conv, emit, i32, only, padded, permuted, reshaped

ACTIVATIONS = {"relu": "RELU", "tanh": "TANH", "sigmoid": "LOGISTIC"}


def times(c, a, b):
    return emit(c, "MUL", [a, b], FLOAT, options="Mul")


def plus(c, a, b):
    return emit(c, "ADD", [a, b], FLOAT, options="Add")


def minus(c, a, b):
    return emit(c, "SUB", [a, b], FLOAT, options="Sub")


# ---- activations ---------------------------------------------------------------------------------------------------

def between(c, x, low, high):
    x = emit(c, "MAXIMUM", [x, FLOAT.type(low)], options="MaximumMinimum")
    return emit(c, "MINIMUM", [x, FLOAT.type(high)], options="MaximumMinimum")


def hard_sigmoid(c):
    x = times(c, only(c, c.x(), "float32"), FLOAT.type(c.attr("alpha")))
    return between(c, plus(c, x, FLOAT.type(c.attr("beta"))), 0, 1)


def softsign(c):
    x = only(c, c.x(), "float32")
    return emit(c, "DIV", [x, plus(c, emit(c, "ABS", [x], options="Abs"), FLOAT.type(1))], options="Div")


def thresholded_relu(c):
    x = only(c, c.x(), "float32")
    above = emit(c, "GREATER", [x, FLOAT.type(c.attr("alpha"))], np.dtype(bool), options="Greater")
    return emit(c, "SELECT_V2", [above, x, FLOAT.type(0)], FLOAT, options="SelectV2")


def prelu(c):
    """max(x, 0) + slope · min(x, 0), with the slope's own broadcasting"""
    x, slope = only(c, c.x(0), "float32"), c.x(1)
    if c.opset < 7 and slope.size != 1:
        slope = reshaped(c, slope, (slope.size,) + (1,) * (x.ndim - 2))
    low = emit(c, "MINIMUM", [x, FLOAT.type(0)], options="MaximumMinimum")
    return plus(c, emit(c, "RELU", [x]), times(c, low, slope))


# ---- convolutions --------------------------------------------------------------------------------------------------

def widened(c, name, one):
    """A list of one spatial axis as of two, the first of size 1."""
    values = c.attr(name)
    return None if values is None else [one, *values] if name != "pads" else [0, values[0], 0, values[1]]


def conv_line(c):
    """Over one axis: an image of one line."""
    x, w = c.x(0), c.x(1)
    line = {name: widened(c, name, 1) for name in ("kernel_shape", "strides", "dilations", "pads")}
    c.attributes = {**c.attributes, **{name: v for name, v in line.items() if v is not None}}
    c.inputs[0] = reshaped(c, x, (*x.shape[:2], 1, x.shape[2]))
    if w.data is not None:
        c.inputs[1] = w.data.reshape(*w.shape[:2], 1, w.shape[2])
    else:
        c.inputs[1] = reshaped(c, w, (*w.shape[:2], 1, w.shape[2]))
    y = conv(c)
    return reshaped(c, y, (y.shape[0], y.shape[1], y.shape[3]))


def conv_volume(c):
    x, w = only(c, c.x(0), "float32"), c.x(1)
    if c.attr("group") != 1:
        c.unsupported("groups over three axes")
    window = Window(c, x.shape[2:], c.attr("kernel_shape") or w.shape[2:])
    image = padded(c, permuted(c, x, (0, 2, 3, 4, 1)), [(0, 0)] + list(window.pads) + [(0, 0)], 0)
    bias = [c.x(2)] if c.has(2) else []
    fields = {f"stride{a}": s for a, s in zip("DHW", window.strides)}
    fields.update({f"dilation{a}Factor": d for a, d in zip("DHW", window.dilations)})
    y = emit(c, "CONV_3D", [image, permuted(c, w, (2, 3, 4, 1, 0))] + bias, options="Conv3D", padding=VALID, **fields)
    return permuted(c, y, (0, 4, 1, 2, 3))


def any_conv(c):
    return {3: conv_line, 5: conv_volume}.get(c.x().ndim, conv)(c)


# ---- einsum --------------------------------------------------------------------------------------------------------

def einsum(c):
    """Two operands: batch, own and contracted labels become the axes of one product of matrices."""
    said = c.attr("equation").replace(" ", "")
    left, arrow, out = said.partition("->")
    terms = left.split(",")
    if len(terms) != 2 or not arrow or "." in said or any(len(set(t)) != len(t) for t in terms):
        c.unsupported(f"the equation '{said}'")
    a, b = only(c, c.x(0), "float32"), c.x(1)
    size = {**dict(zip(terms[0], a.shape)), **dict(zip(terms[1], b.shape))}
    batch = [k for k in out if k in terms[0] and k in terms[1]]
    inner = [k for k in terms[0] if k in terms[1] and k not in out]
    rows, columns = ([k for k in t if k in out and k not in batch] for t in terms)
    if set(batch + inner + rows) != set(terms[0]) or set(batch + inner + columns) != set(terms[1]):
        c.unsupported("sums over one operand alone")

    def flat(x, term, groups):
        x = permuted(c, x, [term.index(k) for group in groups for k in group])
        return reshaped(c, x, [int(np.prod([size[k] for k in group], dtype=np.int64)) for group in groups])

    y = emit(c, "BATCH_MATMUL", [flat(a, terms[0], (batch, rows, inner)), flat(b, terms[1], (batch, inner, columns))],
             options="BatchMatMul")
    now = batch + rows + columns
    return permuted(c, reshaped(c, y, [size[k] for k in now]), [now.index(k) for k in out])


# ---- recurrent layers ----------------------------------------------------------------------------------------------

def dot(c, x, w):
    return emit(c, "BATCH_MATMUL", [x, w], FLOAT, options="BatchMatMul", adjY=True)


def activate(c, name, x):
    limit = c.attr("clip")
    return emit(c, ACTIVATIONS[name], [x if limit is None else between(c, x, -limit, limit)])


def one_minus(c, x):
    return minus(c, FLOAT.type(1), x)


def gate_sum(c, x, h, w, r, b):
    return plus(c, plus(c, dot(c, x, w), dot(c, h, r)), b)


def rnn_step(c, f, x, state, w, r, b, _):
    return (activate(c, f[0], gate_sum(c, x, state[0], w[0], r[0], b[0, 0] + b[1, 0])),)


def gru_step(c, f, x, state, w, r, b, _):
    (h,) = state
    z, reset = (activate(c, f[0], gate_sum(c, x, h, w[k], r[k], b[0, k] + b[1, k])) for k in (0, 1))
    if c.attr("linear_before_reset"):
        part = times(c, reset, plus(c, dot(c, h, r[2]), b[1, 2]))
    else:
        part = plus(c, dot(c, times(c, reset, h), r[2]), b[1, 2])
    new = activate(c, f[1], plus(c, plus(c, dot(c, x, w[2]), b[0, 2]), part))
    return (plus(c, times(c, one_minus(c, z), new), times(c, z, h)),)


def lstm_step(c, f, x, state, w, r, b, p):
    h, cell = state
    i, o, forget, new = (gate_sum(c, x, h, w[k], r[k], b[0, k] + b[1, k]) for k in range(4))
    peep = (lambda v, k: plus(c, v, times(c, cell, p[k]))) if p is not None else (lambda v, k: v)
    i = activate(c, f[0], peep(i, 0))
    forget = one_minus(c, i) if c.attr("input_forget") else activate(c, f[0], peep(forget, 2))
    cell = plus(c, times(c, forget, cell), times(c, i, activate(c, f[1], new)))
    o = activate(c, f[0], peep(o, 1))
    return times(c, o, activate(c, f[2], cell)), cell


def recurrent(gates, n_states, step):
    def run(c):
        default = [name.lower() for name in onnx_defaults.ACTIVATIONS[c.op]]
        x, w, r = only(c, c.x(0), "float32"), c.known(1), c.known(2)
        dirs, hidden, (time, batch) = w.shape[0], r.shape[2], x.shape[:2]
        if c.attr("layout") or (c.has(4) and np.any(c.known(4) != time)) or c.attr("activation_alpha"):
            c.unsupported("layout, lengths of sequences, and parameters of activations")
        names = [n.decode().lower() for n in c.attributes.get("activations") or []] or default * dirs
        if len(names) != len(default) * dirs or any(n not in ACTIVATIONS for n in names):
            c.unsupported(f"activations {names}")
        if not time or dirs != (2 if c.attr("direction") == "bidirectional" else 1):
            raise Rejected(f"{c.op}: weights {w.shape} for this direction")
        b = c.known(3).reshape(dirs, 2, gates, hidden) if c.has(3) else np.zeros((dirs, 2, gates, hidden), np.float32)
        peep = c.known(7).reshape(dirs, 3, hidden) if c.has(7) else [None] * dirs
        steps = [reshaped(c, part, (batch, x.shape[2])) for part in parts(c, x, 0)]
        starts = [parts(c, c.x(5 + i), 0) if c.has(5 + i) else None for i in range(n_states)]
        ends, all_h = [], []
        for d in range(dirs):
            state = [np.zeros((batch, hidden), np.float32) if s is None else reshaped(c, s[d], (batch, hidden))
                     for s in starts]
            weights = w[d].reshape(gates, hidden, -1), r[d].reshape(gates, hidden, hidden), b[d], peep[d]
            back = c.attr("direction") == "reverse" or d == 1
            hs = [None] * time
            for t in range(time - 1, -1, -1) if back else range(time):
                state = step(c, names[d * len(default):], steps[t], [handle(c, s) for s in state], *weights)
                hs[t] = reshaped(c, state[0], (1, 1, batch, hidden))
            all_h.append(joined(c, hs, 0))
            ends.append([reshaped(c, s, (1, batch, hidden)) for s in state])
        return (joined(c, all_h, 1), *(joined(c, list(s), 0) for s in zip(*ends)))
    return run


def handle(c, value):
    return c.session.library.builder.constant(value) if isinstance(value, np.ndarray) else value


def parts(c, x, axis):
    n = x.shape[axis]
    if n == 1:
        return [x]
    return emit(c, "SPLIT", [i32(axis), x], x.dtype, options="Split", numSplits=n, outputs=n)


def joined(c, values, axis):
    if len(values) == 1:
        return values[0]
    return emit(c, "CONCATENATION", values, options="Concatenation", axis=axis)


TABLE = {
    "Conv": any_conv, "Einsum": einsum, "HardSigmoid": hard_sigmoid, "Softsign": softsign, "PRelu": prelu,
    "ThresholdedRelu": thresholded_relu, "RNN": recurrent(1, 1, rnn_step),
    "GRU": recurrent(3, 1, gru_step),
    "LSTM": recurrent(4, 2, lstm_step),
}
