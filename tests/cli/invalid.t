# assay fuzz --invalid: models that break one rule of ONNX each.  Who refuses them is right.
$ assay fuzz -b reference --models 60 --seed 4 --invalid --no-store | sed -n '3,4p'
status: not loaded (MCF) 0, not run (IF) 0, wrong (DCF) 0, right (DCP) ... flaky 0, ours 0
findings: 0, stored 0, new 0; triage took 0 % of the time

# A library that runs everything is told of, by the node that breaks a rule; one that dies is, too.
$ cat >credulous.py <<'X'
> import os, sys
> sys.path.insert(0, os.environ["SRC"] + "/workers/python")
> from assay_worker import Tensor, serve
> from example_worker import fields
> class Credulous:
>     library = "credulous"
>     def open(self, folder, options): return "1.0"
>     def load(self, model, options, outputs):
>         graph = [v for n, v in fields(model) if n == 7][0]
>         return [bytes([v for n, v in fields(o) if n == 1][0]).decode() for k, o in fields(graph) if k == 12]
>     def outputs(self, session): return session
>     def run(self, session, inputs, names):
>         return [Tensor.of("float32", [1], [0.0]) for name in names]
> serve(Credulous())
> X
$ cat >blocks.yaml <<'X'
> operators:
>   - {name: Transpose}
>   - {name: Softmax}
>   - {name: Concat}
> X
$ assay fuzz -b "exec:python3 credulous.py" --corpus blocks.yaml --models 40 --seed 1 --invalid --db s.db >out
? 1
$ grep -c '/Transpose/accepted/' out >count; test "$(cat count)" -gt 0 && echo told
told
$ grep -E '/(wrong|rejected)/' out
? 1

# What a library must do with such a model is told, also of one that dies.
$ sed 's/graph = /if b"Transpose" in bytes(model): os.abort()\n        &/' credulous.py >deadly.py
$ printf 'operators:\n  - {name: Transpose}\n' >transpose.yaml
$ assay fuzz -b "exec:python3 deadly.py" --corpus transpose.yaml --models 2 --seed 1 --invalid --db d.db >out
? 1
$ assay findings show 1 --db d.db | grep -o -E 'crashes at|The model is (valid|invalid: node)'
crashes at
The model is invalid: node
