# assay run --json: keys are a contract.
$ ln -s "$SRC/tests/fixtures" f
$ cat >show.py <<'END'
> import json, sys
> d = json.load(sys.stdin)
> print(sorted(d))
> for o in d["outputs"]:
>     print(sorted(o))
>     print({k: o[k] for k in ("name", "dtype", "dims", "min", "max", "mean", "nan", "inf", "values") if k in o})
>     if "noise" in o:
>         n = o["noise"]
>         print(sorted(n), n["runs"], n["unstable"], len(n.get("values", [])), n["max"] == max(n.get("values", [n["max"]])))
> END

$ assay run f/linear.onnx -i f/x.npy --json | python3 show.py
['backend', 'input_sizes', 'inputs', 'mode', 'model', 'outputs', 'schema', 'seed']
['dims', 'dtype', 'inf', 'max', 'mean', 'min', 'name', 'nan', 'values']
{'name': 'y', 'dtype': 'float32', 'dims': [2, 2], 'min': 0.0, 'max': 3.0, 'mean': 1.75, 'nan': 0, 'inf': 0, 'values': [1.5, 3.0, 0.0, 2.5]}

$ assay run f/linear.onnx -i f/x.npy --mode noisy --noise-runs 4 --json | python3 show.py
...
['max', 'median', 'runs', 'unstable', 'values'] 4 0 4 True

# More than 64 elements are not listed one by one.
$ assay run f/linear.onnx --dim N=33 --mode noisy --json | python3 show.py
...
['dims', 'dtype', 'inf', 'max', 'mean', 'min', 'name', 'nan', 'noise']
{'name': 'y', 'dtype': 'float32', 'dims': [33, 2], ...
['max', 'median', 'runs', 'unstable'] 8 0 0 True

$ assay run f/linear.onnx -i f/x.npy --all --json | python3 -c '
> import json, sys
> print([(n["node"], n["op"], n["name"]) for n in json.load(sys.stdin)["nodes"]])'
[('product', 'MatMul', 'xw'), ('shift', 'Add', 'xwb'), ('clip', 'Relu', 'y')]

$ assay run f/pair.onnx --random 1:1 --json | python3 -c '
> import json, sys
> s = json.load(sys.stdin)["outputs"][0]
> print(s["name"], s["kind"], [i["values"] for i in s["items"]])'
s sequence [[1.0, 1.0], [1.0, 1.0]]

# Nothing on standard output when the run fails.
$ assay run f/broken/shapes.onnx --json
? 2
! shapes.onnx: node 'product'
