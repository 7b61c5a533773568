# What a word means: docs/glossary.md, which the program has built in.
$ assay explain vacuous
vacuous
  ...agrees, but that proves little...
...

# In any spelling that a screen or a document has.
$ assay explain Noise Ratio >a; assay explain noise_ratio >b; assay explain noise-ratio >c; cmp a b && cmp a c && head -1 a
noise ratio, ratio, beyond rounding
$ assay explain r_l | head -1
R_L, rate of change
$ assay explain delta | head -1
δ, delta

# A group has all of its words.
$ assay explain verdicts | grep -c "^[a-z]*$"
19

# Every verdict that the help lists is explained.
$ for word in $(assay help check --all | sed '1,/^verdicts:/d' | cut -c3-14); do assay explain $word >/dev/null || echo $word; done

# So is every head of a table.
$ "$(dirname "$ASSAY")/tests/make_store" assay.db; assay check lenet1 -b ort --no-store >checked; assay report >reported
> (assay ops Relu | head -1; assay findings | head -1; assay findings --all | head -1; grep '^ *backend ' checked
> grep '^ *id ' reported; assay check lenet1 --precision f16 --no-store | grep '^node '
> assay swap lenet1 -b reference,ort --no-store | grep '^ *rank ') >heads; wc -l <heads
8
$ sed 's/noise ratio/noise_ratio/; s/load + run//' heads | tr -s ' ' '\n' | sort -u | grep . |
> while read -r word; do assay explain "$word" >/dev/null 2>&1 || echo "$word"; done

$ assay explain | grep -A1 "^Verdicts:"
Verdicts:
  agree · rounding · vacuous · ...

$ assay explain vacuos
? 2
! assay: no entry for 'vacuos' (did you mean 'vacuous'?); 'assay explain' lists the words
$ assay explain "$(printf '%300s' x)"
? 2
! explain takes one word or a few

$ assay explain OLC --json
{
 "schema": "assay/1",
 "entries": [
  {
   "words": [
    "OLC",
    "coverage"
   ],
   "group": "fuzz",
   "text": "Operator-level coverage, in percent: ..."
  }
 ]
}

# No line is wider than the terminal, no mark of the page is left.
$ COLUMNS=60 assay explain verdicts | awk 'length($0) > 60'
$ assay explain --json | grep -c '"text".*[`*]'
? 1
0

$ assay --complete explain | grep -c "^OLC"
1
