# A campaign that goes on, and one that is running already: it is said which.
$ cat >fuzz <<'X'
> assay fuzz -b reference --models 4 --blocks 3 --seed 4 --db f.db
> X
$ cat >undo.py <<'X'
> import sqlite3, sys
> db = sqlite3.connect("f.db")
> state = b"" if len(sys.argv) < 3 else b'#{}\n#{"findings":0,"next":%d}\n' % int(sys.argv[2])
> db.execute("UPDATE campaigns SET done = 0, cases = ?, state = ? WHERE id = 1", (sys.argv[1], state))
> db.commit()
> X
$ sh fuzz >/dev/null; python3 undo.py 2; sh fuzz | head -1
! assay: going on with campaign 1 at case 2
2 models in ...
$ python3 undo.py 0; sh fuzz | head -1
! assay: campaign 1 ended before anything was saved: it begins at case 0
4 models in ...

# Another process holds the campaign.
$ cat >hold.py <<'X'
> import os, socket, subprocess
> st = os.stat("f.db")
> s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
> s.bind("\0assay-campaign-%x-%x-1" % (st.st_dev, st.st_ino))
> subprocess.run(["sh", "fuzz"])
> X
$ python3 undo.py 2; python3 hold.py | head -1
! assay: the same command is running as campaign 1: this one runs the same cases once more, another --seed others
4 models in ...
$ python3 -c '
> import sqlite3
> print(sqlite3.connect("f.db").execute("SELECT id, cases, done FROM campaigns").fetchall())'
[(1, 2, 0), (2, 4, 1)]
$ sh fuzz | head -1
! assay: going on with campaign 1 at case 2
2 models in ...

# Cases behind one that was not done ran, too, and run again: the report counts what ran.
$ python3 undo.py 403 2; sh fuzz | head -1
! assay: going on with campaign 1 at case 2
2 models in ...
$ assay report --db f.db | head -1
...; 2 campaigns, 409 cases in ...
