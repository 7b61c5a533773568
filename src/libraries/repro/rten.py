import re
import tempfile

SOURCE = r"""
use rten::{ModelOptions, Value};
use rten_tensor::{prelude::*, Tensor};
use std::{env, fs};

fn main() {
    let folder = env::args().nth(1).unwrap();
    let path = |name: &str| format!("{folder}/{name}");
    let index = fs::read_to_string(path("index")).unwrap();
    let (mut model, mut inputs, mut outputs) = (None, Vec::new(), Vec::new());
    for line in index.lines() {
        let words: Vec<&str> = line.split('\t').collect();
        match words[0] {
            "model" => {
                let bytes = fs::read(words[1]).unwrap();
                match ModelOptions::with_all_ops().enable_optimization(words[2] != "0").load(bytes) {
                    Ok(m) => model = Some(m),
                    Err(e) => { eprintln!("{e}"); std::process::exit(3) }
                }
            }
            "out" => outputs.push(words[1].to_string()),
            _ => {
                let sizes = words[2].split(' ').filter(|w| !w.is_empty());
                let dims: Vec<usize> = sizes.map(|w| w.parse().unwrap()).collect();
                let data = fs::read(path(words[3])).unwrap();
                let four = |i: usize| [data[i], data[i + 1], data[i + 2], data[i + 3]];
                let at = (0..data.len() / 4 * 4).step_by(4);
                let floats: Vec<f32> = at.clone().map(|i| f32::from_le_bytes(four(i))).collect();
                let ints: Vec<i32> = at.map(|i| i32::from_le_bytes(four(i))).collect();
                let value: Value = match words[0] {
                    "float32" => Tensor::from_data(&dims, floats).into(),
                    "int32" => Tensor::from_data(&dims, ints).into(),
                    "int8" => Tensor::from_data(&dims, data.iter().map(|x| *x as i8).collect::<Vec<_>>()).into(),
                    _ => Tensor::from_data(&dims, data).into(),
                };
                inputs.push((words[1].to_string(), value));
            }
        }
    }
    let model = model.unwrap();
    let given = inputs.into_iter().map(|(name, v)| (model.node_id(&name).unwrap(), v.into())).collect();
    let wanted: Vec<_> = outputs.iter().map(|name| model.node_id(name).unwrap()).collect();
    let results = model.run(given, &wanted, None).unwrap_or_else(|e| { eprintln!("{e}"); std::process::exit(3) });
    for (i, v) in results.iter().enumerate() {
        let (kind, dims, bytes): (&str, Vec<usize>, Vec<u8>) = match v {
            Value::FloatTensor(t) => ("float32", t.shape().to_vec(), t.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Value::Int32Tensor(t) => ("int32", t.shape().to_vec(), t.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Value::Int8Tensor(t) => ("int8", t.shape().to_vec(), t.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Value::UInt8Tensor(t) => ("uint8", t.shape().to_vec(), t.iter().copied().collect()),
            _ => panic!("an output that is no tensor"),
        };
        fs::write(path(&format!("out{i}")), bytes).unwrap();
        println!("{kind}\t{}", dims.iter().map(|d| d.to_string()).collect::<Vec<_>>().join(" "));
    }
}
"""


class library:
    """A small program around the crate, built once; RTEN_VERSION says which version of it."""

    __version__ = os.environ.get("RTEN_VERSION", "*")
    folder = os.path.join(tempfile.gettempdir(), "rten-repro-" + re.sub(r"\W", "_", __version__))


def build():
    """The program; cargo does nothing when it is there already."""
    os.makedirs(os.path.join(library.folder, "src"), exist_ok=True)
    wanted = library.__version__ if library.__version__ == "*" else "=" + library.__version__
    manifest = ('[package]\nname = "repro"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n'
                f'rten = {{ version = "{wanted}", features = ["fft", "random"] }}\nrten-tensor = "{wanted}"\n')
    files = {"Cargo.toml": manifest, "src/main.rs": SOURCE}
    for name, text in files.items():
        with open(os.path.join(library.folder, name), "w", encoding="utf-8") as f:
            f.write(text)
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=library.folder, check=True)
    return os.path.join(library.folder, "target", "release", "repro")


PROGRAM = build()
NARROW = {"int64": "int32", "bool": "int32"}  # its reader makes int32 of these


def run(inputs):
    with tempfile.TemporaryDirectory() as folder:
        index = [f"model\t{MODEL}\t@optimize@"] + [f"out\t{name}" for name in OUTPUTS]
        for i, name in enumerate(INPUTS):
            a = inputs[name].astype(NARROW.get(inputs[name].dtype.name, inputs[name].dtype.name))
            with open(os.path.join(folder, f"in{i}"), "wb") as f:
                f.write(a.tobytes())
            index.append(f"{a.dtype.name}\t{name}\t{' '.join(map(str, a.shape))}\tin{i}")
        with open(os.path.join(folder, "index"), "w", encoding="utf-8") as f:
            f.write("\n".join(index))
        done = subprocess.run([PROGRAM, folder], capture_output=True, text=True)
        if done.returncode < 0 or done.returncode == 101:  # it panicked
            print(done.stderr.strip())
            os.abort()
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        want = arrays("expected.npz")
        results = {}
        for i, (name, line) in enumerate(zip(OUTPUTS, done.stdout.splitlines())):
            kind, _, dims = line.partition("\t")
            with open(os.path.join(folder, f"out{i}"), "rb") as f:
                a = np.frombuffer(f.read(), kind).reshape([int(d) for d in dims.split()])
            declared = want[name].dtype.name if name in want else kind
            results[name] = a.astype(declared) if NARROW.get(declared) == kind else a
        return results
