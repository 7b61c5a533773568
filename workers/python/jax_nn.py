"""ONNX operators in JAX: convolutions, poolings, normalizations, losses, resizing.

TABLE maps an operator to a function of one Call (onnx_graph.py).  Layouts are the same: NCHW and OIHW are JAX's own
defaults for any number of spatial axes.
"""

import itertools
import math

import numpy as np

from jax_calls import jax, jnp, lax
from jax_math import highest, is_float, lowest, need_float
from onnx_graph import Window, axes_of, axis_of, same_shape_list
from worker_types import Rejected

# ---- convolutions --------------------------------------------------------------------------------------------------


def with_bias(y, bias):
    return y if bias is None else y + bias.reshape((-1,) + (1,) * (y.ndim - 2))


def conv_of(c, x, w):
    window = Window(c, x.shape[2:], c.attr("kernel_shape") or w.shape[2:])
    if tuple(window.kernel) != tuple(w.shape[2:]):
        raise Rejected(f"{c.op}: kernel_shape {window.kernel}, but weights {w.shape}")
    return lax.conv_general_dilated(x, w, window.strides, window.pads, rhs_dilation=window.dilations,
                                    feature_group_count=c.attr("group"))


def conv(c):
    return with_bias(conv_of(c, c.x(0), c.x(1)), c.opt(2))


def conv_integer(c):
    x, w = c.x(0).astype(jnp.int32), c.x(1).astype(jnp.int32)
    x = x - c.x(2).astype(jnp.int32) if c.has(2) else x
    if c.has(3):
        zero = c.x(3).astype(jnp.int32)
        w = w - (zero.reshape((-1,) + (1,) * (w.ndim - 1)) if zero.size > 1 else zero.reshape(()))
    return conv_of(c, x, w)


def transposed_pads(c, spatial, reach, strides, extra):
    """Pads of a transposed convolution: given, or made so that the output has a wanted shape."""
    n, auto = len(spatial), c.attr("auto_pad")
    wanted = c.attr("output_shape")
    if wanted is None and auto in ("SAME_UPPER", "SAME_LOWER"):
        wanted = [size * s for size, s in zip(spatial, strides)]
    if wanted is None:
        flat = [0] * (2 * n) if auto == "VALID" else \
            same_shape_list(c.each("pads", 2 * n), 2 * n, f"{c.op}: pads")
        return list(zip(flat[:n], flat[n:]))
    pads = []
    for size, s, r, e, out in zip(spatial, strides, reach, extra, wanted[-n:]):
        total = s * (size - 1) + e + r - out
        if total < 0:
            c.unsupported("an output_shape larger than the convolution's own")
        pads.append((total // 2, total - total // 2) if auto == "SAME_UPPER" else (total - total // 2, total // 2))
    return pads


def conv_transpose(c):
    """x spread out by the strides, convolved with the weights, flipped and with inputs and outputs exchanged."""
    x, w = c.x(0), c.x(1)
    n, groups = x.ndim - 2, c.attr("group")
    strides, dilations, extra = (same_shape_list(c.each(name, n), n, f"{c.op}: {name}")
                                 for name in ("strides", "dilations", "output_padding"))
    reach = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], dilations)]
    pads = transposed_pads(c, x.shape[2:], reach, strides, extra)
    w = w.reshape((groups, w.shape[0] // groups) + w.shape[1:])
    w = jnp.swapaxes(w, 1, 2).reshape((-1, w.shape[1]) + w.shape[3:])
    w = jnp.flip(w, tuple(range(2, 2 + n)))
    padding = [(r - 1 - before, r - 1 - after + e) for r, (before, after), e in zip(reach, pads, extra)]
    y = lax.conv_general_dilated(x, w, (1,) * n, padding, lhs_dilation=strides, rhs_dilation=dilations,
                                 feature_group_count=groups)
    return with_bias(y, c.opt(2))


# ---- poolings ------------------------------------------------------------------------------------------------------

def pool_window(c, x):
    return Window(c, x.shape[2:], c.attr("kernel_shape"))


def reduce_windows(x, window, start, combine):
    ones = (1, 1)
    padding = [(0, 0), (0, 0)] + [(a, b + e) for (a, b), e in zip(window.pads, window.extra)]
    y = lax.reduce_window(x, np.asarray(start, x.dtype), combine, ones + tuple(window.kernel),
                          ones + tuple(window.strides), padding, window_dilation=ones + tuple(window.dilations))
    return y[(slice(None), slice(None)) + tuple(slice(0, n) for n in window.out)]


def max_pool(c):
    x = c.x()
    window = pool_window(c, x)
    y = reduce_windows(x, window, lowest(x), lax.max)
    return (y, max_indices(c, x, window)) if c.wants(1) else y


def max_indices(c, x, window):
    """Where each window has its (first) largest element: positions in the whole input, counted by storage_order."""
    spatial = x.shape[2:]
    places = []
    for size, (before, _), k, s, d, out in zip(spatial, window.pads, window.kernel, window.strides, window.dilations,
                                               window.out):
        places.append(np.arange(out)[:, None] * s - before + np.arange(k)[None, :] * d)
    best = best_at = None
    for offset in itertools.product(*[range(k) for k in window.kernel]):
        at = np.meshgrid(*[p[:, o] for p, o in zip(places, offset)], indexing="ij")
        valid = np.logical_and.reduce([(a >= 0) & (a < n) for a, n in zip(at, spatial)])
        at = tuple(np.clip(a, 0, n - 1) for a, n in zip(at, spatial))
        value = jnp.where(valid, x[(slice(None), slice(None)) + at], np.asarray(lowest(x), x.dtype))
        order = at if not c.attr("storage_order") else at[::-1]
        place = np.broadcast_to(np.ravel_multi_index(order, spatial if order is at else spatial[::-1]), value.shape)
        if best is None:
            best, best_at = value, jnp.asarray(np.where(valid, place, -1))
        else:
            better = valid & ((value > best) | (best_at < 0))
            best, best_at = jnp.where(better, value, best), jnp.where(better, place, best_at)
    planes = np.arange(x.shape[0] * x.shape[1]).reshape(x.shape[:2] + (1,) * len(spatial))
    return (best_at + planes * int(np.prod(spatial))).astype(jnp.int64)


def average_pool(c):
    x = need_float(c, c.x())
    window = pool_window(c, x)
    counts = window.counts(x.shape[2:], bool(c.attr("count_include_pad")))
    return reduce_windows(x, window, 0, lax.add) / counts.astype(x.dtype)


def lp_pool(c):
    x, p = c.x(), c.attr("p")
    if c.opset < 2:
        c.unsupported("opset 1")
    powers = reduce_windows(jnp.abs(x) ** p, pool_window(c, x), 0, lax.add)
    return powers ** (1.0 / p)


def all_spatial(fn):
    return lambda c: fn(c.x(), axis=tuple(range(2, c.x().ndim)), keepdims=True)


def global_lp_pool(c):
    x, p = c.x(), c.attr("p")
    return jnp.sum(jnp.abs(x) ** p, axis=tuple(range(2, x.ndim)), keepdims=True) ** (1.0 / p)


# ---- normalizations ------------------------------------------------------------------------------------------------

def by_channel(v, x):
    return v.reshape((-1,) + (1,) * (x.ndim - 2))


def batch_norm(c):
    x, scale, bias, mean, var = (c.x(i) for i in range(5))
    eps = c.attr("epsilon")
    if c.opset < 9 and not c.attr("spatial"):
        c.unsupported("spatial=0")
    if c.opset < 7 and not c.attr("is_test"):
        c.unsupported("training in opsets before 7")
    training = c.opset >= 14 and c.attr("training_mode")
    if not training and any(c.wants(i) for i in range(1, c.n_out)):
        c.unsupported("training in opsets before 14")
    running = ()
    if training:
        axes = (0,) + tuple(range(2, x.ndim))
        now_mean, now_var = jnp.mean(x, axes, dtype=mean.dtype), jnp.var(x.astype(var.dtype), axes)
        m = c.attr("momentum")
        running = (mean * m + now_mean * (1 - m), var * m + now_var * (1 - m))
        mean, var = now_mean, now_var
    y = (x - by_channel(mean, x)) / jnp.sqrt(by_channel(var, x) + eps) * by_channel(scale, x) + by_channel(bias, x)
    return (y.astype(x.dtype),) + running


def normalized(x, axes, eps):
    mean = jnp.mean(x, axes, keepdims=True)
    inverse = 1 / jnp.sqrt(jnp.var(x, axes, keepdims=True) + eps)
    return (x - mean) * inverse, mean, inverse


def instance_norm(c):
    x, scale, bias = c.x(0), c.x(1), c.x(2)
    y, _, _ = normalized(x, tuple(range(2, x.ndim)), c.attr("epsilon"))
    return y * by_channel(scale, x) + by_channel(bias, x)


def stash(c, x):
    """x in the type that statistics are computed in."""
    if c.attr("stash_type") != 1:
        c.unsupported("a stash_type other than float32")
    return x.astype(jnp.float32) if x.dtype.itemsize < 4 else x


def layer_norm(c):
    x = c.x(0)
    axis = axis_of(c.attr("axis"), x.ndim, c.op)
    y, mean, inverse = normalized(stash(c, x), tuple(range(axis, x.ndim)), c.attr("epsilon"))
    y = y.astype(x.dtype) * c.x(1)
    y = y + c.x(2) if c.has(2) else y
    return y, mean.astype(jnp.float32), inverse.astype(jnp.float32)


def rms_norm(c):
    x = c.x(0)
    axes = tuple(range(axis_of(c.attr("axis"), x.ndim, c.op), x.ndim))
    wide = stash(c, x)
    y = wide / jnp.sqrt(jnp.mean(wide * wide, axes, keepdims=True) + c.attr("epsilon"))
    return y.astype(x.dtype) * c.x(1)


def group_norm(c):
    x, scale, bias, groups = c.x(0), c.x(1), c.x(2), c.attr("num_groups")
    parts = (stash(c, x) if c.opset >= 21 else x).reshape(x.shape[0], groups, math.prod(x.shape[1:]) // groups)
    y, _, _ = normalized(parts, (2,), c.attr("epsilon"))
    y = y.astype(x.dtype)
    if c.opset < 21:  # one scale for each group
        return (y * scale[:, None] + bias[:, None]).reshape(x.shape)
    return y.reshape(x.shape) * by_channel(scale, x) + by_channel(bias, x)


def mean_variance_norm(c):
    x = c.x()
    axes = tuple(axes_of(c.attr("axes"), x.ndim, c.op))
    mean = jnp.mean(x, axes, keepdims=True)
    deviation = jnp.sqrt(jnp.mean((x - mean) ** 2, axes, keepdims=True))
    return (x - mean) / (deviation + 1e-9)


def lp_norm(c):
    x, p = c.x(), c.attr("p")
    axis = axis_of(c.attr("axis"), x.ndim, c.op)
    if p == 1:
        size = jnp.sum(jnp.abs(x), axis, keepdims=True)
    elif p == 2:
        size = jnp.sqrt(jnp.sum(x * x, axis, keepdims=True))
    else:
        raise Rejected(f"{c.op}: p is {p}")
    return jnp.where(size == 0, jnp.zeros_like(x), x / jnp.where(size == 0, jnp.ones_like(size), size))


def lrn(c):
    x, size = c.x(), c.attr("size")
    before, after = (size - 1) // 2, size - 1 - (size - 1) // 2
    dims = [1] * x.ndim
    dims[1] = size
    padding = [(0, 0)] * x.ndim
    padding[1] = (before, after)
    squares = lax.reduce_window(x * x, np.asarray(0, x.dtype), lax.add, tuple(dims), (1,) * x.ndim, padding)
    return x / (c.attr("bias") + c.attr("alpha") / size * squares) ** c.attr("beta")


def dropout(c):
    x = c.x()
    training = c.opset >= 12 and c.has(2) and bool(c.known(2).reshape(()))
    ratio = float(c.known(1).reshape(())) if training and c.has(1) else c.attr("ratio")
    if (training and ratio != 0) or (c.opset < 7 and not c.attr("is_test")):
        c.unsupported("training: its mask is random")
    mask = jnp.ones(x.shape, bool if c.opset >= 10 else x.dtype)
    return x, mask


# ---- losses --------------------------------------------------------------------------------------------------------

def nll_of(c, scores, target, weight):
    """-weight[target] · scores[target], and its sum or mean over what is not ignored."""
    ignore = c.attr("ignore_index")
    target = target.astype(jnp.int64)
    kept = jnp.ones(target.shape, bool) if ignore is None else target != ignore
    safe = jnp.where(kept, target, 0)
    picked = jnp.take_along_axis(scores, jnp.expand_dims(safe, 1), axis=1).squeeze(1)
    w = jnp.ones(picked.shape, picked.dtype) if weight is None else weight[safe]
    w = jnp.where(kept, w, jnp.zeros_like(w))
    loss = -picked * w
    how = c.attr("reduction")
    if how == "none":
        return loss
    return jnp.sum(loss) if how == "sum" else jnp.sum(loss) / jnp.sum(w)


def nll(c):
    return nll_of(c, c.x(0), c.x(1), c.opt(2))


def softmax_cross_entropy(c):
    scores = jax.nn.log_softmax(c.x(0), axis=1)
    return nll_of(c, scores, c.x(1), c.opt(2)), scores


# ---- resizing ------------------------------------------------------------------------------------------------------

def is_modern(c):
    """Resize says from opset 11 on how places are mapped; before, and in Upsample, by x / scale and floor."""
    return c.op == "Resize" and c.opset >= 11


def coordinates(c, out, size, scale, whole, box):
    """Where in the input each of `out` positions lies, by coordinate_transformation_mode."""
    mode = c.attr("coordinate_transformation_mode") if is_modern(c) else "asymmetric"
    at = np.arange(out, dtype=np.float64)
    if mode == "half_pixel":
        return (at + 0.5) / scale - 0.5
    if mode == "half_pixel_symmetric":
        offset = size / 2 * (1 - out / whole)
        return offset + (at + 0.5) / scale - 0.5
    if mode == "pytorch_half_pixel":
        return (at + 0.5) / scale - 0.5 if out > 1 else np.zeros(out)
    if mode == "align_corners":
        return at * (size - 1) / (whole - 1) if out > 1 and whole != 1 else np.zeros(out)
    if mode == "asymmetric":
        return at / scale
    if mode == "tf_crop_and_resize" and whole == out:
        start, end = box
        return (start + at * (end - start) / (out - 1) if out > 1 else np.full(out, (start + end) / 2)) * (size - 1)
    return c.unsupported(f"coordinate_transformation_mode '{mode}'")


NEAREST = {"round_prefer_floor": lambda v: np.ceil(v - 0.5), "round_prefer_ceil": lambda v: np.floor(v + 0.5),
           "floor": np.floor, "ceil": np.ceil}


def taps(c, mode, at, size):
    """Positions and weights that make up each output element along one axis: two arrays (taps, out)."""
    if mode == "nearest":
        how = c.attr("nearest_mode") if is_modern(c) else "floor"
        if how not in NEAREST:
            raise Rejected(f"{c.op}: nearest_mode '{how}'")
        return NEAREST[how](at)[None], np.ones((1, at.size))
    base = np.floor(at)
    part = at - base
    if mode == "linear":
        places, weights = np.stack([base, base + 1]), np.stack([1 - part, part])
    else:
        a = c.attr("cubic_coeff_a")
        places = np.stack([base + k for k in (-1, 0, 1, 2)])
        far, near = np.stack([part + 1, part, 1 - part, 2 - part]), None
        near = ((a + 2) * far - (a + 3)) * far * far + 1
        far = ((a * far - 5 * a) * far + 8 * a) * far - 4 * a
        weights = np.stack([far[0], near[1], near[2], far[3]])
    if c.flag("exclude_outside"):
        weights = np.where((places >= 0) & (places < size), weights, 0)
        weights = weights / weights.sum(axis=0)
    return places, weights


MODES = {"nearest": "nearest", "linear": "linear", "bilinear": "linear", "cubic": "cubic"}


def resize_axis(c, x, axis, out, scale, whole, box):
    """The axis resized, and which of its positions lie outside of the input."""
    mode = c.attr("mode")
    if mode not in MODES:
        c.unsupported(f"mode '{mode}'")
    size = x.shape[axis]
    at = coordinates(c, out, size, scale, whole, box)
    places, weights = taps(c, MODES[mode], at, size)
    along = (-1,) + (1,) * (x.ndim - axis - 1)
    outside = ((at < 0) | (at > size - 1)).reshape(along)
    index = np.clip(places, 0, size - 1).astype(np.int64)
    if mode == "nearest":
        return jnp.take(x, index[0], axis=axis), outside
    return sum(jnp.take(x, i, axis=axis) * w.astype(x.dtype).reshape(along) for i, w in zip(index, weights)), outside


def resize(c):
    x = c.x()
    if c.flag("antialias"):
        c.unsupported("antialias")
    if c.op == "Upsample" and c.opset < 7:
        c.unsupported("height_scale and width_scale")
    if c.attr("mode") != "nearest":
        need_float(c, x)
    scales_at, sizes_at = (2, 3) if c.opset >= 11 else (1, 9)
    axes = c.attr("axes") if is_modern(c) else None
    axes = axes_of(axes, x.ndim, c.op) if axes is not None else list(range(x.ndim))
    scales = c.attr("scales") if c.op == "Upsample" and c.opset < 9 else \
        [float(v) for v in c.known(scales_at).reshape(-1)] if c.has(scales_at) else []
    sizes = c.ints("", sizes_at, 0) or []
    if not scales:
        scales = policy_scales(c, [s / x.shape[a] if x.shape[a] else 1.0 for s, a in zip(sizes, axes)])
        if is_modern(c) and c.attr("keep_aspect_ratio_policy") != "stretch":
            sizes = [int(np.floor(f * x.shape[a] + 0.5)) for f, a in zip(scales, axes)]
    crops = is_modern(c) and c.attr("coordinate_transformation_mode") == "tf_crop_and_resize"
    roi = c.known(1).reshape(2, -1).astype(np.float64) if crops else np.array([[0.0], [1.0]]).repeat(x.ndim, 1)
    beyond = np.zeros((1,) * x.ndim, bool)
    for i, (axis, scale) in enumerate(zip(axes, scales)):
        size = x.shape[axis]
        out = sizes[i] if sizes else int(np.floor(size * scale))
        if out != size or scale != 1 or tuple(roi[:, i]) != (0, 1):
            x, outside = resize_axis(c, x, axis, out, scale, out if sizes else size * scale, roi[:, i])
            beyond = beyond | outside
    return jnp.where(beyond, jnp.asarray(c.attr("extrapolation_value"), x.dtype), x) if crops else x


def policy_scales(c, scales):
    policy = c.attr("keep_aspect_ratio_policy") if is_modern(c) else "stretch"
    if policy == "stretch":
        return scales
    return [min(scales) if policy == "not_larger" else max(scales)] * len(scales)


TABLE = {
    "Conv": conv, "ConvInteger": conv_integer, "ConvTranspose": conv_transpose, "MaxPool": max_pool,
    "AveragePool": average_pool, "LpPool": lp_pool, "GlobalAveragePool": all_spatial(jnp.mean),
    "GlobalMaxPool": all_spatial(jnp.max), "GlobalLpPool": global_lp_pool, "BatchNormalization": batch_norm,
    "InstanceNormalization": instance_norm, "LayerNormalization": layer_norm, "RMSNormalization": rms_norm,
    "GroupNormalization": group_norm, "MeanVarianceNormalization": mean_variance_norm, "LpNormalization": lp_norm,
    "LRN": lrn, "Dropout": dropout, "NegativeLogLikelihoodLoss": nll,
    "SoftmaxCrossEntropyLoss": softmax_cross_entropy, "Resize": resize, "Upsample": resize,
}
