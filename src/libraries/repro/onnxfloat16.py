def run(inputs):
    import onnx
    from onnx.reference import ReferenceEvaluator
    from onnxconverter_common import float16

    written = float16.convert_float_to_float16(onnx.load(MODEL), keep_io_types=True)
    if VERDICT == "rejected":  # it fails above, or what it wrote is no model
        onnx.checker.check_model(written, full_check=True)
    session = ReferenceEvaluator(written)
    return dict(zip(session.output_names, session.run(None, inputs)))
