def run(inputs):
    core = library.Core()
    settings = {"INFERENCE_PRECISION_HINT": "@precision@", "INFERENCE_NUM_THREADS": @threads@, "NUM_STREAMS": 1}
    request = core.compile_model(core.read_model(MODEL), "CPU", settings).create_infer_request()
    results = request.infer(inputs)
    return {port.get_any_name(): np.array(value) for port, value in results.items()}
