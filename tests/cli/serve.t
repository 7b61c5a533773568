# assay serve: what it refuses.  tests/report/serve.py and serve_hostile.py have it running.
$ assay serve
? 2
! there is no store of findings 'assay.db'

$ "$(dirname "$ASSAY")/tests/make_store" assay.db

$ assay serve something
? 2
! serve takes no argument, got 'something'

$ assay serve --listen example.org
? 2
! --listen: 'example.org' is no address in digits

$ assay serve --port 70000
? 2
! --port takes 0 to 65535

$ printf 'short\n' >token; assay serve --token-file token
? 2
! 'token': the token has 5 characters; it needs 16 to 256

$ printf 'has a blank and is long\n' >token; assay serve --token-file token
? 2
! the token may have letters, digits and -_.~ only

$ assay serve --token-file nowhere
? 2
! nowhere

$ assay serve --usage token
? 2
! 'token' is no JSON

# It ends when it is told to, and says where it is.
$ (assay serve --port 0 >said & n=$!; until grep -q http said; do sleep 0.1; done; kill $n; wait $n; echo $?); sed 's/:[0-9][0-9]*\//:PORT\//' said
0
'assay.db' is at http://127.0.0.1:PORT/; Ctrl-C ends

# A token that was given is not printed; one of its own is.
$ printf '0123456789abcdef\n' >token; rm said; (assay serve --port 0 --token-file token >said & n=$!; until grep -q http said; do sleep 0.1; done; kill $n; wait $n); grep -c 0123456789 said
? 1
0

$ rm said; (assay serve --port 0 --listen 0.0.0.0 >said & n=$!; until grep -q http said; do sleep 0.1; done; kill $n; wait $n); grep -c '0.0.0.0:[0-9]*/?token=[0-9a-f]\{32\};' said
1
