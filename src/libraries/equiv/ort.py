def execute(model, inputs):
    import onnxruntime as ort

    how, levels = chosen[-1], ort.GraphOptimizationLevel
    options = ort.SessionOptions()
    options.graph_optimization_level = {"O0": levels.ORT_DISABLE_ALL, "O1": levels.ORT_ENABLE_BASIC,
                                        "O2": levels.ORT_ENABLE_EXTENDED}.get(how, levels.ORT_ENABLE_ALL)
    if how == "saved":
        with tempfile.TemporaryDirectory() as folder:
            options.optimized_model_filepath = os.path.join(folder, "model.onnx")
            ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
            with open(options.optimized_model_filepath, "rb") as f:
                model = f.read()
        options = ort.SessionOptions()
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"]).run(None, inputs)
