# --shard K/N of check and equiv: each model and each pair is in one part, and comes to the same there as in the whole.
# (search, swap and conform have this in their own files, fuzz in test_split.c.)
$ cat >shards.py <<'X'
> import json, subprocess, sys
> key, parts = sys.argv[1], int(sys.argv[2])
> def run(*words):  # check prints a list of models, and of a single one that alone
>     done = subprocess.run(["assay", *sys.argv[3:], "--no-store", "--json", *words], capture_output=True, text=True)
>     if done.returncode not in (0, 1):
>         sys.exit(f"status {done.returncode}: {done.stderr}")
>     told = json.loads(done.stdout)
>     told = told if key in told else {key: told if isinstance(told, list) else [told]}
>     return {**told, key: plain(told[key])}
> def plain(cases):
>     return sorted(json.dumps(timeless(c), sort_keys=True) for c in cases)
> def timeless(x):
>     if isinstance(x, dict):
>         return {k: timeless(v) for k, v in x.items() if not k.endswith("seconds") and k != "repro"}
>     return [timeless(v) for v in x] if isinstance(x, list) else x
> whole, of = run(), [run("--shard", f"{k}/{parts}") for k in range(1, parts + 1)]
> print("some in each of", parts, "parts:", all(p[key] for p in of))
> print("in one part alone:", len({c for p in of for c in p[key]}) == sum(len(p[key]) for p in of))
> print("the same:", sorted(c for p in of for c in p[key]) == whole[key])
> for n in "pairs", "run", "cases":
>     if n in whole:
>         print("as many", n, "in all:", sum(p[n] for p in of) == whole[n] > 0)
> X
$ for m in lenet5 mlp gru; do assay zoo get $m -o $m.onnx >/dev/null; done
$ python3 shards.py models 3 check lenet5.onnx mlp.onnx gru.onnx -b reference,fault:relu6
some in each of 3 parts: True
in one part alone: True
the same: True
$ python3 shards.py findings 3 equiv -b ort --plant --rule 16 --api 'Si*' --inputs 4
some in each of 3 parts: True
in one part alone: True
the same: True
as many pairs in all: True
as many run in all: True
as many cases in all: True
