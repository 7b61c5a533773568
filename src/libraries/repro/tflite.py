import re

import flatbuffers
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

KERNELS = {"auto": litert.OpResolverType.AUTO, "builtin": litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
           "reference": litert.OpResolverType.BUILTIN_REF}
FEEDS, FETCHES, GIVEN = {}, {}, {}


def feed(name, place):
    FEEDS[name] = place


def fetch(name, place):
    FETCHES[name] = place


def take(name, array, kind):
    return np.array(array)


def give(name, value):
    GIVEN[name] = value


def dtype(name):
    return getattr(schema.TensorType, name.upper())


def tensor(model, shape, kind, elements=None):
    t = schema.TensorT()
    t.name, t.shape, t.hasRank, t.type, t.buffer = b"t", np.array(shape, np.int32), True, dtype(kind), 0
    if elements is not None:
        buffer = schema.BufferT()
        buffer.data = np.frombuffer(elements.tobytes(), np.uint8)
        t.buffer = len(model.buffers)
        model.buffers.append(buffer)
    return t


def interpreter(operator, code, tensors, inputs, outputs, shapes, kernels):
    """A model of one operator; `tensors` are shape, type and elements (None: not constant), `outputs` types."""
    model, graph = schema.ModelT(), schema.SubGraphT()
    model.version, model.buffers, model.operatorCodes, model.subgraphs = 3, [schema.BufferT()], [code], [graph]
    graph.tensors = [tensor(model, *t) for t in tensors] + [tensor(model, *t) for t in zip(shapes, outputs)]
    graph.operators, graph.inputs, graph.outputs = [operator], inputs, operator.outputs
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    made = litert.Interpreter(model_content=bytes(builder.Output()), num_threads=@threads@,
                              experimental_op_resolver_type=kernels)
    made.allocate_tensors()
    return made


def found_shapes(operator, code, tensors, inputs, outputs, kernels):
    """Shapes of the results, which the model must declare."""
    for shape in ((65537,), ()):  # operators may keep a declared shape of as many elements, or check its axes
        try:
            made = interpreter(operator, code, tensors, inputs, outputs, [shape] * len(outputs), kernels)
            return [detail["shape"] for detail in made.get_output_details()]
        except (RuntimeError, ValueError) as e:
            why = str(e)
    raise RuntimeError(why)


def fetched(made, detail):
    if 0 in detail["shape"]:  # it does not give out empty ones
        return np.zeros(detail["shape"], detail["dtype"])
    return np.array(made.get_tensor(detail["index"]))


def op(name, *values, build_options=None, build_constants=(), build_outputs=(), build_version=1, **fields):
    """One operator of the schema in a model of its own."""
    values = values[0] if isinstance(values[0], list) else list(values)
    given = [i for i, v in enumerate(values) if v is not None]
    tensors = [(values[i].shape, values[i].dtype.name, values[i] if i in build_constants else None) for i in given]
    inputs = [k for k, i in enumerate(given) if i not in build_constants]
    operator, code = schema.OperatorT(), schema.OperatorCodeT()
    code.builtinCode, code.version = getattr(schema.BuiltinOperator, name), build_version
    code.deprecatedBuiltinCode = min(code.builtinCode, 127)
    operator.opcodeIndex, operator.inputs = 0, [given.index(i) if i in given else -1 for i in range(len(values))]
    operator.outputs = list(range(len(tensors), len(tensors) + len(build_outputs)))
    if build_options:
        operator.builtinOptions = getattr(schema, build_options)()
        operator.builtinOptionsType = getattr(schema.BuiltinOptions, build_options[:-1])
        for field, value in fields.items():
            value = getattr(schema.Padding, value) if field == "padding" else value
            setattr(operator.builtinOptions, re.sub("_([a-z])", lambda m: m.group(1).upper(), field), value)
    model, kernels = (operator, code, tensors, inputs, build_outputs), KERNELS["@kernels@"]
    shapes = found_shapes(*model, KERNELS["builtin"] if "@kernels@" == "auto" else kernels)
    made = interpreter(*model, shapes, kernels)
    for place, detail in zip(inputs, made.get_input_details()):
        made.set_tensor(detail["index"], values[given[place]])
    made.invoke()
    results = [fetched(made, detail) for detail in made.get_output_details()]
    return results if len(results) > 1 else results[0]


@CALLS@


def run(inputs):
    calls(inputs, {})
    if GIVEN:
        return GIVEN
    model = litert.Interpreter(os.path.join(HERE, "model.tflite"), num_threads=@threads@,
                               experimental_op_resolver_type=KERNELS["@kernels@"])
    model.allocate_tensors()
    for name, place in FEEDS.items():
        model.set_tensor(model.get_input_details()[place]["index"], inputs[name])
    model.invoke()
    return {name: fetched(model, model.get_output_details()[place]) for name, place in FETCHES.items()}
