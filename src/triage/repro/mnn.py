INPUTS = @INPUTS@
OUTPUTS = @OUTPUTS@


def version():
    import MNN

    return MNN.version()


def run(inputs):
    import tempfile

    import _tools  # of the same package: MNN.tools would install more packages
    import MNN

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.mnn")
        _tools.mnnconvert(["mnnconvert", "-f", "ONNX", "--modelFile", MODEL, "--MNNModel", path, "--bizCode", "repro",
                           "--alignDenormalizedValue", "0", "--useGeluApproximation", "0"])
        module = MNN.nn.load_module_from_file(path, INPUTS, list(OUTPUTS), backend=MNN.expr.Backend.CPU,
                                              precision_mode=MNN.expr.PrecisionMode.High, thread_num=@threads@)
        values = []
        for name in INPUTS:
            kind = {"float32": MNN.expr.float, "int32": MNN.expr.int, "uint8": MNN.expr.uint8}[inputs[name].dtype.name]
            values.append(MNN.expr.placeholder(list(inputs[name].shape), MNN.expr.NCHW, kind))
            values[-1].write(np.ascontiguousarray(inputs[name]))
        found = {}
        for name, value in zip(OUTPUTS, module.forward(values)):
            if value.data_format == MNN.expr.NC4HW4:
                value = MNN.expr.convert(value, MNN.expr.NCHW)
            found[name] = np.array(value.read()).reshape(tuple(value.shape)).astype(OUTPUTS[name])
        return found
