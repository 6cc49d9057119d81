# SPDX-License-Identifier: GPL-3.0-or-later
"""A small model file whose names and texts have all that breaks a careless export: quotes, commas, lines,
tabs, what a spreadsheet takes for a formula, letters of many scripts; values of three types that are known
to the last bit; a vocabulary and a template."""
import random
import struct

from big_model import F32, FLOAT, I32, STRING, U32, array, key, text

F16, Q8_0 = 1, 8
TEXT = 'He said: "one, two;\tthree"\r\nGröße 新しい 🦦 \\n \'x\''
NAME = 'Ot"ter, größe 新 7B'
# Of keys, and of what they hold.
KEYS = {'weird, "key"': TEXT, "schlüssel.新": "=1+1", "two\nlines": "-5", "plus": "+x", "at": "@home",
        "long": "word, " * 400 + "end"}
TEMPLATE = ("{% for m in messages %}<s>{{ m.role }}: \"{{ m.content }}\",\n{% endfor %}"
            "{% if add_generation_prompt %}größe, 新:\n{% endif %}")
PIECES = ['"', ",", "é", "新", "=1+1", "-x", "a\"b,c", "▁word", "🦦"]
# Name, type, shape.
TENSORS = [('blk.0.a, "b".weight', F32, (64, 6)), ("blk.0.größe 新.weight", F16, (32, 4)),
           ("blk.1.two\nlines", Q8_0, (96, 5)), ("blk.1." + "long" * 14, F32, (3,))]


def values_of(index):
    """The values of a tensor, as the file has them, row after row."""
    return decode(TENSORS[index], tensor_bytes(index))


def count(shape):
    n = 1
    for length in shape:
        n *= length
    return n


def tensor_bytes(index):
    name, kind, shape = TENSORS[index]
    chance = random.Random(name)
    n = count(shape)
    if kind == F32:
        some = [chance.gauss(0, 1e-3) for _ in range(n)]
        if n > 3:
            some[:4] = [0.0, -0.0, float("inf"), float("nan")]
        return struct.pack(f"<{n}f", *some)
    if kind == F16:
        return struct.pack(f"<{n}e", *(chance.gauss(0, 2) for _ in range(n)))
    return b"".join(struct.pack("<e32b", chance.uniform(1e-4, 1e-2), *(chance.randint(-127, 127) for _ in range(32)))
                    for _ in range(n // 32))


def decode(tensor, data):
    _, kind, shape = tensor
    n = count(shape)
    if kind == F32:
        return list(struct.unpack(f"<{n}f", data))
    if kind == F16:
        return list(struct.unpack(f"<{n}e", data))
    out = []
    for i in range(n // 32):
        scale, *steps = struct.unpack_from("<e32b", data, 34 * i)
        out += [scale * step for step in steps]
    return out


def write(path, changed=False):
    """`changed`: another text and other values here and there."""
    pieces = ["<unk>", "<s>", "</s>"] + [f"<0x{i:02X}>" for i in range(256)] + PIECES
    texts = dict(KEYS)
    if changed:
        texts['weird, "key"'] = TEXT[::-1]
        texts["long"] = texts["long"][:-3] + "END"
        del texts["at"]
        texts["new, 新"] = 'a "new" one\n'
    keys = [key("general.architecture", STRING, "nobodys"), key("general.name", STRING, NAME)]
    keys += [key(name, STRING, value) for name, value in texts.items()]
    keys += [array("list, of \"texts\"", STRING, ['a"b', "c,d", "e\nf", "=g"]),
             key("tokenizer.ggml.model", STRING, "llama"),
             array("tokenizer.ggml.tokens", STRING, pieces),
             array("tokenizer.ggml.scores", FLOAT, [-float(i) for i in range(len(pieces))]),
             array("tokenizer.ggml.token_type", I32, [2, 3, 3] + [6] * 256 + [1] * len(PIECES)),
             key("tokenizer.ggml.bos_token_id", U32, 1), key("tokenizer.ggml.eos_token_id", U32, 2),
             key("tokenizer.chat_template", STRING, TEMPLATE)]
    out = b"GGUF" + struct.pack("<IQQ", 3, len(TENSORS), len(keys)) + b"".join(keys)
    data = b""
    for i, (name, kind, shape) in enumerate(TENSORS):
        out += text(name) + struct.pack("<I", len(shape))
        out += b"".join(struct.pack("<Q", length) for length in shape)
        out += struct.pack("<IQ", kind, len(data))
        own = tensor_bytes(i)
        if changed and i in (1, 2):
            own = own[:2] + bytes(own[2:4][::-1]) + own[4:]
        data += own + bytes(-len(own) % 32)
    with open(path, "wb") as file:
        file.write(out + bytes(-len(out) % 32) + data)
