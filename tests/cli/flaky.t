# What does not come again is flaky, and not said as if it were certain.
$ cat >once.py <<'X'
> import os, sys
> sys.path.insert(0, os.environ["SRC"] + "/workers/python")
> from assay_worker import Tensor, serve
> from example_worker import Session
> class Once:
>     """Wrong in its first run on this machine, right ever after."""
>     library = "once"
>     def open(self, folder, options): return "1.0"
>     def load(self, model, options, outputs): return Session(model)
>     def outputs(self, session): return session.outputs
>     def run(self, session, inputs, names):
>         first = not os.path.exists(sys.argv[1])
>         open(sys.argv[1], "w").close()
>         x = list(inputs.values())[0]
>         return [Tensor.of(x.dtype, x.shape, [9.0 if first else max(v, 0.0) for v in x.numbers()])]
> serve(Once())
> X
$ cat >relu.py <<'X'
> import os, sys
> sys.path.insert(0, os.environ["SRC"] + "/tests/fixtures")
> import make
> open("relu.onnx", "wb").write(make.model([make.node("r", "Relu", ["x"], ["y"])], [make.value("x", 1, [2, 3])], [make.value("y", 1, [2, 3])]))
> X
$ python3 relu.py
$ for store in "--db s.db" --no-store; do rm -f seen; assay check relu.onnx -b "exec:python3 once.py $PWD/seen" $store >out; echo $?; head -3 out | sed 's/ once.py.*seen//'; done
0
relu.onnx: 1 nodes, 1 runs of 2 inputs: flaky
  backend ...
  exec:python3  flaky ...
0
relu.onnx: 1 nodes, 1 runs of 2 inputs: flaky
  backend ...
  exec:python3  flaky ...
$ grep -c 'does not come again' out
1
