def run(inputs):
    import onnx
    from onnx.reference import ReferenceEvaluator

    left_out = "@disable@".split(",")
    passes = [p for p in library.get_fuse_and_elimination_passes() if p not in left_out]
    written = library.optimize(onnx.load(MODEL), passes, fixed_point="@fixed@" == "1")
    try:
        onnx.checker.check_model(written, full_check=True)
        print("the checker of ONNX takes what it wrote")
    except Exception as e:
        if VERDICT == "rejected":  # it fails above, or what it wrote is no model
            raise
        print(f"the checker of ONNX refuses what it wrote: {e}")
    session = ReferenceEvaluator(written)
    feeds = {name: array for name, array in inputs.items() if name in session.input_names}
    return dict(zip(session.output_names, session.run(None, feeds)))
