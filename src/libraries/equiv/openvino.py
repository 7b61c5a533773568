def execute(model, inputs):
    import io

    import openvino as ov

    core = ov.Core()
    settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1}
    compiled = core.compile_model(core.read_model(io.BytesIO(model)), "CPU", settings)
    if chosen[-1] == "saved":
        compiled = core.import_model(compiled.export_model(), "CPU", settings)
    return [np.array(v) for v in compiled.create_infer_request().infer(inputs).values()]
