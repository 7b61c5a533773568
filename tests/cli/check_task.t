# assay check: tasks, labels and targets of CRADLE's distances.
$ python3 - <<'END'
> import os, sys
> sys.dont_write_bytecode = True
> sys.path.insert(0, os.environ["SRC"] + "/tests/fixtures")
> from make import *
> io = [value("x", FLOAT, [1, 2])], [value("y", FLOAT, [1, 2])]
> open("two.onnx", "wb").write(model([node("y", "Relu", ["x"], ["y"])], *io))
> END

# A fractional label is no class: the line is named.  As a target it is what the distance is to.
$ printf '1,2,0\n3,4,0.5\n' >fraction.csv; assay check two.onnx --data fraction.csv --no-store
? 2
! assay: 'fraction.csv' line 2: the label is 0.5, expected the number of a class (with --task regression it is a target)

$ printf '1,2\n3,4\n' >x.csv; printf '1,2.5\n3.25,4\n' >targets.csv
$ assay check two.onnx -b reference,fault:relu6 --data x.csv --targets targets.csv --no-store --no-localize | grep pair
0 of 1 pair inconsistent, 0 unique (MAD-based with targets)

# With T_M = 0 every input is inconsistent, and with T_C = 0.
$ assay check two.onnx -b reference,ort --data x.csv --targets targets.csv --mad-limit 0 --no-store --no-localize | grep -A1 pair
1 of 1 pair inconsistent, 1 unique (MAD-based with targets)
  reference / ort: MAD 0, 2 of 2 inputs, pattern 1: MAD 0-0.2 on 2

$ assay check two.onnx --data x.csv --mad-limit -1
? 2
! --mad-limit: '-1' is not a number from 0 on

$ printf '1\n2\n' >short.csv; assay check two.onnx --data x.csv --targets short.csv --no-store
? 2
! there are 1 targets an item, the first output has 2 values

$ printf '1,2\n' >few.csv; assay check two.onnx --data x.csv --targets few.csv --no-store
? 2
! 'few.csv' has targets of 1 items, there are 2

$ printf '0\n2\n' >labels.csv; assay check two.onnx --data x.csv --labels labels.csv --no-store
? 2
! label 2 of item 1: the first output has 2 classes

$ assay check two.onnx --data x.csv --task binary --json --no-store | python3 -c 'import json, sys; print(json.load(sys.stdin)["tasks"])'
['binary']

$ assay check two.onnx --data x.csv --task sequence --no-store
? 2
! --task sequence: output 'y' is float32[1,2], expected classes and at least one more axis

$ assay check two.onnx --task regresion
? 2
! assay: --task: 'regresion' is not auto, class, binary, regression, segmentation, sequence or detection (did you mean 'regression'?)

# An autoencoder's pixels are no classes.
$ assay check autoencoder -b reference,ort --no-store --json | python3 -c '
> import json, sys
> r = json.load(sys.stdin)
> print(r["tasks"], r["pairs"][0]["max_d_class"], r["pairs"][0]["inconsistent"])'
['regression'] None False

# What each backend gave, all runs in one array.
$ assay check two.onnx -b reference,ort --data x.csv --save-outputs given --no-store >/dev/null; python3 - <<'END'
> import zipfile
> for name in ("reference", "ort"):
>     with zipfile.ZipFile(f"given/{name}.npz") as z:
>         print(name, z.namelist(), z.read("y.npy").split(b"shape")[1][:12])
> END
reference ['y.npy'] b"': (2,2), } "
ort ['y.npy'] b"': (2,2), } "

$ assay check two.onnx two.onnx --save-outputs given
? 2
! assay: --save-outputs: two models are called 'two.onnx'

# --items: so many items of the data are one run, of a network of the zoo and of a model that leaves the number open.
# Distances are still of single items.
$ python3 - <<'END'
> import os, sys
> sys.dont_write_bytecode = True
> sys.path.insert(0, os.environ["SRC"] + "/tests/fixtures")
> from make import *
> io = [value("x", FLOAT, ["N", 2])], [value("y", FLOAT, ["N", 2])]
> open("open.onnx", "wb").write(model([node("y", "Relu", ["x"], ["y"])], *io))
> END
$ printf '%s\n' 1,2 3,4 5,6 7,8 9,10 >five.csv; printf '%s\n' 1 1 0 0 0 >classes.csv
$ assay check open.onnx -b reference,fault:relu6 --data five.csv --labels classes.csv --items 2 --class-limit 1 --no-store --no-localize | grep -E 'runs|classes|  reference /'
open.onnx: 1 node, 2 runs of 4 inputs: wrong
  reference / fault:relu6: class 8, MAD 0.12, 1 of 4 inputs, pattern 1: class distance 15-8 on 1, 0 on 3
! assay: 1 items fill no whole batch of 2 and are left out
$ assay zoo data iris_mlp -o iris >/dev/null
$ assay check iris_mlp -b reference,ort --data iris/inputs.npy --labels iris/labels.npy --items 75 --no-store | head -1
iris_mlp: 6 nodes, 2 runs of 150 inputs: rounding
$ assay check two.onnx --data x.csv --items 2
? 2
! assay: 'x.csv': the model takes 1 items at once: leave out --items
$ assay check open.onnx --data x.csv --items 3
? 2
! assay: 'x.csv': 2 items are fewer than the items of a run, 3
$ mkdir pictures; assay check open.onnx --data pictures --items 2
? 2
! assay: --items: 'pictures' is not a table (.npy, .npz, .csv, .csv.gz) of items
$ assay check open.onnx --items 2
? 2
! assay: --items needs --data
$ assay check open.onnx --data x.csv --items -1
? 2
! --items: '-1' is not a whole number from 1 on

# A library starts once for all models; where something went wrong, the next model gets a fresh process.
$ cat >count.py <<'X'
> import os, sys
> sys.path.insert(0, os.environ["SRC"] + "/workers/python")
> from assay_worker import Rejected, Unsupported, serve
> class Count:
>     library, loaded = "count", 0
>     def open(self, folder, options): return "1.0"
>     def load(self, model, options, outputs):
>         self.loaded += 1
>         raise (Rejected if b"refused" in bytes(model) else Unsupported)("number %d" % self.loaded)
> serve(Count())
> X
$ python3 - <<'END'
> import os, sys
> sys.dont_write_bytecode = True
> sys.path.insert(0, os.environ["SRC"] + "/tests/fixtures")
> from make import *
> for name, y in (("a", "y"), ("b", "y"), ("c", "refused"), ("d", "y")):
>     open(name + ".onnx", "wb").write(model([node(y, "Relu", ["x"], [y])], [value("x", FLOAT, [2])], [value(y, FLOAT, [2])]))
> END
$ assay check a.onnx b.onnx c.onnx d.onnx -b "exec:python3 count.py" --no-store --no-localize | grep -E '^[a-d].onnx +exec'
a.onnx  exec:python3 count.py  unsupported  unsupported: number 1
b.onnx  exec:python3 count.py  unsupported  unsupported: number 2
c.onnx  exec:python3 count.py  rejected     rejected: number 3
d.onnx  exec:python3 count.py  unsupported  unsupported: number 1
