"""Reads files that Keras saved, without Keras: .keras (a zip with config.json and model.weights.h5) and .h5.

Nothing in a file is executed.  What is wrong becomes a FileError with a message for people.
"""

import hashlib
import io
import json
import re
import zipfile

import h5py
import numpy as np

MAX_CONFIG = 64 << 20
MAX_WEIGHTS = 2 << 30
MAX_DEPTH = 200  # of a configuration
OLD_KERAS = "2"  # before the .keras format


class FileError(Exception):
    """The file is none that Keras saved, or has what cannot be read."""


def snake_case(name):
    """What Keras calls a class in a file of weights."""
    return re.sub(r"(?<=.)(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])", "_", re.sub(r"\W", "", name)).lower()


def check_depth(value, depth=0):
    """What is nested deeper than any model is refused before anything walks through it."""
    if depth > MAX_DEPTH:
        raise FileError("the configuration is nested too deeply")
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        check_depth(inner, depth + 1)


def parse_config(text):
    if len(text) > MAX_CONFIG:
        raise FileError(f"the configuration has {len(text)} bytes")
    try:
        config = json.loads(text)
    except (ValueError, RecursionError) as e:
        raise FileError(f"the configuration is not JSON: {e}") from None
    check_depth(config)
    if not isinstance(config, dict) or not isinstance(config.get("config"), (dict, list)):
        raise FileError("the configuration is none of a model")
    return config


def read_array(data):
    """A dataset as an array; its size is looked at before it is read."""
    if not isinstance(data, h5py.Dataset):
        raise FileError(f"'{getattr(data, 'name', data)}' holds no weights")
    if data.dtype.kind not in "fiub" or data.nbytes > MAX_WEIGHTS or data.ndim > 8:
        raise FileError(f"weights '{data.name}' are of type {data.dtype} and shape {data.shape}")
    if data.external or data.is_virtual:
        raise FileError(f"weights '{data.name}' lie in another file")
    return np.asarray(data[()])


def group_at(group, path):
    """A group below another one, or None.  Links to other files are not followed."""
    for part in path.split("/"):
        if group is None or not isinstance(group, h5py.Group):
            return None
        link = group.get(part, getlink=True)
        if link is not None and not isinstance(link, h5py.HardLink):
            raise FileError(f"'{part}' in the weights is a link")
        group = group.get(part)
    return group


class Tree:
    """Weights of one layer of a .keras file: groups, by the attributes that hold layers inside of it."""

    def __init__(self, group, path):
        self.group, self.path = group, path

    def take(self, below, n):
        """n weights of what lies below ("": of the layer itself), in the order in which the layer made them."""
        found = group_at(self.group, f"{self.path}/{below}/vars" if below else f"{self.path}/vars")
        have = len(found) if found is not None else 0
        if have < n:
            raise FileError(f"'{self.path}' has {have} of {n} weights")
        return [read_array(group_at(found, str(i))) for i in range(n)]

    def again(self):
        """For another call of the layer."""
        return self

    def below(self, path):
        return Tree(self.group, f"{self.path}/{path}")

    def children(self, class_names):
        """The weights of a model's layers, one for each class name: Keras counts layers by their classes."""
        used = {}
        for name in class_names:
            plain = snake_case(name)
            count = used[plain] = used.get(plain, -1) + 1
            yield Tree(self.group, f"{self.path}/layers/{plain}{f'_{count}' if count else ''}".lstrip("/"))


class Flat:
    """Weights of one layer of an .h5 file: one after the other."""

    def __init__(self, arrays, name):
        self.arrays, self.name = arrays, name

    def take(self, _below, n):
        if len(self.arrays) < n:
            raise FileError(f"'{self.name}' has too few weights")
        taken, self.arrays = self.arrays[:n], self.arrays[n:]
        return taken

    def again(self):
        return Flat(self.arrays, self.name)

    def below(self, _path):
        return self

    def children(self, class_names):
        raise FileError(f"'{self.name}' is a model in a model: save it as .keras")


class FlatModel:
    """All weights of an .h5 file."""

    def __init__(self, group):
        self.group = group

    def layer(self, name):
        group = group_at(self.group, name) if "/" not in name else None
        names = group.attrs.get("weight_names", []) if group is not None else []
        arrays = [read_array(group_at(group, n.decode() if isinstance(n, bytes) else str(n))) for n in names]
        return Flat(arrays, name)


class File:
    """A saved model: config, weights, and the version of Keras that saved it."""

    def __init__(self, path):
        with open(path, "rb") as f:
            head = f.read(8)
        if head.startswith(b"PK"):
            self._open_zip(path)
        elif head == b"\x89HDF\r\n\x1a\n":
            self._open_h5(path)
        else:
            raise FileError("it is neither a .keras nor an .h5 file")
        self.digest = file_digest(path)

    def _open_zip(self, path):
        try:
            with zipfile.ZipFile(path) as z:
                self.config = parse_config(self._member(z, "config.json", MAX_CONFIG))
                self.version = self._version(z)
                weights = self._member(z, "model.weights.h5", MAX_WEIGHTS)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError) as e:
            raise FileError(f"the archive is damaged: {e}") from None
        except KeyError as e:
            raise FileError(f"it is not a model that Keras saved: {e.args[0]}") from None
        self.weights, self.flat = Tree(open_h5(io.BytesIO(weights)), ""), None

    @staticmethod
    def _member(archive, name, limit):
        if archive.getinfo(name).file_size > limit:
            raise FileError(f"its {name} has {archive.getinfo(name).file_size} bytes")
        with archive.open(name) as f:
            data = f.read(limit + 1)
        if len(data) > limit:
            raise FileError(f"its {name} has more than {limit} bytes")
        return data

    def _version(self, archive):
        if "metadata.json" not in archive.namelist():
            return ""
        try:
            return str(json.loads(self._member(archive, "metadata.json", MAX_CONFIG)).get("keras_version", ""))
        except (ValueError, AttributeError, RecursionError):
            raise FileError("its metadata.json is damaged") from None

    def _open_h5(self, path):
        f = open_h5(path)
        config, weights = f.attrs.get("model_config"), group_at(f, "model_weights")
        if config is None or weights is None:
            raise FileError("it holds weights and no model: the whole model must be saved")
        self.config = parse_config(config.decode("utf-8", "replace") if isinstance(config, bytes) else str(config))
        version = f.attrs.get("keras_version", OLD_KERAS)
        self.version = version.decode() if isinstance(version, bytes) else str(version)
        self.weights, self.flat = None, FlatModel(weights)


def open_h5(source):
    try:
        return h5py.File(source, "r")
    except (OSError, ValueError, RuntimeError) as e:
        raise FileError(f"the weights are damaged: {e}") from None


def file_digest(path):
    digest = hashlib.sha256()
    with open(path, "rb") as f:
        while block := f.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
