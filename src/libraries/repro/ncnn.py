import struct
import tempfile

FEEDS, FETCHES, GIVEN = {}, {}, {}


def feed(name, blob, axes):
    FEEDS[name] = blob, axes


def fetch(name, blob, shape):
    FETCHES[name] = blob, shape


def take(name, array, kind):
    return np.ascontiguousarray(array)


def give(name, value):
    GIVEN[name] = value


def opened(param, weights):
    net = library.Net()
    for half in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_storage",
                 "use_int8_inference", "use_vulkan_compute"):
        setattr(net.opt, half, False)
    net.opt.num_threads = @threads@
    if net.load_param(param) or net.load_model(weights):
        raise RuntimeError("the network cannot be loaded")
    return net


def extracted(net, given, asked):
    with net.create_extractor() as extractor:
        for blob, array in given.items():  # a Mat does not keep its array alive
            extractor.input(blob, library.Mat(array).clone())
        found = []
        for blob in asked:
            status, mat = extractor.extract(blob)
            if status:
                raise RuntimeError(f"extract of '{blob}' gives {status}")
            found.append(np.array(mat))
    return found


def op(kind, *blobs, build_param="", build_tagged=0, build_outputs=1, **named):
    """One layer in a network of its own; the arrays among the named arguments are its weights, in their order."""
    blobs = blobs[0] if blobs and isinstance(blobs[0], list) else list(blobs)
    inputs, results = [f"x{i}" for i in range(len(blobs))], [f"y{i}" for i in range(build_outputs)]
    lines = [f"Input i{i} 0 1 {name}" for i, name in enumerate(inputs)]
    lines.append(" ".join([kind, "layer", str(len(inputs)), str(build_outputs)] + inputs + results + [build_param]))
    with tempfile.TemporaryDirectory() as folder:
        paths = os.path.join(folder, "model.param"), os.path.join(folder, "model.bin")
        with open(paths[0], "w", encoding="ascii") as f:
            f.write("\n".join(["7767517", f"{len(lines)} {len(inputs) + build_outputs}"] + lines) + "\n")
        with open(paths[1], "wb") as f:
            for i, array in enumerate(v for v in named.values() if isinstance(v, np.ndarray)):
                f.write((struct.pack("<I", 0) if i < build_tagged else b"") + array.tobytes())
        found = extracted(opened(*paths), dict(zip(inputs, blobs)), results)
    return found if build_outputs > 1 else found[0]


@CALLS@


def run(inputs):
    calls(inputs, {})
    if GIVEN:
        return GIVEN
    net = opened(os.path.join(HERE, "model.param"), os.path.join(HERE, "model.bin"))
    given = {blob: np.ascontiguousarray(inputs[name].reshape(axes)) for name, (blob, axes) in FEEDS.items()}
    found = extracted(net, given, [blob for blob, _ in FETCHES.values()])
    return {name: array.reshape(shape) for array, (name, (_, shape)) in zip(found, FETCHES.items())}
