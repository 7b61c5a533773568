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
        values = []
        for name in INPUTS:
            kind = kinds[inputs[name].dtype.name]
            values.append(library.expr.placeholder(list(inputs[name].shape), library.expr.NCHW, kind))
            values[-1].write(np.ascontiguousarray(inputs[name]))
        found = {}
        for name, value in zip(OUTPUTS, module.forward(values)):
            if value.data_format == library.expr.NC4HW4:
                value = library.expr.convert(value, library.expr.NCHW)
            found[name] = np.array(value.read()).reshape(tuple(value.shape)).astype(OUTPUTS[name])
        return found
