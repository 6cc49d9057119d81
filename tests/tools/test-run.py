# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands that run a model: eval, complete, chat, bench, on a model whose answers are known."""
import array
import json
import math
import os
import shutil
import pty
import re
import select
import signal
import struct
import subprocess

import gguf_writer as gguf
from tool import EMBER, PATIENCE, check, equal, fails, main, path, run, run_json

MODEL, BARE, ENDLESS = path("model.gguf"), path("bare.gguf"), path("endless.gguf")
gguf.successor_model(MODEL)
gguf.successor_model(BARE, vocab=False)
gguf.successor_model(ENDLESS, n_ctx=1 << 20)
ALPHABET = "abcdefghijklmnopqrstuvwxyz"
AFTER = gguf.successors()


def floats(file):
    values = array.array("f")
    with open(file, "rb") as source:
        values.frombytes(source.read())
    return values


def ids_file(ids):
    with open(path("ids.i32"), "wb") as out:
        out.write(struct.pack(f"<{len(ids)}i", *ids))
    return path("ids.i32")


def test_eval():
    ids = list(b"abcz!0123") + [gguf.BOS, 7, 7]
    tokens, out = ids_file(ids), path("out.f32")
    # A unit vector of length 320 has a root mean square of 1/sqrt(320).
    peak = 1 / math.sqrt(1 / gguf.WIDTH + 1e-5)
    whole = None
    for more in ([], ["--batch", "1"], ["--batch=4"], ["--ctx", "100"], ["--kv", "f32"],
                 ["--threads", "2"], ["--rows", "all"]):
        seen = run_json("eval", BARE, "--tokens", tokens, "--logits", out, *more)
        equal((seen["tokens"], seen["rows"], seen["columns"]), (len(ids), len(ids), gguf.N_VOCAB), more)
        logits = floats(out)
        equal(len(logits), len(ids) * gguf.N_VOCAB, more)
        for row, token in enumerate(ids):
            columns = logits[row * gguf.N_VOCAB:(row + 1) * gguf.N_VOCAB]
            want = [0.0] * gguf.N_VOCAB
            want[AFTER[token]] = peak
            if token == ord("z"):
                want[ord("a")] = peak / 2
            check(max(abs(x - y) for x, y in zip(columns, want)) < 1e-3 * peak, more, "row", row)
        whole = whole or logits.tobytes()
    for k in (1, 5, len(ids)):
        equal(run_json("eval", BARE, "--tokens", tokens, "--logits", out, f"--rows=last:{k}")["rows"], k)
        equal(floats(out).tobytes(), whole[-4 * k * gguf.N_VOCAB:], "last rows", k)
    # More rows than are held at once.
    many = [i % 250 for i in range(100)]
    run_json("eval", BARE, "--tokens", ids_file(many), "--logits", out)
    logits = floats(out)
    equal([max(range(gguf.N_VOCAB), key=logits[r * gguf.N_VOCAB:(r + 1) * gguf.N_VOCAB].__getitem__)
           for r in range(100)], [AFTER[token] for token in many])
    check(b"100 tokens" in run("eval", BARE, "--tokens", tokens, "--logits", out).stdout)


def test_eval_refuses():
    out = path("refused.f32")
    call = ["eval", BARE, "--logits", out, "--tokens"]
    for data in (b"", b"12345", b"abc"):
        with open(path("odd.i32"), "wb") as file:
            file.write(data)
        fails(1, "odd.i32", *call, path("odd.i32"))
    for wrong in (gguf.N_VOCAB, -1, 2**31 - 1):
        fails(1, str(wrong), *call, ids_file([1, 2, wrong]))
        check(not os.path.exists(out) or os.path.getsize(out) == 0, "half a result is left")
    fails(1, "last:4", *call, ids_file([1, 2, 3]), "--rows", "last:4")
    fails(1, "2", *call, ids_file([1, 2, 3]), "--ctx", "2")
    fails(1, ["/dev/full", "space"], "eval", BARE, "--tokens", ids_file([1, 2]), "--logits", "/dev/full")
    fails(1, "no-folder", "eval", BARE, "--tokens", ids_file([1]), "--logits", path("no-folder/out.f32"))
    fails(1, ["/dev/zero", "256"], "eval", BARE, "--logits", out, "--tokens", "/dev/zero")
    # The model itself as the output: it is mapped, and it is somebody's model.
    with open(BARE, "rb") as file:
        before = file.read()
    fails(1, "model file", "eval", BARE, "--tokens", ids_file([1]), "--logits", BARE)
    with open(BARE, "rb") as file:
        check(file.read() == before, "the model file was changed")
    for command in (["complete", BARE, "-p", "a"], ["chat", BARE, "-p", "a"]):
        fails(1, "vocabulary", *command)


def complete(*more, text="abc", file=MODEL):
    return run_json("complete", file, "-p", text, "--temp", "0", *more)


def test_complete():
    seen = complete()
    equal(list(seen), ["text", "ids", "stop", "prompt_tokens", "reused_tokens", "prefill_tps", "decode_tps"])
    equal((seen["text"], seen["stop"]), (ALPHABET[3:], "end"))
    equal(seen["ids"], list(ALPHABET[3:].encode()) + [gguf.EOS], "ids with the ending token")
    equal((seen["prompt_tokens"], seen["reused_tokens"]), (3, 0))
    check(seen["prefill_tps"] > 0 and seen["decode_tps"] > 0, seen)
    for more in (["--batch", "1"], ["--threads", "2"], ["--kv", "f32"], ["--ctx", "64"], ["--top-k", "1"]):
        equal(complete(*more)["text"], ALPHABET[3:], more)

    def short(seen):
        return seen["text"], seen["stop"], len(seen["ids"])

    equal(short(complete("-n", "4")), ("defg", "length", 4))
    equal(short(complete("-n=1")), ("d", "length", 1))
    equal(short(complete("--stop", "hij")), ("defg", "stop", 7))
    equal(short(complete("--stop", "nowhere", "--stop=fg", "--stop", "m")), ("de", "stop", 4))
    seen = complete("--ctx", "8", text="012")
    equal(seen["stop"], "context")
    check("3456789"[:len(seen["text"])] == seen["text"] and 5 <= len(seen["ids"]) <= 6, seen)
    fails(1, ["8", "20"], "complete", MODEL, "-p", "0" * 20, "--ctx", "8")
    # An é of two tokens comes whole, and a special token in the text is one.
    equal(short(complete(text="!")), ("\u00e9.", "end", 4))
    equal(complete("-n", "1", text="<|eos|>")["prompt_tokens"], 1)
    equal(complete("-n", "1", text="<|bos|>a", )["prompt_tokens"], 2)
    adds = ["--set", "tokenizer.ggml.add_bos_token=bool:true"]
    equal(complete("-n", "1", *adds, text="a")["prompt_tokens"], 2)
    equal(complete("-n", "1", *adds, text="<|bos|>a")["prompt_tokens"], 2, "BOS is not added twice")
    fails(1, "empty", "complete", MODEL, "-p", "")
    # As it is shown to a person.
    result = run("complete", MODEL, "--temp", "0", "-p", "abc")
    equal((result.returncode, result.stdout, result.stderr), (0, ALPHABET[3:].encode() + b"\n", b""))
    result = run("complete", MODEL, "--temp", "0", stdin=b"ab")
    equal(result.stdout, ALPHABET[2:].encode() + b"\n", "text from standard input")


def test_sampling():
    equal(complete("--logit-bias", "33=1000", "-n", "3")["ids"], [33, 33, 33])
    banned = complete("--logit-bias", f"{gguf.EOS}=-inf", "-n", "30")
    equal(banned["text"], ALPHABET[3:] + ALPHABET[:7], "with the end banned it starts again")
    equal(complete("--ignore-eos", "-n", "30")["text"], banned["text"])
    # Hot enough that 260 tokens have a chance.
    hot = ["--temp", "50", "--top-k", "0", "--top-p", "1", "--min-p", "0", "-n", "16", "--ignore-eos"]
    first = complete(*hot, "--seed", "1")["ids"]
    equal(complete(*hot, "--seed", "1")["ids"], first, "the same seed")
    check(complete(*hot, "--seed", "2")["ids"] != first, "another seed says the same")
    check(complete(*hot)["ids"] != complete(*hot, "--seed=-1")["ids"], "no seed says the same twice")
    check(first != list(ALPHABET[3:19].encode()), "temperature 50 is greedy")
    # A file's own recommendation holds until something else is asked for.
    cold = ["--set", "general.sampling.top_k=i32:1"]
    say = ["complete", MODEL, "-p", "abc", *hot[:2], *hot[4:], "--seed", "1"]
    equal(run_json(*say, *cold)["text"], ALPHABET[3:19])
    check(run_json(*say, *cold, "--top-k", "0")["text"] != ALPHABET[3:19])
    # Each takes part: what none of them changes about a certain token, and what two of them do.
    for more in (["--typical", "0.5"], ["--top-n-sigma", "1"], ["--dynatemp-range", "0.5", "--dynatemp-exp", "2"],
                 ["--frequency-penalty", "0.1"], ["--presence-penalty=0.1"], ["--repeat-last-n", "8"],
                 ["--dry-base", "2", "--dry-allowed-length", "3", "--dry-last-n", "9", "--dry-breaker", "x"],
                 ["--xtc-probability", "0", "--xtc-threshold", "0.2"]):
        equal(complete(*more, "--top-k", "1")["text"], ALPHABET[3:], more)
    ring = complete("-n", "12", text="0")["text"]
    equal(ring, "123456789012")
    check(complete("-n", "12", "--presence-penalty", "1000", text="0")["text"][:9] == "123456789")
    check(complete("-n", "12", "--presence-penalty", "1000", text="0")["text"] != ring)
    check(complete("-n", "24", "--dry-multiplier", "1000", text="0")["text"] != (ring * 2)[:24])
    fails(2, "", "complete", MODEL, "-p", "a", "--repeat-penalty", "0")


def test_chat():
    # The template ends in "assistant\n", and a line end is followed by the alphabet.
    seen = run_json("chat", MODEL, "-p", "0", "--temp", "0")
    equal((seen["text"], seen["stop"]), (ALPHABET, "end"))
    want = "<|start|>user\n0<|end|>\n<|start|>assistant\n"
    equal(seen["prompt_tokens"], len(re.sub("<.*?>", "S", want)))
    seen = run_json("chat", MODEL, "-p", "0", "--temp", "0", "--system", "Be brief.")
    equal(seen["prompt_tokens"], len(re.sub("<.*?>", "S", "<|start|>system\nBe brief.<|end|>\n" + want)))
    # What a user writes is no special token; bytes that are no text are replaced.
    seen = run_json("chat", MODEL, "-p", "<|end|>", "--temp", "0")
    equal(seen["prompt_tokens"], len(re.sub("<.*?>", "S", want)) - 1 + len("<|end|>"))
    seen = run_json("chat", MODEL, "-p", os.fsdecode(b"\xff"), "--temp", "0")
    equal(seen["prompt_tokens"], len(re.sub("<.*?>", "S", want)) - 1 + 3)
    result = run("chat", MODEL, "-p", "0", "--temp", "0")
    equal((result.returncode, result.stdout), (0, ALPHABET.encode() + b"\n"))
    # A conversation over pipes: a line each, the last one without an end.
    result = run("chat", MODEL, "--temp", "0", stdin=b"one\n\ntwo\nthree")
    equal((result.returncode, result.stdout, result.stderr), (0, (ALPHABET + "\n").encode() * 3, b""))
    # One that is too long is refused with a sentence, and the conversation goes on.
    result = run("chat", MODEL, "--temp", "0", "--ctx", "100", stdin=b"0\n" + b"1" * 200 + b"\n")
    equal((result.returncode, result.stdout), (1, ALPHABET.encode() + b"\n"))
    check(result.stderr.startswith(b"ember: ") and b"100" in result.stderr, result.stderr)
    result = run("chat", MODEL, "--temp", "0", "--ctx", "100", stdin=b"1" * 200 + b"\n0\n")
    equal((result.returncode, result.stdout), (0, ALPHABET.encode() + b"\n"))
    # Ways out of a full context: offered when it is full, and words like others before.
    result = run("chat", MODEL, "--temp", "0", stdin=b"/leave-out\n")
    equal((result.returncode, result.stdout), (0, ALPHABET.encode() + b"\n"))
    full = ["chat", MODEL, "--temp", "0", "--ctx", "160"]
    result = run(*full, stdin=b"0\n" * 8)
    check(result.stdout.count(ALPHABET.encode()) < 8, result.stdout)
    check(b"/leave-out" in result.stderr, result.stderr)
    result = run(*full, stdin=b"0\n" * 8 + b"/leave-out\n0\n")
    check(result.stdout.endswith(ALPHABET.encode() + b"\n"), result.stdout)
    result = run(*full, "--leave-out", stdin=b"0\n" * 12)
    equal((result.returncode, result.stdout), (0, (ALPHABET + "\n").encode() * 12))
    equal(run("chat", MODEL, stdin=b"").returncode, 0)
    # A base model continues the plain text.
    gguf.successor_model(path("base.gguf"), keys=gguf.vocabulary(None))
    equal(run_json("chat", path("base.gguf"), "-p", "abc", "--temp", "0")["text"], ALPHABET[3:])


# ---- Ctrl-C ----

ENDLESS_ARGS = [ENDLESS, "--ignore-eos", "--temp", "0", "--ctx", "200000"]


def start(*args, **more):
    return subprocess.Popen([EMBER, *args], stderr=subprocess.PIPE, **more)


def wait_watched(process):
    """Until the program handles Ctrl-C itself."""
    while process.poll() is None:
        with open(f"/proc/{process.pid}/status") as status:
            caught = int(re.search(r"^SigCgt:\s*(\w+)", status.read(), re.M).group(1), 16)
        if caught >> (signal.SIGINT - 1) & 1:
            return
        os.sched_yield()


def test_interrupt():
    """Ctrl-C stops the answer; what was said stays."""
    for command in ("complete", "chat"):
        process = start(command, *ENDLESS_ARGS, "-p", "a", stdout=subprocess.PIPE)
        said = process.stdout.read(30)
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=PATIENCE)
        equal((process.returncode, errors), (0, b""), command)
        text = (said + rest).decode()
        check(text.endswith("\n") and (ALPHABET * 9000)[command == "complete":].startswith(text[:-1]), text[:60])
        process = start(command, *ENDLESS_ARGS, "-p", "a", "--json", stdout=subprocess.PIPE)
        wait_watched(process)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=PATIENCE)
        equal((process.returncode, errors), (0, b""), command)
        seen = json.loads(out)
        equal((seen["stop"], len(seen["text"])), ("cancel", len(seen["ids"])))
    # Stopped while a long text is still read: no rate is made of the part that was not.
    with open(path("long.txt"), "w") as out:
        out.write("a" * 100000)
    with open(path("long.txt")) as text:
        process = start("complete", *ENDLESS_ARGS, "--json", stdin=text, stdout=subprocess.PIPE)
        wait_watched(process)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=PATIENCE)
    equal((process.returncode, errors), (0, b""))
    seen = json.loads(out)
    check(seen["stop"] == "cancel" and (seen["ids"] or seen["prefill_tps"] == 0), str(seen)[:200])
    # A reader that leaves ends it, too, but that is a failure.
    process = start("complete", *ENDLESS_ARGS, "-p", "a", stdout=subprocess.PIPE)
    process.stdout.read(30)
    process.stdout.close()
    errors = process.stderr.read()
    equal(process.wait(PATIENCE), 1)
    check(errors.startswith(b"ember: ") and b"standard output" in errors, errors)


def test_shrinks():
    """A file cut short while it is in use ends the tool with a sentence, not with a signal."""
    shrinking = path("shrinking.gguf")
    gguf.successor_model(shrinking, n_ctx=1 << 20)
    process = start("complete", shrinking, *ENDLESS_ARGS[1:], "-p", "a", stdout=subprocess.PIPE)
    process.stdout.read(30)
    os.truncate(shrinking, 4096)
    while process.stdout.read(4096):
        pass
    errors = process.stderr.read()
    equal(process.wait(PATIENCE), 1, errors)
    check(errors.startswith(b"ember: ") and b"shorter" in errors and errors.count(b"\n") == 1, errors)


class Terminal:
    """The program at a terminal."""

    def __init__(self, *args):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.execv(EMBER, [EMBER, *args])
        self.seen = b""

    def expect(self, words):
        """Reads until the words came; a program that says nothing more is ended."""
        while words not in self.seen:
            try:
                ready = select.select([self.fd], [], [], PATIENCE)[0]
                part = os.read(self.fd, 4096) if ready else b""
            except OSError:
                part = b""
            if not part:
                os.kill(self.pid, signal.SIGKILL)
                return check(False, repr(words), "did not come:", self.seen[-200:])
            self.seen += part
        self.seen = self.seen[self.seen.index(words) + len(words):]
        return check(True)

    def send(self, data):
        os.write(self.fd, data)

    def status(self):
        try:
            while os.read(self.fd, 4096):
                pass
        except OSError:
            pass
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def test_terminal():
    terminal = Terminal("chat", *ENDLESS_ARGS)
    terminal.expect(b"> ")
    for _ in range(2):
        terminal.send(b"say it\n")
        terminal.expect((ALPHABET * 2).encode())
        terminal.send(b"\x03")
        terminal.expect(b"\n> ")
    terminal.send(b"\x04")
    equal(terminal.status(), 0, "end of input")
    terminal = Terminal("chat", *ENDLESS_ARGS)
    terminal.expect(b"> ")
    terminal.send(b"\x03")
    terminal.expect(b"again")
    terminal.send(b"\x03")
    equal(terminal.status(), 0, "Ctrl-C twice")
    # An answer cannot command the terminal; a pipe gets it as it is.
    escape = ["complete", MODEL, "-p", "0", "-n", "2", "--temp", "0", "--logit-bias", "27=1000"]
    terminal = Terminal(*escape)
    terminal.expect(b"\\x1b\\x1b")
    check(b"\x1b" not in terminal.seen)
    equal(terminal.status(), 0)
    equal(run(*escape).stdout, b"\x1b\x1b\n")


def test_bench():
    plan = run_json("fit", BARE, "--ctx", "300", "--kv", "f32")["devices"][0]
    seen = run_json("bench", BARE, "--prompt", "40", "--gen", "5", "--repeat", "2", "--ctx", "300",
                    "--kv", "f32", "--threads", "1")
    equal((seen["prompt"], seen["gen"], seen["depth"], seen["repeat"], seen["context"], seen["threads"],
           seen["kv_type"]), (40, 5, 0, 2, 300, 1, "f32"))
    for part in ("weights", "kv"):
        equal(seen[part + "_bytes"], plan[part], part)
    check(abs(seen["compute_bytes"] - plan["compute"]) <= 1 << 20, seen, plan)
    for figure in ("prefill_tps", "decode_tps", "load_ms", "first_token_ms", "peak_anonymous_bytes"):
        check(seen[figure] > 0, figure, seen)
    check(seen["first_token_ms"] >= 1e3 * 40 / seen["prefill_tps"] * 0.999, seen)
    equal(seen["cpu"], run_json("cpu")["level"])
    check("read_gbps" not in seen)
    equal(run_json("bench", BARE, "--prompt", "8", "--gen", "2", "--repeat", "1", env={"EMBER_CPU": "scalar"})["cpu"],
          "scalar")
    # The context is what it needs: both start at the depth.
    few = ["--repeat", "1", "--prompt"]
    equal(run_json("bench", BARE, *few, "7", "--gen", "9", "--depth", "11")["context"], 20)
    seen = run_json("bench", BARE, *few, "0", "--gen", "3", "--depth", "5")
    equal((seen["prefill_tps"], seen["first_token_ms"], seen["context"]), (None, None, 8))
    seen = run_json("bench", MODEL, *few, "3", "--gen", "0")
    equal((seen["decode_tps"], seen["context"]), (None, 3))
    seen = run_json("bench", BARE, *few, "4", "--gen", "2", "--ceilings")
    check(seen["read_gbps"] > 0 and seen["int8_gops"] > 0, seen)
    lines = {line["name"]: line for line in seen["lines"]}
    read = ["read ceiling", "read ceiling, lowest", "read ceiling, highest"]
    equal(list(lines), ["load", "first token", "prefill 4", "decode 2 at 0", *read, "int8 ceiling"])
    equal(lines["read ceiling"]["value"], seen["read_gbps"])
    check(lines[read[1]]["value"] <= seen["read_gbps"] <= lines[read[2]]["value"], seen)
    equal(lines["prefill 4"]["value"], seen["prefill_tps"])
    equal(lines["decode 2 at 0"]["value"], seen["decode_tps"])
    equal((lines["prefill 4"]["of"], lines["decode 2 at 0"]["of"]), ("int8", "read"))
    check(0 < lines["decode 2 at 0"]["share"], seen)
    said = run("bench", BARE, *few, "4", "--gen", "2").stdout.decode()
    check("prefill" in said and "tokens/s" in said and "anonymous" in said, said)
    check("ceiling" not in said, said)
    # The whole table; a file of its own can be put out of the page cache.
    own = path("own.gguf")
    shutil.copyfile(BARE, own)
    seen = run_json("bench", own, "--table", "--repeat", "1", "--threads", "2")
    names = [line["name"] for line in seen["lines"]]
    equal(len(set(names)), len(names), names)
    for name in ("first pass, warm", "load, warm", "prefill 64", "prefill 512", "prefill 2048", "batch 1", "batch 16",
                 "decode 64 at 0", "decode 64 at 2048", "decode 64 at 8192", "read ceiling", "int8 ceiling"):
        check(name in names, name, names)
    check(all(line["value"] > 0 for line in seen["lines"]), seen)
    equal(seen["context"], 8192 + 64)


def test_refuses():
    """Files that cannot be run say so before anything is printed."""
    odd = path("odd.gguf")
    gguf.write(odd, [("general.architecture", gguf.STR, "unheard-of"), *gguf.vocabulary()])
    for command in (["complete", odd, "-p", "a"], ["chat", odd, "-p", "a"], ["bench", odd],
                    ["eval", odd, "--tokens", ids_file([1]), "--logits", path("none.f32")]):
        fails(1, "unheard-of", *command)
    check(not os.path.exists(path("none.f32")))
    fails(1, "no-such-pre", "complete", MODEL, "-p", "a", "--set", "tokenizer.ggml.pre=str:no-such-pre")
    gguf.successor_model(odd, keys=gguf.vocabulary("{{ raise_exception('never') }}"))
    fails(1, "never", "chat", odd, "-p", "a")
    gguf.successor_model(odd, keys=gguf.vocabulary("{% if %}"))
    fails(1, ["template", "line 1"], "chat", odd, "-p", "a")


main(test_eval, test_eval_refuses, test_complete, test_sampling, test_chat,
     test_interrupt, test_shrinks, test_terminal, test_bench, test_refuses)
