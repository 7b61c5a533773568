# A worker that keeps to the protocol, in C and in Python.
$ assay worker-test fault:matmul_tail
hello: ok
hello library: ok
hello version: ok
hello capabilities: ok
load: ok
run: ok
run by name: ok
run scalar: ok
run empty: ok
run types: ok
shared memory: ok
shared memory sizes: ok
sessions: ok
session unloaded: ok
session unknown: ok
load nonsense: ok
load unknown operator: ok
run without input: ok
unknown request: ok
run after all that: ok
bye: ok
end of file: ok
22 checks: 22 ok, 0 failed, 0 not tried
$ assay worker-test python3 "$SRC/workers/python/example_worker.py" | tail -1
22 checks: 22 ok, 0 failed, 0 not tried

# What one gets wrong, and nothing else, is told.
$ cat >bad.py <<'END'
> import os, sys, time
> sys.path.insert(0, os.environ["SRC"] + "/workers/python")
> from assay_worker import Rejected, Tensor, serve
> from example_worker import Session
>
> class Bad:
>     library = "" if sys.argv[1] == "nameless" else "bad"
>     def open(self, folder, options): return "1.0"
>     def load(self, model, options, outputs):
>         if sys.argv[1] == "credulous":
>             try: return Session(model)
>             except Exception: return None
>         return Session(model)
>     def outputs(self, session): return session.outputs
>     def run(self, session, inputs, names):
>         if not inputs: raise Rejected("no input")
>         x = list(inputs.values())[0]
>         if session.nodes[0].op != "Identity": raise Rejected("only Identity")
>         if sys.argv[1] == "empty" and 0 in x.shape: os.abort()
>         if sys.argv[1] == "types" and x.dtype == "int64": return [Tensor.of("int32", x.shape, x.numbers())]
>         if sys.argv[1] == "slow" and len(x.shape) == 0: time.sleep(60)
>         return [x]
>
> serve(Bad())
> END
$ assay worker-test "python3 bad.py none" | tail -1
22 checks: 22 ok, 0 failed, 0 not tried
$ assay worker-test python3 bad.py nameless | grep FAILED
hello library: FAILED: expected the library's name, got: an empty name
$ assay worker-test python3 bad.py credulous | grep FAILED
load nonsense: FAILED: expected REJECTED, with a message, for bytes that are not a model, and for none, got: ok
$ assay worker-test python3 bad.py empty | grep FAILED
run empty: FAILED: expected a tensor with a dimension of 0, got: crash (signal 6): died by signal 6 (Aborted)
$ assay worker-test python3 bad.py types | grep FAILED
run types: FAILED: expected every type there and back, or UNSUPPORTED or REJECTED, got: int64: an output of another type, shape or value
$ assay worker-test python3 bad.py slow --timeout 3 | grep FAILED
run scalar: FAILED: expected a tensor without dimensions, got: hang: no answer within 3 seconds

# One that lies, one that never answers, none at all.
$ assay worker-test "$(dirname "$ASSAY")/tests/fault_worker raw"
? 1
hello: ok
hello library: FAILED: expected the library's name, got: an empty name
...
bye: FAILED: expected Done, and the process ends with status 0, got: crash (exit status 0): exited with status 0
...
22 checks: ...
$ assay worker-test /bin/true --json | python3 -c '
> import json, sys
> checks = json.load(sys.stdin)["checks"]
> print(len(checks), checks[0]["check"], checks[0]["result"], checks[0]["got"]); print({c["result"] for c in checks[1:]})'
22 hello FAILED cannot start worker 'exec:/bin/true': exited with status 0
{'not tried'}
$ assay worker-test /bin/true >out
? 1
$ assay worker-test
? 2
! worker-test needs a command
$ assay worker-test /no/such/worker
? 2
! cannot find program

# What is no answer is told as that, not as a crash of the library; the list goes on behind a command.
$ assay check "$SRC/tests/fixtures/linear.onnx" -b "exec:$(dirname "$ASSAY")/tests/fault_worker 'raw',reference" --no-store --no-localize | grep -c -e 'raw.* protocol ' -e 'protocol: its answer makes no sense' -e '^  reference .* agree'
3
