def run(inputs):
    levels = {"O0": library.GraphOptimizationLevel.ORT_DISABLE_ALL,
              "O1": library.GraphOptimizationLevel.ORT_ENABLE_BASIC,
              "O2": library.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
              "O3": getattr(library.GraphOptimizationLevel, "ORT_ENABLE_LAYOUT", None),  # since 1.23
              "O99": library.GraphOptimizationLevel.ORT_ENABLE_ALL}
    options = library.SessionOptions()
    options.graph_optimization_level = levels["@level@"]
    options.intra_op_num_threads = @threads@
    if @accuracy@:
        options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "@accuracy@")
    session = library.InferenceSession(MODEL, options, providers=[("@provider@" or "CPU") + "ExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs)))
