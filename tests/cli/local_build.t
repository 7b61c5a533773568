# A library as a build leaves it: -b NAME=PATH.
$ ln -s "$SRC/tests/fixtures" f
$ mkdir build; cp -s "$ASSAY_DEPS"/backends/ort/1.20.1/lib/libonnxruntime.so build/libonnxruntime.so.1.20.1

# A folder with the shared library, the file itself, a folder as an installation makes it; the version is the library's own.
$ for p in build build/libonnxruntime.so.1.20.1 "$ASSAY_DEPS/backends/ort/1.20.1"; do
>   assay check f/linear.onnx -b ort=$p --dim N=2 --no-store --json | python3 -c '
> import json, sys
> b = json.load(sys.stdin)["backend_verdicts"][0]
> print(b["version"], b["verdict"])'; done
1.20.1 rounding
1.20.1 rounding
1.20.1 rounding

# Option sets stand behind it, and it may be held against a version that is installed.
$ assay gate f/linear.onnx --dim N=2 -b ort=build:O0 --baseline ort --json | python3 -c '
> import json, sys
> r = json.load(sys.stdin)
> print(r["red"], r["rows"][0]["backend"], r["rows"][0]["before"])'
False ort:O0 rounding

# A Python package lies in a folder that holds it.
$ mnn=$(ls -d "$ASSAY_DEPS"/backends/mnn/* | tail -1); ln -s "$mnn/site" packages
$ assay run f/linear.onnx -i f/x.npy -b mnn=packages | tail -1
  [[1.5 3] [0 2.5]]

$ assay run f/linear.onnx -b ort=nowhere
? 2
! assay: backend 'ort=nowhere': there is no 'nowhere'
$ assay run f/linear.onnx -b ort@1.20.1=build
? 2
! assay: backend 'ort@1.20.1=build': a build at 'build' has a version of its own
$ mkdir empty; assay check f/linear.onnx -b ort=empty --no-store
? 2
! '.../empty/lib/libonnxruntime.so': cannot open
$ assay run f/linear.onnx -b reference=build
? 2
! assay: backend 'reference' has no versions or options
