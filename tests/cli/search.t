# assay search: a genetic search over networks, inputs and weights.
$ assay search lenet5 -b reference,fault:kernel_mirrored@conv2 --level input --cases 10 --keep 1
? 1
lenet5: 13 nodes
  level     cases  crash ...
  input        10      0 ...
lenet5, input level: fault:kernel_mirrored@conv2 is wrong (bug)
...
  blamed: Conv 'conv2'...
  finding 1: ...Conv/wrong/...
repro: assay replay 1
... failures, 1 findings recorded

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
> print([(m["model"], m["levels"]["network"]["cases"]) for m in r["models"]])'
[('lenet5', 12), ('gru', 12)]

# A file of one's own.
$ printf 'layers:\n  - {layer: A, operator: NoSuch}\n' > mine.yaml
$ assay search lenet5 --layers mine.yaml --no-store
? 2
! cannot read 'mine.yaml': layer 'A': there is no operator 'NoSuch'

$ assay search lenet5 --level sideways
? 2
! no level 'sideways': there are network, input, weight and both

$ assay search lenet5 --fitness beauty
? 2
! --fitness takes inconsistency, nan, both, distance or none, not 'beauty'

# A campaign that was interrupted: the model that is done is not searched again.
$ assay search lenet5 later.onnx -b reference --level input --cases 3 --db c.db
? 2
! later.onnx
lenet5: 13 nodes
...
$ assay zoo get gru -o later.onnx
later.onnx: 6 nodes, random weights
$ assay search lenet5 later.onnx -b reference --level input --cases 3 --db c.db --resume
later.onnx: 6 nodes
...
0 failures, 0 findings recorded
$ assay search lenet5 later.onnx -b reference --level input --cases 3 --db c.db --resume
lenet5: 13 nodes
...
