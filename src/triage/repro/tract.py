INPUTS = @INPUTS@
OUTPUTS = @OUTPUTS@


def version():
    import tract

    return tract.version()


def run(inputs):
    import tract

    runnable = tract.onnx().load(MODEL).into_model().into_runnable()
    results = runnable.run([inputs[name] for name in INPUTS])
    return dict(zip(OUTPUTS, (r.to_numpy() for r in results)))
