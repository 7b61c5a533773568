"""How far the gradients of MXNet's RNN operation are from differences of its own results."""

import numpy as np

from library import mx


def deviation(mode, layers, steps=2, epsilon=1e-6):
    """A call that gives the largest deviation of the gradient by the parameters, in float64."""
    def call():
        mx.npx.reset_np()
        draw = np.random.RandomState(0)
        gates = {"lstm": 4, "gru": 3, "rnn_tanh": 1}[mode]
        parameters = draw.randn(gates * layers * 4)  # one unit: two weights and two biases for each gate
        x, state = draw.randn(steps, 1, 1), np.zeros((layers, 1, 1))

        def total(given):
            return mx.nd.RNN(*given, state_size=1, num_layers=layers, mode=mode).sum()

        def arrays(p):
            return [mx.nd.array(v, dtype="float64") for v in [x, p, state] + [state] * (mode == "lstm")]

        given = arrays(parameters)
        for a in given[:2]:  # without one for x the others are memory that was not set
            a.attach_grad()
        with mx.autograd.record():
            y = total(given)
        y.backward()
        want = np.zeros(parameters.size)
        for i in range(parameters.size):
            step = np.zeros(parameters.size)
            step[i] = epsilon
            want[i] = (total(arrays(parameters + step)) - total(arrays(parameters - step))).asscalar() / (2 * epsilon)
        return np.abs(given[1].grad.asnumpy() - want).max()
    return call
