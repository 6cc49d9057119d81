# SPDX-License-Identifier: GPL-3.0-or-later
"""Model files of every kind, sound and broken, for tests of what is shown of each."""
import os
import shutil
import struct

import big_model
import flawed_model
from big_model import F32, STRING, U32, array, key, text


def empty(path):
    """Keys and no tensors."""
    keys = [key("general.architecture", STRING, "nobodys"), key("general.name", STRING, "Empty")]
    out = b"GGUF" + struct.pack("<IQQ", 3, 0, len(keys)) + b"".join(keys)
    with open(path, "wb") as file:
        file.write(out + bytes(-len(out) % 32))


def wrong_types(path):
    """Every standard key that the views read is of a type that it cannot have."""
    keys = [key("general.architecture", STRING, "llama"), key("general.name", U32, 7),
            key("general.license", U32, 1), key("llama.block_count", STRING, "two"),
            key("llama.context_length", STRING, "long"), array("llama.embedding_length", U32, [1, 2]),
            key("tokenizer.ggml.model", U32, 1), array("tokenizer.ggml.tokens", U32, [1, 2, 3]),
            key("tokenizer.ggml.scores", STRING, "good"), key("tokenizer.chat_template", U32, 5)]
    out = b"GGUF" + struct.pack("<IQQ", 3, 1, len(keys)) + b"".join(keys)
    out += text("blk.0.attn_q.weight") + struct.pack("<IQIQ", 1, 64, F32, 0)
    with open(path, "wb") as file:
        file.write(out + bytes(-len(out) % 32) + bytes(256))


def cut_short(path, source, size=5_000_000):
    with open(source, "rb") as whole, open(path, "wb") as short:
        shutil.copyfileobj(whole, short, size)
        short.truncate(size)


def bad_magic(path):
    """No model file at all, whatever its name."""
    with open(path, "wb") as file:
        file.write(b"PK\x03\x04" + bytes(range(256)) * 8)


def write_all(folder, model, other):
    """Name to path. `other` may be None. The files are named for what they are."""
    def place(name):
        return os.path.join(folder, name + ".gguf")

    os.makedirs(folder, exist_ok=True)
    files = {"small": place("small")}
    os.symlink(model, files["small"])
    if other:
        files["other"] = place("other")
        os.symlink(other, files["other"])
    files["huge"] = place("huge")
    big_model.write(files["huge"], layers=230, name="Great Void 30B")
    files["many"] = place("many")
    big_model.write_many(files["many"], 50000)
    files["parts"] = big_model.write_parts(folder, 3)
    files["empty"] = place("empty")
    empty(files["empty"])
    files["cut"] = place("cut")
    cut_short(files["cut"], model)
    files["overlap"] = place("overlap")
    flawed_model.write(files["overlap"])
    files["wrong types"] = place("wrong-types")
    wrong_types(files["wrong types"])
    files["magic"] = place("magic")
    bad_magic(files["magic"])
    return files
