from ai_edge_litert import interpreter as litert

FEEDS, FETCHES = {}, {}


def feed(name, place):
    FEEDS[name] = place


def fetch(name, place):
    FETCHES[name] = place


@CALLS@


def run(inputs):
    kernels = {"auto": litert.OpResolverType.AUTO, "builtin": litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
               "reference": litert.OpResolverType.BUILTIN_REF}
    model = litert.Interpreter(os.path.join(HERE, "model.tflite"), num_threads=@threads@,
                               experimental_op_resolver_type=kernels["@kernels@"])
    model.allocate_tensors()
    calls(inputs, {})
    for name, place in FEEDS.items():
        model.set_tensor(model.get_input_details()[place]["index"], inputs[name])
    model.invoke()
    return {name: model.get_tensor(model.get_output_details()[place]["index"]) for name, place in FETCHES.items()}
