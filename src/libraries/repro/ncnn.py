FEEDS, FETCHES = {}, {}


def feed(name, blob, axes):
    FEEDS[name] = blob, axes


def fetch(name, blob, shape):
    FETCHES[name] = blob, shape


@CALLS@


def run(inputs):
    net = library.Net()
    for half in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_storage",
                 "use_int8_inference", "use_vulkan_compute"):
        setattr(net.opt, half, False)
    net.opt.num_threads = @threads@
    net.load_param(os.path.join(HERE, "model.param"))
    net.load_model(os.path.join(HERE, "model.bin"))
    calls(inputs, {})
    kept, found = [], {}  # a Mat does not keep its array alive
    with net.create_extractor() as extractor:
        for name, (blob, axes) in FEEDS.items():
            kept.append(np.ascontiguousarray(inputs[name].reshape(axes)))
            extractor.input(blob, library.Mat(kept[-1]).clone())
        for name, (blob, shape) in FETCHES.items():
            status, mat = extractor.extract(blob)
            if status:
                raise RuntimeError(f"extract of '{name}' gives {status}")
            found[name] = np.array(mat).reshape(shape)
    return found
