"""Damaged stores: bytes that chance changed, and tables that somebody forged.  Every command that reads a store ends
with a documented status, without a report of the sanitizers, and runs nothing that the store names."""

import os
import shutil
import sqlite3

COMMANDS = [("findings", "list", "--all"), ("findings", "show", "1"), ("findings", "export", "1", "-o"), ("report",),
            ("report", "--html"), ("report", "--junit")]
PAGE = 4096


# ---- damage by chance ------------------------------------------------------------------------------------------------

def flip(r, data):
    for _ in range(r.randint(1, 64)):
        data[r.randrange(len(data))] ^= 1 << r.randrange(8)


def zero(r, data):
    at = r.randrange(len(data) // PAGE) * PAGE
    data[at:at + PAGE] = bytes(PAGE)


def cut(r, data):
    del data[r.randrange(len(data)):]


def exchange(r, data):
    a, b = (r.randrange(len(data) // PAGE) * PAGE for _ in range(2))
    data[a:a + PAGE], data[b:b + PAGE] = data[b:b + PAGE], data[a:a + PAGE]


def noise(r, data):
    at, n = r.randrange(len(data)), r.randint(1, 2000)
    data[at:at + n] = r.randbytes(len(data[at:at + n]))


def head(r, data):
    data[r.randrange(16, 100)] = r.randrange(256)


def grow(r, data):
    data += r.randbytes(r.randint(1, 3 * PAGE))


DAMAGES = [flip, zero, cut, exchange, noise, head, grow]


# ---- forged tables ---------------------------------------------------------------------------------------------------

VALUES = [None, "", "\x1b[31mred\x07", "x" * 100000, -1, 2**63 - 1, -2**63, float("inf"), 1e300, b"\0\xff" * 500,
          "[" * 5000, '{"nodes": -1}', "exec:touch escaped", "../../escaped", "/escaped", "%n%s%s",
          "1; DROP TABLE findings"]


def columns(store):
    tables = [row[0] for row in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
              if not row[0].startswith("sqlite_")]
    return [(t, c[1]) for t in tables for c in store.execute(f'PRAGMA table_info("{t}")')]


def forge_value(r, store):
    table, column = r.choice(columns(store))
    store.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = ?', (r.choice(VALUES),))


def forge_column(r, store):
    table, column = r.choice(columns(store))
    store.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "gone"')


def forge_table(r, store):
    table, _ = r.choice(columns(store))
    store.execute(f'DROP TABLE "{table}"')


def forge_view(r, store):
    """A view that never ends in a table's place."""
    table, _ = r.choice(columns(store))
    names = ", ".join(f'x AS "{c}"' for t, c in columns(store) if t == table)
    store.execute(f'DROP TABLE "{table}"')
    store.execute(f'CREATE VIEW "{table}" AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) '
                  f'SELECT {names} FROM n')


def forge_trigger(r, store):
    table, _ = r.choice(columns(store))
    store.execute(f'CREATE TRIGGER "t" AFTER INSERT ON "{table}" BEGIN DELETE FROM "{table}"; END')


def forge_version(r, store):
    store.execute(f"PRAGMA user_version = {r.choice([0, 1, 99, 2**31 - 1, -1])}")


FORGERIES = [forge_value] * 6 + [forge_column, forge_table, forge_view, forge_trigger, forge_version]


def forge(r, path):
    store = sqlite3.connect(path)
    store.execute("PRAGMA writable_schema = ON")
    for _ in range(r.randint(1, 3)):
        try:
            r.choice(FORGERIES)(r, store)
        except sqlite3.Error:
            pass  # what a step before left does not allow it
    store.commit()
    store.close()


def damage(arena, good, path, i):
    shutil.copyfile(good, path)
    if i % 2:
        return forge(arena.random, path)
    with open(path, "rb") as f:
        data = bytearray(f.read())
    for _ in range(arena.random.randint(1, 2)):
        if len(data) > PAGE:
            arena.random.choice(DAMAGES)(arena.random, data)
    with open(path, "wb") as f:
        f.write(data)


def read_all(arena, path, i):
    words = COMMANDS[i % len(COMMANDS)]
    for command in {words, COMMANDS[0]}:
        # what a command writes goes to a folder of its own
        out = [arena.path(f"out-{i}")] if command[-1] in ("-o", "--html", "--junit") else []
        arena.run(f"store {i}: {' '.join(command)}", arena.asan, *command, *out, "--db", path)
    os.remove(path)


def attack(arena, cases):
    good = arena.path("good.db")
    arena.run("a campaign", arena.assay, "fuzz", "-b", "fault:relu6,fault:pads_swapped", "--models", "120", "--blocks",
              "6", "--seed", "2", "--db", good)
    with sqlite3.connect(good) as store:
        found = store.execute("SELECT COUNT(*) FROM findings").fetchone()[0]
    store.close()
    if not found:
        arena.problem("the good store holds no finding")
        return 0
    paths = [arena.path(f"store-{i}.db") for i in range(cases)]
    with arena.pool() as submit:
        for i, path in enumerate(paths):
            damage(arena, good, path, i)
            submit(read_all, arena, path, i)
    escaped = [os.path.join(at, name) for at, folders, names in os.walk(arena.folder)
               for name in folders + names if name == "escaped"]
    if escaped or os.path.exists("/escaped"):
        arena.problem(f"a store made '{(escaped + ['/escaped'])[0]}'")
    arena.note = f"{found} findings in the store"
    return cases
