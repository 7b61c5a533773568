#!/usr/bin/env python3
"""assay campaign --slurm on a real Slurm of two nodes on this machine.

    tests/slurm/campaign.py [--assay build/assay]

Starts munged, slurmctld and two slurmd with folders of their own, runs a campaign of known size, kills a task's
processes on a node in the middle and kills the leader once, and holds the accounts against a campaign on this machine:
every case is there exactly once.  A job array of this Slurm has fewer elements than there are tasks.  Exit status 77
where Slurm is not installed or this is not root; 1 then where ASSAY_REQUIRE_SLURM is set.
"""

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = ("munged", "mungekey", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo")
SKIPPED = 77
ALL_DONE = {"running": 0, "open": 0, "done": 8, "failed": 0, "lost": 0}
MOST = 6  # elements of a job array: fewer than there are tasks
ORDER = """time: 1h
slice: 10m
jobs: 8
seeds: [3]
methods:
  - method: fuzz
    backends: ["fault:bias_dropped", "fault:pads_swapped"]
    shards: 4
    options: [--models=40, --blocks=3, --no-reduce]
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def slurm_conf(folder, host):
    ports = [free_port() for _ in range(3)]
    lines = ["ClusterName=test", f"SlurmctldHost={host}(127.0.0.1)", f"SlurmctldPort={ports[0]}", "SlurmUser=root",
             "SlurmdUser=root", "AuthType=auth/munge", f"AuthInfo=socket={folder}/munge.socket",
             "CredType=cred/munge", "MpiDefault=none", "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none",
             "SelectType=select/cons_tres", "SelectTypeParameters=CR_CPU", "ReturnToService=2", "MailProg=/bin/true",
             f"StateSaveLocation={folder}/state", f"SlurmdSpoolDir={folder}/spool.%n",
             f"SlurmctldPidFile={folder}/slurmctld.pid", f"SlurmdPidFile={folder}/slurmd.%n.pid",
             f"SlurmctldLogFile={folder}/slurmctld.log", f"SlurmdLogFile={folder}/slurmd.%n.log",
             "SlurmdParameters=config_overrides", "KillWait=5", f"MaxArraySize={MOST}"]
    for i, port in enumerate(ports[1:], 1):
        lines.append(f"NodeName=n{i} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 State=UNKNOWN")
    lines.append("PartitionName=all Nodes=n[1-2] Default=YES MaxTime=INFINITE State=UP")
    with open(f"{folder}/slurm.conf", "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


class Cluster:
    """Two nodes, ended with this object."""

    def __init__(self, folder):
        self.folder, self.started = folder, []
        os.environ["SLURM_CONF"] = f"{folder}/slurm.conf"
        for name in ("state", "spool.n1", "spool.n2"):
            os.makedirs(f"{folder}/{name}")
        slurm_conf(folder, socket.gethostname().split(".")[0])
        subprocess.run(["mungekey", "-c", "-k", f"{folder}/munge.key"], check=True)
        self.start(["munged", "-F", "--force", f"--key-file={folder}/munge.key", f"--socket={folder}/munge.socket",
                    f"--pid-file={folder}/munge.pid", f"--log-file={folder}/munged.log",
                    f"--seed-file={folder}/munge.seed"])
        wait_for("munged", lambda: os.path.exists(f"{folder}/munge.socket"))
        self.start(["slurmctld", "-D"])
        for i in (1, 2):
            self.start(["slurmd", "-D", "-N", f"n{i}"])
        idle = ["sinfo", "-h", "-N", "-t", "idle", "-o", "%N"]
        wait_for("two idle nodes", lambda: said(idle).split() == ["n1", "n2"])

    def start(self, words):
        log = open(f"{self.folder}/{words[0]}.out", "a", encoding="utf-8")
        self.started.append(subprocess.Popen(words, stdout=log, stderr=log))

    def close(self):
        for p in reversed(self.started):
            p.terminate()
        for p in reversed(self.started):
            try:
                p.wait(10)
            except subprocess.TimeoutExpired:
                p.kill()


def said(words):
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


def wait_for(what, is_so):
    """A machine may be slow; one that never gets there fails the test."""
    end = time.monotonic() + 60
    while not is_so():
        if time.monotonic() > end:
            raise SystemExit(f"waited in vain for {what}")
        time.sleep(0.1)


def state(folder):
    try:
        with open(f"{folder}/state.json", encoding="utf-8") as f:
            return json.load(f)["tasks"]
    except FileNotFoundError:
        return []


def task_processes(folder):
    """Those of 'assay campaign --task' on the nodes."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                words = f.read().split(b"\0")
        except OSError:
            continue
        if b"--task" in words and os.fsencode(folder) in words and words[0] != b"/bin/sh":
            found.append(int(pid))
    return sorted(found)


def campaign(assay, folder, *words):
    done = subprocess.run([assay, "campaign", "order.yaml", "-o", folder, "--json", *words], capture_output=True,
                          text=True, check=False)
    if done.returncode != 1:  # findings, and nothing that failed
        raise SystemExit(f"exit status {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def torture(assay, folder):
    """A campaign of which one task is killed on its node, then the leader: it is left to be gone on with."""
    leader = subprocess.Popen([assay, "campaign", "order.yaml", "-o", folder, "--slurm"], stderr=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, text=True)
    wait_for("a task", lambda: leader.poll() is not None or task_processes(folder))
    victims = task_processes(folder)
    if not victims:
        raise SystemExit(f"no task was started: {leader.stderr.read()}")
    os.kill(victims[0], signal.SIGKILL)
    wait_for("a task to be lost", lambda: any(t["losses"] for t in state(folder)) or leader.poll() is not None)
    losses = sum(t["losses"] for t in state(folder))
    leader.kill()
    leader.wait()
    return losses


def check(assay):
    with open("order.yaml", "w", encoding="utf-8") as f:
        f.write(ORDER)
    whole = campaign(assay, os.path.abspath("here"))
    folder = os.path.abspath("there")
    losses = torture(assay, folder)
    united = campaign(assay, folder, "--slurm")
    tasks = state(folder)
    results = {
        "a task was lost and run again": losses >= 1,
        "all tasks are done": united["tasks"] == whole["tasks"] == ALL_DONE,
        "each task is there once": len({(t["line"], t["seed"], t["shard"]) for t in tasks}) == len(tasks) == 8,
        "each case is counted once": united["counts"] == whole["counts"],
        "all cases were given": all(c["given"] == 40 for c in united["counts"].values()),
        "the same findings": united["findings"] == whole["findings"],
        "nothing is left": not os.listdir(f"{folder}/tasks") and not said(["squeue", "-h"]).strip(),
    }
    for what, is_so in results.items():
        print(f"{'ok' if is_so else 'NOT SO'}: {what}")
    if not all(results.values()):
        print(json.dumps({"here": whole, "there": united, "tasks": tasks}, indent=1))
    return all(results.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--assay", default=os.path.join(ROOT, "build", "assay"))
    assay = os.path.abspath(parser.parse_args().assay)
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [p for p in PROGRAMS if not shutil.which(p)]
    if missing or os.geteuid():
        print("skipped: " + (f"no {', '.join(missing)} here" if missing else "a cluster of its own needs root"))
        sys.exit(1 if os.environ.get("ASSAY_REQUIRE_SLURM") else SKIPPED)
    folder = tempfile.mkdtemp(prefix="assay-slurm-")
    os.chmod(folder, 0o755)
    os.chdir(folder)
    cluster, good = None, False
    try:
        cluster = Cluster(folder)
        good = check(assay)
    finally:
        if cluster:
            cluster.close()
        if good:
            shutil.rmtree(folder)
        else:
            print(f"left in {folder}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
