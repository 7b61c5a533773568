# assay check: one model on several backends.
$ assay zoo get lenet5 -o lenet5.onnx
lenet5.onnx: 13 nodes, trained weights

$ assay check lenet5.onnx -b reference,ort --data "$ASSAY_DEPS/digits/mnist_5k.csv.gz" --preprocess scale=1/255 --limit 8
lenet5.onnx: 13 nodes, 8 runs of 8 inputs: rounding
  backend    verdict      noise ratio  load + run
  reference  rounding...
  ort        rounding...
0 of 1 pair inconsistent, 0 unique (class-based with labels, MAD-based)
accuracy: reference 100.0 %, ort 100.0 %
extraction ...
backend     given     ran  judged  unsupported  vacuous  unjudged
reference       8       8       ...            0        0         0
ort             8       8       ...            0        0         0

$ assay check lenet5.onnx -b reference,ort --timeout -1
? 2
! --timeout: '-1' is not a number above 0

# --all leaves out a library whose device is not here, and folders that are no library
$ mkdir -p all/torch-cuda/1.0 all/nobody/1.0; test -e /dev/nvidia0 || ASSAY_BACKENDS=$PWD/all assay check lenet5.onnx --all --no-store | grep -c "^  reference\|^  torch-cuda" | grep -qx 1

# One planted fault: who is wrong, in which node, and a finding that is reduced to one node.
$ assay check lenet5.onnx -b reference,ort,fault:kernel_mirrored@conv2 --data "$ASSAY_DEPS/digits/mnist_5k.csv.gz" \
>     --preprocess scale=1/255 --limit 8 --svg map.svg
? 1
lenet5.onnx: 13 nodes, 8 runs of 8 inputs: wrong
...
  fault:kernel_mirrored@conv2  wrong ...
...
2 of 3 pairs inconsistent, 2 unique (class-based with labels, MAD-based)
...
accuracy: reference 100.0 %, ort 100.0 %, fault:kernel_mirrored@conv2 ... %
fault:kernel_mirrored@conv2 names another class than reference for ... of 8 inputs (... %)
fault:kernel_mirrored@conv2: blamed
  1. Conv 'conv2'; alone ... times the noise; R_L ...; replacing this node with the reference removes the difference
...
  finding 1: ...Conv/wrong/...
repro: assay replay 1
...

$ head -c 4 map.svg
<svg

# Where nothing is wrong there is no map, and that is said.
$ assay check lenet5 -b reference --no-store --svg none.svg
lenet5: ...
...
! 'none.svg' is not written: nothing was localized, so there is no map

$ assay findings --json | python3 -c '
> import json, sys
> f = json.load(sys.stdin)
> f = f["findings"] if isinstance(f, dict) else f
> print(len(f), f[0]["op"], f[0]["verdict"], f[0]["nodes"])'
1 Conv wrong 1

$ assay check lenet5.onnx -b reference,fault:relu6 --json --no-store | python3 -c '
> import json, sys
> r = json.load(sys.stdin)
> print(sorted(r))
> print(sorted(r["pairs"][0])[:4], r["backend_verdicts"][1]["verdict"], r["blame"][0]["op"])'
['backend_verdicts', 'backends', 'blame', 'differences', 'findings', 'input_sizes', 'inputs', 'maps', 'model', 'pair_maps', 'pairs', 'patterns', 'schema', 'seconds', 'tasks', 'unique_inconsistencies', 'verdict']
['a', 'b', 'class_bins', 'explained'] wrong Relu

# Images, one or a folder of them, and labels from a file.
$ mkdir images; python3 -c '
> import struct, zlib
> def chunk(kind, data):
>     return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
> for name, shade in ("a", 90), ("b", 200):
>     rows = b"".join(b"\0" + bytes(3 * [shade if 8 < y < 20 else 0]) * 40 for y in range(30))
>     png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 40, 30, 8, 2, 0, 0, 0))
>     png += chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
>     open(f"images/{name}.png", "wb").write(png)'

$ printf '1\n7\n' >labels.csv; assay check lenet5.onnx --data images --labels labels.csv | sed -n '1p;5p'
lenet5.onnx: 13 nodes, 2 runs of 2 inputs: rounding
0 of 1 pair inconsistent, 0 unique (class-based with labels, MAD-based)

$ assay check lenet5.onnx --data images/a.png --preprocess mean=0.1,std=0.3,scale=1/255 | head -1
lenet5.onnx: 13 nodes, 1 run of 1 input: rounding

$ printf 'no image' >images/c.png; assay check lenet5.onnx --data images
? 2
! assay: 'images/c.png' is not an image, or a broken one

$ printf '1\n' >labels.csv; assay check lenet5.onnx --data images/a.png --limit 1 --labels nothing.npy
? 2
! nothing.npy

# Another paper's oracle on the same pairs; a fault that flips no class is none for Audee.
$ assay check lenet5.onnx -b ort,fault:weights_bf16@conv1 --oracle audee --no-store --no-localize --random 2 | grep pair
0 of 1 pair inconsistent, 0 unique (by the oracle 'audee', limit 0.5)

$ assay check lenet5.onnx -b ort,fault:weights_bf16@conv1 --oracle rounding --no-store --no-localize --random 2 | grep pair
1 of 1 pair inconsistent, 1 unique (by the oracle 'rounding', limit ...)

$ assay check lenet5.onnx --oracle delphi
? 2
! assay: --oracle: 'delphi' is not rounding, cradle, audee, eagle, meta or gbft

$ assay check
? 2
! assay: check needs at least one model

$ assay check nothing.onnx
? 2
! nothing.onnx

$ printf 'no model' >broken.onnx; assay check broken.onnx
? 2
! broken.onnx

$ assay check lenet5.onnx --data lenet5.onnx
? 2
! assay: --data: 'lenet5.onnx' is neither .npy, .npz, .csv, .csv.gz, an image nor a folder

$ echo 1,2,3 >few.csv; assay check lenet5.onnx --data few.csv
? 2
! image

$ assay check lenet5.onnx --data "$ASSAY_DEPS/digits/mnist_5k.csv.gz" --preprocess scale=dark
? 2
! assay: --preprocess: cannot make sense of 'scale=dark'

$ assay check lenet5.onnx -b nolib
? 2
! nolib

# Two sides that are inconsistent while the reference is not asked: the paper's map of the pair, as text and as JSON.
$ assay check lenet5.onnx -b reference,fault:kernel_mirrored@conv2 --no-judge --no-store --map | sed -n '/where they part/,/Conv/p'
reference / fault:kernel_mirrored@conv2: where they part
  localization map: nodes above the third quartile (...) of R_L, by how much their difference δ
  exceeds that of their inputs, relative to it
    Conv                 conv2 ...

$ assay check lenet5.onnx -b reference,fault:kernel_mirrored@conv2 --no-judge --no-store --json | python3 -c '
> import json, sys
> r = json.load(sys.stdin)
> m = r["pair_maps"][0]
> print(len(r["pair_maps"]), m["a"], m["b"], max(m["map"], key=lambda x: x["rate"] or 0)["node"], r["blame"])'
1 reference fault:kernel_mirrored@conv2 conv2 []

# A model that is not valid is refused by name of file and node; what a library makes of one that only a run shows to be
# invalid is told, and nobody is blamed.
$ python3 - <<'END'
> import struct
> def field(n, data): return bytes([n << 3 | 2, len(data)]) + data
> def number(n, x): return bytes([n << 3, x])
> def tensor_type(dims): return field(1, number(1, 1) + field(2, b"".join(field(1, number(1, d)) for d in dims)))
> def model(axes):
>     node = field(1, b"x") + field(1, b"axes") + field(2, b"y") + field(3, b"squeeze") + field(4, b"Squeeze")
>     init = number(1, len(axes)) + number(2, 7) + field(8, b"axes") + field(9, struct.pack(f"<{len(axes)}q", *axes))
>     graph = field(1, node) + field(2, b"g") + field(5, init) + field(11, field(1, b"x") + field(2, tensor_type([1, 2])))
>     graph += field(12, field(1, b"y") + field(2, tensor_type([2])))
>     return number(1, 7) + field(7, graph) + field(8, field(1, b"") + number(2, 13))
> open("twice.onnx", "wb").write(model([0, 0]))
> open("wide.onnx", "wb").write(model([1]))
> END

$ assay check twice.onnx -b ort --no-store
? 1
twice.onnx: 1 node, 1 run of 1 input: accepted
  backend   verdict      noise ratio  load + run
  ort       accepted...
    runs what is not valid: ...node 'squeeze' (Squeeze): axis 0 is named twice
extraction ...
backend   given     ran  judged  unsupported  vacuous  unjudged
ort           1       1       1            0        0         0

$ assay check wide.onnx -b ort --no-store
? 2
! assay: wide.onnx: node 'squeeze' (Squeeze): ...

# Two libraries whose results are nothing but rounding are inconsistent for CRADLE, and nobody's failure, unless that
# oracle is asked for; JUnit and SARIF have none, either.
$ python3 - <<'END'
> import os, sys
> sys.dont_write_bytecode = True
> sys.path.insert(0, os.environ["SRC"] + "/tests/fixtures")
> from make import *
> nodes = [node("sum", "ReduceSum", ["x", "axes"], ["a"]), node("product", "MatMul", ["x", "ones"], ["b"]),
>          node("rest", "Sub", ["a", "b"], ["y"])]
> inits = [tensor("axes", INT64, [1], [1]), tensor("ones", FLOAT, [1000, 1], [1.0] * 1000)]
> open("rest.onnx", "wb").write(model(nodes, [value("x", FLOAT, [1, 1000])], [value("y", FLOAT, [1, 1])], inits))
> END

$ assay check rest.onnx -b reference,ort --db rest.db
rest.onnx: 3 nodes, 1 run of 1 input: rounding
  backend    verdict      noise ratio  load + run
  reference  ...
  ort        rounding ...
1 of 1 pair inconsistent, 1 unique (MAD-based without targets)
  reference / ort: MAD ...
    the reference finds both right, up to rounding: not a failure unless you give --oracle
...
$ assay report --db rest.db --junit - | grep -c '<failure\|<error'
? 1
0
$ assay report --db rest.db --sarif - | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["runs"][0]["results"]))'
0
$ assay check rest.onnx -b reference,ort --no-store --json | python3 -c '
> import json, sys
> print(json.load(sys.stdin)["pairs"][0]["explained"])'
True
$ assay check rest.onnx -b reference,ort --no-store --oracle cradle >/dev/null
? 1
$ assay check rest.onnx -b reference,ort --no-store --no-judge >/dev/null
? 1

# A real fault of the same look is none of chance.
$ assay check rest.onnx -b reference,fault:matmul_tail --no-store >/dev/null
? 1
