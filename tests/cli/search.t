# assay search: a genetic search over networks, inputs and weights.
$ assay search lenet5 -b reference,fault:kernel_mirrored@conv2 --level input --cases 10 --keep 1
? 1
lenet5: 13 nodes
  level     cases  crash ...
  input        10      0 ...
  incons.: libraries name other classes; far: ...
lenet5, input level: fault:kernel_mirrored@conv2 is wrong (bug)
...
  blamed: Conv 'conv2'...
  finding 1: ...Conv/wrong/...
repro: assay replay 1
... failures, 1 finding recorded
...

$ assay findings --json | python3 -c '
> import json, sys
> f = json.load(sys.stdin)
> f = f["findings"] if isinstance(f, dict) else f
> print(len(f), f[0]["method"], f[0]["op"], f[0]["verdict"], f[0]["nodes"])'
1 search Conv wrong 1

# What is right has no findings; the same seed gives the same cases for any number of jobs.
$ assay search lenet5 gru -b reference,ort --level network --cases 12 --no-store --no-localize --jobs 1 --json | sed -E 's/"seconds": [-0-9.e]+/"seconds": 0/' > one.json
$ assay search lenet5 gru -b reference,ort --level network --cases 12 --no-store --no-localize --jobs 2 --json | sed -E 's/"seconds": [-0-9.e]+/"seconds": 0/' > two.json
$ cmp one.json two.json && python3 -c '
> import json
> r = json.load(open("one.json"))
> print([(m["model"], m["levels"]["network"]["cases"], m["counts"]["ort"]["given"]) for m in r["models"]])'
[('lenet5', 12, 12), ('gru', 12, 12)]

# A network of an old opset: an edit leaves out nothing that its version wants (the bias of Gemm, before opset 11).
$ assay zoo get lenet5 --opset 9 -o nine.onnx
nine.onnx: 13 nodes, trained weights
$ assay search nine.onnx -b reference,ort --level network --cases 20 --no-store --no-localize --json | python3 -c '
> import json, sys
> r = json.load(sys.stdin)
> m = r["models"][0]
> print(m["levels"]["network"]["cases"], m["counts"]["ort"]["ran"] > 5, len(r["findings"]))'
20 True 0

# Items of a data set, so many at once: what fails is written with all of them.
$ python3 -c '
> for item in range(5): print(",".join(str((item * 31 + i * 7) % 255 / 255) for i in range(784)))' > digits.csv
$ assay search lenet5 -b reference,fault:kernel_mirrored@conv2 --level input --cases 4 --keep 1 --data digits.csv --items 3 -o written --no-store --no-localize
? 1
...
$ python3 -c '
> import glob, zipfile
> with zipfile.ZipFile(glob.glob("written/*/inputs.npz")[0]) as z: print(z.read("image.npy")[10:].split(b"shape")[1][3:14].decode())'
(3,1,28,28)
$ assay search lenet5 -b reference --items 3
? 2
! assay: --items needs --data
$ assay zoo get lenet5 -o one.onnx
one.onnx: 13 nodes, trained weights
$ assay search one.onnx -b reference --data digits.csv --items 3
? 2
! assay: one.onnx: input 'image' takes 1 items at once: leave out --items
$ assay search lenet5 -b reference --data nowhere.csv
? 2
! nowhere.csv
$ assay search lenet5 -b reference --t1 -5
? 2
! --t1: '-5' is not a number from 0 on

# The networks whose numbers are searched, as files: the first is the seed, with the layer before the decision.
$ assay search lenet5 -b reference,ort --level network,input --cases 8 --bases 3 --no-judge --no-store --no-localize --save-bases bases --json > whole.json; ls bases
lenet5-00
lenet5-01
lenet5-02
$ assay search bases/lenet5-00/model.onnx --data bases/lenet5-00/inputs.npz -b reference,ort --level input --cases 8 --bases 1 --no-judge --no-store --no-localize --json > alone.json
$ python3 -c '
> import json
> whole, alone = (json.load(open(name))["models"][0] for name in ("whole.json", "alone.json"))
> print(whole["bases"], alone["bases"], whole["levels"]["input"]["distance"] == alone["levels"]["input"]["distance"])'
3 1 True

# A file of one's own.
$ printf 'layers:\n  - {layer: A, operator: NoSuch}\n' > mine.yaml
$ assay search lenet5 --layers mine.yaml --no-store
? 2
! cannot read layers from 'mine.yaml': layer 'A': there is no operator 'NoSuch'

$ assay search lenet5 --level sideways
? 2
! --level: 'sideways' is not network, input, weight or both

$ assay search lenet5 --fitness beauty
? 2
! --fitness: 'beauty' is not inconsistency, nan, both, none, distance or coverage

# A campaign that was interrupted: the model that is done is not searched again.
$ assay search lenet5 later.onnx -b reference --level input --cases 3 --db c.db
? 2
! later.onnx
lenet5: 13 nodes
...
$ assay zoo get gru -o later.onnx
later.onnx: 6 nodes, trained weights
$ assay search lenet5 later.onnx -b reference --level input --cases 3 --db c.db --resume
? 4
later.onnx: 6 nodes
...
0 failures, 0 findings recorded
backend     given     ran  judged  unsupported  vacuous  unjudged
reference       6       6       0            0        0         6
unjudged: there is nothing to judge it by
$ assay search lenet5 later.onnx -b reference --level input --cases 3 --db c.db --resume
? 4
lenet5: 13 nodes
...

# A file that is no model, and a model that ONNX forbids.
$ printf 'no model' > broken.onnx
$ assay search broken.onnx -b reference
? 2
! assay: broken.onnx: damaged or cut off (in a ModelProto), or not an ONNX file at all

# Levels without anything to change are left out.
$ python3 -c '
> import sys
> def field(n, data): return bytes([n << 3 | 2, len(data)]) + data
> def shape(*dims): return b"".join(field(1, b"\x08" + bytes([d])) for d in dims)
> def value(name): return field(1, name) + field(2, field(1, b"\x08\x01" + field(2, shape(2, 3))))
> node = field(1, b"x") + field(2, b"y") + field(3, b"r") + field(4, b"Relu")
> graph = field(1, node) + field(2, b"g") + field(11, value(b"x")) + field(12, value(b"y"))
> sys.stdout.buffer.write(b"\x08\x08" + field(7, graph) + field(8, b"\x10\x11"))' > relu.onnx
$ assay search relu.onnx -b reference,fault:pool_grad_all --cases 3 --bases 1 --level input,weight --no-store
relu.onnx: 1 node
  level     cases  crash ...
  input         3      0 ...
  incons.: libraries name other classes; far: ...
0 failures, 0 findings recorded
backend               given     ran  judged  unsupported  vacuous  unjudged
reference                 3       3       3            0        0         0
fault:pool_grad_all       3       3       3            0        0         0

# One backend alone is compared with nothing, and that is not green.
$ assay search relu.onnx -b reference --cases 3 --bases 1 --level input --no-store >/dev/null
? 4
! assay: warning: reference was judged on nothing: 3 cases given, 3 unjudged

# Where NaN comes from.
$ assay search lenet5 -b reference --level both --bases 1 --cases 60 --fitness nan --until nan --no-store
? 4
lenet5: 13 nodes
  level     cases  crash ...
  both ...
  incons.: libraries name other classes; far: ...
  NaN comes from Gemm 1
0 failures, 0 findings recorded
...

# Shards: each model is in one of them, and comes to the same there as in the whole.
$ cat >shards.py <<'X'
> import json, subprocess, sys
> def run(*words):
>     done = subprocess.run(["assay", *sys.argv[1:], "--no-store", "--json", *words], capture_output=True, text=True)
>     models = json.loads(done.stdout)["models"]
>     for m in models:
>         for level in m["levels"].values():
>             level.pop("seconds", None)
>     return models
> whole, parts = run(), [run("--shard", f"{k}/3") for k in (1, 2, 3)]
> print([m["model"] for m in whole], [[m["model"] for m in p] for p in parts])
> print("the same:", whole == sorted(sum(parts, []), key=lambda m: [w["model"] for w in whole].index(m["model"])))
> X
$ python3 shards.py search lenet5 mlp gru rows_gru -b reference,fault:relu6 --level input --bases 1 --cases 2 --no-localize
['lenet5', 'mlp', 'gru', 'rows_gru'] [['lenet5', 'rows_gru'], ['mlp'], ['gru']]
the same: True
$ assay search lenet5 mlp -b reference,fault:relu6 --level input --cases 2 --no-store --shard 3/3 --json | grep -c '"model":'
? 1
0
$ assay search lenet5 -b reference,ort --shard 4/3
? 2
! --shard
