# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands that read the header only: inspect, fit, tokenize, template; and sample, cpu."""
import json
import math
import os
import re
import struct

import gguf_writer as gguf
from gguf_writer import Array
from tool import check, equal, fails, main, path, run, run_json

CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")
HOSTILE = b"\x1b[31mred\x07\x00\x9b1m \xe2\x80\xae\xc2\x9b\xff\xc3"

# Every type, with values at the ends of their ranges.
KEYS = [
    ("general.architecture", gguf.STR, "unheard-of"), ("a.u8", gguf.U8, 255), ("a.i8", gguf.I8, -128),
    ("a.u16", gguf.U16, 65535), ("a.i16", gguf.I16, -32768), ("a.u32", gguf.U32, 2**32 - 1),
    ("a.i32", gguf.I32, -2**31), ("a.u64", gguf.U64, 2**64 - 1), ("a.i64", gguf.I64, -2**63),
    ("a.f32", gguf.F32, 0.1), ("a.f64", gguf.F64, 0.1), ("a.yes", gguf.BOOL, 1), ("a.no", gguf.BOOL, 0),
    ("a.str", gguf.STR, "né \"x\"\\"), ("a.empty", gguf.STR, ""),
    ("a.nan", gguf.F32, math.nan), ("a.inf", gguf.F64, -math.inf),
    ("a.short", gguf.ARR, Array(gguf.I16, [-1, 0, 1])), ("a.none", gguf.ARR, Array(gguf.STR, [])),
    ("a.1024", gguf.ARR, Array(gguf.U32, range(1024))), ("a.1025", gguf.ARR, Array(gguf.U32, range(1025))),
    ("a.flags", gguf.ARR, Array(gguf.BOOL, [1, 0])), ("a.floats", gguf.ARR, Array(gguf.F32, [0.5, math.inf])),
]
TENSORS = [("b.two", (4, 3), [0] * 12), ("a.one", (8,), [1] * 8), ("c.four", (2, 2, 2, 2), [2] * 16)]


def test_inspect_json():
    file = path("all.gguf")
    data = gguf.write(file, KEYS, TENSORS, version=2)
    seen = run_json("inspect", file)
    equal(list(seen), ["file", "metadata", "tensors", "totals"])
    equal(seen["file"], {"version": 2, "endian": "little", "n_kv": len(KEYS), "n_tensors": 3,
                         "architecture": "unheard-of", "alignment": 32, "data_offset": data,
                         "size": os.path.getsize(file), "type": "model"})
    names = {gguf.U8: "u8", gguf.I8: "i8", gguf.U16: "u16", gguf.I16: "i16", gguf.U32: "u32",
             gguf.I32: "i32", gguf.U64: "u64", gguf.I64: "i64", gguf.F32: "f32", gguf.F64: "f64",
             gguf.BOOL: "bool", gguf.STR: "str"}
    equal(list(seen["metadata"]), [name for name, _, _ in KEYS], "order of keys")

    def shown(kind, value):
        if kind == gguf.BOOL:
            return bool(value)
        if kind in (gguf.F32, gguf.F64) and not math.isfinite(value):
            return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
        return value

    for name, kind, value in KEYS:
        want = {"type": f"arr[{names[value.kind]}]" if kind == gguf.ARR else names[kind]}
        if kind != gguf.ARR:
            want["value"] = shown(kind, value)
        elif len(value.items) > 1024:
            want["value"] = {"length": len(value.items), "first": list(value.items)[:16]}
        else:
            want["value"] = [shown(value.kind, item) for item in value.items]
        equal(seen["metadata"].get(name), want, name)
    whole = run_json("inspect", file, "--all")["metadata"]["a.1025"]["value"]
    equal(whole, list(range(1025)), "a long array with --all")
    # 12, 8 and 16 floats, each padded to 32 bytes.
    equal(seen["tensors"],
          [{"name": "b.two", "type": "f32", "shape": [4, 3], "offset": 0, "bytes": 48},
           {"name": "a.one", "type": "f32", "shape": [8], "offset": 64, "bytes": 32},
           {"name": "c.four", "type": "f32", "shape": [2, 2, 2, 2], "offset": 96, "bytes": 64}])
    equal(seen["totals"], {"parameters": 36, "bytes": 144, "bits_per_weight": 32,
                           "by_type": [{"type": "f32", "tensors": 3, "bytes": 144}]})
    # An override shows as if the file said so.
    seen = run_json("inspect", file, "--set", "general.type=str:adapter", "--set", "a.u8=f32:0.25")
    equal((seen["file"]["type"], seen["metadata"]["a.u8"]), ("adapter", {"type": "f32", "value": 0.25}))


def test_inspect_nothing():
    """No keys, no tensors; and a header whose tensor data is missing."""
    file = path("empty.gguf")
    gguf.write(file, [])
    seen = run_json("inspect", file)
    equal((seen["file"]["architecture"], seen["metadata"], seen["tensors"]), (None, {}, []))
    equal(seen["totals"], {"parameters": 0, "bytes": 0, "bits_per_weight": None, "by_type": []})
    equal(run("inspect", file).returncode, 0)
    cut = path("cut.gguf")
    size = gguf.write(cut, KEYS, TENSORS)
    os.truncate(cut, size)
    equal(run_json("inspect", cut)["totals"]["bytes"], 144, "a header without data")
    for length in (0, 3, 23, size // 2):
        os.truncate(cut, length)
        fails(1, "cut.gguf", "inspect", cut)
    # Sizes that only a liar can have, as long as the header itself is sound.
    with open(cut, "wb") as out:
        out.write(b"GGUF" + struct.pack("<IQQ", 3, 2, 0))
        for name in ("a", "b"):
            out.write(gguf.string(name) + struct.pack("<IQIQ", 1, 2**60, 0, 0))
        out.write(bytes(64))
    result = run("inspect", cut, "--json")
    check(result.returncode in (0, 1) and b"Sanitizer" not in result.stderr, result.stderr)


def test_inspect_hostile():
    """Names and texts full of terminal commands and bytes that are no UTF-8."""
    file = path("hostile.gguf")
    gguf.write(file, [("general.architecture", gguf.STR, HOSTILE), (b"key" + HOSTILE, gguf.STR, HOSTILE),
                      ("general.type", gguf.STR, HOSTILE),
                      ("list", gguf.ARR, Array(gguf.STR, [HOSTILE, b"\n", b"\t"]))],
               [(b"t" + HOSTILE, (4,), [0] * 4)])
    for more in ([], ["--all"]):
        result = run("inspect", file, *more)
        equal((result.returncode, result.stderr), (0, b""))
        said = result.stdout.decode()  # valid UTF-8
        check(not CONTROL.search(said), CONTROL.findall(said))
        check("\\x1b[31mred\\x07\\x00\\x9b1m \\u{202e}\\u{9b}\\xff\\xc3" in said, said)
    seen = run_json("inspect", file)
    want = "\x1b[31mred\x07\x00\ufffd1m \u202e\x9b\ufffd\ufffd"
    equal(seen["file"]["architecture"], want)
    equal(seen["file"]["type"], want)
    equal(seen["metadata"]["key" + want], {"type": "str", "value": want})
    equal(seen["metadata"]["list"]["value"], [want, "\n", "\t"])
    equal(seen["tensors"][0]["name"], "t" + want)
    check("\x1b" not in fails(1, "[31m", "fit", file))


def test_fit():
    file = path("model.gguf")
    tensors = gguf.successor_model(file)
    weights = sum(4 * len(floats) for _, _, floats in tensors)
    seen = {}
    for kv in ("f16", "f32"):
        for context in (1024, 4096):
            plan = run_json("fit", file, "--ctx", str(context), "--kv", kv)
            device, = plan["devices"]
            equal(plan["verdict"], "cpu")
            equal((plan["context"], plan["kv_type"], plan["batch"]), (context, kv, 512))
            equal(device["weights"], weights)
            check(0 < device["free"] < device["budget"], device)
            equal(device["kv"], device["kv_full"] + device["kv_window"])
            equal(device["budget"] - device["free"],
                  sum(device[part] for part in ("weights", "kv", "checkpoint", "compute")))
            equal(sum(row["bytes"] for row in plan["weights_by_type"]), weights)
            equal(sum(row["tensors"] for row in plan["weights_by_type"]), len(tensors))
            seen[kv, context] = device["kv"]
    equal(seen["f32", 1024], 2 * seen["f16", 1024])
    # Keys and values, each layer, one head.
    equal(seen["f16", 4096] - seen["f16", 1024], 3072 * 2 * gguf.LAYERS * gguf.HEAD * 2)
    equal(run_json("fit", file)["context"], 4096, "default: what it was trained for")
    equal(run_json("fit", file, "--set", "llama.context_length=u32:100000")["context"], 8192)
    said = run("fit", file).stdout.decode()
    check("KV cache (f16)" in said and "available" in said, said)
    # More than most machines have: a verdict, no failure.
    plan = run_json("fit", file, "--kv", "f32", "--ctx", str(2**28),
                    "--set", f"llama.context_length=u32:{2**28}")
    device, = plan["devices"]
    needed = sum(device[part] for part in ("weights", "kv", "checkpoint", "compute"))
    check(needed > 256 << 30, device)
    equal((plan["verdict"], device["free"]),
          ("cpu", device["budget"] - needed) if needed <= device["budget"] else ("no", 0))
    fails(1, "unheard-of", "fit", file, "--set", "general.architecture=str:unheard-of")


def ids(file, *more, text=b""):
    return run_json("tokenize", file, *more, stdin=text)["ids"]


def test_tokenize():
    file = path("vocab.gguf")
    gguf.write(file, [("general.architecture", gguf.STR, "unheard-of"), *gguf.vocabulary()])
    every = bytes(range(256))
    for text in (b"", b"\n", b"a\n", b"a\r\n\0b\0", every, every[::-1] * 500, b"<|eos|>\n"):
        equal(ids(file, text=text), list(text), text[:20])
    equal(ids(file, "--special", text=b"x<|eos|>\0\n"), [120, gguf.EOS, 0, 10])
    equal(ids(file, "--text", "a<|eos|>"), list(b"a<|eos|>"))
    equal(ids(file, "--text", "\N{GRINNING FACE}"), list("\N{GRINNING FACE}".encode()))
    pieces = run_json("tokenize", file, "--special", stdin=b" \xff<|end|>")["pieces"]
    equal(pieces, ["\u0120", "\u00ff", "<|end|>"], "pieces as stored")
    # --bos adds what the file's settings add, and nothing twice.
    equal(ids(file, "--bos", text=b"a"), [97])
    adds = ["--set", "tokenizer.ggml.add_bos_token=bool:true"]
    equal(ids(file, *adds, text=b"a"), [97])
    equal(ids(file, "--bos", *adds, text=b"a"), [gguf.BOS, 97])
    equal(ids(file, "--bos", *adds, text=b""), [gguf.BOS])
    equal(ids(file, "--bos", "--special", *adds, text=b"<|bos|>a"), [gguf.BOS, 97])
    result = run("tokenize", file, stdin=b"a\x1b\"")
    equal((result.returncode, result.stdout),
          (0, b'      97  "a"\n      27  "\xc4\x9b"\n      34  "\\""\n'), "for people")
    # Pieces of a bad file: what JSON needs is made of them.
    odd = [b"\xff\x00" if i == 97 else piece for i, piece in enumerate(gguf.byte_pieces())]
    keys = [(name, kind, Array(gguf.STR, odd + ["<|bos|>", "<|eos|>", "<|start|>", "<|end|>"])
             if name == "tokenizer.ggml.tokens" else value) for name, kind, value in gguf.vocabulary()]
    gguf.write(file, keys)
    result = run("tokenize", file, "--json", "--text", "b")
    check(result.returncode in (0, 1), result)
    json.loads(result.stdout.decode() or "{}")
    said = fails(1, "no-such-pre", "tokenize", file, "--set", "tokenizer.ggml.pre=str:no-such-pre")
    check("llama-bpe" in said, "lists the known names:", said)
    gguf.write(file, [("tokenizer.ggml.model", gguf.STR, "no_vocab")])
    fails(1, "vocab", "tokenize", file, "--text", "a")


def render(file, context, *more):
    with open(path("context.json"), "w") as out:
        out.write(context if isinstance(context, str) else json.dumps(context))
    return run("template", file, "--context", path("context.json"), *more)


def test_template():
    source = path("a.jinja")

    def template(text):
        with open(source, "w", newline="") as out:
            out.write(text)

    template("{{ name }}\r\n\tend")
    result = render(source, {"name": "n\u00e9\x00\r\n"})
    # Jinja makes \n of a template's line ends; a value's own stay.
    equal((result.returncode, result.stdout, result.stderr), (0, "n\u00e9\x00\r\n\n\tend".encode(), b""))
    template("{{ strftime_now('%Y %m %d %H %M %S') }}")
    equal(render(source, {}, "--now", "2026-07-26T12:34:56").stdout, b"2026 07 26 12 34 56")
    equal(render(source, {}, "--now=2024-02-29T00:00:00").stdout, b"2024 02 29 00 00 00")
    template("[{{ bos_token }}|{{ eos_token }}]")
    equal(render(source, {"bos_token": "B", "eos_token": "E"}).stdout, b"[B|E]")
    template("one\n{{ raise_exception('no such role') }}")
    fails(1, ["no such role", "2"], "template", source, "--context", path("context.json"))
    template("{% if %}")
    fails(1, "a.jinja", "template", source, "--context", path("context.json"))
    template("fine")
    for text in ("", "[]", "3", "{", '{"a": 1} x', "\xff"):
        check(render(source, text).returncode == 1, text)
    fails(1, "none.json", "template", source, "--context", path("none.json"))

    # From a pipe it is read once, and whole.
    with open(path("context.json"), "w") as out:
        out.write('{"name": "piped"}')
    reader, writer = os.pipe()
    os.write(writer, b"{{ name }}" + b"-" * 9000)
    os.close(writer)
    piped = run("template", f"/dev/fd/{reader}", "--context", path("context.json"), pass_fds=(reader,))
    os.close(reader)
    equal(piped.stdout, b"piped" + b"-" * 9000, piped.stderr)
    file = path("template.gguf")
    text = "{{ bos_token }}{{ messages[0].content }}{{ eos_token }}"
    gguf.write(file, gguf.vocabulary(text))
    ask = {"messages": [{"role": "user", "content": "hi <|eos|>"}]}
    equal(render(file, ask).stdout, b"<|bos|>hi <|eos|><|eos|>")
    equal(render(file, {**ask, "bos_token": "B"}).stdout, b"Bhi <|eos|><|eos|>")
    # Rendering needs no tokenizer that this build knows.
    equal(render(file, ask, "--set", "tokenizer.ggml.pre=str:unheard-of").stdout,
          b"<|bos|>hi <|eos|><|eos|>")
    equal(render(file, ask, "--set", "tokenizer.chat_template=str:x{{ 1 + 1 }}").stdout, b"x2")
    shown = json.loads(render(file, ask, "--json").stdout)
    equal(shown["text"], "<|bos|>hi <|eos|><|eos|>")
    equal("".join(span["text"] for span in shown["spans"]), shown["text"])
    equal([span["text"] for span in shown["spans"] if not span["special"]], ["hi <|eos|>"])
    # The first bytes say what a file is, not its name.
    os.rename(file, path("b.jinja"))
    equal(render(path("b.jinja"), ask).stdout, b"<|bos|>hi <|eos|><|eos|>")
    gguf.write(file, gguf.vocabulary(None))
    fails(1, "template", "template", file, "--context", path("context.json"))


def test_sample():
    file = path("cases.json")
    cases = [
        {"name": "one", "vocab": 4, "logits": [0, 3, 1, 2], "history": [],
         "chain": [{"sampler": "top_k", "k": 2}]},
        {"name": "wrong", "vocab": 4, "logits": [0, 3, 1, 2], "history": [],
         "chain": [{"sampler": "crystal_ball"}]},
        {"name": "hot", "vocab": 3, "logits": [0, 1, "-inf"], "history": [],
         "chain": [{"sampler": "temperature", "t": 2.0, "range": 0, "exponent": 1}]}]
    with open(file, "w") as out:
        json.dump(cases, out)
    answers = run_json("sample", file)
    equal([answer["name"] for answer in answers], ["one", "wrong", "hot"])
    equal([sorted(answer) for answer in answers], [["name", "result"], ["error", "name"], ["name", "result"]])
    one = dict(answers[0]["result"])
    equal(sorted(one), [1, 3])
    check(abs(one[1] - 1 / (1 + math.exp(-1))) < 1e-6, one)
    hot = dict(answers[2]["result"])
    equal(sorted(hot), [0, 1])
    check(abs(hot[1] - 1 / (1 + math.exp(-0.5))) < 1e-6, hot)
    equal(json.loads(run("sample", file).stdout), answers, "for people: the same on more lines")
    for text in ("", "{", "3", "{}", '[{"name": "x"}]'):
        with open(file, "w") as out:
            out.write(text)
        result = run("sample", "--json", file)
        check(result.returncode in (0, 1) and (result.returncode == 0) == bool(result.stdout), text, result)
    with open(file, "w") as out:
        out.write("[")
    fails(1, "cases.json", "sample", "--json", file)


def test_cpu():
    found = run_json("cpu")
    check(found["level"] and isinstance(found["features"], list), found)
    # All levels of this architecture; the one in use is here.
    check(found["levels"]["scalar"] is True and found["levels"][found["level"]] is True, found)
    check(all(isinstance(here, bool) for here in found["levels"].values()), found)
    text = run("cpu").stdout.decode()
    check(all(f"{name} {'yes' if here else 'no'}" in text for name, here in found["levels"].items()), text)
    check(1 <= found["cores"] <= found["threads"], found)
    check(0 < found["memory_available"] <= found["memory_total"], found)
    capped = run_json("cpu", env={"EMBER_CPU": "scalar"})
    equal((capped["level"], capped["cap"]), ("scalar", "scalar"))
    equal((capped["features"], capped["levels"]), (found["features"], found["levels"]))
    check(b"EMBER_CPU=scalar" in run("cpu", env={"EMBER_CPU": "scalar"}).stdout)
    fails(1, "abacus", "cpu", env={"EMBER_CPU": "abacus"})


main(test_inspect_json, test_inspect_nothing, test_inspect_hostile, test_fit, test_tokenize,
     test_template, test_sample, test_cpu)
