"""Keras layers as ONNX nodes: what moves, repeats, crops and pads; TABLE has a row for each class."""

from keras_layer import Row, perm_to_last, product


def flatten(c):
    x = c.x()
    if c.channels_first() and x.rank > 2:
        x = c.transpose(x, perm_to_last(x.rank))
    size = product(x.shape[1:])
    return c.op("Reshape", [x, c.whole([0, -1] if x.rank > 1 else [-1, 1])], (x.shape[0], size))


def reshape(c):
    x, target = c.x(), c.get("target_shape")
    if not isinstance(target, list) or not all(isinstance(d, int) for d in target) or target.count(-1) > 1:
        c.fail(f"target_shape is {target}")
    total = product(x.shape[1:])
    if total is not None and -1 in target:
        rest = -product(target)
        if not rest or total % rest:
            c.fail(f"{total} elements do not fit {target}")
        target = [total // rest if d == -1 else d for d in target]
    shape = [x.shape[0]] + [None if d == -1 else d for d in target]
    return c.op("Reshape", [x, c.whole([0, *target])], shape)


def permute(c):
    x, dims = c.x(), c.get("dims")
    if not isinstance(dims, list) or sorted(dims) != list(range(1, x.rank)):
        c.fail(f"dims is {dims}")
    return c.transpose(x, [0, *dims])


def repeat_vector(c):
    x, (n,) = c.x(), c.sizes("n", 1)
    row = c.op("Unsqueeze", [x, c.whole([1])], (x.shape[0], 1, x.shape[1]))
    return c.op("Tile", [row, c.whole([1, n, 1])], (x.shape[0], n, x.shape[1]))


def spatial_axes(c, x, n):
    if x.rank != n + 2:
        c.fail(f"its input has rank {x.rank}")
    return list(range(2, n + 2)) if c.channels_first() else list(range(1, n + 1))


def pairs(c, key, n):
    """Amounts before and after, of each axis: one number, one for each axis, or a pair for each."""
    value = c.get(key)
    value = [value] * n if isinstance(value, int) else value
    if n == 1 and isinstance(value, list) and len(value) == 2 and all(isinstance(v, int) for v in value):
        value = [value]
    if not isinstance(value, list) or len(value) != n:
        c.fail(f"{key} is {value}")
    found = [[v, v] if isinstance(v, int) else v for v in value]
    if not all(isinstance(v, list) and len(v) == 2 and all(isinstance(k, int) and k >= 0 for k in v) for v in found):
        c.fail(f"{key} is {value}")
    return found


def zero_padding(n):
    def run(c):
        x = c.x()
        axes, amounts = spatial_axes(c, x, n), pairs(c, "padding", n)
        before, after, shape = [0] * x.rank, [0] * x.rank, list(x.shape)
        for axis, (low, high) in zip(axes, amounts):
            before[axis], after[axis] = low, high
            shape[axis] = None if shape[axis] is None else shape[axis] + low + high
        return c.op("Pad", [x, c.whole(before + after)], shape)
    return run


def cropping(n):
    def run(c):
        x = c.x()
        for axis, (low, high) in zip(spatial_axes(c, x, n), pairs(c, "cropping", n)):
            if low or high:
                x = c.part(x, axis, low, -high if high else None)
        return x
    return run


# How Keras's names of interpolations are said in ONNX: centers of pixels are half a pixel inside.
RESIZES = {
    "nearest": {"mode": "nearest", "coordinate_transformation_mode": "half_pixel", "nearest_mode": "round_prefer_ceil"},
    "bilinear": {"mode": "linear", "coordinate_transformation_mode": "half_pixel"},
    "bicubic": {"mode": "cubic", "coordinate_transformation_mode": "half_pixel", "cubic_coeff_a": -0.5,
                "exclude_outside": 1},
}


def up_sampling(n):
    def run(c):
        x, how = c.x(), c.get("interpolation", "nearest")
        axes, factors = spatial_axes(c, x, n), c.sizes("size", n, 2)
        if how not in RESIZES:
            c.fail(f"interpolation {how}")
        scales, shape = [1.0] * x.rank, list(x.shape)
        for axis, factor in zip(axes, factors):
            scales[axis] = float(factor)
            shape[axis] = None if shape[axis] is None else shape[axis] * factor
        if how == "nearest":
            said = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
            return c.op("Resize", [x, None, c.constant(scales, "scales")], shape, **said)
        first = c.channels_first()
        return channels_first_resize(c, x, first, RESIZES[how], scales=scales)
    return run


def channels_first_resize(c, x, first, said, scales=None, sizes=None):
    """Libraries interpolate over the last two axes."""
    order = [0, 3, 1, 2]
    x = x if first else c.transpose(x, order)
    if scales:
        scales = scales if first else [scales[i] for i in order]
        shape = [None if d is None else int(d * s) for d, s in zip(x.shape, scales)]
        y = c.op("Resize", [x, None, c.constant(scales, "scales")], shape, **said)
    else:
        shape = [*x.shape[:2], *sizes]
        if None in shape[:2]:
            y = c.op("Resize", [x, None, None, sizes_of(c, x, sizes)], shape, **said)
        else:
            y = c.op("Resize", [x, None, None, c.whole(shape)], shape, **said)
    return y if first else c.transpose(y, [0, 2, 3, 1])


def sizes_of(c, x, sizes):
    """The sizes of batch and channels, known when the model runs, and those that are wanted."""
    shape = c.op("Shape", [x], (x.rank,), "int64")
    return c.op("Concat", [c.part(shape, 0, 0, 2), c.whole(sizes)], (x.rank,), axis=0)


def resizing(c):
    x, how = c.x(), c.get("interpolation", "bilinear")
    sizes = c.sizes("height", 1) + c.sizes("width", 1)
    if how not in RESIZES or c.get("crop_to_aspect_ratio") or c.get("pad_to_aspect_ratio") or c.get("antialias"):
        c.fail("its interpolation, crops or pads are not supported")
    spatial_axes(c, x, 2)
    return channels_first_resize(c, x, c.channels_first(), RESIZES[how], sizes=sizes)


TABLE = {
    "Flatten": Row(flatten, any_type=True), "Reshape": Row(reshape, any_type=True),
    "Permute": Row(permute, any_type=True), "RepeatVector": Row(repeat_vector, any_type=True),
    "Resizing": Row(resizing),
    **{f"ZeroPadding{n}D": Row(zero_padding(n)) for n in (1, 2, 3)},
    **{f"Cropping{n}D": Row(cropping(n)) for n in (1, 2, 3)},
    **{f"UpSampling{n}D": Row(up_sampling(n)) for n in (1, 2, 3)},
}
