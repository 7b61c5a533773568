def version():
    import tract

    return tract.version()


def run(inputs):
    import tract

    model = tract.onnx().load(MODEL)
    names = [model.input_name(i) for i in range(model.input_count())]
    outputs = [model.output_name(i) for i in range(model.output_count())]
    results = model.into_model().into_runnable().run([inputs[name] for name in names])
    return dict(zip(outputs, (r.to_numpy() for r in results)))
