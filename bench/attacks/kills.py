"""kill -9 of assay, or of one of its workers, somewhere in a campaign; the campaign goes on until it is killed again.

A finding that was announced is in the store, the store is sound, no process is left, and a campaign that was killed
again and again ends with the counts of one that was not, and with all its findings.  It may have more of them: of what
looks alike the first two are examined and then fewer and fewer, and a run that goes on counts from the start."""

import json
import os
import re
import signal
import sqlite3
import threading
import time

KILLS = 10  # of each campaign
MODELS = 300


def command(arena, db, seed):
    return (arena.assay, "fuzz", "-b", "ort,fault:relu6", "--models", str(MODELS), "--blocks", "5", "--seed", str(seed),
            "--no-reduce", "--db", db, "-v", "2", "--json")


def program_of(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return None


def workers_of(pid, assay):
    """All processes below one that are no assay themselves: a campaign's own come first, and workers a little later."""
    found, new = [], [pid]
    while new:
        below = []
        for parent in new:
            try:
                with open(f"/proc/{parent}/task/{parent}/children") as f:
                    below += [int(word) for word in f.read().split()]
            except OSError:
                pass
        found += [child for child in below if program_of(child) not in (None, assay)]
        new = below
    return found


def read_all(stream, lines):
    for line in stream:
        lines.append(line)


def kill_once(arena, db, seed, whom):
    """One run that is ended, or whose worker is; the findings that it announced, and whether it came to its end."""
    p = arena.start(*command(arena, db, seed))
    out, told = [], []
    readers = [threading.Thread(target=read_all, args=pair) for pair in ((p.stdout, out), (p.stderr, told))]
    for reader in readers:
        reader.start()
    time.sleep(arena.random.uniform(0.05, 2.5))
    victims = [p.pid] if whom == "assay" else []
    while not victims and p.poll() is None:
        victims = workers_of(p.pid, os.path.realpath(arena.assay))
        time.sleep(0.01)
    for pid in victims[-1:]:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    status = p.wait()
    for reader in readers:
        reader.join()
    if whom == "worker" or status >= 0:
        arena.judge(f"campaign {seed}", status, "".join(told))
    return {int(m.group(1)) for line in told for m in [re.match(r"finding (\d+): ", line)] if m}, "".join(out)


def look(arena, db, announced, what):
    if not os.path.exists(db):
        if announced:
            arena.problem(f"{what}: findings were announced, and there is no store")
        return
    with sqlite3.connect(db) as store:
        sound = store.execute("PRAGMA integrity_check").fetchone()[0]
        made = store.execute("SELECT 1 FROM sqlite_master WHERE name = 'findings'").fetchone()  # not if killed at once
        there = {row[0] for row in store.execute("SELECT id FROM findings")} if made else set()
    store.close()
    if sound != "ok":
        arena.problem(f"{what}: the store is not sound: {sound[:100]}")
    if announced - there:
        arena.problem(f"{what}: finding {min(announced - there)} was announced and is not in the store")


def result(text, db):
    """Counts that must not depend on how often a campaign was killed; what it found."""
    told = json.loads(text)
    with sqlite3.connect(db) as store:
        signatures = {row[0] for row in store.execute("SELECT signature FROM findings")}
    store.close()
    return told["counts"], signatures


def compare(arena, what, whole, killed):
    if whole[0] != killed[0]:
        arena.problem(f"{what}: {killed[0]}; at once: {whole[0]}")
    for signature in whole[1] - killed[1]:
        arena.problem(f"{what}: lost {signature}")


def attack(arena, cases):
    done = 0
    for seed in range((cases + KILLS - 1) // KILLS):
        db, announced = arena.path(f"whole-{seed}.db"), set()
        whole = result(arena.run("a campaign", *command(arena, db, seed), limit=600), db)
        db = arena.path(f"killed-{seed}.db")
        for i in range(min(KILLS, cases - done)):
            what = f"campaign {seed}, kill {i}"
            new, _ = kill_once(arena, db, seed, "worker" if i % 2 else "assay")
            announced |= new
            arena.expect_none_left(what)
            look(arena, db, announced, what)
        done += min(KILLS, cases - done)
        last = arena.run("a campaign that goes on", *command(arena, db, seed), limit=600)
        if last:
            compare(arena, f"campaign {seed}", whole, result(last, db))
    return done
