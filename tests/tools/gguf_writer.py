# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes small GGUF files for the tests, right or wrong on purpose: keys and tensors as given."""
import array
import struct

U8, I8, U16, I16, U32, I32, F32, BOOL, STR, ARR, U64, I64, F64 = range(13)
SCALARS = {U8: "B", I8: "b", U16: "H", I16: "h", U32: "I", I32: "i", F32: "f", BOOL: "B", U64: "Q",
           I64: "q", F64: "d"}


def as_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


def string(text):
    data = as_bytes(text)
    return struct.pack("<Q", len(data)) + data


def scalar(kind, value):
    return string(value) if kind == STR else struct.pack("<" + SCALARS[kind], value)


class Array:
    """An array value: Array(STR, ["a", "b"])."""

    def __init__(self, kind, items):
        self.kind, self.items = kind, items


def write(path, keys, tensors=(), version=3, alignment=32):
    """keys: (name, type, value), the type ARR with an Array. tensors: (name, dims, floats), each F32
    and dims[0] the contiguous one. Returns where the tensor data starts."""
    head = [b"GGUF", struct.pack("<IQQ", version, len(tensors), len(keys))]
    for name, kind, value in keys:
        head += [string(name), struct.pack("<I", kind)]
        if kind == ARR:
            head.append(struct.pack("<IQ", value.kind, len(value.items)))
            head += [scalar(value.kind, item) for item in value.items]
        else:
            head.append(scalar(kind, value))
    offset, data = 0, []
    for name, dims, floats in tensors:
        head += [string(name), struct.pack("<I", len(dims)), struct.pack(f"<{len(dims)}Q", *dims),
                 struct.pack("<IQ", 0, offset)]
        body = array.array("f", floats).tobytes()
        body += bytes(-len(body) % alignment)
        data.append(body)
        offset += len(body)
    head = b"".join(head)
    if tensors:
        head += bytes(-len(head) % alignment)
    with open(path, "wb") as file:
        file.write(head + b"".join(data))
    return len(head)


def byte_pieces():
    """The text of each byte in a byte-level vocabulary: printable ones stand for themselves, the
    others for characters from U+0100 on."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    pieces, extra = [], 0
    for byte in range(256):
        if byte in plain:
            pieces.append(chr(byte))
        else:
            pieces.append(chr(0x100 + extra))
            extra += 1
    return pieces


BOS, EOS, START, END = 256, 257, 258, 259
N_VOCAB, WIDTH, HEADS, HEAD, LAYERS, FEED = 260, 320, 5, 64, 2, 32

TEMPLATE = ("{% for m in messages %}<|start|>{{ m.role }}\n{{ m.content }}<|end|>\n{% endfor %}"
            "{% if add_generation_prompt %}<|start|>assistant\n{% endif %}")


def vocabulary(template=TEMPLATE, more=()):
    """Byte-level BPE without merges: an id is its byte; then the four special tokens."""
    pieces = byte_pieces() + ["<|bos|>", "<|eos|>", "<|start|>", "<|end|>"]
    return [("tokenizer.ggml.model", STR, "gpt2"), ("tokenizer.ggml.pre", STR, "gpt-2"),
            ("tokenizer.ggml.tokens", ARR, Array(STR, pieces)),
            ("tokenizer.ggml.token_type", ARR, Array(I32, [1] * 256 + [3] * 4)),
            ("tokenizer.ggml.merges", ARR, Array(STR, ["h e"])),
            ("tokenizer.ggml.bos_token_id", U32, BOS), ("tokenizer.ggml.eos_token_id", U32, EOS),
            *([("tokenizer.chat_template", STR, template)] if template else []), *more]


def llama_keys(n_ctx):
    return [("general.architecture", STR, "llama"), ("general.name", STR, "successor"),
            ("llama.block_count", U32, LAYERS), ("llama.context_length", U32, n_ctx),
            ("llama.embedding_length", U32, WIDTH), ("llama.feed_forward_length", U32, FEED),
            ("llama.attention.head_count", U32, HEADS), ("llama.attention.head_count_kv", U32, 1),
            ("llama.attention.layer_norm_rms_epsilon", F32, 1e-5),
            ("llama.rope.freq_base", F32, 10000.0), ("llama.vocab_size", U32, N_VOCAB)]


def successors():
    """What the model below says after each token: the alphabet and then the end; digits in a ring;
    "!" is followed by the two bytes of an e with acute accent, a full stop and the end; anything
    else by "a"."""
    after = {token: ord("a") for token in range(N_VOCAB)}
    for byte in range(ord("a"), ord("z")):
        after[byte] = byte + 1
    for digit in range(10):
        after[ord("0") + digit] = ord("0") + (digit + 1) % 10
    after[ord("z")] = after[ord(".")] = EOS
    after[ord("!")], after[0xC3], after[0xA9] = 0xC3, 0xA9, ord(".")
    return after


def successor_model(path, n_ctx=4096, keys=None, vocab=True):
    """A llama whose layers add nothing: the embedding of token t is the t-th unit vector, and the
    output row of its successor points the same way. So everything it says is known beforehand. With
    the end banned, "z" is followed by "a" again."""
    def zeros(n):
        return array.array("f", bytes(4 * n))

    embedding, output = zeros(WIDTH * N_VOCAB), zeros(WIDTH * N_VOCAB)
    for token, after in successors().items():
        embedding[token * WIDTH + token] = 1
        output[after * WIDTH + token] = 1
    output[ord("a") * WIDTH + ord("z")] = 0.5
    ones = array.array("f", [1.0] * WIDTH)
    tensors = [("token_embd.weight", (WIDTH, N_VOCAB), embedding),
               ("output.weight", (WIDTH, N_VOCAB), output),
               ("output_norm.weight", (WIDTH,), ones)]
    for layer in range(LAYERS):
        name = f"blk.{layer}."
        tensors += [(name + "attn_norm.weight", (WIDTH,), ones),
                    (name + "attn_q.weight", (WIDTH, HEADS * HEAD), zeros(WIDTH * HEADS * HEAD)),
                    (name + "attn_k.weight", (WIDTH, HEAD), zeros(WIDTH * HEAD)),
                    (name + "attn_v.weight", (WIDTH, HEAD), zeros(WIDTH * HEAD)),
                    (name + "attn_output.weight", (HEADS * HEAD, WIDTH), zeros(WIDTH * HEADS * HEAD)),
                    (name + "ffn_norm.weight", (WIDTH,), ones),
                    (name + "ffn_gate.weight", (WIDTH, FEED), zeros(WIDTH * FEED)),
                    (name + "ffn_up.weight", (WIDTH, FEED), zeros(WIDTH * FEED)),
                    (name + "ffn_down.weight", (FEED, WIDTH), zeros(WIDTH * FEED))]
    tokenizer = vocabulary() if vocab else [("tokenizer.ggml.model", STR, "no_vocab")]
    write(path, llama_keys(n_ctx) + (tokenizer if keys is None else keys), tensors)
    return tensors
