"""ONNX's RNN, GRU and LSTM for libraries of arrays: bindings made from a library's own functions.

Each step is written with matrix products and activations of the library; the walk over time is Python's, so that
sequences of different lengths are exact.  Shapes: X (time, batch, in), W (directions, gates · hidden, in), R
(directions, gates · hidden, hidden), B (directions, 2 · gates · hidden), states (directions, batch, hidden).

A library is an object m with relu, tanh, sigmoid, softsign, softplus and elu(x, alpha), clip(x, low, high),
where(condition, a, b), dot(a, b) = a bᵀ, split(x, n, axis), stack(list, axis), swapaxes(x, i, j), transpose(x, axes),
zeros(shape, dtype) and shape(x).
"""

import onnx_defaults
from worker_types import Rejected

# activation, in small letters -> function of x, alpha and beta
ACTIVATIONS = {
    "relu": lambda m, x, a, b: m.relu(x),
    "tanh": lambda m, x, a, b: m.tanh(x),
    "sigmoid": lambda m, x, a, b: m.sigmoid(x),
    "affine": lambda m, x, a, b: a * x + b,
    "leakyrelu": lambda m, x, a, b: m.where(x >= 0, x, a * x),
    "thresholdedrelu": lambda m, x, a, b: m.where(x >= a, x, 0 * x),  # the operator alone has >
    "scaledtanh": lambda m, x, a, b: a * m.tanh(b * x),
    "hardsigmoid": lambda m, x, a, b: m.clip(a * x + b, 0, 1),
    "elu": lambda m, x, a, b: m.elu(x, a),
    "softsign": lambda m, x, a, b: m.softsign(x),
    "softplus": lambda m, x, a, b: m.softplus(x),
}
PARAMETERS = {name.lower(): usual for name, usual in onnx_defaults.PARAMETERS.items()}


def activations(m, c, directions):
    """Functions for each direction; alphas and betas are taken in turn by those activations that have one."""
    default = onnx_defaults.ACTIVATIONS[c.op]
    names = [n.decode() for n in c.attributes.get("activations") or []] or default * directions
    if len(names) != len(default) * directions:
        raise Rejected(f"{c.op}: {len(names)} activations")
    alphas, betas = list(c.attr("activation_alpha") or []), list(c.attr("activation_beta") or [])
    found = []
    for name in (n.lower() for n in names):
        if name not in ACTIVATIONS:
            c.unsupported(f"activation '{name}'")
        fn, (a, b) = ACTIVATIONS[name], PARAMETERS[name]
        a = alphas.pop(0) if a is not None and alphas else a
        b = betas.pop(0) if b is not None and betas else b
        found.append(lambda x, fn=fn, a=a, b=b: fn(m, limit(m, c, x), a, b))
    each = len(default)
    return [found[i * each:(i + 1) * each] for i in range(directions)]


def limit(m, c, x):
    threshold = c.attr("clip")
    return x if threshold is None else m.clip(x, -threshold, threshold)


def rnn_step(m, c, f, x, state, w, r, b, p):
    (h,) = state
    (activate,) = f
    wb, rb = m.split(b, 2, 0)
    return (activate(m.dot(x, w) + m.dot(h, r) + wb + rb),)


def gru_step(m, c, f, x, state, w, r, b, p):
    (h,) = state
    gate, hidden = f
    (wz, wr, wh), (rz, rr, rh) = m.split(w, 3, 0), m.split(r, 3, 0)
    wbz, wbr, wbh, rbz, rbr, rbh = m.split(b, 6, 0)
    z = gate(m.dot(x, wz) + m.dot(h, rz) + wbz + rbz)
    reset = gate(m.dot(x, wr) + m.dot(h, rr) + wbr + rbr)
    if c.attr("linear_before_reset"):
        new = hidden(m.dot(x, wh) + reset * (m.dot(h, rh) + rbh) + wbh)
    else:
        new = hidden(m.dot(x, wh) + m.dot(reset * h, rh) + rbh + wbh)
    return ((1 - z) * new + z * h,)


def lstm_step(m, c, f, x, state, w, r, b, p):
    h, cell = state
    gate, candidate, hidden = f
    wb, rb = m.split(b, 2, 0)
    i, o, forget, new = m.split(m.dot(x, w) + m.dot(h, r) + wb + rb, 4, 1)
    pi, po, pf = m.split(p, 3, 0)
    i = gate(i + pi * cell)
    forget = 1 - i if c.attr("input_forget") else gate(forget + pf * cell)
    cell = forget * cell + i * candidate(new)
    o = gate(o + po * cell)
    return o * hidden(cell), cell


def direction(m, c, step, f, x, lengths, state, weights, back):
    """All hidden states (time, batch, hidden) and the last state of one direction."""
    time = m.shape(x)[0]
    hs = [None] * time
    for t in range(time - 1, -1, -1) if back else range(time):
        new = step(m, c, f, x[t], state, *weights)
        if lengths is None:
            state, hs[t] = new, new[0]
        else:
            alive = (t < lengths)[:, None]
            state = tuple(m.where(alive, n, s) for n, s in zip(new, state))
            hs[t] = m.where(alive, new[0], 0 * new[0])
    return m.stack(hs, 0), state


def recurrent(m, gates, n_states, step):
    def run(c):
        x, w, r = c.x(0), c.x(1), c.x(2)
        batch_first = c.attr("layout")
        x = m.swapaxes(x, 0, 1) if batch_first else x
        name = c.attr("direction")
        directions, hidden, batch = m.shape(w)[0], m.shape(r)[2], m.shape(x)[1]
        if not m.shape(x)[0] or directions != (2 if name == "bidirectional" else 1):
            raise Rejected(f"{c.op}: direction '{name}', weights {m.shape(w)}, input {m.shape(x)}")
        b = c.opt(3, m.zeros((directions, 2 * gates * hidden), x.dtype))
        peep = c.opt(7, m.zeros((directions, 3 * hidden), x.dtype)) if n_states == 2 else [None] * directions
        lengths = c.opt(4)
        states = [c.opt(5 + i, None) for i in range(n_states)]
        states = [m.zeros((directions, batch, hidden), x.dtype) if s is None else
                  m.swapaxes(s, 0, 1) if batch_first else s for s in states]
        results = [direction(m, c, step, f, x, lengths, tuple(s[d] for s in states), (w[d], r[d], b[d], peep[d]),
                             back=name == "reverse" or d == 1)
                   for d, f in enumerate(activations(m, c, directions))]
        y = m.stack([hs for hs, _ in results], 1)
        last = [m.stack([state[i] for _, state in results], 0) for i in range(n_states)]
        if batch_first:
            y, last = m.transpose(y, (2, 0, 1, 3)), [m.swapaxes(s, 0, 1) for s in last]
        return (y, *last)
    return run


def table(m):
    """The bindings of a library."""
    return {
        "RNN": recurrent(m, 1, 1, rnn_step),
        "GRU": recurrent(m, 3, 1, gru_step),
        "LSTM": recurrent(m, 4, 2, lstm_step),
    }
