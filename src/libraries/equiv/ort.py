def execute(model, inputs):
    import onnxruntime as ort

    how, levels = chosen[-1], ort.GraphOptimizationLevel
    options = ort.SessionOptions()
    options.graph_optimization_level = {"O0": levels.ORT_DISABLE_ALL, "O1": levels.ORT_ENABLE_BASIC,
                                        "O2": levels.ORT_ENABLE_EXTENDED,
                                        "O3": getattr(levels, "ORT_ENABLE_LAYOUT", None),  # since 1.23
                                        }.get(how, levels.ORT_ENABLE_ALL)
    one = how.partition("only=")[2]
    left_out = [name for name in optimizers if name != one] if one else []
    if how == "saved":
        with tempfile.TemporaryDirectory() as folder:
            options.optimized_model_filepath = os.path.join(folder, "model.onnx")
            ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
            with open(options.optimized_model_filepath, "rb") as f:
                model = f.read()
        options = ort.SessionOptions()
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"], disabled_optimizers=left_out)
    return session.run(None, inputs)
