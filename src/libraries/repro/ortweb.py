import base64
import json


SCRIPT = """
const fs = require("fs"), ort = require("onnxruntime-web"), q = JSON.parse(fs.readFileSync(0));
const arrays = {float32: Float32Array, uint8: Uint8Array, int8: Int8Array, uint16: Uint16Array, int16: Int16Array,
    int32: Int32Array, int64: BigInt64Array, bool: Uint8Array, float16: Uint16Array, float64: Float64Array,
    uint32: Uint32Array, uint64: BigUint64Array};
const given = ([type, dims, data]) => new ort.Tensor(type, type === "string" ? data
    : new arrays[type](Uint8Array.from(Buffer.from(data, "base64")).buffer), dims);
const taken = (t) => [t.type, t.dims, t.type === "string" ? t.data
    : Buffer.from(t.data.buffer, t.data.byteOffset, t.data.byteLength).toString("base64")];
async function main() {
    Object.assign(ort.env.wasm, {numThreads: 1, simd: q.simd});
    const session = await ort.InferenceSession.create(q.model, {graphOptimizationLevel: q.level});
    const feeds = Object.fromEntries(Object.entries(q.inputs).map(([name, t]) => [name, given(t)]));
    const results = await session.run(feeds);
    console.log(JSON.stringify(Object.fromEntries(Object.entries(results).map(([name, t]) => [name, taken(t)]))));
}
main().catch((e) => {
    console.error(e);
    if (e instanceof WebAssembly.RuntimeError)
        process.abort();
    process.exit(1);
});
"""


def node(script, text=""):
    """What node prints; it looks for onnxruntime-web in node_modules beside this file, above it, and in NODE_PATH."""
    done = subprocess.run(["node", "-e", script], cwd=HERE, input=text, capture_output=True, text=True)
    if done.returncode < 0:
        os.kill(os.getpid(), -done.returncode)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


class library:
    __version__ = node('console.log(require("onnxruntime-web").env.versions.web)').strip()


def packed(array):
    if array.dtype.kind in "USO":
        return ["string", list(array.shape), [str(x) for x in array.reshape(-1)]]
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return [array.dtype.name, list(array.shape), data]


def unpacked(kind, dims, data):
    if kind == "string":
        return np.array(data, dtype=object).reshape(dims)
    return np.frombuffer(base64.b64decode(data), dtype=kind).reshape(dims)


def run(inputs):
    levels = {"O0": "disabled", "O1": "basic", "O2": "extended", "O99": "all"}
    question = {"model": MODEL, "level": levels["@level@"], "simd": "@simd@" != "0",
                "inputs": {name: packed(inputs[name]) for name in INPUTS}}
    answer = json.loads(node(SCRIPT, json.dumps(question)))
    return {name: unpacked(*t) for name, t in answer.items()}
