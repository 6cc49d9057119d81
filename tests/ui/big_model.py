# SPDX-License-Identifier: GPL-3.0-or-later
"""A large model file that takes no room: the header of a llama of some gigabytes with a vocabulary of
bytes, whose weights are a hole in the file (all zeros). Loading it takes long enough to be looked at;
what it says makes no sense."""
import struct

F32, F16 = 0, 1
U32, I32, FLOAT, STRING = 4, 5, 6, 8


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def key(name, kind, value):
    body = {U32: lambda: struct.pack("<I", value), FLOAT: lambda: struct.pack("<f", value),
            STRING: lambda: text(value)}[kind]()
    return text(name) + struct.pack("<I", kind) + body


def array(name, kind, values):
    form = {U32: "<I", I32: "<i", FLOAT: "<f"}.get(kind)
    body = b"".join(text(v) if kind == STRING else struct.pack(form, v) for v in values)
    return text(name) + struct.pack("<IIQ", 9, kind, len(values)) + body


def write(path, layers=24, width=2048, inner=8192, name="Great Void", architecture="llama",
          more=()):
    """About 0.134 GB a layer as it is; `more` keys. Returns the size in bytes."""
    pieces = ["<unk>", "<s>", "</s>"] + [f"<0x{i:02X}>" for i in range(256)]
    vocabulary = len(pieces)
    keys = [key("general.architecture", STRING, architecture),
            key("general.name", STRING, name),
            key("general.file_type", U32, 1),
            key(architecture + ".block_count", U32, layers),
            key(architecture + ".context_length", U32, 4096),
            key(architecture + ".embedding_length", U32, width),
            key(architecture + ".feed_forward_length", U32, inner),
            key(architecture + ".attention.head_count", U32, width // 128),
            key(architecture + ".attention.head_count_kv", U32, width // 128),
            key(architecture + ".attention.layer_norm_rms_epsilon", FLOAT, 1e-5),
            key(architecture + ".rope.dimension_count", U32, 128),
            key(architecture + ".vocab_size", U32, vocabulary),
            key("tokenizer.ggml.model", STRING, "llama"),
            array("tokenizer.ggml.tokens", STRING, pieces),
            array("tokenizer.ggml.scores", FLOAT, [0.0] * vocabulary),
            array("tokenizer.ggml.token_type", I32, [2, 3, 3] + [6] * 256),
            key("tokenizer.ggml.bos_token_id", U32, 1),
            key("tokenizer.ggml.eos_token_id", U32, 2), *more]
    tensors = [("token_embd.weight", F16, [width, vocabulary]),
               ("output_norm.weight", F32, [width])]
    for i in range(layers):
        tensors += [(f"blk.{i}.attn_norm.weight", F32, [width]),
                    (f"blk.{i}.ffn_norm.weight", F32, [width])]
        tensors += [(f"blk.{i}.attn_{part}.weight", F16, [width, width])
                    for part in ("q", "k", "v", "output")]
        tensors += [(f"blk.{i}.ffn_gate.weight", F16, [width, inner]),
                    (f"blk.{i}.ffn_up.weight", F16, [width, inner]),
                    (f"blk.{i}.ffn_down.weight", F16, [inner, width])]
    out = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys)) + b"".join(keys)
    offset = 0
    for tensor, kind, shape in tensors:
        out += text(tensor) + struct.pack("<I", len(shape))
        out += b"".join(struct.pack("<Q", n) for n in shape) + struct.pack("<IQ", kind, offset)
        size = 4 if kind == F32 else 2
        for n in shape:
            size *= n
        offset += (size + 31) // 32 * 32
    out += bytes(-len(out) % 32)
    with open(path, "wb") as file:
        file.write(out)
        file.truncate(len(out) + offset)
    return len(out) + offset


def write_many(path, n, name="Many"):
    """`n` tensors of 32 values, of an architecture that nobody runs. Returns how many."""
    keys = [key("general.architecture", STRING, "nobodys"), key("general.name", STRING, name)]
    pieces = [b"GGUF" + struct.pack("<IQQ", 3, n, len(keys)) + b"".join(keys)]
    for i in range(n):
        pieces.append(text(f"blk.{i}.a.weight") + struct.pack("<IQIQ", 1, 32, F32, 128 * i))
    out = b"".join(pieces)
    out += bytes(-len(out) % 32)
    with open(path, "wb") as file:
        file.write(out)
        file.truncate(len(out) + 128 * n)
    return n


def write_parts(folder, n, name="Parts"):
    """A split model of `n` files, each with two tensors of an architecture that nobody runs. Returns
    the path of the first."""
    for i in range(n):
        keys = [key("split.no", U32, i), key("split.count", U32, n),
                key("split.tensors.count", U32, 2 * n)]
        if i == 0:
            keys += [key("general.architecture", STRING, "nobodys"), key("general.name", STRING, name)]
        out = b"GGUF" + struct.pack("<IQQ", 3, 2, len(keys)) + b"".join(keys)
        for j in range(2):
            out += text(f"blk.{i}.part_{j}.weight")
            out += struct.pack("<IQQIQ", 2, 32, 64, F32, j * 32 * 64 * 4)
        out += bytes(-len(out) % 32)
        with open(f"{folder}/parts-{i + 1:05}-of-{n:05}.gguf", "wb") as file:
            file.write(out)
            for k in range(2 * 32 * 64):
                file.write(struct.pack("<f", (k % 97 - 48) / 100))
    return f"{folder}/parts-00001-of-{n:05}.gguf"
