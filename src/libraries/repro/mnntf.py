FEEDS, FETCHES = {}, {}


def feed(name, place):
    FEEDS[name] = place


def fetch(name, place):
    FETCHES[name] = place


@CALLS@


def name_of(place):
    return place[:-2] if place.endswith(":0") else place


def run(inputs):
    """graph.pb is the model as a graph of TensorFlow."""
    import tempfile

    import _tools  # of the same package: MNN.tools would install more packages

    calls(inputs, {})
    expr = library.expr
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.mnn")
        _tools.mnnconvert(["mnnconvert", "-f", "TF", "--modelFile", os.path.join(HERE, "graph.pb"), "--MNNModel", path,
                           "--bizCode", "repro", "--alignDenormalizedValue", "0", "--useGeluApproximation", "0"])
        module = library.nn.load_module_from_file(
            path, [name_of(p) for p in FEEDS.values()], [name_of(p) for p in FETCHES.values()],
            backend=expr.Backend.CPU, precision_mode=expr.PrecisionMode.High, thread_num=@threads@)
        kinds = {"float32": expr.float, "int32": expr.int, "uint8": expr.uint8}
        narrow = {"bool": np.int32, "int64": np.int32}  # the library has neither
        values = []
        for name in FEEDS:
            array = np.ascontiguousarray(inputs[name].astype(narrow.get(inputs[name].dtype.name, inputs[name].dtype)))
            values.append(expr.placeholder(list(array.shape), expr.NHWC, kinds[array.dtype.name]))
            values[-1].write(array)
        found, results = {}, module.forward(values)
        if len(results) != len(FETCHES):
            raise RuntimeError(f"it gave {len(results)} of {len(FETCHES)} outputs")
        for name, value in zip(FETCHES, results):
            if value.data_format == expr.NC4HW4:
                value = expr.convert(value, expr.NHWC)
            shape = tuple(value.shape)
            array = np.zeros(shape) if 0 in shape else np.array(value.read()).reshape(shape)
            found[name] = array.astype(OUTPUTS[name])
        return found
