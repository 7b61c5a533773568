"""The crate rten, in a small program that cargo builds, and what claims about it share."""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from common import Died, Hung, Refused, array, feeds, model, right, verdict, wrong  # noqa: E402,F401

import numpy as np  # noqa: E402

VERSION = os.environ.get("CLAIM_VERSION", "0.27.0")  # bench/versions asks for others
FOLDER = os.path.join(tempfile.gettempdir(), "rten-claims-" + VERSION)
MANIFEST = """[package]
name = "claims"
version = "0.1.0"
edition = "2021"
[dependencies]
rten = { version = "=%s", features = ["fft", "random"] }
rten-tensor = "=%s"
""" % (VERSION, VERSION)

# Inputs come as lines "name TAB sizes TAB float32 numbers"; outputs go out as "type TAB sizes TAB numbers".
SOURCE = r"""
use rten::{Model, Value};
use rten_tensor::{prelude::*, Tensor};
use std::{env, io};

fn numbers<T: std::str::FromStr>(text: &str) -> Vec<T> where T::Err: std::fmt::Debug {
    text.split(' ').filter(|w| !w.is_empty()).map(|w| w.parse().unwrap()).collect()
}

fn line<T: std::fmt::Display>(kind: &str, t: &Tensor<T>) {
    let sizes: Vec<String> = t.shape().iter().map(|d| d.to_string()).collect();
    let values: Vec<String> = t.iter().map(|x| x.to_string()).collect();
    println!("{kind}\t{}\t{}", sizes.join(" "), values.join(" "));
}

fn run(path: &str) -> Result<(), Box<dyn std::error::Error>> {
    let model = Model::load_file(path)?;
    let mut given = Vec::new();
    for text in io::stdin().lines() {
        let text = text?;
        let words: Vec<&str> = text.split('\t').collect();
        let value: Value = Tensor::from_data(&numbers::<usize>(words[1])[..], numbers::<f32>(words[2])).into();
        given.push((model.node_id(words[0])?, value.into()));
    }
    for v in model.run(given, model.output_ids(), None)? {
        match &v {
            Value::FloatTensor(t) => line("float32", t),
            Value::Int32Tensor(t) => line("int32", t),
            _ => panic!("another type"),
        }
    }
    Ok(())
}

fn main() {
    if let Err(e) = run(&env::args().nth(1).unwrap()) {
        eprintln!("{e}");
        std::process::exit(1);
    }
}
"""


def build():
    """The program's path; cargo does nothing when it is there already."""
    os.makedirs(os.path.join(FOLDER, "src"), exist_ok=True)
    for name, text in (("Cargo.toml", MANIFEST), ("src/main.rs", SOURCE)):
        with open(os.path.join(FOLDER, name), "w") as f:
            f.write(text)
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=FOLDER, check=True)
    return os.path.join(FOLDER, "target", "release", "claims")


PROGRAM = build()


def run(m, *values):
    """All outputs of the model; a panic is the death of this process."""
    lines = ["%s\t%s\t%s" % (name, " ".join(map(str, v.shape)), " ".join(map(str, v.ravel().tolist())))
             for name, v in feeds(m, values).items()]
    with tempfile.NamedTemporaryFile(suffix=".onnx") as f:
        f.write(m.SerializeToString())
        f.flush()
        done = subprocess.run([PROGRAM, f.name], input="\n".join(lines), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        os.abort()
    if done.returncode:
        raise ValueError(done.stderr.strip())
    found = [line.split("\t") for line in done.stdout.splitlines()]
    return [np.array(values.split(), kind).reshape([int(d) for d in sizes.split()]) for kind, sizes, values in found]


def call(text, *values, **options):
    """A call that runs the graph in ONNX's text."""
    m = model(text, **options)
    return lambda: run(m, *values)
