def run(inputs):
    import onnx
    from onnx.reference import ReferenceEvaluator

    written = library.slim(onnx.load(MODEL))
    if VERDICT == "rejected":  # it fails above, or what it wrote is no model
        onnx.checker.check_model(written, full_check=True)
    session = ReferenceEvaluator(written)
    feeds = {name: array for name, array in inputs.items() if name in session.input_names}
    return dict(zip(session.output_names, session.run(None, feeds)))
