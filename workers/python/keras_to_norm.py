"""Keras layers as ONNX nodes: normalizations; TABLE has a row for each class."""

import numpy as np

from keras_layer import FLOAT, Row, perm_to_first, perm_to_last
from keras_to_math import length_one


def batch_normalization(c):
    """With the mean and the variance that were learned."""
    x = c.x()
    axis, n = c.axis(c.get("axis", -1), x.rank), c.get("scale", True) + c.get("center", True)
    found = c.take(n + 2)
    mean, variance = found[n:]
    gamma = found[0] if c.get("scale", True) else np.ones_like(mean)
    beta = found[n - 1] if c.get("center", True) else np.zeros_like(mean)
    if mean.ndim != 1 or x.shape[axis] not in (None, mean.size) or len({w.shape for w in (*found, mean)}) != 1:
        c.fail(f"weights of shape {mean.shape} for an input of shape {x.shape}")
    weights = [c.constant(w, name) for w, name in
               ((gamma, "gamma"), (beta, "beta"), (mean, "mean"), (variance, "variance"))]
    there, back = None, None
    if axis == x.rank - 1 and x.rank > 2:
        there, back = perm_to_first(x.rank), perm_to_last(x.rank)
    elif axis != 1:
        c.fail(f"axis {axis} of rank {x.rank} is not supported")
    inner = c.transpose(x, there) if there else x
    y = c.same("BatchNormalization", inner, *weights, epsilon=float(c.get("epsilon", 1e-3)))
    return c.transpose(y, back) if back else y


def deviation(c, x, axes):
    """x less its mean, and √(variance + epsilon)."""
    rest = c.same("Sub", x, c.reduce("ReduceMean", x, axes))
    return rest, root_of_mean_square(c, rest, axes, c.get("epsilon", 1e-3))


def root_of_mean_square(c, x, axes, epsilon):
    square = c.reduce("ReduceMean", c.same("Mul", x, x), axes)
    return c.same("Sqrt", c.same("Add", square, c.constant(epsilon)))


def layer_normalization(c):
    x = c.x()
    axes = c.axes(c.get("axis", -1), x.rank)
    rms, scale = c.get("rms_scaling", False), c.get("scale", True) or c.get("rms_scaling", False)
    center = c.get("center", True) and not rms
    found = c.take(scale + center)
    shape = [c.known(x, a) for a in axes]
    gamma = found[0] if scale else np.ones(shape, FLOAT)
    beta = found[-1] if center else None
    if any(w.size != np.prod(shape) for w in found):
        c.fail(f"weights do not fit axes {axes} of an input of shape {x.shape}")
    if rms:
        c.fail("rms_scaling is not supported")
    if axes == list(range(axes[0], x.rank)):
        weights = [c.constant(gamma.reshape(shape), "gamma")] + ([c.constant(beta.reshape(shape), "beta")]
                                                               if center else [])
        return c.same("LayerNormalization", x, *weights, axis=axes[0], epsilon=float(c.get("epsilon", 1e-3)))
    rest, root = deviation(c, x, axes)
    full = [d if i in axes else 1 for i, d in enumerate(x.shape)]
    y = c.same("Mul", c.same("Div", rest, root), c.constant(gamma.reshape(full), "gamma"))
    return c.same("Add", y, c.constant(beta.reshape(full), "beta")) if center else y


def rms_normalization(c):
    x = c.x()
    axes = c.axes(c.get("axis", -1), x.rank)
    (scale,) = c.take(1)
    full = [c.known(x, i) if i in axes else 1 for i in range(x.rank)]
    y = c.same("Div", x, root_of_mean_square(c, x, axes, c.get("epsilon", 1e-6)))
    return c.same("Mul", y, c.constant(scale.reshape(full), "scale"))


def group_normalization(c):
    """Channels fall into groups, each of which is normalized with all places of an item."""
    x = c.x()
    axis = c.axis(c.get("axis", -1), x.rank)
    channels, groups = c.known(x, axis), c.get("groups", 32)
    groups = channels if groups == -1 else groups
    if axis == 0 or groups < 1 or channels % groups:
        c.fail(f"{channels} channels in {groups} groups")
    split = x.shape[:axis] + (groups, channels // groups) + x.shape[axis + 1:]
    rest, root = deviation(c, c.reshape(x, split), [i for i in range(1, x.rank + 1) if i != axis])
    y = c.reshape(c.same("Div", rest, root), x.shape)
    scale, center = c.get("scale", True), c.get("center", True)
    found = c.take(scale + center)
    full = [channels if i == axis else 1 for i in range(x.rank)]
    if scale:
        y = c.same("Mul", y, c.constant(found[0].reshape(full), "gamma"))
    return c.same("Add", y, c.constant(found[-1].reshape(full), "beta")) if center else y


def unit_normalization(c):
    x = c.x()
    return length_one(c, x, c.axes(c.get("axis", -1), x.rank))


TABLE = {
    "BatchNormalization": Row(batch_normalization), "LayerNormalization": Row(layer_normalization),
    "RMSNormalization": Row(rms_normalization), "GroupNormalization": Row(group_normalization),
    "UnitNormalization": Row(unit_normalization),
}
