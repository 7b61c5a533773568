"""ONNX operators as layers of ncnn: convolutions, poolings, norms, pads, resizing, recurrent layers.

Layers of images see one image at a time: a batch is sliced, and its results are joined again.  Weights must be known
when the network is written; as inputs of the graph they are taken as they are given.
"""

import numpy as np

import onnx_defaults
from worker_types import Rejected
from ncnn_ops import builder, form, joined, layer, made, pieces
from onnx_graph import Window

SUFFIX = {1: "1D", 2: "", 3: "3D"}
# Parameters by number of spatial axes, first axis first (1: W, 2: H W, 3: D H W)
KERNEL, DILATION, STRIDE = ({n: tuple(k + 10 * i for i in range(n))[::-1] for n in (1, 2, 3)} for k in (1, 2, 3))
PADS = {1: ((4, 15),), 2: ((14, 16), (4, 15)), 3: ((24, 17), (14, 16), (4, 15))}
POOL_STRIDE = DILATION
POOL_PADS = {1: ((3, 14),), 2: ((13, 15), (3, 14)), 3: ((23, 16), (13, 15), (3, 14))}
OUTPUT_PAD = {1: (18,), 2: (19, 18), 3: (20, 19, 18)}


def per_image(run):
    """Runs a binding on each image of a batch; run(c, x) gets a tensor whose first axis is 1."""
    def each(c):
        x = c.x()
        if x.ndim < 3 or x.ndim > 5:
            c.unsupported(f"{x.ndim} axes")
        if x.shape[0] == 1:
            return run(c, x)
        return joined(c, [run(c, part) for part in pieces(c, x, 0, [1] * x.shape[0])], 0)
    return each


def image(c, x):
    return form(c, x, x.shape[1:])


def give(c, x, kind, params, weights, channels, spatial):
    return layer(c, kind, image(c, x), params, weights, axes=(channels, *spatial), shape=(1, channels, *spatial))


def weights_of(c, first):
    """Weights and, where there is one, the bias: as arrays."""
    return [np.asarray(c.known(i), np.float32) for i in range(first, len(c.inputs)) if c.has(i)]


def pairs(keys, values):
    return {k: v for key, value in zip(keys, values) for k, v in zip(key, value)}


def conv(c, x):
    arrays, n = weights_of(c, 1), x.ndim - 2
    weight, groups = arrays[0], c.attr("group")
    if weight.ndim != x.ndim or weight.shape[1] * groups != x.shape[1] or weight.shape[0] % groups:
        raise Rejected(f"Conv: weights {weight.shape} for {x.shape} in {groups} groups")
    window = Window(c, x.shape[2:], c.attr("kernel_shape") or list(weight.shape[2:]))
    params = {0: weight.shape[0], 5: len(arrays) - 1, 6: weight.size, **pairs(PADS[n], window.pads)}
    for keys, values in ((KERNEL, window.kernel), (DILATION, window.dilations), (STRIDE, window.strides)):
        params.update(zip(keys[n], values))
    if groups > 1:
        params[7] = groups
    kind = ("ConvolutionDepthWise" if groups > 1 else "Convolution") + SUFFIX[n]
    return give(c, x, kind, params, [(a, i == 0) for i, a in enumerate(arrays)], weight.shape[0], window.out)


def conv_transpose(c, x):
    arrays, n = weights_of(c, 1), x.ndim - 2
    weight, groups = arrays[0], c.attr("group")
    kernel, strides, dilations = list(weight.shape[2:]), c.each("strides", n), c.each("dilations", n)
    extra, pads = c.each("output_padding", n), c.each("pads", 2 * n)
    if c.attr("auto_pad") != "NOTSET" or c.attr("output_shape"):
        c.unsupported("auto_pad and output_shape")
    if min(pads) < 0 or (n == 3 and max(extra)):
        c.unsupported("such pads")
    out = [(d - 1) * s + (k - 1) * r + 1 + e - p - q for d, s, k, r, e, p, q in
           zip(x.shape[2:], strides, kernel, dilations, extra, pads[:n], pads[n:])]
    channels = weight.shape[1] * groups
    # [in, out / groups, …] there, [groups, out / groups, in / groups, …] here
    parts = weight.reshape(groups, -1, *weight.shape[1:]).swapaxes(1, 2)
    params = {0: channels, 5: len(arrays) - 1, 6: weight.size, **pairs(PADS[n], zip(pads[:n], pads[n:]))}
    for keys, values in ((KERNEL, kernel), (DILATION, dilations), (STRIDE, strides), (OUTPUT_PAD, extra)):
        params.update(zip(keys[n], values))
    if groups > 1:
        params[7] = groups
    kind = ("DeconvolutionDepthWise" if groups > 1 else "Deconvolution") + SUFFIX[n]
    return give(c, x, kind, params, [(parts, True)] + [(a, False) for a in arrays[1:]], channels, out)


def pool(kind):
    def run(c, x):
        n = x.ndim - 2
        window = Window(c, x.shape[2:], c.attr("kernel_shape"))
        if any(d != 1 for d in window.dilations):
            c.unsupported("dilations")
        if c.wants(1):
            c.unsupported("indices")
        include = c.flag("count_include_pad")
        if include and any(window.extra):
            c.unsupported("windows beyond the pads that count them")
        pads = [(before, after + extra) for (before, after), extra in zip(window.pads, window.extra)]
        params = {0: kind, 5: 1, 6: include, **pairs(POOL_PADS[n], pads)}
        params.update(zip(KERNEL[n], window.kernel))
        params.update(zip(POOL_STRIDE[n], window.strides))
        return give(c, x, "Pooling" + SUFFIX[n], params, (), x.shape[1], window.out)
    return per_image(run)


# ---- norms ---------------------------------------------------------------------------------------------------------

def batch_norm(c):
    x = c.x()
    scale, bias, mean, variance = weights_of(c, 1)
    if c.attr("training_mode") or any(c.wants(i) for i in range(1, c.n_out)) or not c.attr("spatial"):
        c.unsupported("training and norms that are not of channels")
    if x.ndim == 2 and x.shape[0] == 1:
        return layer(c, "BatchNorm", form(c, x, (x.shape[1],)), *norm_of(c, scale, [scale, mean, variance, bias]))

    def one(c, part):
        return layer(c, "BatchNorm", image(c, part), *norm_of(c, scale, [scale, mean, variance, bias]))
    return per_image(one)(c)


def norm_of(c, scale, arrays):
    return {0: scale.size, 1: float(c.attr("epsilon"))}, [(a, False) for a in arrays]


def instance_norm(c, x):
    if x.ndim != 4:
        c.unsupported(f"{x.ndim} axes")
    params, weights = norm_of(c, *(lambda a: (a[0], a))(weights_of(c, 1)))
    return layer(c, "InstanceNorm", image(c, x), {**params, 2: 1}, weights)


def group_norm(c, x):
    arrays = weights_of(c, 1)
    if arrays[0].size != x.shape[1]:
        c.unsupported("a scale for each group")
    params = {0: c.attr("num_groups"), 1: x.shape[1], 2: float(c.attr("epsilon")), 3: 1}
    return layer(c, "GroupNorm", image(c, x), params, [(a, False) for a in arrays])


def layer_norm(c):
    x = c.x()
    axis = c.attr("axis") % x.ndim
    if c.wants(1) or c.wants(2):
        c.unsupported("mean and deviation")
    inner, arrays = int(np.prod(x.shape[axis:], dtype=np.int64)), weights_of(c, 1)
    if any(a.size != inner for a in arrays):
        c.unsupported("a scale that is broadcast")
    arrays += [np.zeros(inner, np.float32)] * (2 - len(arrays))
    params = {0: inner, 1: float(c.attr("epsilon")), 2: 1}
    return layer(c, "LayerNorm", form(c, x, (x.size // inner, inner)), params, [(a, False) for a in arrays])


def lrn(c, x):
    if c.attr("size") % 2 == 0 or x.ndim != 4:
        c.unsupported("windows of even size")
    params = {0: 0, 1: c.attr("size"), 2: float(c.attr("alpha")), 3: float(c.attr("beta")),
              4: float(c.attr("bias"))}
    return layer(c, "LRN", image(c, x), params)


def dropout(c):
    if (c.opset >= 12 and c.has(2) and bool(np.any(c.known(2)))) or (c.opset < 7 and not c.attr("is_test")):
        c.unsupported("training: its mask is random")
    return layer(c, "Dropout", c.x()), np.ones(c.x().shape, bool if c.opset >= 10 else np.float32)


# ---- pads and sizes ------------------------------------------------------------------------------------------------

def pad(c):
    x, name = c.x(), "paddings" if c.opset < 2 else "pads"
    pads = c.ints(name, 1, 11)
    value = (float(c.known(2).reshape(-1)[0]) if c.has(2) else 0.0) if c.opset >= 11 else c.attr("value")
    mode = {"constant": 0, "edge": 1, "reflect": 2}.get(c.attr("mode"))
    if c.has(3) or mode is None:
        c.unsupported("axes" if c.has(3) else "this mode")
    pairs_ = list(zip(pads[:x.ndim], pads[x.ndim:]))
    if x.ndim < 2 or min(pads) < 0 or any(p != (0, 0) for p in pairs_[:-2]):
        c.unsupported("pads of other axes than the last two, and negative ones")
    if mode == 2 and any(max(p) >= d for p, d in zip(pairs_, x.shape)):
        c.unsupported("reflections beyond the input")
    shape = [d + p + q for d, (p, q) in zip(x.shape, pairs_)]
    inner = x.shape[-2:] if x.ndim == 2 else (int(np.prod(x.shape[:-2], dtype=np.int64)), *x.shape[-2:])
    params = {**pairs(((0, 1), (2, 3)), pairs_[-2:]), 4: mode, 5: float(value)}
    return layer(c, "Padding", form(c, x, inner), params, axes=(*inner[:-2], *shape[-2:]), shape=shape)


def sizes_of(c, x):
    """Sizes of the result, exactly scale times those of x, or a refusal."""
    if c.op == "Upsample" and c.opset < 7:
        c.unsupported("version 1")
    first = 1 if c.opset < 11 else 2
    if c.op == "Upsample" and c.opset < 9:
        scales = c.attr("scales")
    else:
        scales = c.known(first).reshape(-1) if c.has(first) and c.known(first).size else None
    if scales is None:
        return [int(d) for d in c.known(3)]
    sizes = [d * float(s) for d, s in zip(x.shape, scales)]
    return [int(s) for s in sizes] if all(s == int(s) for s in sizes) else c.unsupported("sizes that are cut off")


def resize(c, x):
    mode = c.attr("mode")
    old = c.op == "Upsample" or c.opset < 11
    where = "asymmetric" if old else c.attr("coordinate_transformation_mode")
    out = sizes_of(c, x)
    special = not old and (c.attr("antialias") or c.attr("axes") or c.attr("exclude_outside") or
                           c.attr("keep_aspect_ratio_policy") != "stretch")
    if x.ndim != 4 or out[:2] != list(x.shape[:2]) or special:
        c.unsupported("all but whole images, resized as they are")
    if min(out[2:]) < 2 or min(x.shape[2:]) < 2:
        c.unsupported("images of one line")
    whole = all(o % d == 0 for o, d in zip(out[2:], x.shape[2:]))
    rounding = "floor" if old else c.attr("nearest_mode")
    fits = {"nearest": whole and (where, rounding) in (("asymmetric", "floor"), ("half_pixel", "round_prefer_floor"),
                                                       ("half_pixel", "round_prefer_ceil")),
            "linear": where in ("half_pixel", "pytorch_half_pixel", "align_corners"),
            "cubic": where in ("half_pixel", "align_corners") and c.attr("cubic_coeff_a") == -0.75}
    if not fits.get(mode, False):
        c.unsupported(f"mode {mode} with {where}")
    params = {0: {"nearest": 1, "linear": 2, "cubic": 3}[mode], 3: out[2], 4: out[3], 6: int(where == "align_corners")}
    return give(c, x, "Interp", params, (), x.shape[1], out[2:])


def depth_to_space(c, x):
    size, mode = c.attr("blocksize"), c.attr("mode")
    channels = x.shape[1] // (size * size)
    return give(c, x, "PixelShuffle", {0: size, 1: int(mode == "DCR")}, (), channels,
                [x.shape[2] * size, x.shape[3] * size])


# ---- recurrent layers ----------------------------------------------------------------------------------------------

DIRECTIONS = {"forward": 0, "reverse": 1, "bidirectional": 2}
GATES = {"LSTM": ("LSTM", (0, 2, 1, 3)),  # i o f c there, i f o c here
         "GRU": ("GRU", (1, 0, 2)), "RNN": ("RNN", (0,))}  # z r h there, r z h here


def recurrent_weights(c, dirs, hidden):
    """Input weights, biases and recurrent weights in ncnn's order of gates."""
    order, n = list(GATES[c.op][1]), len(GATES[c.op][1])
    w, r = (np.asarray(c.known(i), np.float32).reshape(dirs, n, hidden, -1)[:, order] for i in (1, 2))
    b = np.zeros((dirs, 2, n, hidden), np.float32)
    if c.has(3):
        b = np.asarray(c.known(3), np.float32).reshape(dirs, 2, n, hidden)[:, :, order]
    bias = b.sum(axis=1)
    if c.op == "GRU":  # the bias of the recurrent part of the last gate stays apart: it is multiplied by the reset gate
        bias = np.concatenate([bias[:, :2], b[:, :1, 2], b[:, 1:, 2]], axis=1)
    return [(w, True), (bias, True), (r, True)]


def check_recurrent(c, dirs):
    said = [a.decode() for a in c.attr("activations") or []]
    usual = onnx_defaults.ACTIVATIONS[c.op] * dirs
    if said not in ([], usual) or c.attr("clip") or c.attr("layout") or c.flag("input_forget"):
        c.unsupported("other activations, clip, layout and input_forget")
    if c.has(4) and np.any(c.known(4) != c.x().shape[0]) or c.has(7):
        c.unsupported("lengths of sequences and peepholes")
    if c.op == "GRU" and not c.attr("linear_before_reset"):
        c.unsupported("linear_before_reset = 0")


def recurrent(c):
    x, hidden, direction = c.x(), c.attr("hidden_size", c.known(2).shape[2]), c.attr("direction")
    dirs = 2 if direction == "bidirectional" else 1
    check_recurrent(c, dirs)
    states = [5, 6] if c.op == "LSTM" else [5]
    given = [i for i in states if c.has(i)]
    if given and given != states:
        c.unsupported("one initial state of two")
    weights, steps, batch, b = recurrent_weights(c, dirs, hidden), x.shape[0], x.shape[1], builder(c)
    params = {0: hidden, 1: weights[0][0].size, 2: DIRECTIONS[direction], **({3: hidden} if c.op == "LSTM" else {})}
    columns = [pieces(c, v, 1, [1] * batch) for v in [x] + [c.x(i) for i in given]]
    results = []
    for parts in zip(*columns):
        inputs = [b.blob(parts[0], (steps, x.shape[2]))] + [b.blob(p, (dirs, hidden)) for p in parts[1:]]
        names = b.op(c.op, inputs, None, params, weights, outputs=1 + len(states))
        results.append([made(c, names[0], (steps, dirs * hidden), (steps, dirs, 1, hidden))] +
                       [made(c, name, (dirs, hidden), (dirs, 1, hidden)) for name in names[1:]])
    return tuple(joined(c, list(column), column[0].ndim - 2) for column in zip(*results))


TABLE = {
    "Conv": per_image(conv), "ConvTranspose": per_image(conv_transpose), "MaxPool": pool(0), "AveragePool": pool(1),
    "BatchNormalization": batch_norm, "InstanceNormalization": per_image(instance_norm),
    "GroupNormalization": per_image(group_norm), "LayerNormalization": layer_norm, "LRN": per_image(lrn),
    "Dropout": dropout, "Pad": pad, "Resize": per_image(resize), "Upsample": per_image(resize),
    "DepthToSpace": per_image(depth_to_space), "LSTM": recurrent, "GRU": recurrent, "RNN": recurrent,
}
