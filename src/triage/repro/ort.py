def version():
    import onnxruntime

    return onnxruntime.__version__


def run(inputs):
    import onnxruntime as ort

    levels = {"O0": ort.GraphOptimizationLevel.ORT_DISABLE_ALL, "O1": ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
              "O2": ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED, "O99": ort.GraphOptimizationLevel.ORT_ENABLE_ALL}
    options = ort.SessionOptions()
    options.graph_optimization_level = levels["@level@"]
    options.intra_op_num_threads = @threads@
    session = ort.InferenceSession(MODEL, options, providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs)))
