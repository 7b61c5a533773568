# A store that may only be read: another user's, or on a medium that is read-only.
$ cat >plain <<'X'
> #!/usr/bin/env python3
> """Runs a command for which permissions count, also when root runs it."""
> import ctypes, os, sys
> for capability in 1, 2:  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
>     ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
> os.execvp(sys.argv[1], sys.argv[1:])
> X
$ chmod +x plain; mkdir theirs 'od%d ?#'
$ "$(dirname "$ASSAY")/tests/make_store" theirs/assay.db other; cp theirs/assay.db 'od%d ?#/s?.db'; chmod 444 theirs/assay.db 'od%d ?#/s?.db'; chmod 555 theirs 'od%d ?#'
$ ./plain touch theirs/x 2>/dev/null
? 1
$ for verb in findings "findings --all" "findings --json" "findings show 1" "findings export 1" "report" "report --html r.html" "replay 1"; do
>   ./plain assay $verb --db theirs/assay.db >out; echo "$? $verb"; done
0 findings
0 findings --all
0 findings --json
0 findings show 1
0 findings export 1
0 report
0 report --html r.html
1 replay 1
$ ./plain assay findings merge theirs/assay.db --db mine.db | head -1
theirs/assay.db: ... added to 'mine.db'
$ ./plain assay findings --db "$PWD/od%d ?#/s?.db" | tail -1; ls theirs 'od%d ?#'
1 finding in 1 cluster; ...
od%d ?#:
s?.db

theirs:
assay.db

# What is to be written there says so, behind its result.
$ ./plain assay bisect 1 --installed --db theirs/assay.db
? 2
! no version of 'fault' is known
$ ./plain assay reduce 1 --original --db theirs/assay.db
? 2
! assay: not stored: cannot change a finding in 'theirs/assay.db': attempt to write a readonly database
1 on fault:relu6: 1 node to 1, ... tries, ... kept
  input x: float32[1]
  Relu(x) -> y
verdict: wrong
  output 'y': ...
$ ./plain assay reduce 1 --original --db theirs/assay.db --json | grep nodes_after
 "nodes_after": 1,
$ ./plain assay reduce 1 --original --db theirs/assay.db -o smallest | tail -2; assay replay smallest | tail -1
bundle: smallest
repro: assay replay smallest
the finding shows
$ ./plain assay reduce 1 --original --db theirs/assay.db -o /nonexistent/b >out
? 2
! assay: not stored: cannot change ... database: cannot make folder '/nonexistent/b'
$ mkdir told; cp theirs/assay.db told; chmod +w told/assay.db; python3 -c '
> import sqlite3
> db = sqlite3.connect("told/assay.db")
> db.execute("UPDATE findings SET backend = ?, version = ?, verdict = ?", ["ort", "1.31.1", "agree"]) # all versions do
> db.commit()'; chmod 444 told/assay.db; chmod 555 told
$ ./plain assay bisect 1 --installed --versions 1.31.1 --db told/assay.db
? 2
! assay: not stored: cannot change a finding in 'told/assay.db': attempt to write a readonly database
1.31.1           agree
first bad: 1.31.1 (...
$ ./plain assay findings merge mine.db --db theirs/assay.db
? 2
! cannot ... 'theirs/assay.db'

# An older store is read all the same.
$ cp theirs/assay.db old.db; python3 -c '
> import sqlite3
> db = sqlite3.connect("old.db")
> db.executescript("DROP TABLE tallies; PRAGMA user_version = 1")'; mkdir old; mv old.db old; chmod 444 old/old.db; chmod 555 old
$ ./plain assay report --db old/old.db >out; ./plain assay findings --db old/old.db | tail -1; ls old
1 finding in 1 cluster; ...
old.db
$ ./plain assay reduce 1 --original --db old/old.db | head -1
1 on fault:relu6: 1 node to 1, ...
$ ./plain assay reduce 1 --original --db old/old.db >out
? 2
! assay: not stored: cannot change a finding in 'old/old.db': attempt to write a readonly database

# A log that a writer left is not passed over in silence.
$ mkdir logged; cp mine.db logged; python3 -c '
> import os, shutil, sqlite3
> db = sqlite3.connect("logged/mine.db")
> db.execute("UPDATE findings SET detail = ?", ["changed"])
> db.commit()
> os.mkdir("left")
> for name in "mine.db", "mine.db-wal":
>     shutil.copy("logged/" + name, "left/" + name)'; chmod 444 left/*; chmod 555 left
$ ./plain assay findings --db left/mine.db
? 2
! cannot read 'left/mine.db': findings are in the log beside it, 'left/mine.db-wal', which only who may write there can read; copy both to a folder of your own
$ chmod -R u+w .

# ---- damaged stores end with 0, 1 or 2, never with a failure of assay itself
$ "$(dirname "$ASSAY")/tests/make_store" whole.db other; cat >damage.py <<'X'
> import random, subprocess, sys
> whole = open("whole.db", "rb").read()
> draw, bad = random.Random(7), []
> def damaged(i):
>     at, kind = draw.randrange(len(whole)), i % 4
>     if kind == 0:
>         return whole[:at]
>     if kind == 1:
>         return whole[:at] + bytes([whole[at] ^ 1 << draw.randrange(8)]) + whole[at + 1:]
>     if kind == 2:
>         return whole[:at] + bytes(min(512, len(whole) - at)) + whole[at + 512:]
>     return whole[:at] + draw.randbytes(min(64, len(whole) - at)) + whole[at + 64:]
> for i in range(120):
>     open("damaged.db", "wb").write(damaged(i))
>     for verb in ["findings", "--all"], ["findings", "show", "1"], ["report"], ["findings", "show", "3", "--json"]:
>         status = subprocess.run(["assay", *verb, "--db", "damaged.db"], capture_output=True).returncode
>         if status not in (0, 1, 2):
>             bad.append((i, verb, status))
> for sql in ("ALTER TABLE findings DROP COLUMN detail", "DROP TABLE parts", "DROP TABLE campaigns",
>             "UPDATE findings SET seed = x\"ff\", nodes = 99999999999, noise_ratio = \"x\", evidence = \"{\"",
>             "UPDATE blobs SET data = 5", "UPDATE findings SET id = -1 WHERE id = 1"):
>     import sqlite3
>     open("damaged.db", "wb").write(whole)
>     db = sqlite3.connect("damaged.db")
>     db.execute("PRAGMA writable_schema = ON")
>     try:
>         db.execute(sql.replace("\"", "'") if "UPDATE findings SET seed" in sql else sql)
>     except sqlite3.OperationalError as e:
>         if "DROP COLUMN" not in sql:
>             raise
>     db.commit()
>     db.close()
>     for verb in ["findings"], ["findings", "show", "1"], ["findings", "export", "1"], ["report"], ["replay", "1"]:
>         status = subprocess.run(["assay", *verb, "--db", "damaged.db"], capture_output=True).returncode
>         if status not in (0, 1, 2):
>             bad.append((sql, verb, status))
> print(bad)
> X
$ python3 damage.py
[]
