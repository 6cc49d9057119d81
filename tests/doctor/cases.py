# SPDX-License-Identifier: GPL-3.0-or-later
"""Model files made by hand, one per way to be wrong or merely unusual, with what is expected of each.

A case is (name, bytes or {file name: bytes}, expected): expected is a list of (severity, code, words of
the message); an empty list means a file without errors or warnings."""
import array
import struct

U8, I8, U16, I16, U32, I32, F32, BOOL, STR, ARR, U64, I64, F64 = range(13)
FORMATS = {U8: "B", I8: "b", U16: "H", I16: "h", U32: "I", I32: "i", F32: "f", BOOL: "B", U64: "Q", I64: "q",
           F64: "d"}
Q4_0, Q8_0 = 2, 8


class Raw(bytes):
    """A value or record as it shall lie in the file."""


class Maker:
    def __init__(self, version=3, big=False):
        self.version, self.order, self.wide = version, ">" if big else "<", version > 1

    def num(self, letter, value):
        return struct.pack(self.order + letter, value)

    def length(self, n):
        return self.num("Q" if self.wide else "I", n)

    def text(self, value):
        data = value if isinstance(value, bytes) else value.encode()
        return self.length(len(data)) + data

    def value(self, kind, value):
        if isinstance(value, Raw):
            return bytes(value)
        if kind == STR:
            return self.text(value)
        if kind == ARR:
            inner, items = value
            return self.num("I", inner) + self.length(len(items)) + b"".join(self.value(inner, i) for i in items)
        return self.num(FORMATS[kind], value)

    def key(self, name, kind, value):
        return self.text(name) + self.num("I", kind) + self.value(kind, value)

    def tensor(self, name, dims, kind, offset):
        return (self.text(name) + self.num("I", len(dims)) + b"".join(self.length(d) for d in dims) +
                self.num("I", kind) + self.num("Q", offset))

    def head(self, n_tensors, n_keys):
        return b"GGUF" + self.num("I", self.version) + self.length(n_tensors) + self.length(n_keys)


def noise(n, seed=1):
    """Bytes that are small floats when read as f32, never zero for long."""
    out = array.array("f", [((i * 37 + seed * 11) % 101 - 50) / 64 + 0.01 for i in range((n + 3) // 4)])
    return out.tobytes()[:n]


SIZES = {0: (1, 4), 1: (1, 2), Q4_0: (32, 18), Q8_0: (32, 34), 10: (256, 84), 24: (1, 1), 39: (32, 17)}


def size_of(dims, kind):
    block, n_bytes = SIZES[kind]
    n = 1
    for d in dims:
        n *= d
    return n // block * n_bytes


def build(keys, tensors, version=3, big=False, align=32, pad=b"\0", n_tensors=None, n_keys=None, last_pad=True,
          tail=b""):
    """keys: (name, kind, value) or Raw; tensors: (name, dims, kind[, {offset, data}])."""
    m = Maker(version, big)
    keys = list(keys)
    out = m.head(len(tensors) if n_tensors is None else n_tensors, len(keys) if n_keys is None else n_keys)
    out += b"".join(k if isinstance(k, Raw) else m.key(*k) for k in keys)
    records, pieces, at = b"", [], 0
    for i, t in enumerate(tensors):
        if isinstance(t, Raw):
            records += t
            continue
        name, dims, kind = t[:3]
        more = t[3] if len(t) > 3 else {}
        data = more.get("data")
        if data is None:
            data = noise(size_of(dims, kind), i + 1) if kind == 0 else bytes(size_of(dims, kind) - 1) + b"\1"
        if big and kind == 0:
            data = b"".join(data[j:j + 4][::-1] for j in range(0, len(data), 4))
        offset = more.get("offset", at)
        records += m.tensor(name, dims, kind, offset)
        pieces.append((offset, data))
        at = max(at, offset + len(data))
        at += -at % align
    out += records
    if pieces:
        out += pad * (-len(out) % align)
    blob = bytearray(max([o + len(d) for o, d in pieces], default=0))
    for offset, data in pieces:
        blob[offset:offset + len(data)] = data
    if last_pad:
        blob += bytes(-len(blob) % align)
    return out + bytes(blob) + tail


def model(n_vocab=16, more=(), without=(), change=None):
    """The keys of a tiny complete model."""
    keys = [("general.architecture", STR, "llama"), ("general.name", STR, "tiny"), ("llama.vocab_size", U32, n_vocab),
            ("llama.context_length", U32, 128), ("llama.embedding_length", U32, 8), ("llama.block_count", U32, 1),
            ("llama.feed_forward_length", U32, 8), ("llama.attention.head_count", U32, 2),
            ("llama.attention.head_count_kv", U32, 1), ("llama.rope.dimension_count", U32, 4),
            ("llama.attention.layer_norm_rms_epsilon", F32, 1e-5), ("tokenizer.ggml.model", STR, "no_vocab")]
    change = change or {}
    return [(k, *change.get(k, (t, v))) for k, t, v in keys if k not in without] + list(more)


def tensors(n_vocab=16, without=(), change=None):
    rows = [("token_embd.weight", [8, n_vocab], 0), ("output_norm.weight", [8], 0), ("blk.0.attn_norm.weight", [8], 0),
            ("blk.0.attn_q.weight", [8, 8], 0), ("blk.0.attn_k.weight", [8, 4], 0), ("blk.0.attn_v.weight", [8, 4], 0),
            ("blk.0.attn_output.weight", [8, 8], 0), ("blk.0.ffn_norm.weight", [8], 0),
            ("blk.0.ffn_gate.weight", [8, 8], 0), ("blk.0.ffn_up.weight", [8, 8], 0), ("blk.0.ffn_down.weight", [8, 8], 0)]
    change = change or {}
    return [change.get(r[0], r) for r in rows if r[0] not in without]


def spm(n=262):
    texts = ["<unk>", "<s>", "</s>"] + ["<0x%02X>" % i for i in range(256)] + ["a", "b", "ab"]
    kinds = [2, 3, 3] + [6] * 256 + [1, 1, 1]
    return texts[:n], [0.0] * n, kinds[:n]


def vocabulary_keys(n=262):
    texts, scores, kinds = spm(n)
    return [("tokenizer.ggml.model", STR, "llama"), ("tokenizer.ggml.tokens", ARR, (STR, texts)),
            ("tokenizer.ggml.scores", ARR, (F32, scores)), ("tokenizer.ggml.token_type", ARR, (I32, kinds)),
            ("tokenizer.ggml.bos_token_id", U32, 1), ("tokenizer.ggml.eos_token_id", U32, 2),
            ("tokenizer.ggml.unknown_token_id", U32, 0), ("tokenizer.ggml.add_bos_token", BOOL, 1)]


def vocabulary(change=None, more=(), without=(), n=262):
    keys = vocabulary_keys(n)
    change = change or {}
    keys = [(k, *change.get(k, (t, v))) for k, t, v in keys if k not in without] + list(more)
    return build(model(262, keys, without=("tokenizer.ggml.model",)), tensors(262))


def bpe(change=None, more=(), without=()):
    texts = ["<|endoftext|>"] + [chr(256 + i) for i in range(68)] + [chr(i) for i in range(33, 127)] + ["ab", "abc"]
    n = len(texts)
    keys = [("tokenizer.ggml.model", STR, "gpt2"), ("tokenizer.ggml.pre", STR, "gpt-2"),
            ("tokenizer.ggml.tokens", ARR, (STR, texts)), ("tokenizer.ggml.token_type", ARR, (I32, [3] + [1] * (n - 1))),
            ("tokenizer.ggml.merges", ARR, (STR, ["a b", "ab c"])), ("tokenizer.ggml.eos_token_id", U32, 0)]
    change = change or {}
    keys = [(k, *change.get(k, (t, v))) for k, t, v in keys if k not in without] + list(more)
    return build(model(n, keys, without=("tokenizer.ggml.model",)), tensors(n))


def template(source):
    return vocabulary(more=[("tokenizer.chat_template", STR, source)])


def extra(*keys, **more):
    """The complete model with keys added."""
    return build(model(more=keys), tensors(), **more)


E, W, I = "error", "warning", "info"
BASE = build(model(), tensors())
FINE_TEMPLATE = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{{ eos_token }}{% endfor %}"


def deep_array(depth):
    m = Maker()
    value = m.num("I", U8) + m.length(1) + b"\7"
    for _ in range(depth - 1):
        value = m.num("I", ARR) + m.length(1) + value
    return Raw(value)


def shard(no, count, tensors_all, tensors_here, keys=()):
    split = [("split.no", U16, no), ("split.count", U16, count), ("split.tensors.count", I32, tensors_all)]
    return build(list(keys) + split, tensors_here)


def with_byte(data, at, byte=7):
    """One byte changed."""
    out = bytearray(data)
    out[at] = byte
    return bytes(out)


def zip_head(name):
    """The beginning of an archive whose first file has that name."""
    return b"PK\3\4" + struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 0, 0, 5, 5, len(name), 0) + name.encode() + b"hello" + bytes(40)


def cases():
    m = Maker()
    head = m.head(0, 1)
    huge = 2 ** 63 - 64
    yield "base", BASE, []
    # ---- not GGUF
    yield "empty", b"", [(E, "not-gguf", "empty")]
    yield "zeros", bytes(4096), [(E, "not-gguf", "zero")]
    yield "lower-magic", b"gguf" + BASE[4:], [(E, "not-gguf", "lower case")]
    yield "reversed-magic", b"FUGG" + BASE[4:], [(E, "not-gguf", "reversed")]
    for magic, word in [("lmgg", "GGML"), ("fmgg", "ggmf"), ("tjgg", "ggjt"), ("algg", "LoRA"), ("nsgg", "session"),
                        ("qsgg", "sequence")]:
        yield "magic-" + magic, magic.encode() + bytes([1, 0, 0, 0]) * 20, [(E, "not-gguf", word)]
    yield "zip", b"PK\3\4" + bytes(60), [(E, "not-gguf", "ZIP")]
    yield "zip-gguf", zip_head("model-Q4_K_M.gguf"), [(E, "not-gguf", "ZIP archive of a GGUF file")]
    yield "zip-pytorch", zip_head("archive/data.pkl"), [(E, "not-gguf", "PyTorch model")]
    yield "zip-short", b"PK\3\4", [(E, "not-gguf", "ZIP")]
    yield "zip-lies", b"PK\3\4" + b"\xff" * 60, [(E, "not-gguf", "ZIP")]
    for name, start, word in [("xz", b"\xfd7zXZ\0", "xz archive"), ("7z", b"7z\xbc\xaf\x27\x1c", "7-Zip"), ("rar", b"Rar!\x1a\7", "RAR"),
                             ("png", b"\x89PNG\r\n", "picture"), ("jpeg", b"\xff\xd8\xff\xe0", "picture"), ("pdf", b"%PDF-1.7", "PDF"),
                             ("elf", b"\x7fELF", "program"), ("hdf5", b"\x89HDF\r\n", "HDF5"), ("json-list", b" \n[1]", "JSON"),
                             ("xml", b"<?xml version='1.0'?><Error/>", "web page"), ("binary", bytes(range(200, 256)), "does not begin")]:
        yield name, start + bytes(60 if name not in ("json-list", "xml") else 0), [(E, "not-gguf", word)]
    yield "pickle", b"\x80\2}q\0." + bytes(60), [(E, "not-gguf", "pickle")]
    yield "pickle-4", b"\x80\4\x95" + bytes(60), [(E, "not-gguf", "pickle")]
    yield "gzip", b"\x1f\x8b\x08\x08" + bytes(60), [(E, "not-gguf", "gzip")]
    yield "zstd", b"\x28\xb5\x2f\xfd" + bytes(60), [(E, "not-gguf", "Zstandard")]
    yield "safetensors", struct.pack("<Q", 20) + b'{"a":{"dtype":"F32"}}' + bytes(60), [(E, "not-gguf", "safetensors")]
    yield "lfs", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n", [(E, "not-gguf", "Git LFS")]
    yield "html", b"\n<!DOCTYPE html><html><body>404</body></html>", [(E, "not-gguf", "web page")]
    yield "onnx", b"\x08\x08\x12\x07pytorch\x1a\x052.1.0:" + bytes(range(64)), [(E, "not-gguf", "ONNX")]
    yield "json", b'{"architectures": ["X"]}', [(E, "not-gguf", "JSON")]
    yield "text", b"just words\n", [(E, "not-gguf", "text")]
    # ---- header
    yield "version-0", b"GGUF" + struct.pack("<I", 0) + BASE[8:], [(E, "version", "version 0")]
    yield "version-4", b"GGUF" + struct.pack("<I", 4) + BASE[8:], [(E, "version", "version 4")]
    yield "only-magic", b"GGUF", [(E, "truncated", "incomplete")]
    yield "tensor-count", m.head(2 ** 40, 0) + bytes(100), [(E, "beyond-file", "number of tensors")]
    yield "key-count", m.head(0, 2 ** 64 - 1) + bytes(100), [(E, "beyond-file", "number of keys")]
    yield "nothing", m.head(0, 0), [(W, "empty", "empty")]
    yield "no-metadata", build([], [("x", [8], 0)]), [(W, "no-metadata", "no metadata")]
    for n in (30, 100, 400, 900, 1100):
        yield f"cut-at-{n}", BASE[:n], [(E, None, "incomplete")]
    yield "big-endian", build(model(), tensors(), big=True), []
    yield "big-endian-v2", build(model(), tensors(), version=2, big=True), [(W, "endian-version", "big-endian")]
    yield "version-1", build(model(), tensors(), version=1), []
    yield "version-1-big", build(model(), tensors(), version=1, big=True), [(W, "endian-version", "big-endian")]
    yield "version-1-arrays", build(model(more=[("a.b", ARR, (I64, [5]))]), tensors(), version=1), [(W, "type-newer", "i64")]
    yield "version-1-f64", build(model(more=[("a.b", F64, 5)]), tensors(), version=1), [(W, "type-newer", "f64")]
    yield "version-2", build(model(), tensors(), version=2), []
    yield "version-endian", b"GGUF" + struct.pack("<I", 0x00030000) + BASE[8:], [(E, "version", "version 196608")]
    yield "version-1-u64", build(model(more=[("a.b", U64, 5)]), tensors(), version=1), [(W, "type-newer", "newer")]
    # ---- keys
    yield "key-empty", extra(("", U32, 1)), [(W, "key-empty", "empty name")]
    yield "key-twice", extra(("a.b", U32, 1), ("a.b", U32, 2)), [(W, "key-duplicate", "duplicate")]
    yield "key-spelling", extra(("My Key", U32, 1)), [(W, "key-syntax", "syntax")]
    yield "key-long", extra(("a" * 70000, U32, 1)), [(W, "key-long", "70000 bytes")]
    yield "key-utf8", extra((b"a.\xff", U32, 1)), [(W, "key-utf8", "UTF-8")]
    yield "key-nul", extra((b"a.\0b", U32, 1)), [(W, "key-syntax", "syntax")]
    yield "value-type", head + m.text("a.b") + m.num("I", 13) + bytes(40), [(E, "value-type", "value type 13")]
    yield "array-type", head + m.text("a.b") + m.num("I", ARR) + m.num("I", 99) + bytes(40), [(E, "value-type", "array type 99")]
    yield "array-wraps", head + m.text("a.b") + m.num("I", ARR) + m.num("I", U16) + m.length(2 ** 63) + bytes(40), \
        [(E, "beyond-file", "array length")]
    yield "string-length", head + m.text("a.b") + m.num("I", STR) + m.length(2 ** 62) + bytes(40), [(E, "beyond-file", "string length")]
    yield "nested", extra(("a.b", ARR, deep_array(2))), []
    yield "nested-deep", extra(("a.b", ARR, deep_array(200))), [(E, "nesting", "nested")]
    yield "bool-2", extra(("a.b", BOOL, 2)), [(W, "bool", "bool")]
    yield "bool-array", extra(("a.b", ARR, (BOOL, [1, 0, 7]))), [(W, "bool", "bool")]
    yield "text-utf8", build(model(change={"general.name": (STR, b"a\xc0\xaf")}), tensors()), [(W, "text-utf8", "UTF-8")]
    yield "text-array-utf8", extra(("general.tags", ARR, (STR, ["ok", b"\xff"]))), [(W, "text-utf8", "index 1")]
    yield "key-control", extra(("a.\tb", U32, 1)), [(W, "key-syntax", "control character")]
    yield "key-dots", extra(("a..b", U32, 1)), [(W, "key-syntax", "syntax")]
    yield "key-dash", extra(("gpt-oss.x_1", U32, 1)), []
    yield "text-control", build(model(change={"general.name": (STR, "a\x1b[31mb")}), tensors()), [(W, "text-control", "code 27) at byte 1")]
    yield "text-lines", build(model(change={"general.name": (STR, "a\n\tb\r\n")}), tensors()), []
    yield "text-array-control", extra(("general.tags", ARR, (STR, ["ok", "a\x07"]))), [(W, "text-control", "String number 1")]
    yield "text-surrogate", build(model(change={"general.name": (STR, b"a\xed\xa0\x80")}), tensors()), [(W, "text-utf8", "UTF-8")]
    yield "text-cut", build(model(change={"general.name": (STR, b"a\xe2\x82")}), tensors()), [(W, "text-utf8", "UTF-8")]
    yield "text-beyond", build(model(change={"general.name": (STR, b"\xf4\x90\x80\x80")}), tensors()), [(W, "text-utf8", "UTF-8")]
    yield "text-nul", build(model(change={"general.name": (STR, b"a\0b")}), tensors()), [(W, "text-control", "NUL")]
    yield "float-nan", extra(("general.sampling.temp", F32, float("nan"))), [(W, "key-nan", "NaN")]
    yield "type-string", extra(("general.quantization_version", STR, "2")), [(W, "key-type", "wrong type")]
    yield "type-array", extra(("general.author", ARR, (STR, ["a"]))), [(W, "key-type", "wrong type")]
    yield "type-elements", extra(("general.tags", ARR, (U32, [1]))), [(W, "key-type", "wrong type")]
    yield "counts-u64", build(model(change={"llama.context_length": (U64, 128), "llama.block_count": (U8, 1),
                                            "llama.embedding_length": (U16, 8)}), tensors()), []
    # ---- alignment
    yield "alignment-0", extra(("general.alignment", U32, 0)), [(E, "alignment", "is 0")]
    yield "alignment-13", extra(("general.alignment", U32, 13)), [(E, "alignment", "is 13")]
    yield "alignment-i32", extra(("general.alignment", I32, 32)), [(E, "alignment-type", "i32")]
    for a in (1, 4, 8):
        yield f"alignment-{a}", extra(("general.alignment", U32, a), align=a), [(W, "alignment-small", "alignment")]
    yield "alignment-24", extra(("general.alignment", U32, 24), align=24), [(W, "alignment-odd", "24")]
    yield "alignment-64", extra(("general.alignment", U32, 64), align=64), []
    yield "alignment-lies", extra(("general.alignment", U32, 64)), [(E, "offset", "alignment")]
    # ---- tensors
    q = "blk.0.attn_q.weight"
    yield "dims-5", build(model(), [("x", [1, 1, 1, 1, 1], 0)]), [(E, "dimensions", "5 dimensions")]
    yield "dims-negative", build(model(), [("x", [2 ** 63], 0, {"data": b""})]), [(E, "dimensions", "dimension 0")]
    yield "dims-wrap", build(model(), tensors(change={q: (q, [2 ** 40, 2 ** 40], 0, {"data": noise(256)})})), [(E, "overflow", "overflow")]
    yield "size-huge", build(model(), tensors(change={q: (q, [huge], 24, {"data": noise(256)})})), [(E, "beyond-file", "past the end")]
    yield "type-removed", build(model(), tensors(change={q: (q, [32, 8], 31, {"data": noise(256)})})), [(E, "tensor-type", "removed")]
    yield "type-unknown", build(model(), tensors(change={q: (q, [32, 8], 99, {"data": noise(256)})})), [(E, "tensor-type", "unknown type 99")]
    yield "type-fork", build(model(), tensors(change={q: (q, [256, 8], 139, {"data": noise(256)})})), [(E, "tensor-type", "iq4_k")]
    yield "row-length", build(model(), tensors(change={q: (q, [8, 8], Q4_0, {"data": noise(256)})})), [(E, "row-length", "multiple of 32")]
    yield "data-short", BASE[:-40], [(E, "data-truncated", "bytes are missing")]
    yield "data-none", BASE[:1300], [(E, "data-truncated", "bytes are missing")]
    yield "overlap", build(model(), tensors(change={q: (q, [8, 8], 0, {"offset": 512})})), [(E, "tensor-overlap", "overlap")]
    yield "gap", build(model(), tensors(change={q: (q, [8, 8], 0, {"offset": 1024})})), [(W, "tensor-gap", "gap")]
    first = tensors()
    first[1], first[2] = ("output_norm.weight", [8], 0, {"offset": 544}), ("blk.0.attn_norm.weight", [8], 0, {"offset": 512})
    yield "order", build(model(), first), [(W, "tensor-order", "order")]
    yield "name-twice", build(model(), tensors() + [(q, [8], 0)]), [(E, "tensor-duplicate", "duplicate")]
    yield "name-empty", build(model(), tensors() + [("", [8], 0)]), [(W, "tensor-name-empty", "empty name")]
    yield "name-63", build(model(), tensors() + [("x" * 63, [8], 0)]), []
    yield "name-64", build(model(), tensors() + [("x" * 64, [8], 0)]), [(W, "tensor-name-long", "64 bytes")]
    yield "name-utf8", build(model(), tensors() + [(b"\xed\xa0\x80", [8], 0)]), [(W, "tensor-name-utf8", "UTF-8")]
    yield "name-nul", build(model(), tensors() + [(b"a\0b", [8], 0)]), [(W, "tensor-name-control", "NUL")]
    yield "zero-dimension", build(model(), tensors() + [("x", [8, 0], 0)]), [(W, "tensor-zero", "zero")]
    yield "scalar", build(model(), tensors() + [("x", [], 0)]), []
    yield "padding", extra(("a.b", U8, 1), pad=b"\7"), [(W, "padding", "padding")]
    yield "padding-between", with_byte(build(model(), tensors() + [("x", [3], 0), ("y", [8], 0)]), -44), [(W, "padding", "after tensor \"x\"")]
    yield "padding-last", with_byte(build(model(), tensors() + [("x", [3], 0)]), -1), [(W, "padding", "after tensor \"x\"")]
    yield "gap-first", build(model(), [(n, d, k, {"offset": 64}) if i == 0 else (n, d, k) for i, (n, d, k) in enumerate(tensors())]), \
        [(W, "tensor-gap", "first tensor")]
    yield "tail-byte", build(model(), tensors(), tail=b"x"), []
    yield "data-one-short", BASE[:-1], [(E, "data-truncated", "1 byte is missing")]
    yield "tail", build(model(), tensors(), tail=b"more" * 50), []
    yield "last-padding", build(model(), tensors() + [("x", [3], 0)], last_pad=False), []
    yield "zero-tail", build(model(), tensors() + [("x", [64, 64], 0, {"data": bytes(16384)})]), [(W, "data-zeros", "zero")]
    # ---- model
    yield "no-architecture", build(model(without=["general.architecture"]), tensors()), [(E, "architecture-missing", "general.architecture")]
    yield "unknown-architecture", build(model(change={"general.architecture": (STR, "frob")}), tensors()), [(W, "architecture-unknown", "frob")]
    yield "not-runnable", build([("general.architecture", STR, "kimi-k3"), ("kimi-k3.context_length", U32, 8), ("kimi-k3.embedding_length", U32, 8),
                                 ("kimi-k3.block_count", U32, 1)], tensors()), []
    for key in ("context_length", "embedding_length", "block_count"):
        yield "no-" + key, build(model(without=["llama." + key]), tensors()), [(E, "key-missing", key)]
        yield "zero-" + key, build(model(change={"llama." + key: (U32, 0)}), tensors()), [(W, "range", key)]
    yield "negative-heads", build(model(change={"llama.attention.head_count": (I32, -2)}), tensors()), [(W, "range", "negative")]
    yield "heads-do-not-divide", build(model(change={"llama.attention.head_count": (U32, 3)}), tensors()), [(W, "heads", "divide")]
    yield "kv-heads-do-not-divide", build(model(change={"llama.attention.head_count": (U32, 4), "llama.attention.head_count_kv": (U32, 3)}),
                                          tensors()), [(W, "heads", "divide")]
    yield "rope-too-wide", build(model(change={"llama.rope.dimension_count": (U32, 64)}), tensors()), [(W, "rope", "head size")]
    yield "epsilon-nan", build(model(change={"llama.attention.layer_norm_rms_epsilon": (F32, float("nan"))}), tensors()), [(W, "key-nan", "epsilon")]
    yield "epsilon-0", build(model(change={"llama.attention.layer_norm_rms_epsilon": (F32, 0.0)}), tensors()), [(W, "range", "epsilon")]
    yield "epsilon-infinite", build(model(change={"llama.attention.layer_norm_rms_epsilon": (F32, float("-inf"))}), tensors()), [(W, "key-nan", "infinity")]
    yield "count-negative", extra(("llama.leading_dense_block_count", I32, -3)), [(W, "range", "is -3")]
    yield "count-negative-layers", build(model(change={"llama.attention.head_count_kv": (ARR, (I32, [-1]))}), tensors()), [(W, "range", "at index 0")]
    yield "count-float", build(model(change={"llama.block_count": (F32, 1.0)}), tensors()), [(W, "key-type", "block_count")]
    yield "count-text", build(model(change={"llama.context_length": (STR, "128")}), tensors()), [(W, "key-type", "context_length")]
    yield "architecture-number", build(model(change={"general.architecture": (U32, 1)}), tensors()), [(W, "key-type", "general.architecture")]
    yield "architecture-empty", build(model(change={"general.architecture": (STR, "")}), tensors()), [(W, "architecture-unknown", "architecture")]
    yield "context-huge", build(model(change={"llama.context_length": (U64, 2 ** 40)}), tensors()), [(W, "range", "context_length")]
    yield "layers-huge", build(model(change={"llama.block_count": (U32, 2 ** 31)}), tensors()), [(W, "range", "block_count")]
    yield "layers-pattern", build(model(more=[("llama.attention.sliding_window_pattern", ARR, (BOOL, [1, 0, 1]))]), tensors()), \
        [(W, "key-layers", "wrong length")]
    yield "pooling", extra(("llama.pooling_type", U32, 9)), [(W, "range", "pooling_type")]
    yield "epsilon-negative", build(model(change={"llama.attention.layer_norm_rms_epsilon": (F32, -1.0)}), tensors()), [(W, "range", "epsilon")]
    yield "rope-base-0", extra(("llama.rope.freq_base", F32, 0.0)), [(W, "range", "freq_base")]
    yield "scaling-type", extra(("llama.rope.scaling.type", STR, "magic")), [(W, "rope", "magic")]
    yield "experts", extra(("llama.expert_count", U32, 2), ("llama.expert_used_count", U32, 4)), [(W, "experts", "experts")]
    yield "layers-array", build(model(change={"llama.attention.head_count_kv": (ARR, (I32, [1, 1, 1]))}), tensors()), [(W, "key-layers", "wrong length")]
    yield "layers-array-fine", build(model(change={"llama.attention.head_count_kv": (ARR, (I32, [1]))}), tensors()), []
    yield "layer-missing", build(model(change={"llama.block_count": (U32, 2)}), tensors()), [(E, "layer-missing", "Layer 1")]
    yield "layer-extra", build(model(), tensors() + [("blk.7.ffn_up.weight", [8, 8], 0)]), [(W, "layer-extra", "layer 7")]
    yield "no-embedding", build(model(), tensors(without=["token_embd.weight"])), [(E, "tensor-missing", "token_embd.weight")]
    yield "no-weight", build(model(), tensors(without=["blk.0.attn_v.weight"])), [(E, "tensor-missing", "attn_v")]
    yield "wrong-shape-nan", build(model(more=[("general.sampling.temp", F32, float("nan"))]),
                                   tensors(change={"blk.0.ffn_up.weight": ("blk.0.ffn_up.weight", [8, 9], 0)})), \
        [(W, "key-nan", "NaN"), (W, "tensor-shape", "ffn_up")]
    yield "wrong-shape", build(model(), tensors(change={"blk.0.ffn_up.weight": ("blk.0.ffn_up.weight", [8, 9], 0)})), [(W, "tensor-shape", "ffn_up")]
    yield "no-tensors", build(model(), []), [(W, "no-tensors", "no tensors")]
    yield "file-type-lies", extra(("general.file_type", U32, 15)), [(W, "file-type", "Q4_K_M")]
    yield "file-type-unknown", extra(("general.file_type", U32, 77)), [(W, "file-type", "77")]
    yield "file-type-right", extra(("general.file_type", U32, 0)), []
    # ---- vocabulary
    T = "tokenizer.ggml."
    yield "vocabulary", vocabulary(), []
    yield "vocabulary-bpe", bpe(), []
    yield "vocabulary-alone", build(model(more=[(T + "tokens", ARR, (STR, ["a"]))]), []), []
    yield "no-tokens", vocabulary(without=[T + "tokens"]), [(W, "vocabulary-missing", "tokens")]
    yield "no-scores", vocabulary(without=[T + "scores"]), [(W, "vocabulary-missing", "scores")]
    yield "no-merges", bpe(without=[T + "merges"]), [(W, "vocabulary-missing", "merges")]
    yield "no-pre", bpe(without=[T + "pre"]), [(W, "pre-default", "pre-tokenizer")]
    yield "pre-unknown", bpe({T + "pre": (STR, "frob")}), [(W, "pre-unknown", "frob")]
    yield "model-unknown", vocabulary({T + "model": (STR, "frob")}), [(W, "tokenizer-unknown", "frob")]
    yield "token-nul", vocabulary({T + "tokens": (ARR, (STR, spm()[0][:261] + [b"a\0b"]))}), [(W, "text-control", "String number 261")]
    yield "token-lines", vocabulary({T + "tokens": (ARR, (STR, spm()[0][:261] + ["\n\x07"]))}), []
    yield "tokens-empty", vocabulary({T + "tokens": (ARR, (STR, []))}), [(W, "vocabulary-missing", "no tokens")]
    yield "tokens-scalar", vocabulary({T + "tokens": (STR, "a")}), [(W, "key-type", "tokens")]
    yield "no-types", vocabulary(without=[T + "token_type"]), [(W, "vocabulary-missing", "token_type")]
    yield "no-tokenizer-model", vocabulary(without=[T + "model"]), [(W, "vocabulary-missing", "tokenizer.ggml.model")]
    yield "merge-token", bpe({T + "merges": (ARR, (STR, ["a b", "b a"]))}), [(W, "merge-token", 'number 1 is "b a"')]
    yield "merge-numbers", bpe({T + "merges": (ARR, (U32, [1]))}), [(W, "key-type", "merges")]
    yield "pre-default", bpe({T + "pre": (STR, "default")}), [(W, "pre-default", "default")]
    yield "pre-number", bpe({T + "pre": (U32, 1)}), [(W, "key-type", "pre")]
    yield "id-negative", vocabulary({T + "bos_token_id": (I32, -1)}), [(W, "token-id", "is -1")]
    yield "id-huge", vocabulary({T + "bos_token_id": (U64, 2 ** 64 - 1)}), [(W, "token-id", "18446744073709551615")]
    yield "vocab-size", build(model(262, vocabulary_keys(), change={"llama.vocab_size": (U32, 100)}, without=(T + "model",)), tensors(262)), \
        [(W, "token-count", "vocab_size")]
    yield "scores-short", vocabulary({T + "scores": (ARR, (F32, [0.0] * 261))}), [(W, "vocabulary-length", "261 scores")]
    yield "scores-nan", vocabulary({T + "scores": (ARR, (F32, [0.0] * 261 + [float("inf")]))}), [(W, "key-nan", "scores")]
    yield "types-long", vocabulary({T + "token_type": (ARR, (I32, [1] * 263))}), [(W, "vocabulary-length", "263 token types")]
    yield "types-range", vocabulary({T + "token_type": (ARR, (I32, [1] * 261 + [9]))}), [(W, "token-type", "type 9")]
    yield "token-twice", vocabulary({T + "tokens": (ARR, (STR, spm()[0][:260] + ["a", "a"]))}), [(W, "token-duplicate", "duplicate")]
    yield "token-utf8", vocabulary({T + "tokens": (ARR, (STR, spm()[0][:261] + [b"\xff"]))}), [(W, "text-utf8", "tokens")]
    yield "tokens-numbers", vocabulary({T + "tokens": (ARR, (U32, [1] * 262))}), [(W, "key-type", "tokens")]
    yield "merge-no-space", bpe({T + "merges": (ARR, (STR, ["a b", "abc"]))}), [(W, "merge", "malformed")]
    yield "merge-empty-half", bpe({T + "merges": (ARR, (STR, ["a ", "ab c"]))}), [(W, "merge", "malformed")]
    yield "id-range", vocabulary({T + "eos_token_id": (U32, 1000)}), [(W, "token-id", "eos_token_id")]
    yield "id-string", vocabulary({T + "eos_token_id": (STR, "</s>")}), [(W, "key-type", "eos_token_id")]
    yield "suppress-range", vocabulary(more=[(T + "suppress_tokens", ARR, (I32, [5, 9999]))]), [(W, "token-id", "suppress_tokens")]
    yield "charsmap", vocabulary(more=[(T + "precompiled_charsmap", ARR, (U8, [255, 0, 0, 0, 1]))]), [(W, "charsmap", "charsmap")]
    texts, scores, kinds = spm()
    yield "token-rows", build(model(270, [(T + "model", STR, "llama"), (T + "tokens", ARR, (STR, texts)), (T + "scores", ARR, (F32, scores)),
                                          (T + "token_type", ARR, (I32, kinds))], without=[T + "model"]), tensors(200)), [(W, "token-rows", "a row")]
    yield "token-padding", build(model(270, [(T + "model", STR, "llama"), (T + "tokens", ARR, (STR, texts)), (T + "scores", ARR, (F32, scores)),
                                             (T + "token_type", ARR, (I32, kinds))], without=[T + "model"]), tensors(270)), []
    # ---- templates
    yield "template", template(FINE_TEMPLATE), []
    yield "template-refuses-system", template("{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}" + FINE_TEMPLATE), []
    yield "template-syntax", template("{% for m in messages %}{{ m.content }"), [(W, "template-syntax", "parse")]
    yield "template-empty", template("{# nothing #}"), [(W, "template-empty", "nothing")]
    yield "template-blank", template(""), [(W, "template-empty", "nothing")]
    yield "template-deaf", template("Hello."), [(W, "template-user", "user")]
    yield "template-raises", template("{{ raise_exception('never') }}"), [(W, "template-fails", "never")]
    yield "template-loops", template("{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}x{% endfor %}{% endfor %}{% endfor %}"), \
        [(W, "template-fails", "rendered")]
    yield "template-explodes", template("{% set ns = namespace(s='xxxxxxxx') %}{% for a in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}{{ ns.s }}"), \
        [(W, "template-fails", "rendered")]
    yield "template-attributes", template("{{ ''.__class__.__mro__ }}" + FINE_TEMPLATE), [(W, "template-attribute", "__class__")]
    yield "template-end", template(FINE_TEMPLATE + "<|im_end|>"), [(W, "end-of-turn", "im_end")]
    texts, scores, kinds = spm()
    for kind, want in ((1, [(W, "end-of-turn", "type 1 (normal)")]), (3, []), (4, [])):
        yield f"template-end-type-{kind}", vocabulary({T + "tokens": (ARR, (STR, texts[:261] + ["<|im_end|>"])), T + "token_type": (ARR, (I32, kinds[:261] + [kind]))},
                                                      more=[("tokenizer.chat_template", STR, FINE_TEMPLATE + "<|im_end|>")]), want
    yield "template-no-end", vocabulary({T + "tokens": (ARR, (STR, ["<x>" if t == "</s>" else t for t in texts]))}, without=[T + "eos_token_id"],
                                        more=[("tokenizer.chat_template", STR, FINE_TEMPLATE)]), [(W, "end-of-turn", "no end-of-turn token")]
    yield "template-number", vocabulary(more=[("tokenizer.chat_template", U32, 1)]), [(W, "key-type", "chat_template")]
    yield "template-recursion", template("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"), [(W, "template-fails", "nested")]
    yield "template-attr-filter", template("{{ messages|attr('x') }}" + FINE_TEMPLATE), [(W, "template-attribute", "|attr(")]
    yield "template-named", vocabulary(more=[("tokenizer.chat_template", STR, FINE_TEMPLATE), ("tokenizer.chat_template.tool use", STR, FINE_TEMPLATE)]), []
    loops = "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}"
    yield "template-many", vocabulary(more=[(f"tokenizer.chat_template.t{i}", STR, loops) for i in range(200)]), [(W, "template-fails", "steps")]
    yield "template-utf8", template(FINE_TEMPLATE.encode() + b"\xff"), [(W, "text-utf8", "chat_template")]
    # ---- files beside models
    adapter = [("general.type", STR, "adapter"), ("general.architecture", STR, "llama"), ("adapter.type", STR, "lora"),
               ("adapter.lora.alpha", F32, 4.0)]
    pair = [("x.weight.lora_a", [8, 2], 0), ("x.weight.lora_b", [2, 8], 0)]
    yield "lora", build(adapter, pair), []
    yield "lora-half", build(adapter, pair[:1]), [(W, "lora-pair", "LoRA pair")]
    yield "lora-rank", build(adapter, [pair[0], ("x.weight.lora_b", [3, 8], 0)]), [(W, "lora-rank", "ranks")]
    yield "lora-name", build(adapter, pair + [("y.weight", [8], 0)]), [(W, "lora-name", "y.weight")]
    imatrix = [("general.type", STR, "imatrix"), ("imatrix.datasets", ARR, (STR, ["x"])), ("imatrix.chunk_count", U32, 1),
               ("imatrix.chunk_size", U32, 512)]
    yield "imatrix", build(imatrix, [("x.in_sum2", [8, 1], 0), ("x.counts", [1, 1], 0)]), []
    yield "imatrix-half", build(imatrix, [("x.in_sum2", [8, 1], 0)]), [(W, "imatrix-pair", "counts")]
    yield "control-vector", build([("general.architecture", STR, "controlvector"), ("controlvector.model_hint", STR, "llama"),
                                   ("controlvector.layer_count", I32, 1)], [("direction.1", [8], 0)]), []
    yield "projector", build([("general.architecture", STR, "clip"), ("general.type", STR, "mmproj"), ("clip.has_vision_encoder", BOOL, 1),
                              ("clip.projector_type", STR, "mlp")], [("v.x.weight", [8, 8], 0)]), []
    yield "other", build([("general.name", STR, "x")], [("x", [8], 0)]), [(W, "architecture-missing", "architecture")]
    # ---- parts
    first, rest = tensors()[:6], tensors()[6:]
    name = "m-%05d-of-00002.gguf"
    whole = {name % 1: shard(0, 2, 11, first, model()), name % 2: shard(1, 2, 11, rest)}
    yield "parts", whole, []
    yield "parts-second", {name % 2: whole[name % 2], name % 1: whole[name % 1]}, []
    yield "part-missing", {name % 1: whole[name % 1]}, [(E, "part-missing", "missing")]
    yield "part-foreign", {name % 1: whole[name % 1], name % 2: shard(1, 3, 30, rest)}, [(E, "part-foreign", "part")]
    yield "part-damaged", {name % 1: whole[name % 1], name % 2: whole[name % 2][:40]}, [(E, "part-damaged", "incomplete")]
    yield "parts-count", {name % 1: shard(0, 2, 12, first, model()), name % 2: shard(1, 2, 12, rest)}, [(E, "part-tensors", "12")]
    yield "parts-name-twice", {name % 1: shard(0, 2, 11, first, model()), name % 2: shard(1, 2, 11, rest[:4] + [first[0]])}, \
        [(E, "part-duplicate", "token_embd")]
    yield "part-number", {name % 1: shard(5, 2, 11, first, model()), name % 2: whole[name % 2]}, [(E, "part-number", "split.no")]
    yield "part-misnamed", {"a.gguf": whole[name % 1], name % 2: whole[name % 2]}, [(W, "part-name", "name")]
    yield "parts-of-another", {"n-00001-of-00002.gguf": whole[name % 1], name % 2: whole[name % 2]}, [(E, "part-missing", "missing")]
    yield "part-alone", shard(0, 1, 11, tensors(), model()), []


def deep_cases():
    """What only --deep sees."""
    nan = array.array("f", [0.5, float("nan")] * 32).tobytes()
    inf = array.array("f", [0.5, float("inf")] * 32).tobytes()
    q = "blk.0.attn_q.weight"
    yield "nan", build(model(), tensors(change={q: (q, [8, 8], 0, {"data": nan})})), [(W, "data-nan", "NaN")]
    yield "infinity", build(model(), tensors(change={q: (q, [8, 8], 0, {"data": inf})})), [(W, "data-nan", "infinit")]
    yield "scale-nan", build(model(), tensors() + [("x", [32, 2], Q8_0, {"data": struct.pack("<H", 0x7e00) + bytes(32) + b"\0\x3c" + b"\1" * 32})]), \
        [(W, "data-scale", "scale")]
    yield "mxfp4-scale", build(model(), tensors() + [("x", [32, 2], 39, {"data": b"\xff" + b"\1" * 33})]), [(W, "data-scale", "scale")]
    yield "zero-rows", build(model(), tensors(change={q: (q, [8, 8], 0, {"data": bytes(256)})})), [(W, "data-zero", "zero")]
    yield "zero-row", build(model(), tensors(change={q: (q, [8, 8], 0, {"data": noise(96) + bytes(32) + noise(128)})})), [(W, "data-zero", "1 row of nothing but zeros")]
    yield "deep-fine", BASE, []
