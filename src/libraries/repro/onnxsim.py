def run(inputs):
    import onnx
    from onnx.reference import ReferenceEvaluator

    left_out = set("@disable@".split(",")) - {""}
    written, _ = library.simplify(onnx.load(MODEL), skipped_optimizers=sorted(left_out - {"constant_folding"}),
                                  skip_constant_folding="constant_folding" in left_out, mutable_initializer=True)
    if VERDICT == "rejected":  # it fails above, or what it wrote is no model
        onnx.checker.check_model(written, full_check=True)
    session = ReferenceEvaluator(written)
    feeds = {name: array for name, array in inputs.items() if name in session.input_names}
    return dict(zip(session.output_names, session.run(None, feeds)))
