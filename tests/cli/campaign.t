# assay campaign: tasks over all cores, each accounted for once, whatever is killed.
$ cat >small.yaml <<'X'
> time: 1h
> slice: 10m
> jobs: 2
> seeds: [3]
> methods:
>   - method: fuzz
>     share: 3
>     backends: ["fault:bias_dropped", "fault:pads_swapped"]
>     shards: 3
>     options: [--models=24, --blocks=3, --no-reduce]
>   - method: check
>     backends: ["fault:bias_dropped"]
>     models: [one.onnx, two.onnx, three.onnx]
>     shards: 2
> X
$ assay zoo get lenet5 -o one.onnx >/dev/null && cp one.onnx two.onnx && cp one.onnx three.onnx
$ assay campaign small.yaml >out 2>err; echo "status $?"; sed -E 's/[0-9]+ s in/N s in/' out | head -1; grep -c '^task ' err
status 1
N s in 1 run; tasks: 8 done, 0 failed, 0 lost, 0 to go on with
8
$ grep -E '^fault:' out
fault:bias_dropped      27 ...
fault:pads_swapped      24 ...
$ ls small.campaign small.campaign/tasks
small.campaign:
findings.db
lock
nodes
state.json
tasks

small.campaign/tasks:

# Done is done: nothing is run again.  A leader that was killed in between has left the folder of a task that was done.
$ mkdir small.campaign/tasks/3; assay campaign small.yaml 2>err | sed -E 's/[0-9]+ s in/N s in/' | head -1; cat err
N s in 2 runs; tasks: 8 done, 0 failed, 0 lost, 0 to go on with
$ ls small.campaign/tasks

# kill -9 of a process that a method itself has started: the task is run again, and comes to its end.
$ cat >one.yaml <<'X'
> time: 1h
> slice: 10m
> jobs: 1
> seeds: [3]
> methods:
>   - {method: fuzz, shards: 1, backends: ["fault:bias_dropped"], options: [--models=100, --blocks=3, --no-reduce]}
> X
$ cat >kill-one.py <<'X'
> import json, os, signal, subprocess, time
> def below(pid):
>     try:
>         kids = [int(k) for k in open(f"/proc/{pid}/task/{pid}/children").read().split()]
>     except FileNotFoundError:
>         return []
>     return [(pid, k) for k in kids] + [pair for k in kids for pair in below(k)]
> def name(pid):
>     try:
>         return open(f"/proc/{pid}/comm").read()
>     except FileNotFoundError:
>         return ""
> leader = subprocess.Popen(["assay", "campaign", "one.yaml", "-o", "one"], stdout=subprocess.DEVNULL,
>                           stderr=subprocess.DEVNULL)
> askers = []
> while leader.poll() is None and not askers:
>     askers = [parent for parent, kid in below(leader.pid) if name(kid).startswith("worker-superv")]
> os.kill(askers[0], signal.SIGKILL)
> leader.wait()
> tasks = json.load(open("one/state.json"))["tasks"]
> print([(t["state"], t["losses"]) for t in tasks])
> X
$ python3 kill-one.py
[('done', 1)]

# kill -9 of the leader and of tasks at any moment: the same work, each task once, the same counts.
$ cat >torture.py <<'X'
> import json, os, random, signal, sqlite3, subprocess, time
> draw = random.Random(7)
> def state():
>     try:
>         return json.load(open("torn/state.json"))["tasks"]
>     except FileNotFoundError:
>         return []
> def children(pid):
>     try:
>         kids = open(f"/proc/{pid}/task/{pid}/children").read().split()
>     except FileNotFoundError:
>         return []
>     return [int(k) for k in kids]
> kills = 0
> while kills < 6:
>     leader = subprocess.Popen(["assay", "campaign", "small.yaml", "-o", "torn"], stdout=subprocess.DEVNULL,
>                               stderr=subprocess.DEVNULL)
>     while leader.poll() is None and not children(leader.pid):
>         time.sleep(0.01)
>     time.sleep(draw.uniform(0, 1.5))
>     victims = [leader.pid] if kills % 2 else [k for c in children(leader.pid) for k in [c] + children(c)][:1]
>     for v in victims:
>         try:
>             os.kill(v, signal.SIGKILL)
>         except ProcessLookupError:
>             pass
>     kills += 1
>     if kills % 2 == 0:
>         leader.wait()
>     else:
>         time.sleep(0.5)
>         leader.send_signal(signal.SIGINT)
>         leader.wait()
> done = subprocess.run(["assay", "campaign", "small.yaml", "-o", "torn", "--json"], capture_output=True, text=True)
> summary = json.loads(done.stdout)
> whole = json.loads(subprocess.run(["assay", "campaign", "small.yaml", "--json"], capture_output=True, text=True).stdout)
> tasks = [(t["line"], t["seed"], t["shard"]) for t in state()]
> print("tasks", summary["tasks"]["done"], "distinct", len(set(tasks)), "left", os.listdir("torn/tasks"))
> print("same counts", summary["counts"] == whole["counts"])
> def found(folder):
>     db = sqlite3.connect(folder + "/findings.db")
>     print(folder, "store", db.execute("PRAGMA integrity_check").fetchone()[0])
>     return set(db.execute("SELECT backend, signature, hash FROM findings JOIN parts ON finding = findings.id AND "
>                           "role = 'model' JOIN blobs ON blobs.id = blob"))
> print("findings lost", len(found("small.campaign") - found("torn")))
> X
$ python3 torture.py
tasks 8 distinct 8 left []
same counts True
small.campaign store ok
torn store ok
findings lost 0

# Two leaders of one folder, another order for it, files that make no sense.
$ python3 - <<'X'
> import fcntl, subprocess
> held = open("small.campaign/lock")
> fcntl.flock(held, fcntl.LOCK_EX)
> print(subprocess.run(["assay", "campaign", "small.yaml"], capture_output=True, text=True).returncode)
> X
2
$ sed 's/seeds: .3./seeds: [4]/' small.yaml >other.yaml; assay campaign other.yaml -o small.campaign
? 2
! assay: '...small.campaign' was begun with other methods, backends, seeds or slices: use another folder (-o)
$ printf 'time: 1h\nmethods:\n  - method: fuz\n    backends: [reference]\n' >bad.yaml; assay campaign bad.yaml
? 2
! assay: 'bad.yaml': there is no method 'fuz' (did you mean 'fuzz'?); choose fuzz, equiv, search, check or swap
$ printf 'time: soon\nmethods:\n  - method: fuzz\n    backends: [reference]\n' >bad.yaml; assay campaign bad.yaml
? 2
! assay: 'bad.yaml': time: 'soon' is not a time such as 90s, 5m or 1h
$ printf 'time: 1h\nmethods:\n  - method: fuzz\n    backend: [reference]\n' >bad.yaml; assay campaign bad.yaml
? 2
! assay: cannot read a campaign from 'bad.yaml': line ...: Unexpected key: backend
$ printf 'time: 1h\nmethods:\n  - method: fuzz\n    backends: [nowhere]\n' >bad.yaml; assay campaign bad.yaml
? 2
! nowhere
$ printf 'time: 1h\nmethods:\n  - method: check\n    backends: [reference]\n' >bad.yaml; assay campaign bad.yaml
? 2
! assay: 'bad.yaml': check needs models
$ assay campaign none.yaml
? 2
! cannot open 'none.yaml': No such file or directory
$ assay campaign --task 99 small.campaign
? 2
! assay: 'small.campaign' has no task 99
$ echo '{"version": 1' >small.campaign/state.json; assay campaign small.yaml
? 2
! cannot read '...state.json'

# A task that fails is told of, and its line rests after two.
$ printf 'time: 1h\njobs: 1\nmethods:\n  - method: fuzz\n    backends: [reference]\n    options: [--blocks=1000000]\n' >fail.yaml
$ assay campaign fail.yaml | head -1 | sed -E 's/^[0-9]+/N/'
! task 1: fuzz reference, seed 0, shard 2/1000000: failed in ... --blocks takes 1 to
N s in 1 run; tasks: 0 done, 2 failed, 0 lost, 0 to go on with

# Too short for any task: green with nothing checked it is not.
$ printf 'time: 0.5s\nmethods:\n  - method: check\n    backends: [reference]\n    models: [one.onnx]\n' >short.yaml; assay campaign short.yaml | tail -1
reference       0       0       0            0        0         0
$ assay campaign short.yaml >/dev/null
? 4
! reference was judged on nothing: 0 cases given
