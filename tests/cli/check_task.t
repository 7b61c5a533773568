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
! assay: --class-limit and --mad-limit are not negative

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
! assay: --save-outputs takes one model
