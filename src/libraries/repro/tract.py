def run(inputs):
    runnable = library.onnx().load(MODEL).into_model().into_runnable()
    results = runnable.run([inputs[name] for name in INPUTS])
    return dict(zip(OUTPUTS, (r.to_numpy() for r in results)))
