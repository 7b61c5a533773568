def run(inputs):
    import tempfile

    import _tools  # of the same package: MNN.tools would install more packages

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.mnn")
        _tools.mnnconvert(["mnnconvert", "-f", "ONNX", "--modelFile", MODEL, "--MNNModel", path, "--bizCode", "repro",
                           "--alignDenormalizedValue", "0", "--useGeluApproximation", "0"])
        module = library.nn.load_module_from_file(path, INPUTS, list(OUTPUTS), backend=library.expr.Backend.CPU,
                                                  precision_mode=library.expr.PrecisionMode.High,
                                                  thread_num=@threads@)
        kinds = {"float32": library.expr.float, "int32": library.expr.int, "uint8": library.expr.uint8}
        narrow = {"bool": np.int32, "int64": np.int32}  # the library has neither
        values = []
        for name in INPUTS:
            array = np.ascontiguousarray(inputs[name].astype(narrow.get(inputs[name].dtype.name, inputs[name].dtype)))
            values.append(library.expr.placeholder(list(array.shape), library.expr.NCHW, kinds[array.dtype.name]))
            values[-1].write(array)
        found, results = {}, module.forward(values)
        if len(results) != len(OUTPUTS):
            raise RuntimeError(f"it gave {len(results)} of {len(OUTPUTS)} outputs")
        for name, value in zip(OUTPUTS, results):
            if value.data_format == library.expr.NC4HW4:
                value = library.expr.convert(value, library.expr.NCHW)
            shape = tuple(value.shape)
            array = np.zeros(shape) if 0 in shape else np.array(value.read()).reshape(shape)
            found[name] = array.astype(OUTPUTS[name])
        return found
