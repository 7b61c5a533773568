#!/usr/bin/env python3
"""scripts/finding_methods.py: which method found a finding, from what is written down and nothing else."""

import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import commands  # noqa: E402
import finding_methods  # noqa: E402

TABLE = """
| library | case | found by |
|---|---|---|
| TensorFlow | `grappler-multiply-twice`, `-divide-twice`, `-nowhere` | hand, against XLA |
| | `atan2` | `equiv`, of all rules |
| Keras | `huber` (`beside`) | rules 12 and 24 |
| | `other` | it is not known |

| case | what |
|---|---|
| `no-column` | equiv |
""".splitlines()


class Claim:
    def __init__(self, name, documented, **keys):
        self.library, self.name, self.path = "tf", name, f"findings/tf/{name}.py"
        self.keys = {"documented": documented, **keys}


class Methods(unittest.TestCase):
    def test_table(self):
        found = finding_methods.read_table(TABLE, {"grappler-multiply-twice", "grappler-divide-twice", "divide-twice"})
        self.assertEqual(found, {"grappler-multiply-twice": "by hand", "grappler-divide-twice": "by hand",
                                 "-nowhere": "by hand", "atan2": "equiv", "huber": "equiv", "beside": "equiv"})

    def test_claim(self):
        tables = {"atan2": "by hand"}
        for wanted, documented, keys in (
                ("by hand", "docs/methods/equiv.md, Documented functions", {}),
                ("not recorded", "data/quirks.tsv, Atan2", {}),
                ("fuzz", "data/quirks.tsv, Atan2; docs/methods/fuzz.md, Found", {}),
                ("not recorded", "docs/methods/fuzz.md, The paper's failures on MNN", {}),
                ("conform", "docs/methods/fuzz.md, Found", {"found": "conform"})):
            claim = Claim("atan2", documented, **keys)
            self.assertEqual(finding_methods.method_of_claim(claim, tables), wanted, documented)
        with self.assertRaisesRegex(ValueError, "'luck' is none of check"):
            finding_methods.method_of_claim(Claim("atan2", "", found="luck"), tables)

    def test_all_claims(self):
        """Each counts once; a section that is named here is one that a claim names."""
        claims = commands.load("bench/claims").claims_of([], "*")
        found = finding_methods.methods(claims)
        self.assertEqual(len(found), len(claims))
        self.assertLessEqual(set(found.values()), set(finding_methods.METHODS))
        places = {place.strip() for c in claims for place in c.keys["documented"].split(";")}
        for page, sections in finding_methods.SECTIONS.items():
            for heading in sections:
                self.assertIn(f"{page}, {heading}", places)


if __name__ == "__main__":
    unittest.main()
