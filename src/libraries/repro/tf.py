import inspect

tf = library
tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)
GIVEN, FEEDS, FETCHES = {}, {}, {}
VARIABLES = {"ResourceApplyGradientDescent": 1, "ResourceApplyMomentum": 2, "ResourceApplyAdagradV2": 2,
             "ResourceApplyAdam": 3}


def take(name, array, kind):
    return tf.constant(array, getattr(tf, kind))


def give(name, value):
    GIVEN[name] = value


def op(name, *values, **attributes):
    """Calls tf.raw_ops.NAME; attributes that it reads off its inputs are left to it."""
    function = getattr(tf.raw_ops, name)
    parameters = list(inspect.signature(function).parameters)
    attributes = {key: value for key, value in attributes.items() if key in parameters}
    if name in VARIABLES:  # it changes them, and its results are their values
        changed = [tf.Variable(value) for value in values[:VARIABLES[name]]]
        function(*(v.handle for v in changed), *values[len(changed):], **attributes)
        return [v.read_value() for v in changed]
    return function(**dict(zip(parameters, values)), **attributes)


def feed(name, place):
    FEEDS[place] = arrays("inputs.npz")[name]


def feed_seed(name, place):
    FEEDS[place] = arrays("seeds.npz")[name]


def fetch(name, place):
    FETCHES[name] = place


@CALLS@


def run_graph():
    """A session of graph.pb.  Gradients in it were added by the C interface: TF_AddGradients()."""
    v1 = tf.compat.v1
    config = v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    if "@optimize@" == "0":
        config.graph_options.optimizer_options.opt_level = -1
        config.graph_options.rewrite_options.disable_meta_optimizer = True
    elif hasattr(config.graph_options.rewrite_options, "min_graph_nodes"):
        config.graph_options.rewrite_options.min_graph_nodes = -1  # small graphs are optimized, too
    definition = v1.GraphDef()
    with open(os.path.join(HERE, "graph.pb"), "rb") as f:
        definition.ParseFromString(f.read())
    with v1.Session(graph=tf.Graph(), config=config) as session:
        with session.graph.as_default():
            tf.import_graph_def(definition, name="")
        return session.run(FETCHES, FEEDS)


def run(inputs):
    calls(inputs, arrays("constants.npz"))
    if not FETCHES:
        return {name: value.numpy() for name, value in GIVEN.items()}
    found = run_graph()
    zeros = {name: np.zeros_like(gradient) for name, gradient in arrays("gradients.npz").items()}
    return {**zeros, **found}  # what no output depends on has no place in the graph
