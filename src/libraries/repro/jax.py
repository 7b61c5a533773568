sys.path.insert(0, os.path.join(HERE, "binding"))  # ONNX's operators as calls of jax.numpy and jax.lax


def run(inputs):
    import jax_library

    with open(MODEL, "rb") as f:
        session = jax_library.JaxSession(f.read(), [], "@mode@")
    if WANTED:
        found, _ = session.backward(inputs, arrays("seeds.npz"), WANTED)
    else:
        found = dict(zip(OUTPUTS, session.run(inputs, list(OUTPUTS))))
    return {name: np.asarray(value) for name, value in found.items()}
