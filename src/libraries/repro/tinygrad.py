def run(inputs):
    try:
        from tinygrad.nn.onnx import OnnxRunner
    except ImportError:  # before 0.12
        from tinygrad.frontend.onnx import OnnxRunner
    results = OnnxRunner(MODEL)({name: inputs[name] for name in INPUTS})
    return {name: np.asarray(getattr(results[name], "numpy", lambda name=name: results[name])()) for name in OUTPUTS}
