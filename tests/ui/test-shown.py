#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-shown.py SHOWN EMBER [PROGRAM…]: what is written in a real window on the overview, the map and the
table of tensors is what `ember inspect --json` says, for every model file of the corpus, the models at
hand and 50,000 tensors; each PROGRAM tests parts of the window by itself."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_model  # noqa: E402
import driver  # noqa: E402
import ember_tool  # noqa: E402
from driver import Checks  # noqa: E402

SHOWN, EMBER = (os.path.abspath(path) for path in sys.argv[1:3])
CORPUS = os.environ.get("HEARTH_CORPUS", ".")
MODELS = os.environ.get("HEARTH_TEST_MODELS", ".")
driver.inside_display()
checks = Checks()


def figure(text):
    """The number that a text begins with, whatever parts its digits; None without one."""
    digits = text.replace("\u202f", "").replace("\u00a0", "").replace(",", "").split(" ")[0]
    return int(digits) if digits.isdigit() else None


def fact(shown, title):
    """Of the overview: what stands under a title, which is there once; else ""."""
    texts = shown["overview"]
    values = [texts[i + 1] for i, text in enumerate(texts[:-1]) if text == title]
    return values[0] if len(values) == 1 else ""


def inside(text):
    """The exact number of "135 million (134515008)", or of one without a short form."""
    return figure(text[text.index("(") + 1:text.index(")")] if "(" in text else text)


def compare(path, shown, size):
    known = ember_tool.inspect(EMBER, path)
    name = os.path.basename(path)
    if known is None or "error" in shown:
        checks.equal("error" in shown, known is None, f"{name}: the window fails, as the tool does")
        return False
    file, totals, tensors = known["file"], known["totals"], known["tensors"]
    n = file["n_tensors"]

    def equal(got, want, what):
        if got != want:
            checks.equal(got, want, f"{name}: {what}")
        return got == want
    good = [equal(inside(fact(shown, "Parameters")), totals["parameters"], "parameters on the overview"),
            equal(inside(fact(shown, "Size")), size, "the size on the overview"),
            equal(figure(fact(shown, "Tensors") or "0"), n, "tensors on the overview"),
            equal(figure(fact(shown, "Metadata keys") or "0"), file["n_kv"], "keys on the overview")]
    rows = shown["rows"]
    good += [equal((rows["n"], rows["values"], rows["bytes"]), (n, totals["parameters"], totals["bytes"]),
                   "the rows of the table")]
    types = {}
    for tensor in tensors:
        kind = tensor["type"].upper()
        types[kind] = types.get(kind, 0) + 1
    good += [equal({kind: figure(count) for kind, count in shown["legend"]}, types, "the legend of the map")]
    texts = shown["overview"]
    for kind, count in types.items():
        row = next((texts[i + 1] for i, text in enumerate(texts[:-1])
                    if text == kind and " tensor" in texts[i + 1]), "0")
        good += [equal(figure(row), count, f"{kind} on the overview")]
    if n:
        good += [equal([figure(text) for text in shown["table"] if re.fullmatch(
            r"[\d,\u202f\u00a0]+ tensors?", text)], [n], "the count over the table")]
        first = tensors[rows["first"]]
        for text in (first["name"], first["type"].upper(), " × ".join(map(str, first["shape"]))):
            good += [equal(any(text[:100] in label for label in shown["table"]), True,
                           f"“{text[:100]}” in the table")]
    checks.check(all(good), f"{name}: what is shown")
    return True


def figures():
    with tempfile.TemporaryDirectory() as work:
        many = os.path.join(work, "many.gguf")
        big_model.write_many(many, 50000)
        files = [many] + sorted(glob.glob(os.path.join(MODELS, "*.gguf")))
        corpus = sorted(glob.glob(os.path.join(CORPUS, "**", "*.gguf"), recursive=True))
        if not corpus and os.environ.get("CI"):
            checks.check(False, f"missing: the corpus at {CORPUS}")
        elif not corpus:
            checks.skip("the corpus", f"nothing at {CORPUS}")
        files += corpus
        done = subprocess.run([SHOWN, *files], capture_output=True, text=True, env=driver.environment())
        checks.equal(done.returncode, 0, f"the end of the program ({done.stderr[-400:]})")
        lines = done.stdout[done.stdout.index("begin\n") + 6:].splitlines()
        checks.equal(len(lines), len(files), "a line for each file")
        compared = sum(compare(path, json.loads(line), os.path.getsize(path))
                       for path, line in zip(files, lines))
        print(f"{compared} of {len(files)} files can be read")
        checks.check(compared >= len(files) // 3, "a third of the files, or more, can be read")


def program(path):
    done = subprocess.run([path], capture_output=True, text=True, env=driver.environment())
    print(done.stdout)
    checks.equal(done.returncode, 0, f"{os.path.basename(path)} ({done.stderr[-600:]})")
    checks.check("not ok" not in done.stdout and "\nok " in done.stdout, f"{os.path.basename(path)}: its parts")


checks.run("figures", figures)
for each in sys.argv[3:]:
    checks.run(os.path.basename(each), lambda: program(os.path.abspath(each)))
sys.exit(checks.end())
