# SPDX-License-Identifier: GPL-3.0-or-later
"""Command lines: help, options and files in any order, exit statuses, outputs that cannot be written."""
import json
import os
import subprocess

import gguf_writer as gguf
from tool import EMBER, PATIENCE, check, equal, fails, main, path, run, run_json

COMMANDS = ["inspect", "fit", "tokenize", "template", "eval", "complete", "chat", "sample", "bench",
            "cpu"]
MODEL = path("model.gguf")
gguf.successor_model(MODEL)
JINJA, CONTEXT, IDS, CASES = path("t.jinja"), path("context.json"), path("ids.i32"), path("cases.json")
with open(JINJA, "w") as file:
    file.write("Hello {{ name }}")
with open(CONTEXT, "w") as file:
    file.write('{"name": "you"}')
with open(IDS, "wb") as file:
    file.write(b"a\0\0\0b\0\0\0")
with open(CASES, "w") as file:
    file.write('[{"name": "x", "vocab": 2, "logits": [0, 1], "history": [], '
               '"chain": [{"sampler": "top_k", "k": 1}]}]')
OUT = path("out.f32")
# A sound call of each command.
SOUND = {"inspect": [MODEL], "fit": [MODEL], "tokenize": [MODEL, "--text", "abc"],
         "template": [JINJA, "--context", CONTEXT], "eval": [MODEL, "--tokens", IDS, "--logits", OUT],
         "complete": [MODEL, "-p", "abc", "-n", "3"], "chat": [MODEL, "-p", "abc", "-n", "3"],
         "sample": [CASES], "bench": [MODEL, "--prompt", "4", "--gen", "2", "--repeat", "1"],
         "cpu": []}


def test_help_and_version():
    for words in (["--version"], ["--help"], ["-h"], ["help"]):
        result = run(*words)
        equal((result.returncode, result.stderr), (0, b""), words)
        check(result.stdout.startswith(b"ember 0" if words == ["--version"] else b"Usage: ember COMMAND"))
    for command in COMMANDS:
        check(f"\n  {command} ".encode() in run("--help").stdout, command)
        want = run(command, "--help").stdout
        check(want.startswith(f"Usage: ember {command} ".encode()), want[:60])
        check(b"--json" in want and b"--set KEY=TYPE:VALUE" in want, want)
        check(all(len(line) <= 100 for line in want.decode().splitlines()), command, "is too wide")
        # Everywhere: behind a file, behind a mistake, asked for the other way round.
        for words in ([command, *SOUND[command], "--help"], [command, "--wrong", "--help"],
                      ["help", command]):
            result = run(*words)
            equal((result.returncode, result.stdout, result.stderr), (0, want, b""), words)
    for command in ("eval", "complete", "chat", "bench", "fit"):
        for option in (b"--threads N", b"--kv f16|f32", b"--ctx N", b"--batch N"):
            check(option in run(command, "--help").stdout, command, option)


def test_usage():
    fails(2, "--help")
    fails(2, ["nonsense", "--help"], "nonsense")
    fails(2, "--json", "--json", "inspect", MODEL)
    for command in COMMANDS:
        fails(2, ["--wrong", f"ember {command} --help"], command, "--wrong", *SOUND[command])
        fails(2, "--wrong", command, *SOUND[command], "--wrong=3")
        fails(2, "no value", command, *SOUND[command], "--json=yes")
        fails(2, ["needs a value", "--set"], command, *SOUND[command], "--set")
        fails(2, "file", command, *SOUND[command], "other.gguf")
        if SOUND[command]:
            fails(2, "missing", command)
    for value in ("x", "", "1.5", "-1", "0", "0x10", " 3", "3 ", "99999999999999999999"):
        fails(2, "--threads", "fit", MODEL, "--threads", value)
        fails(2, "--ctx", "bench", MODEL, "--ctx=" + value)
    for value in ("", "x", "nan", "1e999", "0x1p3", "1,5"):
        fails(2, "--temp", "complete", MODEL, "-p", "a", "--temp", value)
    fails(2, "f16|f32", "fit", MODEL, "--kv", "f8")
    fails(2, "f16|f32", "fit", MODEL, "--kv", "f16|f32")
    fails(2, "--logits", "eval", MODEL, "--tokens", IDS)
    fails(2, "--tokens", "eval", MODEL, "--logits", OUT)
    for rows in ("some", "last:", "last:0", "last:-1", "last:x", "first:3"):
        fails(2, rows, "eval", MODEL, "--tokens", IDS, "--logits", OUT, "--rows", rows)
    fails(2, "--context", "template", JINJA)
    for now in ("", "today", "2026-13-01T00:00:00", "2026-02-29T00:00:00", "2026-07-26T24:00:00",
                "2026-07-26 12:34:56", "2026-07-26T12:34:56Z", "2026-07-26T12:34", "0000-01-01T00:00:00"):
        fails(2, "--now", "template", JINJA, "--context", CONTEXT, "--now", now)
    for bias in ("5", "=1", "x=1", "5=", "5=x", "-1=2", "5=nan"):
        fails(2, "--logit-bias", "complete", MODEL, "-p", "a", "--logit-bias", bias)
    fails(2, "-p", "chat", MODEL, "--json")
    fails(2, "--ctx", "bench", MODEL, "--ctx", "10")
    fails(2, "--prompt", "bench", MODEL, "--prompt", "0", "--gen", "0")
    fails(2, "top-p", "complete", MODEL, "-p", "a", "--top-p", "-3")
    for wrong in ("", "a", "a=b", "a=u8:256", "a=i8:x", "a=what:1", "=u8:1", "a=bool:2"):
        for command in ("inspect", "fit", "tokenize", "eval", "complete", "bench"):
            fails(2, "", command, *SOUND[command], "--set", wrong)


def test_order():
    want = run_json("tokenize", MODEL, "--special", "--text", "a<|eos|>")
    equal(want, {"ids": [97, gguf.EOS], "pieces": ["a", "<|eos|>"]})
    for words in (["--text=a<|eos|>", MODEL, "--special"], ["--special", "--text", "a<|eos|>", MODEL],
                  ["--special", "--text=a<|eos|>", "--", MODEL]):
        result = run("tokenize", "--json", *words)
        equal(json.loads(result.stdout or b"null"), want, words)
    # A value may look like an option, and may hold the sign.
    equal(run_json("tokenize", MODEL, "--text", "--json")["ids"], list(b"--json"))
    equal(run_json("tokenize", MODEL, "--text=--help=1")["ids"], list(b"--help=1"))
    equal(run_json("tokenize", MODEL, "--text=")["ids"], [])
    # The last one counts; --set adds up.
    equal(run_json("tokenize", MODEL, "--text=x", "--text", "y")["ids"], [121])
    keys = run_json("inspect", MODEL, "--set", "a.b=u8:7", "--set=c=str:x=y")["metadata"]
    equal((keys["a.b"], keys["c"]), ({"type": "u8", "value": 7}, {"type": "str", "value": "x=y"}))
    # A file whose name looks like an option.
    os.chdir(os.path.dirname(MODEL))
    os.link(MODEL, "--odd.gguf")
    result = run("tokenize", "--json", "--text=a", "--", "--odd.gguf")
    equal((result.returncode, result.stderr), (0, b""))
    fails(2, "--odd.gguf", "tokenize", "--text=a", "--odd.gguf")


def test_outputs():
    """A full disk, a closed output and a reader that leaves are failures with a sentence."""
    with open("/dev/full", "wb") as full:
        for command in COMMANDS:
            for more in ([], ["--json"], ["--help"]):
                fails(1, "standard output", command, *SOUND[command], *more, stdout=full)
        fails(1, "standard output", "--help", stdout=full)
        fails(1, "standard output", "--version", stdout=full)
    for command in COMMANDS:
        fails(1, "standard output", command, *SOUND[command], "--json", stdout=None,
              preexec_fn=lambda: os.close(1))
    # The logits file must not be handed the number of the closed output.
    equal(os.path.getsize(OUT), 2 * 4 * gguf.N_VOCAB, "logits file")
    for command in ("inspect", "complete"):
        reader, writer = os.pipe()
        os.close(reader)
        fails(1, "standard output", command, *SOUND[command], stdout=writer)
        os.close(writer)
    # Closed standard input and error are no reason to crash.
    for command in ("tokenize", "complete", "chat"):
        result = subprocess.run([EMBER, command, MODEL], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                timeout=PATIENCE, preexec_fn=lambda: os.close(0))
        equal((result.returncode, result.stdout), (1, b""), command)
        check(result.stderr.startswith(b"ember: standard input: "), result.stderr)
    result = subprocess.run([EMBER, "inspect", path("none")], stdout=subprocess.PIPE, timeout=PATIENCE,
                            preexec_fn=lambda: os.close(2))
    equal((result.returncode, result.stdout), (1, b""))


def test_files():
    for command in COMMANDS[:-1]:
        call = [path("no-such-file") if word in (MODEL, JINJA, CASES) else word
                for word in SOUND[command]]
        fails(1, "no-such-file", command, *call)
        fails(1, "", command, *[path("") if word in (MODEL, JINJA, CASES) else word
                                for word in SOUND[command]])
    # Names are not trusted either.
    for command in ("inspect", "template", "sample"):
        odd = path("a\x1b[31m\nb\x07.gguf")
        said = fails(1, "[31m", command, *[odd if word in (MODEL, JINJA, CASES) else word
                                           for word in SOUND[command]])
        check("\x1b" not in said and "\x07" not in said, repr(said))


main(test_help_and_version, test_usage, test_order, test_outputs, test_files)
