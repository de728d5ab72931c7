"""Hostile model files: a sound one, changed; see `files` for the columns."""

import hashlib
import io
import json
import zipfile

import numpy as np
from sklearn.linear_model import LogisticRegression

from hostile.files import answered, fifo, folder, link_to, refused
from labelfield import BinaryRelevance, load, save
from labelfield.io.archive import HEADER

__all__ = ["MODEL_FILES"]


def rewritten(change, *, honest=True):
    """m.lf with its entries changed; with `honest` the hashes in the header are made to agree."""

    def make(path):
        with zipfile.ZipFile(path.with_name("m.lf")) as archive:
            entries = {name: archive.read(name) for name in archive.namelist()}
        entries = change(entries)
        if honest:
            about = json.loads(entries[HEADER])
            about["entries"] = {
                name: hashlib.sha256(content).hexdigest()
                for name, content in entries.items()
                if name != HEADER
            }
            entries[HEADER] = json.dumps(about).encode()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in entries.items():
                archive.writestr(name, content)

    return make


def noted(**changes):
    """m.lf with other notes; None takes one away."""

    def change(entries):
        about = json.loads(entries[HEADER])
        about["notes"] |= changes
        about["notes"] = {
            name: value for name, value in about["notes"].items() if value is not None
        }
        return entries | {HEADER: json.dumps(about).encode()}

    return rewritten(change)


def headed(**changes):
    """m.lf with another header."""

    def change(entries):
        return entries | {HEADER: json.dumps(json.loads(entries[HEADER]) | changes).encode()}

    return rewritten(change, honest=False)


def with_entry(name, content, *, honest=True):
    return rewritten(lambda entries: entries | {name: content}, honest=honest)


def with_arrays(array, *, honest):
    """m.lf with every array replaced."""
    buffer = io.BytesIO()
    np.save(buffer, array)

    def change(entries):
        return {
            name: buffer.getvalue() if name.endswith(".npy") else content
            for name, content in entries.items()
        }

    return rewritten(change, honest=honest)


def with_state(name, change):
    """m.lf with another learned attribute, saved by us."""

    def make(path):
        model = load(path.with_name("m.lf"))
        setattr(model, name, change(getattr(model, name)))
        save(model, path)

    return make


def holding(model):
    return lambda path: save(model, path)


def cut(share):
    def make(path):
        content = path.with_name("m.lf").read_bytes()
        path.write_bytes(content[: int(share * len(content))])

    return make


ASK = "predict FILE new.arff --out p.csv"
DEEP = b"[" * 100_000
NO_MODEL = "is not a model file, or a damaged one"
CHANGED = "is not what was saved"

MODEL_FILES = [
    *refused(
        ASK,
        [
            ("empty.lf", "", NO_MODEL),
            ("text.lf", "a model, honestly", NO_MODEL),
            ("pickle.lf", b"\x80\x04\x95cos\nsystem\n", NO_MODEL),
            ("zeros.lf", b"PK\x03\x04" + bytes(1000), NO_MODEL),
            ("half.lf", cut(0.5), NO_MODEL),
            ("nearly.lf", cut(0.99), NO_MODEL),
            ("pipe.lf", fifo, "a pipe or device, not a regular file"),
            ("device.lf", link_to("/dev/zero"), "a pipe or device, not a regular file"),
            ("folder.lf", folder, "a folder, not a regular file"),
            ("headless.lf", rewritten(lambda e: {"a": b"b"}, honest=False), "without labelfield"),
            ("newer.lf", headed(protocol=99), "protocol 99.*Upgrade labelfield"),
            ("older.lf", headed(protocol=0), "protocol 0"),
            ("no-number.lf", headed(protocol="1"), "which is not a number"),
            ("deep-header.lf", with_entry(HEADER, DEEP, honest=False), "header .* cannot be read"),
            ("deep-schema.lf", with_entry("schema.json", DEEP), "cannot be read"),
            ("no-schema.lf", with_entry("schema.json", b"{}"), "cannot be read"),
            ("listed-notes.lf", headed(notes=[1]), "no readable 'notes'"),
            ("path.lf", with_entry("../evil.npy", b"x"), "with a path in its name"),
            ("added.lf", with_entry("more.npy", b"x", honest=False), CHANGED),
            ("bomb.lf", with_entry("bomb.npy", bytes(2**23)), "would unpack to more"),
            ("other-shape.lf", with_arrays(np.zeros((9, 9)), honest=False), CHANGED),
            ("other-numbers.lf", with_arrays(np.zeros((3, 4)), honest=False), CHANGED),
            ("forged-shape.lf", with_arrays(np.zeros((9, 9)), honest=True), "does not fit"),
            ("forged-type.lf", with_arrays(np.array(["a"]), honest=True), "does not fit|cannot be"),
            ("broadcast.lf", with_state("coef_", lambda w: w[:1]), "coef_ has shape"),
            ("one-intercept.lf", with_state("intercept_", lambda b: b[:1]), "intercept_ has shape"),
            ("nan-weights.lf", with_state("coef_", lambda w: w * np.nan), "holds NaN or infinity"),
            ("unfitted.lf", holding(BinaryRelevance()), "not a fitted classifier of label sets"),
            ("foreign.lf", holding(LogisticRegression()), "not a fitted classifier of label sets"),
            ("few-names.lf", noted(feature_names=["blue"]), "no readable 'feature_names'"),
            ("number-names.lf", noted(feature_names=4), "no readable 'feature_names'"),
            ("same-names.lf", noted(feature_names=["blue"] * 4), "no readable 'feature_names'"),
            ("odd-names.lf", noted(feature_names=[1, [], {}, "a"]), "no readable 'feature_names'"),
            ("no-labels.lf", noted(label_names=None), "no readable 'label_names'"),
            ("few-labels.lf", noted(label_names=["sea"]), "no readable 'label_names'"),
            ("listed-values.lf", noted(categories=["blue"]), "no readable 'categories'"),
            ("odd-values.lf", noted(categories={"blue": 3}), "no readable 'categories'"),
            ("tagged.lf", noted(reading={"tags": 3, "tag_separator": ","}), "readable 'reading'"),
            ("half-tagged.lf", noted(reading={"tags": ["tags"]}), "no readable 'reading'"),
            ("read-on.lf", noted(reading={"separator": ";"}), "no readable 'reading'"),
            ("kinds.lf", noted(kinds=["text"]), "no readable 'kinds'"),
            ("odd-kinds.lf", noted(kinds={"blue": 1}), "no readable 'kinds'"),
            ("ids.lf", noted(id_columns="blue"), "no readable 'id_columns'"),
            ("rows.lf", noted(rows=[1]), "no readable 'rows'"),
            ("odd-rows.lf", noted(rows={"kept": 1, "all": True}), "no readable 'rows'"),
            ("short-rows.lf", noted(rows={"kept": "AAAA", "all": True}), "no readable 'rows'"),
            ("few-rows.lf", noted(rows={"kept": "", "all": False}), "no readable 'rows'"),
        ],
    ),
    *answered(
        ASK,
        [
            ("other-values.lf", noted(categories={"blue": ["a"]}), "Predicted 20 rows"),
            ("noteless.lf", noted(feature_names=None), "Predicted 20 rows"),
        ],
    ),
]
