# equiv on a worker without a list of operations of its own: those are ONNX's, and a call is a model of one node.
$ cat >lib.py <<END
> import os, sys
> sys.path.insert(0, os.environ["SRC"] + "/workers/python")
> from assay_worker import serve
> from example_worker import Example, add
> def fault(a, b):
>     if a.dtype == "float64" and sys.argv[1] == "die":
>         os.abort()
>     return add(a, add(b, b) if a.dtype == "float64" and sys.argv[1] == "double" else b)
> Example.KNOWN["Add"] = fault
> serve(Example())
> END
$ assay equiv -b "exec:python3 lib.py well" --list | grep -E '^(Add|Relu) '
Relu X:tensor ... - the library, or its binding, does not have it
Add A:tensor B:tensor ...

$ assay equiv -b "exec:python3 lib.py well" --rule 12 --api Add --inputs 40 --no-store
exec:python3 lib.py well 1.0: 1 of 1 pairs run, 1 with a valid call, 39 inputs: 0 findings
...
  agree 30, rounding 0, random 0, one side refused 1
...

# A process that dies, and numbers that are wrong, as of any other library.
$ assay equiv -b "exec:python3 lib.py die" --rule 12 --api Add --inputs 40 --no-store
? 1
rule 12 (element types), Add: crash on 3 of 6 inputs
...
  side b: crash: died by signal 6 (Aborted)
  decided by a death: the process ended, and did so again in a fresh one; wrong is side b
...

$ assay equiv -b "exec:python3 lib.py double" --rule 12 --api Add --inputs 40
? 1
rule 12 (element types), Add: wrong on 16 of 39 inputs
...
  repro: assay equiv -b 'exec:python3 lib.py double' --rule 12 --api 'Add' --seed 0 --inputs 40
...
$ assay replay 1 -b "exec:python3 lib.py double" | head -1
1 on exec:python3 lib.py double (1.0): wrong...
