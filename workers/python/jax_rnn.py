"""ONNX operators in JAX: RNN, GRU and LSTM.

Each step is written with matrix products and activations of JAX; the walk over time is Python's, so that sequences of
different lengths are exact.  Shapes: X (time, batch, in), W (directions, gates · hidden, in), R (directions,
gates · hidden, hidden), B (directions, 2 · gates · hidden), states (directions, batch, hidden).
"""

import jax
import jax.numpy as jnp
from jax import lax

from assay_worker import Rejected

# activation -> (default alpha, default beta, function)
ACTIVATIONS = {
    "relu": (0, 0, lambda x, a, b: jax.nn.relu(x)),
    "tanh": (0, 0, lambda x, a, b: jnp.tanh(x)),
    "sigmoid": (0, 0, lambda x, a, b: jax.nn.sigmoid(x)),
    "affine": (1.0, 0.0, lambda x, a, b: a * x + b),
    "leakyrelu": (0.01, 0, lambda x, a, b: jax.nn.leaky_relu(x, a)),
    "thresholdedrelu": (1.0, 0, lambda x, a, b: jnp.where(x > a, x, jnp.zeros_like(x))),
    "scaledtanh": (1.0, 1.0, lambda x, a, b: a * jnp.tanh(b * x)),
    "hardsigmoid": (0.2, 0.5, lambda x, a, b: jnp.clip(a * x + b, 0, 1)),
    "elu": (1.0, 0, lambda x, a, b: jax.nn.elu(x, a)),
    "softsign": (0, 0, lambda x, a, b: jax.nn.soft_sign(x)),
    "softplus": (0, 0, lambda x, a, b: jax.nn.softplus(x)),
}
HAS_ALPHA = ("affine", "leakyrelu", "thresholdedrelu", "scaledtanh", "hardsigmoid", "elu")
HAS_BETA = ("affine", "scaledtanh", "hardsigmoid")


def activations(c, default, directions):
    """Functions for each direction; alphas and betas are taken in turn by those activations that have one."""
    names = [n.decode() for n in c.attributes.get("activations") or []] or list(default) * directions
    if len(names) != len(default) * directions:
        raise Rejected(f"{c.op}: {len(names)} activations")
    alphas, betas = list(c.attr("activation_alpha") or []), list(c.attr("activation_beta") or [])
    found = []
    for name in (n.lower() for n in names):
        if name not in ACTIVATIONS:
            c.unsupported(f"activation '{name}'")
        a, b, fn = ACTIVATIONS[name]
        a = alphas.pop(0) if name in HAS_ALPHA and alphas else a
        b = betas.pop(0) if name in HAS_BETA and betas else b
        found.append(lambda x, fn=fn, a=a, b=b: fn(limit(c, x), a, b))
    each = len(default)
    return [found[i * each:(i + 1) * each] for i in range(directions)]


def limit(c, x):
    threshold = c.attr("clip")
    return x if threshold is None else jnp.clip(x, -threshold, threshold)


def dot(a, b):
    return jnp.matmul(a, b.T, precision=lax.Precision.HIGHEST)


def rnn_step(c, f, x, state, w, r, b, p):
    (h,) = state
    (activate,) = f
    wb, rb = jnp.split(b, 2)
    return (activate(dot(x, w) + dot(h, r) + wb + rb),)


def gru_step(c, f, x, state, w, r, b, p):
    (h,) = state
    gate, hidden = f
    (wz, wr, wh), (rz, rr, rh) = jnp.split(w, 3), jnp.split(r, 3)
    wbz, wbr, wbh, rbz, rbr, rbh = jnp.split(b, 6)
    z = gate(dot(x, wz) + dot(h, rz) + wbz + rbz)
    reset = gate(dot(x, wr) + dot(h, rr) + wbr + rbr)
    if c.attr("linear_before_reset", 0):
        new = hidden(dot(x, wh) + reset * (dot(h, rh) + rbh) + wbh)
    else:
        new = hidden(dot(x, wh) + dot(reset * h, rh) + rbh + wbh)
    return ((1 - z) * new + z * h,)


def lstm_step(c, f, x, state, w, r, b, p):
    h, cell = state
    gate, candidate, hidden = f
    wb, rb = jnp.split(b, 2)
    i, o, forget, new = jnp.split(dot(x, w) + dot(h, r) + wb + rb, 4, axis=1)
    pi, po, pf = jnp.split(p, 3)
    i = gate(i + pi * cell)
    forget = 1 - i if c.attr("input_forget", 0) else gate(forget + pf * cell)
    cell = forget * cell + i * candidate(new)
    o = gate(o + po * cell)
    return o * hidden(cell), cell


def direction(c, step, f, x, lengths, state, weights, back):
    """All hidden states (time, batch, hidden) and the last state of one direction."""
    time = x.shape[0]
    hs = [None] * time
    for t in range(time - 1, -1, -1) if back else range(time):
        new = step(c, f, x[t], state, *weights)
        if lengths is None:
            state, hs[t] = new, new[0]
        else:
            alive = (t < lengths)[:, None]
            state = tuple(jnp.where(alive, n, s) for n, s in zip(new, state))
            hs[t] = jnp.where(alive, new[0], jnp.zeros_like(new[0]))
    return jnp.stack(hs) if hs else None, state


def recurrent(gates, default, n_states, step):
    def run(c):
        x, w, r = c.x(0), c.x(1), c.x(2)
        batch_first = c.attr("layout", 0)
        x = jnp.swapaxes(x, 0, 1) if batch_first else x
        name = c.attr("direction", "forward")
        directions, hidden, batch = w.shape[0], r.shape[2], x.shape[1]
        if not x.shape[0] or directions != (2 if name == "bidirectional" else 1):
            raise Rejected(f"{c.op}: direction '{name}', weights {w.shape}, input {x.shape}")
        b = c.opt(3, jnp.zeros((directions, 2 * gates * hidden), x.dtype))
        peep = c.opt(7, jnp.zeros((directions, 3 * hidden), x.dtype)) if n_states == 2 else [None] * directions
        lengths = c.opt(4)
        states = [c.opt(5 + i, None) for i in range(n_states)]
        states = [jnp.zeros((directions, batch, hidden), x.dtype) if s is None else
                  jnp.swapaxes(s, 0, 1) if batch_first else s for s in states]
        results = [direction(c, step, f, x, lengths, tuple(s[d] for s in states), (w[d], r[d], b[d], peep[d]),
                             back=name == "reverse" or d == 1)
                   for d, f in enumerate(activations(c, default, directions))]
        y = jnp.stack([hs for hs, _ in results], axis=1)
        last = [jnp.stack([state[i] for _, state in results]) for i in range(n_states)]
        if batch_first:
            y, last = jnp.transpose(y, (2, 0, 1, 3)), [jnp.swapaxes(s, 0, 1) for s in last]
        return (y, *last)
    return run


TABLE = {
    "RNN": recurrent(1, ("Tanh",), 1, rnn_step),
    "GRU": recurrent(3, ("Sigmoid", "Tanh"), 1, gru_step),
    "LSTM": recurrent(4, ("Sigmoid", "Tanh", "Tanh"), 2, lstm_step),
}
