def run(inputs):
    import onnx
    from onnx.reference import ReferenceEvaluator

    written = library.slim(onnx.load(MODEL))
    if VERDICT == "rejected":  # it fails above, or what it wrote is no model
        onnx.checker.check_model(written, full_check=True)
    session = ReferenceEvaluator(written)
    return dict(zip(session.output_names, session.run(None, inputs)))
