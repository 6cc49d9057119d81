# SPDX-License-Identifier: GPL-3.0-or-later
"""Each hand-made file gets the verdict, the code and the sentence that it should."""
import json
import os
import re
import resource
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))

from cases import ARR, STR, U32, Maker, cases, deep_cases
from tool import check, equal, fails, folder, main, missing, no_constant, path, run, skip

SEVERITIES = ("info", "warning", "error")


def codes():
    """The codes that engine/tools/README.md lists."""
    readme = os.path.join(os.environ.get("HEARTH_SOURCE", ""), "engine/tools/README.md")
    if not os.path.exists(readme):
        return set()
    text = open(readme).read()
    start = text.index("The codes: ")
    return set(re.findall(r"`([a-z0-9-]+)`", text[start:text.index("\n\n", start)]))


documented = codes()


def examine(file, *more, **limits):
    """The object that the doctor must print, whatever the file is."""
    result = run("doctor", file, "--json", *more, **limits)
    name = os.path.basename(file)
    equal(result.stderr, b"", name, "standard error")
    try:
        report = json.loads(result.stdout.decode(), parse_constant=no_constant)
    except ValueError as error:
        check(False, name, error, result.stdout[:200])
        return None
    equal(list(report), ["ok", "file", "problems"], name)
    errors = [p for p in report["problems"] if p["severity"] == "error"]
    equal(report["ok"], not errors, name, "ok")
    equal(result.returncode, 0 if report["ok"] else 1, name, "exit status")
    for p in report["problems"]:
        equal(list(p), ["severity", "code", "where", "message", "advice"], name)
        check(p["severity"] in SEVERITIES, name, p)
        message = p["message"]
        check(0 < len(message.encode()) <= 300 and message[0] not in " abcdefghijklmnopqrstuvwxyz", name, message)
        check(message[-1] in ".)" or message.endswith("…."), name, message)
        check(p["where"], name, p)
        check(not documented or p["code"] in documented, name, p["code"], "is not in engine/tools/README.md")
    return report


def judge(name, content, expected, *more):
    place = path(name)
    if isinstance(content, dict):
        os.mkdir(place)
        files = content
    else:
        files = {name + ".gguf": content}
        os.makedirs(place)
    for file, data in files.items():
        with open(os.path.join(place, file), "wb") as out:
            out.write(data)
    report = examine(os.path.join(place, next(iter(files))), *more)
    if report is None:
        return
    serious = [p for p in report["problems"] if p["severity"] != "info"]
    if not expected:
        equal(serious, [], name)
    for severity, code, words in expected:
        found = [p for p in report["problems"] if p["severity"] == severity and code in (None, p["code"])]
        check(any(words in p["message"] for p in found), name, severity, code, words, "not in", serious)
    # Nothing worse than what is expected.
    worst = max([SEVERITIES.index(e[0]) for e in expected], default=0)
    check(all(SEVERITIES.index(p["severity"]) <= worst for p in serious), name, "is worse:", serious)


def test_cases():
    names = set()
    for name, content, expected in cases():
        check(name not in names, name, "twice")
        names.add(name)
        judge(name, content, expected)
    check(len(names) >= 80, len(names), "cases")


def test_deep():
    for name, content, expected in deep_cases():
        judge("deep-" + name, content, expected, "--deep")


def test_other():
    report = examine(path("not-there.gguf"))
    equal(report["problems"][0]["code"], "cannot-open")
    equal(examine(folder.name)["problems"][0]["code"], "cannot-open")
    check(len(documented) > 80 or "HEARTH_SOURCE" not in os.environ, documented)
    fails(2, "FILE", "doctor")
    name, base, _ = next(cases())
    file = path("facts.gguf")
    with open(file, "wb") as out:
        out.write(base)
    equal(examine(file)["file"], {"version": 3, "endian": "little", "n_kv": 12, "n_tensors": 11, "architecture": "llama",
                                  "alignment": 32, "data_offset": len(base) - 2144, "size": len(base), "type": "model"})
    text = run("doctor", file).stdout.decode()
    check(text.startswith("The file can be used"), text)


def test_sparse():
    """A file far larger than the address space it gets."""
    _, base, _ = next(cases())
    file = path("sparse.gguf")
    with open(file, "wb") as out:
        out.write(base)
        out.truncate(30 << 30)
    limit = 2 << 30
    if "asan" in os.environ.get("HEARTH_BUILD", ""):
        limit = resource.RLIM_INFINITY
    report = examine(file, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    equal(report["ok"], True)
    os.unlink(file)


def test_memory():
    """Reading takes less than twice what keys and tensors take in the file, and two megabytes."""
    if "asan" in os.environ.get("HEARTH_BUILD", ""):
        skip("memory", "the sanitizer needs far more than the file does")
        return
    m = Maker()
    n = 100000
    table = b"".join(m.tensor(f"blk.{i}.some_longer_name_of_a_tensor.weight", [8], 0, 0) for i in range(n))
    numbers = m.text("a.b") + m.num("I", ARR) + m.num("I", U32)
    files = {"tensors": m.head(n, 1) + m.key("general.name", STR, "x") + table,
             "numbers": m.head(0, 1) + numbers + m.length(10 ** 7) + b"\1\2\3\4" * 10 ** 7,
             "strings": m.head(0, 1) + m.text("a.b") + m.num("I", ARR) + m.num("I", STR) + m.length(10 ** 6) + m.text("text") * 10 ** 6}
    for name, data in files.items():
        file = path(f"memory-{name}.gguf")
        with open(file, "wb") as out:
            out.write(data)
        limit = 2 * len(data) + (2 << 20)
        result = run("inspect", file, "--json", "--keys", "none", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)))
        equal(result.returncode, 0, name, result.stderr)
        # With half of that it cannot be, and says so.
        limit = len(data) // 2
        result = run("inspect", file, "--json", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)))
        equal((result.returncode, result.stdout), (1, b""), name)
        check(b"no memory left" in result.stderr, name, result.stderr)
        result = run("doctor", file, "--json", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)))
        report = json.loads(result.stdout)
        equal((result.returncode, report["ok"], report["problems"][0]["code"]), (1, False, "failed"), name)


def test_corpus():
    """Every sound file of the corpus and the models that are there, by their own headers."""
    corpus, models = os.environ.get("HEARTH_CORPUS"), os.environ.get("HEARTH_TEST_MODELS")
    seen = 0
    for place in ["archs", "tokenizers", "pretokenizers"]:
        where = os.path.join(corpus or "", place)
        for name in sorted(os.listdir(where)) if corpus and os.path.isdir(where) else []:
            if name.endswith(".gguf"):
                report = examine(os.path.join(where, name))
                equal([p for p in report["problems"] if p["severity"] != "info"], [], name)
                seen += 1
    if not seen:
        missing("corpus", "no files")
    for name in ("smollm2.gguf", "gemma3.gguf"):
        file = os.path.join(models or "", name)
        if models and os.path.exists(file):
            report = examine(file)
            equal([p for p in report["problems"] if p["severity"] != "info"], [], name)
        else:
            missing(name, "the model is not there")


if __name__ == "__main__":
    main(test_cases, test_deep, test_other, test_sparse, test_memory, test_corpus)
