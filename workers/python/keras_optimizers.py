"""ONNX's steps of optimizers (ai.onnx.preview.training) by keras.optimizers.

TABLE maps an operator to a function of one Call.  A step is that of an optimizer with one variable, which is built,
given its states, and applied; its call stands in a record under the name of the class, with tensors in place of
variables:

    v4 = op("keras.optimizers.SGD", v0, v1, v2, learning_rate=0.01, momentum=0.9, nesterov=False, iterations=0)

and gives the new variable and the new states.  Keras keeps its rate as float32: other types are not taken.  Adagrad is
not bound: Keras adds epsilon within the root, ONNX beside it.
"""

import keras

import record
from keras_calls import dtype_of, ops
from keras_math import number


def step_of(name):
    """One step of keras.optimizers.NAME for one variable."""
    def step(x, gradient, *states, iterations, **options):
        variable = keras.Variable(x)
        optimizer = getattr(keras.optimizers, name)(**options)
        optimizer.build([variable])
        optimizer.iterations.assign(iterations)
        slots = optimizer.variables[2:]  # behind the count and the rate
        for slot, state in zip(slots, states, strict=True):
            slot.assign(state)
        optimizer.apply([gradient], [variable])
        return [variable.value, *(slot.value for slot in slots)]

    def run(*tensors, **options):
        if record.active:
            return record.active.call(f"keras.optimizers.{name}", step, tensors, options)
        return step(*tensors, **options)
    return run


SGD, ADAM = step_of("SGD"), step_of("Adam")


class Step:
    """What the operators have in common: tensors as groups, and the numbers."""

    def __init__(self, c, states):
        tensors = [c.x(i) for i in range(2, len(c.inputs))]
        if len(tensors) % (2 + states) or any(dtype_of(x).name != "float32" for x in tensors):
            c.unsupported("Keras keeps the rate as float32")
        n = len(tensors) // (2 + states)
        self.groups = [tensors[i::n] for i in range(n)]
        self.rate, self.count = float(c.known(0).reshape(())), int(c.known(1).reshape(()))
        if self.rate < 0 or self.count < 0:
            c.unsupported("no optimizer has a negative rate or count of steps")
        norm = c.attr("norm_coefficient")
        for group in self.groups if norm else []:  # weight_decay of Keras is another term
            group[1] = ops.add(group[1], ops.multiply(group[0], number(norm, group[0])))


def by_kind(groups):
    """All new tensors, then all states of each kind."""
    return tuple(value for kind in zip(*groups) for value in kind)


def momentum(c):
    """Keras's state is m = momentum * m - rate * g, which is -rate times that of ONNX."""
    s, alpha = Step(c, 1), c.attr("alpha")
    if s.count > 0 and c.attr("beta") != 1:
        c.unsupported("Keras's momentum has no factor beta of the gradient")
    if not 0 <= alpha <= 1:
        c.unsupported("Keras's momentum is between 0 and 1")
    if alpha and not s.rate:
        c.unsupported("Keras's momentum has the rate as a factor, which is 0")
    options = {"learning_rate": s.rate, "momentum": alpha, "nesterov": c.attr("mode") == "nesterov",
               "iterations": s.count}
    made = []
    for x, g, state in s.groups:
        if alpha:
            x, m = SGD(x, g, ops.multiply(state, number(-s.rate, x)), **options)
            made.append((x, ops.divide(m, number(-s.rate, x))))
        else:  # no state: here it is the gradient that was taken
            made.append((SGD(x, g, **options)[0], g))
    return by_kind(made)


def adam(c):
    """As ONNX has it: Keras's epsilon is the one beside √v, "epsilon hat"."""
    s, post = Step(c, 2), c.attr("norm_coefficient_post")
    if s.count < 1:
        c.unsupported("Keras's Adam always corrects the rate, ONNX not where T is 0")
    options = {"learning_rate": s.rate, "beta_1": c.attr("alpha"), "beta_2": c.attr("beta"),
               "epsilon": c.attr("epsilon"), "iterations": s.count - 1}
    made = []
    for group in s.groups:
        x, m, v = ADAM(*group, **options)
        made.append((ops.multiply(x, number(1 - post, x)) if post else x, m, v))
    return by_kind(made)


TABLE = {"ai.onnx.preview.training:Momentum": momentum, "ai.onnx.preview.training:Adam": adam}
