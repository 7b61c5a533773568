#!/usr/bin/env python3
"""The defaults of attributes are those of the ONNX schemas, operator by operator and version by version.

What is compared is the Python workers' table, which is made of the operators' tables.
"""

import itertools
import os
import re
import struct
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEPS = os.environ.get("ASSAY_DEPS") or os.path.join(ROOT, ".deps")
sys.path.insert(0, os.path.join(ROOT, "workers", "python"))

import onnx_defaults  # noqa: E402
import onnx_package  # noqa: E402
from wire import FIXED32, VARINT, fields_of_kinds, signed  # noqa: E402

# (operator, attribute): the default that only the text of the specification names; of lists: of each element
IN_THE_TEXT = {
    ("Concat", "axis"): 1, ("SequenceEmpty", "dtype"): 1, ("Scan", "directions"): 0, ("Scan", "scan_input_axes"): 0,
    ("Scan", "scan_input_directions"): 0, ("Scan", "scan_output_axes"): 0, ("Scan", "scan_output_directions"): 0,
    ("Split", "axis"): 0,  # Split-1 names none, all later versions 0
}
WINDOWS = {"dilations": 1, "output_padding": 0, "pads": 0, "strides": 1}  # of every operator but Pad
# what the schemas have, and the table on purpose has not
OTHERWISE = {
    ("GRU", "direction", 1): "forward",  # "foward" there
    ("RNN", "activations", 1): None,  # the functions of recurrent operators have a table of their own
    ("RNN", "activations", 7): None, ("RNN", "activations", 14): None, ("RNN", "activations", 22): None,
}
# attributes of a table that operators share, which the named one never had
FOREIGN = {("BitwiseAnd", "broadcast"), ("BitwiseOr", "broadcast"), ("BitwiseXor", "broadcast"),
           ("GreaterOrEqual", "broadcast"), ("LessOrEqual", "broadcast"), ("Scatter", "reduction")}


def fields(data):
    """(number, value) of each field of a protobuf message of numbers and strings."""
    for number, kind, value in fields_of_kinds(data):
        if kind == VARINT:
            value = signed(value)
        elif kind == FIXED32:
            value = struct.unpack("<f", value)[0]
        yield number, value


def default_of(attribute):
    """The default of an attribute of a schema, None: it has none."""
    found = list(fields(attribute._default_value))
    values = [v.decode() if isinstance(v, bytes) else v for number, v in found if number in (2, 3, 4, 7, 8, 9)]
    if not found:
        return None
    return values if str(attribute.type).endswith("S") else values[0]


def is_of_onnx(operator):
    """Operators of ONNX Runtime itself have no schema in ONNX; one of them stands in ONNX's own domain."""
    return not operator.startswith("com.microsoft") and operator != "SimplifiedLayerNormalization"


def known_versions():
    """{operator: its since-versions} of assay's operators that are ONNX's."""
    with open(os.path.join(ROOT, "src", "ops", "ops.def"), encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.DOTALL)
    found = {}
    for _, domain, name, versions in re.findall(r'OP\((\w+), "([^"]*)", "([^"]*)",([\d,\s]+)\)', text):
        found[f"{domain}:{name}" if domain else name] = [int(v) for v in versions.split(",")]
    return {operator: versions for operator, versions in found.items() if is_of_onnx(operator)}


def attribute_spans():
    """{(operator, attribute): (since, until)} of attributes that are not in all versions."""
    with open(os.path.join(ROOT, "src", "ops", "attr_spans.def"), encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.DOTALL)
    found = {}
    for name, since, until, operators in re.findall(r'ATTR_SPAN\("(\w+)", (\d+), (\d+),\s*((?:"[^"]*"\s*)+)\)', text):
        for operator in re.sub(r'"\s*"?', "", operators).split():
            found[operator, name] = int(since), int(until)
    return found


TYPES = ("float", "double", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
         "uint64", "bool", "string")
MASKS = {"T_HALF": TYPES[:3], "T_FLOAT": TYPES[:4], "T_SIGNED": TYPES[4:8], "T_UNSIGNED": TYPES[8:12],
         "T_INT": TYPES[4:12], "T_NUM": TYPES[:12], "T_INDEX": ("int32", "int64"), "T_BOOL": ("bool",),
         "T_WIDE": ("int32", "int64", "uint32", "uint64"), "T_STRING": ("string",)}
# the first input is no tensor in some version, or no element type is drawn for it
NO_TYPES = {"Scan", "OptionalGetElement", "OptionalHasElement"}


def type_spans():
    """{operator: [(until, types)]} of operators whose first input has not the same types in all versions."""
    with open(os.path.join(ROOT, "src", "ops", "type_spans.def"), encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.DOTALL)
    found = {}
    for masks, until, operators in re.findall(r'TYPE_SPAN\(([^"]*?), (\d+),\s*((?:"[^"]*"\s*)+)\)', text):
        types = set()
        for mask in masks.split("|"):
            one = re.fullmatch(r"\s*TM\(DT_(\w+)\)\s*", mask)
            types.update([one[1].lower()] if one else MASKS[mask.strip()])
        for operator in re.sub(r'"\s*"?', "", operators).split():
            found.setdefault(operator, []).append((int(until), types))
    return found


def first_types(schema):
    """Element types of a schema's first input; None: it is no tensor."""
    of = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
    if not schema.inputs:
        return None
    first = schema.inputs[0]
    name = first.type_str if hasattr(first, "type_str") else first.typeStr
    return {t[7:-1] for t in of.get(name, [name]) if t.startswith("tensor(")} & set(TYPES)


class Defaults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schemas = {}
        cls.types = {}
        for s in onnx_package.load(DEPS).defs.get_all_schemas_with_history():
            name = f"{s.domain}:{s.name}" if s.domain else s.name
            if not s.deprecated:
                cls.types.setdefault(name, {})[s.since_version] = first_types(s)
            cls.schemas.setdefault(name, {})[s.since_version] = s.attributes

    def wanted(self, operator, name, version, attribute):
        if (operator, name, version) in OTHERWISE:
            return OTHERWISE[operator, name, version]
        found = default_of(attribute)
        if found is not None or attribute.required:
            return found
        if operator != "Pad" and name in WINDOWS:
            return WINDOWS[name]
        return IN_THE_TEXT.get((operator, name))

    def test_every_default(self):
        compared = 0
        for operator, versions in known_versions().items():
            for version in versions:
                for name, attribute in self.schemas[operator][version].items():
                    wanted = self.wanted(operator, name, version, attribute)
                    got = onnx_defaults.default(operator, name, version)
                    with self.subTest(operator=operator, attribute=name, version=version):
                        self.assertEqual(str(got), str(wanted))  # as text: -0.0 is not 0
                        compared += wanted is not None
        self.assertGreater(compared, 700)

    def test_nothing_else(self):
        for operator, attributes in filter(lambda row: is_of_onnx(row[0]), onnx_defaults.ATTRIBUTES.items()):
            for name, value in attributes.items():
                there = any(name in version for version in self.schemas[operator].values())
                if value is not None and (operator, name) not in FOREIGN:
                    self.assertTrue(there, f"{operator} never had an attribute {name}")

    def test_versions_of_attributes(self):
        """What the tables take is in the schema, or else outside of its span."""
        spans = attribute_spans()
        held = 0
        for operator, attributes in filter(lambda row: is_of_onnx(row[0]), onnx_defaults.ATTRIBUTES.items()):
            for name, version in itertools.product(attributes, known_versions()[operator]):
                since, until = spans.get((operator, name), (-1, 0))
                wanted = since <= version < until if until else since != 0 and version >= since
                with self.subTest(operator=operator, attribute=name, version=version):
                    self.assertEqual(name in self.schemas[operator][version], wanted)
                    held += 1
        self.assertGreater(held, 1000)

    def test_versions_of_types(self):
        """Versions that opsets from 7 on select have the types of their span, and others all that any of them has."""
        spans = type_spans()
        held = 0
        for operator in (name for name in known_versions() if ":" not in name and name not in NO_TYPES):
            versions = self.types.get(operator, {})
            oldest = max((v for v in versions if v <= 7), default=0)
            selected = {v: types for v, types in versions.items() if v >= oldest and types is not None}
            union = set().union(*selected.values())
            for version, types in selected.items():
                rows = [row for until, row in spans.get(operator, []) if version < until or not until]
                with self.subTest(operator=operator, version=version):
                    self.assertEqual(types, rows[0] & set(TYPES) if rows else union)
                    held += bool(rows)
        self.assertGreater(held, 150)

    def test_activations(self):
        for name, (alpha, beta) in onnx_defaults.PARAMETERS.items():
            for parameter, value in (("alpha", alpha), ("beta", beta)):
                if parameter in onnx_defaults.ATTRIBUTES.get(name, {}):
                    self.assertEqual(value, onnx_defaults.default(name, parameter, 22), f"{name}: {parameter}")
        for version in (1, 7, 14, 22):
            usual = default_of(self.schemas["RNN"][version]["activations"])
            self.assertEqual(usual, onnx_defaults.ACTIVATIONS["RNN"] * 2)  # one for each direction


if __name__ == "__main__":
    unittest.main()
