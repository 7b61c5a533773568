# The element that a verdict is about, for programs.
$ cat >look.py <<'END'
> import json, sys
> for b in json.load(sys.stdin)["backend_verdicts"]:
>     w = b["worst"]
>     print(b["backend"], b["is_finding"], w and (w["input"], w["output"], w["element"], w["got"] != w["expected"]))
> END

$ assay check lenet5 -b reference,fault:kernel_mirrored --no-store --no-localize --json | python3 look.py
reference False None
fault:kernel_mirrored True (0, 'probabilities', 1, True)
