def run(inputs):
    import onnx
    from onnx.reference import ReferenceEvaluator
    from onnxscript import optimizer, rewriter

    left_out = "@disable@".split(",")
    if left_out != [""]:
        rules = [r for r in rewriter._DEFAULT_REWRITE_RULES if "all" not in left_out and r.name not in left_out]
        rewriter._DEFAULT_REWRITE_RULES = tuple(rules) or rewriter.RewriteRuleSet([])
    written = (rewriter.rewrite if "@mode@" == "rewrite" else optimizer.optimize)(onnx.load(MODEL))
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
