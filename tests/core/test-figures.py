#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-figures.py CHECK EMBER CORPUS: the figures of the table of tensors, the map, the file map and
the export agree with `ember inspect --json` and with the size of the file, for every model file of
the corpus, the models at hand and files made here (gaps, padding, a part of a split model, an end
that is missing, 50,000 tensors, 30 GB)."""
import glob
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ui"))
import big_model  # noqa: E402
import ember_tool  # noqa: E402

CHECK, EMBER, CORPUS = sys.argv[1:4]
passed = failed = skipped = 0


def check(path, condition, what):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {path}: {what}")


def compare(path, ours):
    theirs = ember_tool.inspect(EMBER, path)
    check(path, ("error" in ours) == (theirs is None), "one of them cannot open it")
    if theirs is None or "error" in ours:
        return
    totals, file = theirs["totals"], theirs["file"]
    n = file["n_tensors"]
    for name in ("table", "map"):
        figures = ours[name]
        check(path, figures["n"] == n, f"{name}: {figures['n']} tensors, not {n}")
        check(path, figures["values"] == totals["parameters"], f"{name}: values")
        check(path, figures["bytes"] == totals["bytes"], f"{name}: bytes")
    types = {}
    for tensor in theirs["tensors"]:
        at = types.setdefault(tensor["type"].upper(), [0, 0])
        at[0] += 1
        at[1] += tensor["bytes"]
    check(path, {t[0]: t[1:] for t in ours["map"]["types"]} == types, "types of the map")
    check(path, ours["keys"] == file["n_kv"], "keys")
    for row, tensor in zip(ours["tensors"], theirs["tensors"], strict=True):
        wanted = (tensor["type"].upper(), tensor["bytes"],
                  " × ".join(str(d) for d in tensor["shape"]))
        got = (row["type"], row["bytes"], row["shape"])
        if got != wanted or (len(tensor["name"]) < 200 and row["name"] != tensor["name"]):
            check(path, False, f"a row of the export: {row}, {tensor}")
            break
    layout = ours["layout"]
    check(path, layout["size"] == os.path.getsize(path), "file map: size of the file")
    check(path, layout["Header"][0] == 1, "file map: one header")
    if not layout["overlaps"]:
        check(path, layout["present"] == layout["size"], "file map: what is there adds up")
        check(path, sum(layout[kind][1] for kind in ("Header", "Key", "Tensor table", "Tensor",
                                                     "Padding", "Gap")) == layout["end"],
              "file map: its kinds add up")
    if "-of-" not in os.path.basename(path):
        check(path, layout["Tensor"] == [n, totals["bytes"]], "file map: tensors")
        check(path, layout["Key"][0] == file["n_kv"], "file map: keys")


def made(folder):
    """Files that the corpus has none of."""
    paths = []

    def file(name, tensors, size, keys=()):
        out = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys)) + b"".join(keys)
        for tensor, n, offset in tensors:
            out += big_model.text(tensor) + struct.pack("<IQIQ", 1, n, 0, offset)
        out += bytes(-len(out) % 32)
        paths.append(os.path.join(folder, name))
        with open(paths[-1], "wb") as f:
            f.write(out)
            f.truncate(len(out) + size)

    file("gaps.gguf", [("b", 8, 4096), ("a", 7, 0), ("c", 8, 8192)], 8192 + 32 + 4096)
    file("padding.gguf", [("blk.0.a", 7, 0), ("blk.1.a", 7, 32)], 60)
    file("cut.gguf", [("a", 7, 0), ("b", 1000, 32)], 100)
    file("overlap.gguf", [("a", 64, 0), ("b", 64, 128)], 400)
    file("empty.gguf", [], 0)
    file("parts-00001-of-00002.gguf", [("a", 8, 0)], 32,
         [big_model.key("split.no", big_model.U32, 0), big_model.key("split.count", big_model.U32, 2),
          big_model.key("split.tensors.count", big_model.U32, 2)])
    file("parts-00002-of-00002.gguf", [("b", 8, 0)], 32,
         [big_model.key("split.no", big_model.U32, 1), big_model.key("split.count", big_model.U32, 2),
          big_model.key("split.tensors.count", big_model.U32, 2)])
    for name, write in (("many.gguf", lambda p: big_model.write_many(p, 50000)),
                        ("void.gguf", lambda p: big_model.write(p, layers=230))):
        paths.append(os.path.join(folder, name))
        write(paths[-1])
    return paths


with tempfile.TemporaryDirectory() as work:
    files = made(work)
    corpus = sorted(glob.glob(os.path.join(CORPUS, "**", "*.gguf"), recursive=True))
    if corpus:
        files += corpus
    elif os.environ.get("CI"):
        check(CORPUS, False, "missing: the corpus")
    else:
        skipped += 1
        print(f"skipped the corpus: nothing at {CORPUS}")
    files += sorted(glob.glob(os.path.join(os.environ.get("HEARTH_TEST_MODELS", "."), "*.gguf")))
    done = subprocess.run([CHECK, *files], capture_output=True, text=True)
    check(CHECK, done.returncode == 0, f"ended with {done.returncode}: {done.stderr[-400:]}")
    lines = done.stdout[done.stdout.index("begin\n") + 6:].splitlines()
    check(CHECK, len(lines) == len(files), f"{len(lines)} lines for {len(files)} files")
    for path, line in zip(files, lines):
        compare(path, json.loads(line))
print(f"{len(files)} files")
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(1 if failed else 0)
