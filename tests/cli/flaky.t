# What does not reproduce is flaky, and not said as if it were certain.
$ cat >once.py <<'X'
> import os, random, sys
> sys.path.insert(0, os.environ["SRC"] + "/workers/python")
> from assay_worker import Tensor, serve
> from example_worker import Session
> class Once:
>     """Wrong in another way each time, or in the first run of a process alone."""
>     library = "once"
>     runs = 0
>     def open(self, folder, options): return "1.0"
>     def load(self, model, options, outputs): return Session(model)
>     def outputs(self, session): return session.outputs
>     def run(self, session, inputs, names):
>         x = list(inputs.values())[0]
>         self.runs += 1
>         if self.runs > 1 and "always" not in sys.argv:
>             return [Tensor.of(x.dtype, x.shape, [max(v, 0) for v in x.numbers()])]
>         return [Tensor.of(x.dtype, x.shape, [100 + 100 * random.random() for v in x.numbers()])]
> serve(Once())
> X
$ cat >relu.py <<'X'
> import os, sys
> sys.path.insert(0, os.environ["SRC"] + "/tests/fixtures")
> import make
> open("relu.onnx", "wb").write(make.model([make.node("r", "Relu", ["x"], ["y"])], [make.value("x", 1, [2, 3])], [make.value("y", 1, [2, 3])]))
> X
$ python3 relu.py
$ for store in "--db s.db" --no-store; do assay check relu.onnx -b "exec:python3 once.py" $store >out; echo $?; head -3 out; done
0
relu.onnx: 1 node, 1 run of 2 inputs: flaky
  backend ...
  exec:python3 once.py  flaky ...
0
relu.onnx: 1 node, 1 run of 2 inputs: flaky
  backend ...
  exec:python3 once.py  flaky ...
$ grep -c 'did not reproduce' out
1

# What is wrong each time is a finding, whatever the numbers are.
$ assay check relu.onnx -b "exec:python3 once.py always" --no-store >out; echo $?; head -3 out; grep -c 'other numbers each' out
1
relu.onnx: 1 node, 1 run of 2 inputs: wrong
  backend ...
  exec:python3 once.py always  wrong ...
1
