#!/usr/bin/env python3
"""scripts/equiv-said reads facts out of a package: small stand-ins for PyTorch's and TensorFlow's."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

TORCH = {
    "include/ATen/core/Reduction.h": "enum Reduction {\n  None, // as it is\n  Mean,\n  Sum,\n  END\n};\n",
    "include/ATen/ops/_inner_ops.h": 'name = "aten::_inner";',
    "include/ATen/ops/_used_ops.h": 'name = "aten::_used";',
    "nn/functional.py": "def shown(x):\n    return torch._C._used(x)\n",
    "nn/modules/loss.py": 'class A:\n    """With :math:`y` (containing 1 or -1).\n'
                          '    Shape:\n        - Target: same shape as the input.\n    """\n'
                          '    def forward(self, x, y):\n        return F.a_loss(x, y)\n',
}
TF = {
    "_api/v2/raw_ops/__init__.py": "from tensorflow.python.ops.gen_array_ops import Put # line: 1\n",
    "python/ops/gen_array_ops.py": 'def put(x):\n    """The order in which updates come is nondeterministic."""\n'
                                   'Put = tf_export("raw_ops.Put")(_ops.to_raw_op(put))\n',
}


def said(library, files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        out = subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "equiv-said"), library, folder],
                             check=True, stdout=subprocess.PIPE, text=True).stdout
    return [tuple(line.split("\t")[1:3]) for line in out.splitlines() if not line.startswith("#")]


class Said(unittest.TestCase):
    def test_torch(self):
        rows = said("torch", TORCH)
        self.assertIn(("aten::_inner", "internal"), rows)
        self.assertNotIn(("aten::_used", "internal"), rows)
        self.assertIn(("aten::a_loss_backward", "same-shape self target"), rows)
        self.assertIn(("aten::a_loss", "same-shape input target"), rows)
        self.assertIn(("aten::a_loss", "among target -1|1"), rows)
        self.assertIn(("aten::*", "most reduction 2"), rows)

    def test_tf(self):
        self.assertEqual(said("tf", TF), [("_*", "internal"), ("Put", "unordered")])


if __name__ == "__main__":
    unittest.main()
