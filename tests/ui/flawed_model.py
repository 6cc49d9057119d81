# SPDX-License-Identifier: GPL-3.0-or-later
"""A small model file with flaws of every severity: tensors that lie over each other, a number that is
none, a misspelled key, a text that is not valid, a template that does not parse."""
import struct

from big_model import F32, FLOAT, STRING, U32, key, text


def raw_key(name, data):
    return text(name) + struct.pack("<IQ", STRING, len(data)) + data


def write(path, overlap=True, keys=(), n_values=64):
    header = [key("general.architecture", STRING, "nobodys"),
              key("general.name", STRING, "Flawed"),
              raw_key("general.description", b"bad \xff byte"),
              key("Wrong Key", U32, 1),
              key("nobodys.factor", FLOAT, float("nan")),
              key("tokenizer.chat_template", STRING, "{% for %}"),
              *keys]
    tensors = [("blk.0.attn_q.weight", 0), ("blk.0.attn_k.weight", 4 * n_values - (128 if overlap else 0)),
               ("blk.1.attn_q.weight", 8 * n_values)]
    out = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(header)) + b"".join(header)
    for name, offset in tensors:
        out += text(name) + struct.pack("<IQQIQ", 2, 32, n_values // 32, F32, offset)
    out += bytes(-len(out) % 32)
    values = struct.pack("<f", 0.5) * (3 * n_values)
    values = values[:40] + struct.pack("<f", float("inf")) + values[44:]
    with open(path, "wb") as file:
        file.write(out + values)
