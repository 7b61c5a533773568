# assay campaign: as many tasks run as there are jobs, so the reference has one thread in each, unless somebody says so.
$ cat >threads.py <<'X'
> import subprocess, sys
> def read(path, mode="r"):
>     try:
>         with open(path, mode) as f:
>             return f.read()
>     except (FileNotFoundError, ProcessLookupError):
>         return "" if mode == "r" else b""
> leader = subprocess.Popen(["assay", "campaign", sys.argv[1]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
> seen = set()
> while leader.poll() is None:
>     for pid in read(f"/proc/{leader.pid}/task/{leader.pid}/children").split():
>         if b"--task" in read(f"/proc/{pid}/cmdline", "rb").split(b"\0"):
>             words = read(f"/proc/{pid}/environ", "rb").split(b"\0")
>             seen |= {w.decode() for w in words if w.startswith(b"ASSAY_THREADS=")} or {"none"} if words[0] else set()
> print(sorted(seen))
> X
$ for jobs in 1 2; do cat >$jobs.yaml <<X; done
> time: 1h
> jobs: $jobs
> methods:
>   - {method: fuzz, shards: 2, backends: [reference], options: [--models=20, --blocks=3]}
> X
$ unset ASSAY_THREADS; python3 threads.py 2.yaml; python3 threads.py 1.yaml; ASSAY_THREADS=3 python3 threads.py 2.yaml | head -1; rm -r 2.campaign; ASSAY_THREADS=3 python3 threads.py 2.yaml
['ASSAY_THREADS=1']
['none']
[]
['ASSAY_THREADS=3']
