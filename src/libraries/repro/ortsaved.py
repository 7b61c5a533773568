def run(inputs):
    import onnx
    from onnx.reference import ReferenceEvaluator

    levels = {"O0": library.GraphOptimizationLevel.ORT_DISABLE_ALL,
              "O1": library.GraphOptimizationLevel.ORT_ENABLE_BASIC,
              "O2": library.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
              "O99": library.GraphOptimizationLevel.ORT_ENABLE_ALL}
    options = library.SessionOptions()
    options.graph_optimization_level = levels["@level@"]
    options.optimized_model_filepath = "saved.onnx"
    left_out = [name for name in "@disable@".split(",") if name]
    library.InferenceSession(MODEL, options, providers=["CPUExecutionProvider"], disabled_optimizers=left_out)
    written = onnx.load("saved.onnx")
    try:
        onnx.checker.check_model(written, full_check=True)
        print("the checker of ONNX takes what it wrote")
    except Exception as e:
        if VERDICT == "rejected":  # it fails above, or what it wrote is no model
            raise
        print(f"the checker of ONNX refuses what it wrote: {e}")
    if all(node.domain in ("", "ai.onnx", "ai.onnx.ml") for node in written.graph.node):
        session = ReferenceEvaluator(written)
        feeds = {name: array for name, array in inputs.items() if name in session.input_names}
        return dict(zip(session.output_names, session.run(None, feeds)))
    plain = library.SessionOptions()  # operators of its own: nobody else has them
    plain.graph_optimization_level = levels["O0"]
    session = library.InferenceSession("saved.onnx", plain, providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs)))
