# SPDX-License-Identifier: GPL-3.0-or-later
"""A small model file with flaws of every severity: tensors that lie over each other, a number that is
none, a misspelled key, a text that is not valid, a template that does not parse."""
import os
import struct

from big_model import F32, FLOAT, STRING, U32, array, key, text


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


def write_mixture(folder, experts=8, used=2, width=32):
    """A mixture of experts that says where it comes from, in two parts; no flaws. Returns the path of
    the first."""
    link = "https://example.org/"
    shared = [key("general.architecture", STRING, "nobodys"),
              key("general.name", STRING, "Mixture 8x1M"),
              key("general.author", STRING, "A. Mixer"),
              key("general.license", STRING, "apache-2.0"),
              key("general.license.link", STRING, link + "licence"),
              key("general.repo_url", STRING, link + "mixture-8x1m"),
              key("general.quantized_by", STRING, "Q. Quantizer"),
              key("general.base_model.count", U32, 2),
              key("general.base_model.0.name", STRING, "Left Half"),
              key("general.base_model.0.organization", STRING, "Halves"),
              key("general.base_model.0.repo_url", STRING, link + "left-half"),
              key("general.base_model.1.name", STRING, "Right Half"),
              key("general.base_model.1.repo_url", STRING, "file:///etc/passwd"),
              key("general.dataset.count", U32, 1),
              key("general.dataset.0.name", STRING, "Many Pages"),
              key("general.dataset.0.repo_url", STRING, link + "many-pages"),
              key("nobodys.block_count", U32, 1),
              key("nobodys.expert_count", U32, experts),
              key("nobodys.expert_used_count", U32, used),
              key("tokenizer.ggml.model", STRING, "llama"),
              array("tokenizer.ggml.tokens", STRING, ["a", "b", "c"])]
    tensors = [[("token_embd.weight", [width, 3]), ("blk.0.attn_q.weight", [width, width]),
                ("blk.0.ffn_gate_inp.weight", [width, experts])],
               [("blk.0.ffn_up_exps.weight", [width, width, experts]),
                ("blk.0.attn_norm.weight", [width])]]
    paths = [os.path.join(folder, f"mixture-{i + 1:05}-of-00002.gguf") for i in range(2)]
    for i, path in enumerate(paths):
        keys = (shared if i == 0 else []) + [small_key("split.no", i), small_key("split.count", 2),
                                             text("split.tensors.count") + struct.pack("<Ii", 5, 5)]
        out = b"GGUF" + struct.pack("<IQQ", 3, len(tensors[i]), len(keys)) + b"".join(keys)
        offset = 0
        for name, shape in tensors[i]:
            n = 1
            for d in shape:
                n *= d
            out += text(name) + struct.pack("<I", len(shape))
            out += b"".join(struct.pack("<Q", d) for d in shape) + struct.pack("<IQ", F32, offset)
            offset += 4 * n
        out += bytes(-len(out) % 32)
        with open(path, "wb") as file:
            file.write(out + struct.pack("<f", 0.25) * (offset // 4))
    return paths[0]


def small_key(name, value):
    return text(name) + struct.pack("<IH", 2, value)
