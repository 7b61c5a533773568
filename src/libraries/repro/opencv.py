def run(inputs):
    library.setNumThreads(@threads@)
    engine = getattr(library.dnn, "ENGINE_@engine@".upper(), None)  # versions before 5 have one engine
    net = library.dnn.readNetFromONNX(MODEL, *(() if engine is None else (engine,)))
    if net.empty():
        raise RuntimeError("the model was not read")
    net.enableFusion("@fusion@" != "0")
    if "@winograd@" == "0":
        net.enableWinograd(False)
    for name in INPUTS:
        net.setInput(inputs[name], name)
    return dict(zip(OUTPUTS, net.forward(list(OUTPUTS))))
