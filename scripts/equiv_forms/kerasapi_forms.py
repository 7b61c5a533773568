"""Forms of Keras's documented functions, layers and losses: functions are learned as those of other packages, objects
of classes by what their constructors say."""

import inspect
import itertools
import re

import learned

PAIRS = 10  # forms of a class with other values for two parameters
# what a parameter of a constructor may be by its name
MADE = (
    (r"units|filters|depth_multiplier|projection_dim", ("3",)),
    (r"kernel_size|pool_size|size|patch_size", ("2", "(2, 2)", "(2, 2, 2)")),
    (r"rate|factor|stddev|alpha|momentum|l1|l2|seed_rate|strength", ("0.5",)),
    (r"input_dim|num_tokens|num_bins|n", ("5",)),
    (r"output_dim|num_heads|key_dim|head_dim|value_dim|num_key_value_heads|num_query_heads|groups|k", ("2",)),
    (r"layer|cell|backward_layer", ("keras.layers.Dense(3)", "keras.layers.LSTM(3)", "keras.layers.LSTMCell(3)",
                                    "keras.layers.GRU(3, return_sequences=True)")),
    (r"cells", ("[keras.layers.LSTMCell(3), keras.layers.GRUCell(2)]",)),
    (r"dims", ("(2, 1)", "(2, 3, 1)")),
    (r"target_shape", ("(-1,)", "(-1, 1)")),
    (r"axes|axis", ("1", "-1", "(1, 2)")),
    (r"height|width|num_classes", ("4",)),
    (r"equation", ("'ab,bc->ac'", "'abc,cd->abd'")),
    (r"output_shape", ("(4,)", "(None, 4)")),
    (r"min_value|lower", ("-0.5",)),
    (r"max_value|upper", ("0.5",)),
)
# whole networks, one of each family: the size of an image, and arguments that keep them small
NETWORKS = {"ConvNeXtTiny": (32, "include_top=False, pooling='avg'"), "DenseNet121": (32, "classes=5"),
            "EfficientNetB0": (32, "classes=5"), "EfficientNetV2B0": (32, "classes=5"),
            "InceptionV3": (75, "include_top=False, pooling='max'"), "MobileNet": (32, "classes=5, alpha=0.25"),
            "MobileNetV2": (32, "classes=5, alpha=0.35"), "MobileNetV3Small": (32, "classes=5, alpha=0.75"),
            "NASNetMobile": (32, "include_top=False, pooling='avg'"), "ResNet50": (32, "classes=5"),
            "ResNet50V2": (32, "classes=5"), "VGG16": (32, "include_top=False"), "Xception": (71, "include_top=False")}
CALLS = (
    (r"losses\.Sparse", ("m({I}, {P})",)),
    (r"losses\.", ("m({P}, {P})",)),
    (r"Embedding|CategoryEncoding|Discretization", ("m({E})",)),  # of whole numbers, as documented
    (r"", ("m({T})", "m([{T}, {T}])", "m({T}, {T})", "m({T}, {T}, {T})")),
)
SHAPES = ("2,3", "2,3,4", "2,6,6,2", "2,4,4,4,2", "6")
SKIPPED = re.compile(r"Random|Noise|Lambda|Hashing|Lookup|Vectorization|^Layer$|^Loss$|Input|TFSM|Torch|Jax|Flax|"
                     r"Pipeline|Dropout$|InputSpec|^Wrapper$|Mel|STFT|MixUp|CutMix|AugMix|RandAugment|AutoContrast|"
                     r"MaxNumBounding|Reversible|Quantizer$|OrthogonalRegularizer|^Normalization$|Histogram")
FIXED = {"name", "dtype", "seed", "trainable", "stateful", "autocast", "kwargs", "args", "activity_regularizer",
         "lora_rank", "lora_alpha", "quantization_config", "sparse", "ragged", "noise_shape", "reset_after_call",
         "supports_masking", "zero_output_for_mask", "mask_zero", "dropout", "recurrent_dropout", "weights"}
# other values of parameters whose defaults say little
OTHERS = {"activation": ("'relu'", "'tanh'", "'softmax'"), "strides": ("2", "1"), "dilation_rate": ("2",),
          "padding": ("'same'", "'causal'", "1", "((1, 0), (0, 2))"), "output_padding": ("1",),
          "data_format": ("'channels_first'",),
          "recurrent_activation": ("'relu'",), "axis": ("1", "0", "-2"), "axes": ("1",), "groups": ("2", "3"),
          "cropping": ("1", "((1, 0), (0, 1))"), "value_dim": ("3",), "merge_mode": ("'sum'", "None", "'ave'"),
          "interpolation": ("'bilinear'", "'nearest'", "'bicubic'"), "score_mode": ("'dot'", "'concat'"),
          "reduction": ("'none'", "'sum'", "'mean'"), "pool_size": ("3",), "size": ("3",), "max_value": ("0.5",),
          "rms_scaling": ("True",), "attention_axes": ("1", "2"), "use_gate": ("True",), "output_mode": ("'one_hot'",)}


def sizes(kind, shape):
    """Words of a call: tensors, indices to look up, targets and predictions above 0."""
    words = learned.Words(kind, shape)
    words.sizes.update(E=("int32.below5", "2,3"), P=("float32.positive", shape))
    return words


def is_right(parameter):
    return parameter.name not in FIXED and not re.search(r"initializer|regularizer|constraint", parameter.name)


class Maker(learned.Learner):
    """Forms of objects: what is made, and the call of it."""

    def form(self, made, call, shape):
        words = sizes("float32", shape)
        text = words.form("", [call])
        return f"{' '.join(words.variables)} | {made} | {text.partition(' | ')[2][1:-1]}"

    def first_made(self, name, given):
        """The first ways to make one and to call it: (made, call, shape), for each call and shape that works."""
        choices = [next((words for pattern, words in MADE if re.fullmatch(pattern, p.name)), ("2", "0.5"))
                   for p in given]
        calls = next(calls for pattern, calls in CALLS if re.search(pattern, name))
        for chosen in itertools.islice(itertools.product(*choices), 16):
            taken = [(list(chosen), call, shape) for call in calls for shape in SHAPES
                     if self.works(self.form(f"{name}({', '.join(chosen)})", call, shape))]
            if taken:
                return taken
        return []

    def network(self, name):
        """Of plain numbers: one NaN makes NaN of all."""
        size, arguments = NETWORKS[name.rpartition(".")[2]]
        last = "" if "include_top" in arguments else ", classifier_activation=None"  # else nearly all numbers are 0
        return f"t0:float32.plain[2,{size},{size},3] | {name}(input_shape=({size}, {size}, 3), weights=None, " \
            f"{arguments}{last}) | m(t0)"

    def forms(self, name, function):
        if name.startswith("keras.applications."):
            if name.rpartition(".")[2] in NETWORKS:
                yield self.network(name)
            return
        if not isinstance(function, type):
            yield from super().forms(name, function)
            return
        asked = learned.parameters(function)
        if SKIPPED.search(name.rpartition(".")[2]) or asked is None:
            return
        given = [p for p in asked[0] if p.kind not in (p.VAR_POSITIONAL,)]
        calls = self.first_made(name, given)
        for arguments, call, shape in calls[:3]:
            yield self.form(f"{name}({', '.join(arguments)})", call, shape)
        for arguments, call, shape in calls[:2]:
            yield from self.varied_objects(name, arguments, call, shape, asked[1], inspect.getdoc(function) or "")

    def varied_objects(self, name, arguments, call, shape, optional, text):
        """Other values of each parameter, and of two."""
        taken = []
        for p in filter(is_right, optional):
            for word in OTHERS.get(p.name) or learned.other_values(p, text)[:2]:
                form = self.form(f"{name}({', '.join([*arguments, f'{p.name}={word}'])})", call, shape)
                if word != repr(p.default) and self.works(form):
                    yield form
                    taken.append((p.name, f"{p.name}={word}"))
        pairs = [(a, b) for (n, a), (k, b) in itertools.combinations(taken, 2) if n != k]
        for a, b in pairs[::max(1, len(pairs) // PAIRS)]:
            form = self.form(f"{name}({', '.join([*arguments, a, b])})", call, shape)
            if self.works(form):
                yield form


def forms():
    return learned.forms("kerasapi_worker", "kerasapi_forms.Maker")
