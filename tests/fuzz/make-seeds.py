#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make-seeds.py FOLDER: inputs to start from, one folder per fuzz target. Deterministic."""
import os
import struct
import sys

folder = sys.argv[1]


def text(s):
    b = s if isinstance(s, bytes) else s.encode()
    return struct.pack("<Q", len(b)) + b


SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}


def value(kind, v):
    if kind == 8:
        return text(v)
    if kind == 9:
        of, items = v
        return struct.pack("<IQ", of, len(items)) + b"".join(value(of, x) for x in items)
    return struct.pack(SCALARS[kind], v)


def gguf(keys=(), tensors=(), version=3, alignment=32, data=None):
    out = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(keys))
    for name, kind, v in keys:
        out += text(name) + struct.pack("<I", kind) + value(kind, v)
    for name, shape, kind, offset in tensors:
        out += text(name) + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", n) for n in shape)
        out += struct.pack("<IQ", kind, offset)
    if tensors:
        out += b"\0" * (-len(out) % alignment)
        out += data if data is not None else b"\0" * 512
    return out


def write(target, name, content):
    path = os.path.join(folder, target)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, name), "wb") as f:
        f.write(content if isinstance(content, bytes) else content.encode())
    # Files are for everybody who opens files.
    if target == "fuzz-gguf":
        for other in ("fuzz-doctor", "fuzz-writer", "fuzz-diff"):
            write(other, name, content)


every_type = [(f"k.{n}", kind, v) for n, (kind, v) in enumerate(
    [(0, 7), (1, -7), (2, 700), (3, -700), (4, 70000), (5, -70000), (6, 0.5), (7, True), (8, "text"), (10, 1 << 40),
     (11, -(1 << 40)), (12, 0.25), (9, (4, [1, 2, 3])), (9, (8, ["a", "", "b\0c", "\u00f6"])), (9, (7, [True, False]))])]
tensors = [("token_embd.weight", (32, 4), 0, 0), ("blk.0.attn_q.weight", (32, 2), 2, 0), ("output_norm.weight", (16,), 1, 64)]
plain = gguf(every_type, tensors)
GGUF_SEEDS = {
    "empty": b"",
    "magic": b"GGUF",
    "nothing": gguf(),
    "every-type": plain,
    "version-2": gguf(every_type, tensors, version=2),
    "alignment": gguf([("general.alignment", 4, 64)], tensors, alignment=64),
    "alignment-zero": gguf([("general.alignment", 4, 0)], tensors),
    "cut": plain[:-100],
    "cut-header": plain[:150],
    "huge-count": plain[:8] + struct.pack("<QQ", 1 << 60, 1 << 60) + plain[24:],
    "huge-array": gguf([("a", 4, 1)])[:24] + text("a") + struct.pack("<IIQ", 9, 0, 1 << 62),
    "nested-array": gguf([("a", 9, (9, [(4, [1]), (4, [2, 3])]))]),
    "twice": gguf([("a", 4, 1), ("a", 4, 2)], [("t", (32,), 0, 0), ("t", (32,), 0, 0)]),
    "zero-dimension": gguf([], [("t", (0, 5), 0, 0)]),
    "overflow": gguf([], [("t", (1 << 33, 1 << 33), 0, 0)]),
    "past-the-end": gguf([], [("t", (32,), 0, 1 << 40)]),
    "unknown-type": gguf([], [("t", (32,), 99, 0)]),
}
for name, content in GGUF_SEEDS.items():
    write("fuzz-gguf", name, content)

chat = ("{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m.content | trim + '<|im_end|>' + '\\n' }}"
        "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}")
TEMPLATES = {
    "chat": chat,
    "empty": "",
    "set": "{% set x = 1 %}{% set ns = namespace(a=0) %}{% set ns.a = ns.a + x %}{{ ns.a }}",
    "loop": "{% for i in range(5) if i != 3 %}{% if loop.first %}[{% endif %}{{ i }}{{ ', ' if not loop.last }}{% else %}none{% endfor %}",
    "control": "{% for i in range(9) %}{% if i > 4 %}{% break %}{% elif i == 2 %}{% continue %}{% endif %}{{ i }}{% endfor %}",
    "macro": "{% macro f(a, b=2) %}{{ a }}{{ b }}{% endmacro %}{{ f(1) }}{{ f(1, b=3) }}",
    "filters": "{{ messages | map(attribute='content') | join('|') | upper | length }}{{ tools | tojson(indent=2) }}",
    "tests": "{% if x is defined and x is not none %}{{ x }}{% elif messages is sequence and bos_token is string %}y{% endif %}",
    "slices": "{{ messages[1:] | length }}{{ 'abc'[::-1] }}{{ messages[-1]['content'][:1] }}{{ (1, 2)[0] }}",
    "strings": "{{ 'a,b' .split(',') }}{{ messages[0].content.replace(' ', '').strip() }}{{ '%s' % 1 }}{{ 'x' * 3 ~ 4 }}",
    "raise": "{{ raise_exception('no: ' + messages[0].role) }}",
    "time": "{{ strftime_now('%d %B %Y') }}",
    "trim": "  {%- if true -%}  a  {%- endif +%}  \n{# comment #}\n{{- 'b' -}}\n",
    "deep": "(" * 20 + "{{ " + "(" * 200 + "1" + ")" * 200 + " }}",
    "long-loop": "{% for i in range(100000) %}{% for j in range(100000) %}x{% endfor %}{% endfor %}",
    "doubling": "{% set ns = namespace(s='x') %}{% for i in range(64) %}{% set ns.s = ns.s + ns.s %}{% endfor %}{{ ns.s }}",
    "recursion": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "context": chat + "\0" + '{"messages": [{"role": "user", "content": "a <|im_end|> b"}], "x": [1, 2.5, null, true, {"y": "\\u00f6"}]}',
    "dict": "{% for k, v in {'a': 1, 'b': [2, 3]}.items() %}{{ k }}={{ v }};{% endfor %}{{ {'a': 1}.get('b', 'c') }}",
    "call": "{% call(x) f() %}{{ x }}{% endcall %}",
    "generation": "{% generation %}{{ messages[0].content }}{% endgeneration %}",
    "unclosed": "{% if x %}{{ y ",
    "numbers": "{{ 7 // 2 }}{{ 7 % 3 }}{{ 2 ** 10 }}{{ -1.5e3 }}{{ 1 / 0 }}{{ 9223372036854775807 + 1 }}",
}
for name, content in TEMPLATES.items():
    write("fuzz-template", name, content)

TEXTS = {
    "hello": "hello there, w\u00f6rld 123",
    "spaces": "  a   b\t\n\n  c \r\n d ",
    "special": "<s>hello</s><|im_start|>user\n<|im_end|>",
    "scripts": "\u4f60\u597d \u0645\u0631\u062d\u0628\u0627 \U0001f600\U0001f468\u200d\U0001f469 e\u0301 \u0e01\u0e33",
    "digits": "1234567890 12.5 \u0661\u0662 1e10",
    "quotes": "it's I'LL we've don\u2019t 'S",
}
for name, content in TEXTS.items():
    for choice in range(6):
        write("fuzz-tokenizer", f"{name}-{choice}", bytes([choice]) + content.encode())
write("fuzz-tokenizer", "bad-utf8", bytes([0]) + b"a\xff\xc3(\xed\xa0\x80 \xf4\x90\x80\x80 end\xe2\x98")
vocabulary = [("tokenizer.ggml.model", 8, "gpt2"), ("tokenizer.ggml.pre", 8, "gpt-2"),
              ("tokenizer.ggml.tokens", 9, (8, ["a", "b", "ab", "\u0120", "<s>"])),
              ("tokenizer.ggml.token_type", 9, (5, [1, 1, 1, 1, 3])),
              ("tokenizer.ggml.merges", 9, (8, ["a b"])), ("tokenizer.ggml.bos_token_id", 4, 4)]
spm = [("tokenizer.ggml.model", 8, "llama"), ("tokenizer.ggml.tokens", 9, (8, ["<unk>", "<s>", "\u2581", "a", "\u2581a", "<0x0A>"])),
       ("tokenizer.ggml.scores", 9, (6, [0.0, 0.0, -1.0, -2.0, -0.5, 0.0])),
       ("tokenizer.ggml.token_type", 9, (5, [2, 3, 1, 1, 1, 6])), ("tokenizer.ggml.unknown_token_id", 4, 0)]
FILES = {
    "file-bpe": gguf(vocabulary),
    "file-spm": gguf(spm),
    "file-ids-out-of-range": gguf(vocabulary[:-1] + [("tokenizer.ggml.bos_token_id", 4, 99)]),
    "file-lengths-differ": gguf(vocabulary[:3] + [("tokenizer.ggml.token_type", 9, (5, [1]))] + vocabulary[4:]),
    "file-merge-of-nothing": gguf(vocabulary[:4] + [("tokenizer.ggml.merges", 9, (8, ["x y", "a", "", "a b c"]))]),
    "file-unknown-pre": gguf([("tokenizer.ggml.model", 8, "gpt2"), ("tokenizer.ggml.pre", 8, "nobody")] + vocabulary[2:]),
    "file-no-vocabulary": gguf([("tokenizer.ggml.model", 8, "no_vocab")]),
    "file-empty-tokens": gguf(vocabulary[:2] + [("tokenizer.ggml.tokens", 9, (8, [])), ("tokenizer.ggml.merges", 9, (8, []))]),
}
for name, content in FILES.items():
    write("fuzz-tokenizer", name, bytes([6]) + content)
    write("fuzz-doctor", name, content)
for name, content in TEMPLATES.items():
    if "loop" not in name:
        write("fuzz-doctor", "template-" + name, gguf([("tokenizer.chat_template", 8, content)]))
