#!/usr/bin/env python3
"""workers/python/forms.py: a form is a call of public names and nothing else; the file of forms is readable."""

import fnmatch
import inspect
import math
import os
import re
import sys
import types
import typing
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "workers", "python"), os.path.join(ROOT, "scripts", "equiv_forms")]
# it needs numpy, which forms do not
sys.modules.setdefault("values", types.SimpleNamespace(from_numpy=None, to_numpy=None))

import forms  # noqa: E402
import kerasapi_forms  # noqa: E402
import learned  # noqa: E402
import stated  # noqa: E402
from lawful import lawful  # noqa: E402
from forms import Form, public  # noqa: E402
from worker_types import Rejected, Unsupported  # noqa: E402


class Forms(unittest.TestCase):
    def test_a_call_is_made(self):
        self.assertEqual(Form("t0:float64[] | math.pow(t0, 2)", {"math": math}).function()(3), 9)

    def test_a_function_has_a_module(self):
        """torch.jit.trace refuses one that has none: without it TorchScript is compared with nothing."""
        self.assertTrue(Form("t0:float64[] | math.pow(t0, 2)", {"math": math}).function().__module__)

    def test_what_is_made_is_called(self):
        form = Form("t0:float64[] | math.sqrt(4) | math.pow(t0, m)", {"math": math})
        self.assertEqual(form.function(form.make())(3), 9)

    def test_more_than_a_call_is_refused(self):
        for call in ("__import__('os')", "math.__class__", "(lambda: t0)()", "[x for x in t0]", "open('f')", "t0 +",
                     "math.pow(t0, (yield))", "t1"):
            with self.subTest(call), self.assertRaises(Rejected):
                Form(f"t0:float64[] | {call}", {"math": math})
        with self.assertRaises(Rejected):
            Form("t0:float64[] | open('f') | m(t0)", {"math": math}).make()

    def test_batches_are_listed(self):
        """What loaders give is gone through by list(), the one name of Python's own that a form has."""
        self.assertEqual(Form("t0:float64[] | list(t0)[1]", {}).function()(iter((3, 4))), 4)

    def test_every_form_of_the_rows_is_one(self):
        """Rows of documented functions in data/equiv: each form can be read."""
        roots, count = {"torchapi": "torch", "tfapi": "tf", "kerasapi": "keras", "jaxapi": "jax"}, 0
        for name in ("sparse", "images", "pipeline", "decode", "formula"):
            with open(os.path.join(ROOT, "data", "equiv", f"{name}.tsv"), encoding="utf-8") as f:
                rows = [line.rstrip("\n").split("\t") for line in f if not line.startswith("#")]
            for library, _, _, *sides in rows:
                for form in re.findall('form="([^"]*)"', "".join(sides) if library in roots else ""):
                    Form(form, {roots[library]: None})
                    count += 1
        self.assertGreater(count, 1200)

    def test_models_are_what_it_does_not_have(self):
        """Not what it refuses: the doctor calls a library that does broken."""
        backend = forms.Backend()
        backend.library = "toy"
        with self.assertRaises(Unsupported):
            backend.load(b"", {}, [])

    def test_a_release_without_a_compiler(self):
        """PyTorch before 2.0: the worker starts in the modes that compile, too, and only calls are refused there."""
        import torchapi_worker

        torch = types.ModuleType("torch")
        torch.__version__, torch.set_num_threads = "1.6.0", lambda n: None
        with mock.patch.dict(sys.modules, torch=torch):
            for mode in "eager", "aot", "dynamic", "inductor":
                with self.subTest(mode):
                    self.assertEqual(torchapi_worker.Backend().open("", {"mode": mode}), "1.6.0")

    def test_names_without_a_text_are_not_documented(self):
        module = types.ModuleType("m")
        module.told, module.untold, module._inner = (lambda: 0), (lambda: 0), (lambda: 0)
        module.told.__doc__ = module._inner.__doc__ = "What it does."
        self.assertEqual(list(public(module, "m")), ["m.told"])

    def test_every_form_of_the_files_is_one(self):
        for library, root in (("torchapi", "torch"), ("jaxapi", "jax"), ("tfapi", "tf"), ("kerasapi", "keras"),
                              ("mxapi", "mx")):
            names = set()
            with open(os.path.join(ROOT, "data", "equiv", f"forms-{library}.tsv"), encoding="utf-8") as f:
                for line in f:
                    if line.startswith("#"):
                        continue
                    of, name, form = line.rstrip("\n").split("\t")
                    names.add(name)
                    self.assertEqual(of, library)
                    self.assertTrue(name.startswith(root + "."))
                    Form(form, {root: None})
            self.assertGreater(len(names), 150, library)

    def test_square_roots_are_not_left_out_with_qr(self):
        """A pattern such as *qr* fits sqrt as well."""
        folder = os.path.join(ROOT, "data", "equiv")
        for file in sorted(f for f in os.listdir(folder) if f.endswith("-not.tsv")):
            with open(os.path.join(folder, file), encoding="utf-8") as f:
                rows = [line.rstrip("\n").split("\t") for line in f if line.strip() and not line.startswith("#")]
            for library, pattern, reason in rows:
                if reason == "unique up to signs":
                    for name in ("torch.sqrt", "jax.lax.rsqrt", "tf.math.sqrt", "keras.ops.rsqrt", "mx.np.sqrt"):
                        self.assertFalse(fnmatch.fnmatchcase(name, pattern), (file, library, pattern))

    def test_every_graph_of_onnx_runtime_is_a_form(self):
        """Its name is that of its outermost node."""
        names = set()
        with open(os.path.join(ROOT, "data", "equiv", "forms-ortapi.tsv"), encoding="utf-8") as f:
            for line in f:
                if line.startswith("#"):
                    continue
                of, name, form = line.rstrip("\n").split("\t")
                names.add(name)
                self.assertEqual(of, "ortapi")
                self.assertTrue(form.partition(" | ")[2].startswith(name + "("), form)
                self.assertEqual(lawful(form), form)
                Form(form, {"onnx": None, "microsoft": None, "graph": None})
        self.assertGreater(len(names), 25)


def learn(function, takes, name="toy.function"):
    """Forms of a function of a package that takes what takes(call) says."""
    learned.numbers = lambda kind, shape: None  # without numpy
    backend = types.SimpleNamespace(form=lambda text: text, takes=lambda form, arrays: takes(form.split(" | ")[1]))
    return list(learned.Learner(backend).forms(name, function))


class Random:
    """What is called draws a number, or does not."""

    def __init__(self, draws):
        self.draws = draws

    def get_rng_state(self):
        return self.draws

    def equal(self, a, b):
        return a == b

    def draw(self):
        self.draws += 1
        return self.draws

    utils = types.SimpleNamespace()


class Undefined(unittest.TestCase):
    """torchapi: what draws random numbers is compared with no other way to compute it."""

    def asked(self, call):
        from torchapi_worker import Backend

        b = Backend()
        b.torch, b.mode, b.undefined = Random(0), "decomposed", {}
        b.function = lambda form: call
        b.modes = {"decomposed": lambda b, form, tensors: [], "eager": lambda b, form, tensors: []}
        b.is_array = lambda value: False
        return b

    def test_random_numbers(self):
        b = self.asked(None)
        b.function = lambda form: b.torch.draw
        form = types.SimpleNamespace(text="a form")
        with self.assertRaises(Unsupported):
            b.call(form, [])
        b.mode = "eager"
        self.assertEqual(b.call(form, []), [])

    def test_none(self):
        self.assertEqual(self.asked(lambda: 1).call(types.SimpleNamespace(text="a form"), []), [])


class Digits(unittest.TestCase):
    """torchapi: derivatives of what rounds to a lower type differ by that type's rounding."""

    def check(self, results, moved):
        from torchapi_worker import check_digits

        steps = {"bfloat16": 2 ** -7, "float16": 2 ** -10, "float32": 2 ** -23}
        torch = types.SimpleNamespace(finfo=lambda name: types.SimpleNamespace(eps=steps[name]))
        check_digits(types.SimpleNamespace(torch=torch),
                     *[[types.SimpleNamespace(dtype=name) for name in names] for names in (results, moved)])

    def test_a_lower_type(self):
        for results in (["bfloat16"], ["float32", "float16"]):
            with self.assertRaises(Unsupported):
                self.check(results, ["float32"])

    def test_the_same_type(self):
        self.check(["float16"], ["float16"])
        self.check(["float32"], ["float16", "float32"])
        self.check(["float16"], ["float32", "float16", "bfloat16"])


class Networks(unittest.TestCase):
    def test_a_network_has_plain_numbers(self):
        """One NaN among its inputs makes NaN of every result, and NaN agrees with NaN."""
        form = kerasapi_forms.Maker(None).network("keras.applications.MobileNet")
        self.assertTrue(form.startswith("t0:float32.plain[2,32,32,3] | keras.applications.MobileNet("))
        self.assertIn("classifier_activation=None", form)


class Lawful(unittest.TestCase):
    def test_shifts_are_by_bits_that_there_are(self):
        self.assertEqual(lawful("t0:int32[2,3] t1:int32[2,3] | keras.ops.left_shift(t0, t1)"),
                         "t0:int32[2,3] t1:int32.below8[2,3] | keras.ops.left_shift(t0, t1)")

    def test_what_must_be_sorted_or_in_a_range_is(self):
        self.assertEqual(lawful("t0:float32[6,6,3] | tf.image.adjust_hue(t0, 0.25)"),
                         "t0:float32.plain[6,6,3] | tf.image.adjust_hue(tf.math.sigmoid(t0), 0.25)")
        self.assertEqual(lawful("t0:uint8.below256[5,4,3] | tf.image.adjust_hue(t0, 0.1)"),
                         "t0:uint8.below256[5,4,3] | tf.image.adjust_hue(t0, 0.1)")
        self.assertEqual(lawful("t0:float32[6] t1:float32[6] | tf.keras.losses.binary_crossentropy(t0, t1, axis=0)"),
                         "t0:float32[6] t1:float32[6] | tf.keras.losses.binary_crossentropy("
                         "tf.math.sigmoid(t0), tf.math.sigmoid(t1), axis=0)")
        self.assertEqual(lawful("t0:float32[3] t1:float32[2] | tf.searchsorted(t0, t1, side='right')"),
                         "t0:float32[3] t1:float32[2] | tf.searchsorted(tf.sort(t0), t1, side='right')")

    def test_promises_that_drawing_does_not_keep_are_no_forms(self):
        self.assertIsNone(lawful("t0:float32[3] t1:int32[2] | jax.numpy.take(t0, t1, unique_indices=True)"))
        self.assertIsNotNone(lawful("t0:float32[3] t1:int32[2] | jax.numpy.take(t0, t1)"))

    def test_complex_numbers_where_keras_documents_them(self):
        self.assertIsNone(lawful("t0:complex64[2,3] | keras.ops.image.resize(t0, (2, 3))"))
        self.assertIsNotNone(lawful("t0:complex64[2,3] | keras.ops.real(t0)"))
        self.assertIsNotNone(lawful("t0:complex64[2,3] | tf.math.add(t0, t0)"))

    def test_a_window_has_a_shape_above_zero(self):
        """PyTorch refuses a beta below 0, and the others make different numbers of it."""
        self.assertEqual(lawful("t0:int32[] | keras.ops.kaiser(2, t0)"),
                         "t0:int32.positive[] | keras.ops.kaiser(2, t0)")

    def test_targets_of_margins_are_signs(self):
        sign = "torch.sub(torch.mul(torch.ge(t1, 0), 2), 1).type_as(t1)"
        self.assertEqual(lawful("t0:float32[] t1:float32[] | torch.nn.functional.soft_margin_loss(t0, t1)"),
                         f"t0:float32[] t1:float32[] | torch.nn.functional.soft_margin_loss(t0, {sign})")
        self.assertEqual(lawful("t0:float32[5] t1:float32[5] | torch.nn.HingeEmbeddingLoss() | m(t0, t1)"),
                         f"t0:float32[5] t1:float32[5] | torch.nn.HingeEmbeddingLoss() | m(t0, {sign})")
        classes = "t0:float32[5] t1:float32[5] | torch.nn.functional.multilabel_soft_margin_loss(t0, t1)"
        self.assertEqual(lawful(classes), classes)

    def test_numbers_are_where_a_function_is_defined(self):
        """Between poles, where each rounding decides: float16 -0.0001 - 1 is one, float32 is not."""
        self.assertEqual(lawful("t0:float32[2] | torch.special.multigammaln(t0, 4)"),
                         "t0:float32[2] | torch.special.multigammaln(torch.add(torch.abs(t0), 3), 4)")
        self.assertEqual(lawful("t0:float32[2] | t0.mvlgamma_(2)"),
                         "t0:float32[2] | torch.add(torch.abs(t0), 3).mvlgamma_(2)")
        self.assertEqual(lawful("t0:float32[2] | torch.mvlgamma(t0, 1)"),
                         "t0:float32[2] | torch.mvlgamma(torch.add(torch.abs(t0), 3), 1)")

    def test_what_is_beside_a_diagonal_is_one_less(self):
        for size in "2,3", "3,3":
            self.assertEqual(lawful(f"t0:float32[3] t1:float32[{size}] | tf.linalg.eigh_tridiagonal(t0, t1)"),
                             "t0:float32[3] t1:float32[2] | tf.linalg.eigh_tridiagonal(t0, t1)")

    def test_a_matrix_that_is_said_to_be_hermitian_is(self):
        """Else one half of it counts, and what a derivative by the other half is nobody says."""
        self.assertEqual(lawful("t0:float32[5,5] | torch.linalg.pinv(t0, hermitian=True)"),
                         "t0:float32[5,5] | torch.linalg.pinv(torch.add(t0, torch.transpose(t0, -2, -1).conj()), "
                         "hermitian=True)")
        self.assertEqual(lawful("t0:float32[3,3] | jax.numpy.linalg.eigh(t0, symmetrize_input=False)"),
                         "t0:float32[3,3] | jax.numpy.linalg.eigh(jax.numpy.add(t0, jax.numpy.conj("
                         "jax.numpy.swapaxes(t0, -2, -1))), symmetrize_input=False)")
        plain = "t0:float32[5,5] | torch.linalg.pinv(t0, hermitian=False)"
        self.assertEqual(lawful(plain), plain)

    def test_bounds_are_in_order(self):
        """JAX says that a number below the lower one becomes that, and one above the upper one this: it may be both."""
        self.assertEqual(lawful("t0:float32[6] t1:float32[6] t2:float32[6] | jax.lax.clamp(t0, t1, t2)"),
                         "t0:float32[6] t1:float32[6] t2:float32[6] | jax.lax.clamp(jax.numpy.minimum(t0, t2), t1, "
                         "jax.numpy.maximum(t0, t2))")

    def test_what_is_not_promised_of_a_product_is_not_compared(self):
        """Of jax.lax.linalg.symmetric_product the upper triangle, and matrices that are not symmetric."""
        self.assertEqual(lawful("t0:float32[3,3] t1:float32[3,3] | "
                                "jax.lax.linalg.symmetric_product(t0, t1, alpha=0.75)"),
                         "t0:float32[3,3] t1:float32[3,3] | jax.numpy.tril(jax.lax.linalg.symmetric_product(t0, "
                         "jax.numpy.add(t1, jax.numpy.swapaxes(t1, -2, -1)), alpha=0.75))")

    def test_slices_begin_inside(self):
        self.assertIsNone(lawful("t0:float32[2,3] | keras.ops.slice(t0, (2, 3), [1, 0])"))
        self.assertIsNotNone(lawful("t0:float32[2,3] | keras.ops.slice(t0, [1, 0], [1, 0])"))

    def test_a_program_is_kept_for_its_mode(self):
        """A process may be given another mode: what was compiled for the one before is not for it."""
        backend = forms.Backend()
        backend.modes = {"graph": None, "xla": None}
        backend.reopen({"mode": "graph"})
        self.assertEqual([backend.kept("f", lambda: "a"), backend.kept("f", lambda: "b")], ["a", "a"])
        backend.reopen({"mode": "xla"})
        self.assertEqual(backend.kept("f", lambda: "c"), "c")
        for i in range(forms.KEPT):
            backend.kept(i, lambda: "d")
        self.assertLessEqual(len(backend.programs), forms.KEPT)

    def test_the_files_are_lawful(self):
        for library in ("torchapi", "jaxapi", "tfapi", "kerasapi", "mxapi"):
            with open(os.path.join(ROOT, "data", "equiv", f"forms-{library}.tsv"), encoding="utf-8") as f:
                for line in f:
                    if not line.startswith("#"):
                        self.assertEqual(lawful(line), line)


class Stated(unittest.TestCase):
    """Types that a text or a signature states."""

    TEXT = """Does something.

    Args:
      input: A `Tensor`. Must be one of the following types: `complex64`, `complex128`.
        A complex tensor.
      fft_length: A `Tensor` of type `int32`.
        The length.
      x (Tensor): A `float32`/`float64` `[..., n]` `Tensor` of signals.
      sp_input: The input `SparseTensor`.
      text: A `Tensor` of type `string`.
      mode: one of "full", 'same'.
      plain: What nobody says the type of.

    Returns:
      A `Tensor` of type `bool`.
    """

    def test_types_of_the_text(self):
        for name, words in (("input", ("{c}",)), ("fft_length", (*stated.WHOLE, "{i}")), ("x", ("{f}",)),
                            ("sp_input", ("tf.sparse.from_dense({T})",)), ("text", stated.STRINGS), ("plain", ()),
                            ("put", ()), ("Returns", ("{b}",))):
            with self.subTest(name):
                self.assertEqual(stated.by_text(self.TEXT, name), words)

    def test_what_is_said_ends_with_the_next_parameter(self):
        self.assertEqual(stated.said(self.TEXT, "fft_length"), "A `Tensor` of type `int32`. The length.")

    def test_annotations(self):
        def function(a: "int", b: typing.Literal["x", "y"], mode: "str", c: "Sequence[int]", d: "Callable", e):
            pass
        _, *rest = [stated.by_annotation(p, self.TEXT) for p in inspect.signature(function).parameters.values()]
        self.assertEqual(rest[:2], [("'x'", "'y'"), ("'full'", "'same'")])
        self.assertEqual(rest[2][0], "(1, 0)")
        self.assertEqual(rest[3:], [(), ()])

    def test_a_complex_function_has_a_form(self):
        """Kinds are tried in an order that ends before complex numbers where the first ones do not work."""
        def fft(input):
            pass
        fft.__doc__ = self.TEXT
        self.assertEqual(set(learn(fft, lambda call: True, "toy.fft")), {"t0:complex64[2,3] | toy.fft(t0)",
                                                                         "t0:complex64[6] | toy.fft(t0)"})


class Objects(unittest.TestCase):
    """Forms of classes: what is made, and the call of it."""

    def made(self, cls, takes, name="keras.layers.Toy"):
        learned.numbers = lambda kind, shape: None
        backend = types.SimpleNamespace(form=lambda text: text, takes=lambda form, arrays: takes(form))
        return list(kerasapi_forms.Maker(backend).forms(name, cls))

    def test_constructors_by_the_names_of_their_parameters(self):
        class Toy:
            """Multiplies."""
            def __init__(self, units, use_bias=True, padding="valid", kernel_initializer="zeros", name=None):
                pass
        found = self.made(Toy, lambda form: "[2,3,4]" in form and "keras.layers.Toy(3" in form and "causal" not in form)
        self.assertEqual(found[0], "t0:float32[2,3,4] | keras.layers.Toy(3) | m(t0)")
        made = [form.split(" | ")[1] for form in found]
        self.assertIn("keras.layers.Toy(3, use_bias=False)", made)
        self.assertIn("keras.layers.Toy(3, use_bias=False, padding='same')", made)
        self.assertFalse([m for m in made if "initializer" in m or "name" in m or "causal" in m])
        for form in found:
            Form(form, {"keras": None})

    def test_what_draws_or_looks_up_has_no_forms(self):
        asked = []
        for name in "RandomFlip", "GaussianNoise", "StringLookup", "Lambda":
            self.assertEqual(self.made(type(name, (), {}), asked.append, f"keras.layers.{name}"), [])
        self.assertEqual(asked, [])

    def test_losses_and_embeddings_are_called_with_what_they_take(self):
        losses = self.made(type("Toy", (), {"__init__": lambda self: None}), lambda form: True, "keras.losses.Toy")
        self.assertEqual(losses[0].partition(" | ")[2], "keras.losses.Toy() | m(t0, t1)")
        self.assertTrue(losses[0].startswith("t0:float32.positive[2,3] t1:float32.positive[2,3] |"))
        found = self.made(type("Embedding", (), {"__init__": lambda self, input_dim: None}), lambda form: True,
                          "keras.layers.Embedding")
        self.assertEqual(found[0], "t0:int32.below5[2,3] | keras.layers.Embedding(5) | m(t0)")


class Learned(unittest.TestCase):
    def test_an_axis_two_times_where_a_program_takes_it(self):
        def function(x, axis=None):
            """Reduces."""
        backend = types.SimpleNamespace(form=lambda text: text, mode="eager", lenient="graph")
        backend.takes = lambda form, arrays: backend.mode == "graph" or "[0, 0]" not in form
        learned.numbers = lambda kind, shape: None
        optional = learned.parameters(function)[1]
        found = list(learned.Learner(backend).varied("toy.f", "float32", ("", ["{T}"], "2,3"), optional, ""))
        self.assertIn("t0:float32[1,1] | toy.f(t0, axis=[0, 0])", found)
        self.assertEqual(backend.mode, "eager")
        backend.lenient = None
        self.assertNotIn("[0, 0]", " ".join(learned.Learner(backend).varied(
            "toy.f", "float32", ("", ["{T}"], "2,3"), optional, "")))

    def test_arguments_by_their_names(self):
        found = learn(lambda x, axis: 0, lambda call: call.endswith("(t0, 1)"))
        self.assertIn("t0:float32[2,3] | toy.function(t0, 1)", found)
        self.assertIn("t0:int32[2,3] | toy.function(t0, 1)", found)

    def test_shapes_until_one_is_taken(self):
        self.assertEqual(learn(lambda x, y: 0, lambda call: False), [])
        found = learn(lambda arrays: 0, lambda call: call.endswith("([t0, t1])"))
        self.assertEqual(found[0], "t0:float32[2,3] t1:float32[2,3] | toy.function([t0, t1])")

    def test_optional_parameters(self):
        def function(x, keepdims=False, scale=1.0, name=None):
            """Adds."""
        found = [form.partition(" | ")[2] for form in learn(function, lambda call: True)]
        self.assertIn("toy.function(t0, keepdims=True)", found)
        self.assertIn("toy.function(t0, scale=0.75)", found)
        self.assertFalse([call for call in found if "name=" in call])

    def test_what_calls_back_or_writes_is_left_alone(self):
        asked = []
        self.assertEqual(learn(lambda fn, x: 0, asked.append), [])
        self.assertEqual(learn(lambda x: 0, asked.append, "toy.save"), [])
        self.assertEqual(asked, [])

    def test_patterns_are_forms(self):
        for n, _, call in learned.patterns("toy"):
            Form(f"{' '.join(f't{i}:float32[2]' for i in range(n))} | {call}", {"toy": None})


if __name__ == "__main__":
    unittest.main()
