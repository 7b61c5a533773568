# assay campaign: a task of equiv or search that is not done when its slice is over goes on, and each case counts once.
$ cat >slices.py <<'X'
> import json, os, subprocess
> def run(slice):
>     with open(slice + ".yaml", "w") as f:
>         f.write(f"""time: 1h
> slice: {slice}
> jobs: 2
> methods:
>   - {{method: equiv, backends: [ort], shards: 2, options: [--rule, "16", --api, "Si*", --inputs, "10", --plant]}}
>   - {{method: search, backends: ["fault:relu6"], models: [lenet5, mlp], shards: 1,
>      options: [--level, network, --cases, "4", --no-localize]}}
> """)
>     done = subprocess.run(["assay", "campaign", slice + ".yaml", "--json"], capture_output=True, text=True)
>     with open(slice + ".campaign/state.json") as f:
>         return done.returncode, json.loads(done.stdout), json.load(f)["tasks"]
> status, whole, one = run("10m")
> print("whole:", status, whole["tasks"], [t.get("slices") for t in one])
> status, cut, many = run("0.01s")
> print("cut:", status, cut["tasks"], ["several" if t.get("slices", 1) > 1 else "one" for t in many])
> print("same counts:", cut["counts"] == whole["counts"], "; given:", all(c["given"] for c in whole["counts"].values()))
> print("same clusters:", cut["clusters"] == whole["clusters"], "; some:", whole["clusters"] > 1)
> print("same tasks:", [(t["line"], t["shard"]) for t in sorted(one, key=str)] ==
>       [(t["line"], t["shard"]) for t in sorted(many, key=str)], "; left:", os.listdir("0.01s.campaign/tasks"))
> X
$ python3 slices.py
whole: 1 {'running': 0, 'open': 0, 'done': 3, 'failed': 0, 'lost': 0} [1, 1, 1]
cut: 1 {'running': 0, 'open': 0, 'done': 3, 'failed': 0, 'lost': 0} ['several', 'several', 'several']
same counts: True ; given: True
same clusters: True ; some: True
same tasks: True ; left: []
