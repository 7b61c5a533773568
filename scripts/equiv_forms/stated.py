"""What a package says of a parameter's type, in the text of a function or in its signature: words of a call for it.

    input: A `Tensor`. Must be one of the following types: `complex64`, `complex128`.
    sp_input: The input `SparseTensor`.
    n: int, the size of the result
"""

import re
import typing

# letters that stand for tensors of a type (learned.Words), in the order in which they are chosen
LETTERS = {"float32": "f", "int32": "i", "int64": "l", "complex64": "c", "bool": "b", "uint8": "u"}
STRINGS = ("tf.strings.as_string({T})", "'ab,c'")
WHOLE = ("2", "[2]", "[2, 2]", "1", "[0]")  # a number, or a list of a few, where whole ones are said
TYPE = r"(?:u?int\d+|b?float\d+|complex\d+|bool|string)"
ONE_OF = re.compile(rf"one of the following types: ((?:`{TYPE}`(?:, )?)+)")
OF_TYPE = re.compile(rf"[Tt]ensor`?s? (?:of|with) (?:d?type )?`?(?:tf\.)?({TYPE})"
                     rf"|((?:`{TYPE}`(?:/| or |, )?)+) (?:`\[[^\]]*\]` )?`?[Tt]ensor"
                     rf"|(?:^|[Aa]n? |of )`?({TYPE})`? (?:`?[Tt]ensor|array|scalar)")
OBJECTS = ((re.compile(r"^[^.]*`(?:tf\.)?(?:sparse\.)?SparseTensor`"), ("tf.sparse.from_dense({T})",)),
           (re.compile(r"^[^.,]*`(?:tf\.)?RaggedTensor`"), ("tf.RaggedTensor.from_tensor({T})",)))
LIST = r"(?:Sequence|[Tt]uple|[Ll]ist)"
# by annotation, where neither the text nor a name says anything
ANNOTATED = ((r"bool", ("True",)), (r"int|Int|SupportsIndex", ("2", "1", "3")), (r"float|Float", ("0.5", "2.0")),
             (rf"{LIST}\[int(?:, \.\.\.)?\]|Shape|Axes", ("(1, 0)", "(2, 3)", "(1, 1)", "(6,)")),
             (rf"{LIST}\[(?:Array|ArrayLike|KerasTensor)\]", ("[{T}, {T}]",)))


def said(text, name):
    """What the text says of a parameter: its line in the list of arguments, and those that go on with it."""
    found = re.search(rf"^( *)\*{{0,2}}`?{re.escape(name)}`? *(?:\([^)\n]*\))? *: *(.*(?:\n\1 +.*)*)", text, re.M)
    return re.sub(r"\s+", " ", found.group(2)) if found else ""


def types(sentence):
    """Names of the element types that it allows, in its order."""
    found = ONE_OF.search(sentence) or OF_TYPE.search(sentence)
    return re.findall(TYPE, " ".join(filter(None, found.groups()))) if found else []


def by_text(text, name):
    """Words of the types that the text states."""
    sentence = said(text, name)
    for pattern, words in OBJECTS:
        if pattern.search(sentence):
            return words
    allowed = types(sentence)
    if allowed == ["string"]:
        return STRINGS
    letter = next((letter for kind, letter in LETTERS.items() if kind in allowed), None)
    if letter is None:
        return ()
    tensor = (f"{{{letter}}}",)
    return WHOLE + tensor if letter in "il" and len(allowed) <= 2 else tensor


def by_annotation(parameter, text):
    """Words of what the signature says: whole numbers, lists of them, one of a few texts."""
    annotation = parameter.annotation
    if typing.get_origin(annotation) is typing.Literal:
        return tuple(map(repr, typing.get_args(annotation)))
    name = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    if name.startswith("Literal["):
        return tuple(re.findall(r"'\w+'", name))
    if name == "str":
        return tuple(dict.fromkeys(re.findall(r"'\w+'", said(text, parameter.name).replace('"', "'"))))
    return next((words for pattern, words in ANNOTATED if re.fullmatch(pattern, name)), ())
