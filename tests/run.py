#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""run.py [SUITE...]: every suite or the named ones, and the closing line "N passed, N failed, N skipped".

./dev test calls it where the tools are. A suite is a function here; the test programs themselves are
Meson tests. Totals are the sums of what the programs print (tests/test.h, GLib's "ok" lines, the
checks' "N of M"); a program that prints no count is one. Logs: build/logs. With CI set, something
that is missing (a model, the corpus) fails instead of being skipped.
"""
import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build")
LOGS = os.path.join(BUILD, "logs")
SHARED = os.path.join(os.path.dirname(ROOT), "shared")
MODELS = os.environ.get("HEARTH_TEST_MODELS", "")
JOBS = str(os.cpu_count() or 2)
# A window test waits for the window more than it computes, but its models do compute.
WINDOWS = str(min(os.cpu_count() or 2, 8))
CI = bool(os.environ.get("CI"))
FUZZ_SECONDS = 60

CLOSING = re.compile(r"^(?:\w+: )?(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.M)
N_OF_M = re.compile(r"(\d+) of (\d+) (?:as expected|as planned|equal|prompts as expected)")
ARCHS = re.compile(r"architectures: (\d+) equal .*, (\d+) refused, (\d+) wrong")

# System libraries only: what they keep until the process ends is not ours to free.
SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=1:abort_on_error=0:strict_string_checks=1:allocator_may_return_null=1",
    "LSAN_OPTIONS": f"suppressions={ROOT}/tests/lsan.supp:print_suppressions=0",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1",
}

totals = [0, 0, 0]
in_suite = [0, 0, 0]


def count(passed=0, failed=0, skipped=0):
    for i, n in enumerate((passed, failed, skipped)):
        totals[i] += n
        in_suite[i] += n


def fail(what, output="", log=None):
    count(failed=1)
    show(what, output, log)


def show(what, output="", log=None):
    """The end of an output, after the lines in it that say what failed."""
    print(f"  FAILED {what}" + (f" (whole log: {log})" if log else ""))
    lines = output.strip().splitlines()
    failed = [line for line in lines[:-25] if re.match(r"\s*(FAILED|not ok)\b", line)][:20]
    for line in failed + (["[…]"] if failed else []) + lines[-25:]:
        print("    " + line[:400])
    sys.stdout.flush()


def missing(what):
    """Something that could have been there."""
    count(failed=1 if CI else 0, skipped=0 if CI else 1)
    print(f"  {'FAILED' if CI else 'skipped'} {what}")


def run(log, command, env=None, timeout=3600):
    """Runs a command with its output in build/logs/LOG.log; returns (status, output, path)."""
    os.makedirs(LOGS, exist_ok=True)
    path = os.path.join(LOGS, log + ".log")
    with open(path, "wb") as out:
        try:
            status = subprocess.run(command, cwd=ROOT, env={**os.environ, **(env or {})},
                                    stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                    timeout=timeout).returncode
        except subprocess.TimeoutExpired:
            out.write(b"\nno end in %d s\n" % timeout)
            status = 124
        except OSError as e:
            out.write(str(e).encode())
            status = 127
    return status, open(path, errors="replace").read(), path


# ---- builds --------------------------------------------------------------------------------------

built = {}

BUILDS = {
    "gcc": ("gcc", ["--buildtype=release", "-Dwerror=true"]),
    "clang": ("clang", ["--buildtype=release", "-Dwerror=true"]),
    "asan": ("clang", ["--buildtype=debugoptimized", "-Dfuzz=true",
                       "-Db_sanitize=address,undefined", "-Db_lundef=false",
                       "-Dc_args=-fno-sanitize-recover=undefined -fsanitize=fuzzer-no-link "
                       "-fno-omit-frame-pointer"]),
    "tsan": ("gcc", ["--buildtype=debugoptimized", "-Dapp=disabled",
                     "-Db_sanitize=thread", "-Db_lundef=false"]),
    "arm": (None, ["--buildtype=release", "-Dwerror=true", "-Dapp=disabled",
                   f"--cross-file={ROOT}/tests/aarch64.ini"]),
}


def build(name):
    """Configures and builds build/NAME once per run; its folder, or None after a failure."""
    if name in built:
        if not built[name]:
            print(f"  not run: build/{name} could not be built")
        return built[name]
    built[name] = None
    folder = os.path.join(BUILD, name)
    compiler, options = BUILDS[name]
    stamp = os.path.join(folder, "hearth-options")
    key = json.dumps([compiler, options, os.environ.get("HEARTH_INSIDE")])
    if not os.path.exists(stamp) or open(stamp).read() != key:
        shutil.rmtree(folder, ignore_errors=True)
        env = {"CC": compiler} if compiler else {}
        status, output, log = run(f"{name}-setup", ["meson", "setup", folder, ROOT, *options], env)
        if status:
            fail(f"setting up build/{name}", output, log)
            return None
        with open(stamp, "w") as f:
            f.write(key)
    status, output, log = run(f"{name}-build", ["ninja", "-C", folder, "-k", "0"])
    if status:
        errors = [l for l in output.splitlines() if re.search(r"error:|^FAILED|undefined reference", l)]
        fail(f"building build/{name}", "\n".join(errors[:25]), log)
        return None
    built[name] = folder
    return folder


def suite_build(name):
    """A build with warnings as errors counts as one check."""
    if build(name):
        count(passed=1)


# ---- Meson tests ---------------------------------------------------------------------------------


def counts_of(output):
    """(passed, failed, skipped) as a test program printed them, or None."""
    found = CLOSING.findall(output)
    if found:
        return [int(n or 0) for n in found[-1]]
    tap = re.findall(r"^(not ok|ok) \d+(.*)$", output, re.M)
    if tap:
        skipped = sum("# SKIP" in rest.upper() for _, rest in tap)
        failed = sum(word == "not ok" for word, _ in tap)
        return [len(tap) - failed - skipped, failed, skipped]
    return None


def meson_suite(build_name, suite, log=None, multiplier=3, jobs=JOBS, env=None, names=()):
    """The tests of a suite, or of it those that are named, in one of the builds."""
    folder = build(build_name)
    if not folder:
        return
    log = log or suite
    listing = subprocess.run(["meson", "test", "-C", folder, "--no-rebuild", "--list", "--suite", suite],
                             capture_output=True, text=True)
    if not listing.stdout.strip():
        missing(f"no test program in suite {suite}")
        return
    results = os.path.join(folder, "meson-logs", f"{log}.json")
    if os.path.exists(results):
        os.remove(results)
    status, output, path = run(log, ["meson", "test", "-C", folder, "--no-rebuild", "--suite", suite,
                                     "--logbase", log, "-t", str(multiplier), "--num-processes", jobs, *names],
                               {**SANITIZERS, **(env or {})})
    whole = os.path.join(folder, "meson-logs", f"{log}.txt")
    if os.path.exists(whole):
        shutil.copy(whole, path) # with what each program said
    if not os.path.exists(results):
        fail(f"suite {suite} did not run", output, path)
        return
    failures = 0
    for line in open(results, errors="replace"):
        test = json.loads(line)
        text = test.get("stdout") or ""
        # The sanitizers write to standard error, programs and closing lines to standard output.
        report = text + "\n" + (test.get("stderr") or "")
        result = test["result"]
        n = counts_of(text)
        if n is None:
            n = [int(result == "OK"), 0, int(result == "SKIP")]
        if result not in ("OK", "SKIP", "EXPECTEDFAIL"):
            failures += 1
            n[1] = max(n[1], 1)
            show(f"{test['name']}: {result.lower()}", report, path)
        count(*n)
    if status and not failures:
        fail(f"suite {suite}: meson test gave {status}", output, path)


# ---- suites --------------------------------------------------------------------------------------


def suite_format():
    """clang-format and what an editor does by .editorconfig; sh -n and shellcheck for the scripts."""
    files = subprocess.run(["git", "ls-files", "-z", "-c", "-o", "--exclude-standard"], cwd=ROOT,
                           capture_output=True, text=True).stdout.split("\0")
    files = sorted({f for f in files if f and os.path.isfile(os.path.join(ROOT, f))})
    sources = [f for f in files if re.match(r"(engine|src|tests)/.*\.[ch]$", f)]
    status, output, log = run("format", ["clang-format", "--dry-run", "-Werror", "--ferror-limit=1", *sources])
    bad = sorted(set(re.findall(r"^(\S+?\.[ch]):\d+", output, re.M)))
    count(passed=len(sources) - len(bad), failed=len(bad))
    if status and not bad:
        fail("clang-format", output, log)
    for f in bad:
        show(f"{f}: not as clang-format writes it")
    for f in files:
        path = os.path.join(ROOT, f)
        first = open(path, "rb").read(64)
        if f.endswith(".sh") or first.startswith(b"#!/bin/sh"):
            for tool in (["sh", "-n"], ["shellcheck"]):
                if not shutil.which(tool[0]):
                    missing(f"{f}: no {tool[0]}")
                    continue
                shell = subprocess.run([*tool, path], capture_output=True, text=True)
                if shell.returncode:
                    fail(f"{f}: {tool[0]}", shell.stdout + shell.stderr)
                else:
                    count(passed=1)
        if re.search(r"\.([ch]|py|sh|build|options|ui|comp)$", f):
            text = open(path, errors="replace").read()
            if re.search(r"[ \t]$", text, re.M) or (text and not text.endswith("\n")):
                fail(f"{f}: white space at the end of a line, or no newline at the end")


def suite_asan():
    meson_suite("asan", "engine", log="asan-engine", multiplier=10)
    meson_suite("asan", "core", log="asan-core", multiplier=10)


def suite_arm():
    machine = os.uname().machine
    if machine != "x86_64":
        missing("the cross-build is made on x86-64 only")
        return
    if not shutil.which("qemu-aarch64") or not os.path.exists("/usr/lib/aarch64-linux-gnu/libpcre2-8.so"):
        missing("qemu-user or libpcre2-dev:arm64 is not installed")
        return
    env = {"QEMU_CPU": "max"}
    meson_suite("arm", "kernels", log="arm-kernels", multiplier=10, env=env)
    meson_suite("arm", "engine", log="arm-forward", multiplier=20, env=env, names=["forward"])
    folder = build("arm")
    if not folder:
        return
    ember = f"qemu-aarch64 -cpu max {folder}/engine/tools/ember"
    check("arm-model", "check_archs.py", [ember, f"{SHARED}/corpus/archs"], {"ONLY": "^(llama|gemma3)-dense"})


def suite_fuzz():
    folder = build("asan")
    if not folder:
        return
    targets = sorted(p for p in glob.glob(f"{folder}/tests/fuzz/fuzz-*") if os.path.isfile(p) and os.access(p, os.X_OK))
    if not targets:
        missing("no fuzz target")
        return
    running = []
    for target in targets:
        name = os.path.basename(target)
        work = os.path.join(BUILD, "fuzz", name)
        os.makedirs(work, exist_ok=True)
        log = open(os.path.join(LOGS, name + ".log"), "w")
        seeds = [s for s in (os.path.join(folder, "tests/fuzz/seeds", name), f"{ROOT}/tests/fuzz/seeds/{name}")
                 if os.path.isdir(s)]
        command = [target, f"-max_total_time={FUZZ_SECONDS}", "-timeout=120", "-rss_limit_mb=2048",
                   f"-artifact_prefix={BUILD}/fuzz/{name}-", "-print_final_stats=1", work, *seeds]
        running.append((name, log, subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                                    stderr=subprocess.STDOUT, env={**os.environ, **SANITIZERS})))
    for name, log, process in running:
        try:
            status = process.wait(timeout=FUZZ_SECONDS + 600)
        except subprocess.TimeoutExpired:
            process.kill()
            status = process.wait()
        log.close()
        output = open(log.name, errors="replace").read()
        done = re.search(r"stat::number_of_executed_units: (\d+)", output)
        if status or not done or int(done.group(1)) == 0:
            fail(f"{name}: exit {status}", output, log.name)
        else:
            count(passed=1)
            print(f"  {name}: {done.group(1)} inputs, no finding")


def check(log, script, arguments, env=None, timeout=3600):
    """One of ../shared/checks; its cases are counted from its closing words."""
    path = os.path.join(SHARED, "checks", script)
    if not os.path.exists(path):
        missing(f"{script}: no ../shared/checks")
        return
    status, output, where = run(log, ["python3", "-B", path, *arguments], env, timeout)
    found = N_OF_M.findall(output)
    archs = ARCHS.search(output)
    if archs:
        passed, bad = int(archs[1]), int(archs[2]) + int(archs[3])
    elif found:
        passed, bad = int(found[-1][0]), int(found[-1][1]) - int(found[-1][0])
    else:
        passed, bad = 0, 0
    if status == 0 and script == "check_pictures.py":
        passed = 1 # it says something about bad ones only
    if status:
        bad = max(bad, 1)
        show(script, output, where)
    elif bad == 0 and passed == 0:
        bad = 1
        show(f"{script}: nothing was checked", output, where)
    count(passed, bad)


# Widened as the engine learns more; each pattern is a check's own ONLY.
ARCHITECTURES = "^(llama|gemma3|qwen2|qwen3)-dense"
TOKENIZERS = "^(gpt-2|llama-spm|phi-3)"
PRE_NAMES = ("smollm|starcoder|refact|command-r|codeshell|exaone|minerva-7b|mellum2|"
             "gpt-2|phi-2|mpt|olmo|jais|gigachat|exaone4|modern-bert|mellum|jina-.*|roberta-bpe|a.x-4.0|trillion|"
             "granite-docling|llama-bpe|llama3|llama-v3|falcon3|falcon-h1|pixtral|midm-2.0|lfm2|dbrx|smaug-bpe|"
             "glm4|chatglm-bpe|qwen2|deepseek-r1-qwen|kormo|f2llmv2|megrez|hunyuan|solar-open|grok-2|stablelm2")
TEMPLATES = ("^(Qwen-Qwen2.5-7B-Instruct|Qwen-QwQ-32B|meta-llama-Llama-3.1-8B|meta-llama-Llama-3.2-3B|"
             "microsoft-Phi-3.5-mini|Mistral-Small-3.2|NousResearch-Hermes-2-Pro|GLM-4.6|LFM2-8B|"
             "deepseek-ai-DeepSeek-R1-Distill-Llama)")


def suite_checks():
    folder = build("gcc")
    if not folder:
        return
    corpus = os.path.join(SHARED, "corpus")
    if not os.path.isdir(corpus):
        missing("no ../shared/corpus")
        return
    ember = f"{folder}/engine/tools/ember"
    check("check-archs", "check_archs.py", [ember, f"{corpus}/archs"], {"ONLY": ARCHITECTURES})
    check("check-tokenizers", "check_tokenizers.py", [ember, corpus], {"ONLY": TOKENIZERS, "ONLY_PRE": PRE_NAMES})
    check("check-templates", "check_templates.py", [ember, f"{corpus}/templates"], {"ONLY": TEMPLATES})
    check("check-samplers", "check_samplers.py", [f"{corpus}/samplers/cases.json", "--", ember])
    models = [f"{MODELS}/{m}" for m in ("smollm2.gguf", "gemma3.gguf")]
    for model in models:
        if not os.path.exists(model):
            missing(f"{model}: not fetched")
            return
    check("check-real-models", "check_real_models.py", [ember, MODELS, f"{corpus}/real-models"])
    check("check-plan", "check_plan.py", [ember, *models])


def suite_run():
    """./dev run as a newcomer types it: the window's answer is the tool's, and the picture shows something."""
    folder = build("gcc")
    if not folder:
        return
    model = f"{MODELS}/smollm2.gguf"
    if not os.path.exists(model):
        missing(f"{model}: not fetched")
        return
    question = "What is gravity?"
    env = {"HEARTH_RELEASE": folder, "HEARTH_ASK": question, "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    os.makedirs(LOGS, exist_ok=True)
    with open(f"{LOGS}/run.log", "wb") as errors:
        window = subprocess.run(["sh", f"{ROOT}/dev", "run"], cwd=ROOT, env={**os.environ, **env}, stderr=errors,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=600)
    lines = window.stdout.decode(errors="replace").split("\n")
    if window.returncode or len(lines) < 3 or lines[-1]:
        fail(f"./dev run gave {window.returncode}", window.stdout.decode(errors="replace") +
             open(f"{LOGS}/run.log", errors="replace").read(), f"{LOGS}/run.log")
        return
    picture, answer = lines[-3], lines[-2]
    tool = subprocess.run([f"{folder}/engine/tools/ember", "chat", model, "-p", question, "--temp", "0"],
                          capture_output=True, stdin=subprocess.DEVNULL, timeout=600)
    expected = " ".join(tool.stdout.decode(errors="replace").split())
    if tool.returncode or not expected or " ".join(answer.split()) != expected:
        fail("the window's answer is not the tool's", f"window: {answer}\ntool:   {expected}")
    else:
        count(passed=1)
    if not os.path.isabs(picture) or open(picture, "rb").read(8) != b"\x89PNG\r\n\x1a\n":
        fail(f"no picture: {picture}")
    else:
        count(passed=1)
    check("run-picture", "check_pictures.py", [picture])


SUITES = {
    "gcc": lambda: suite_build("gcc"),
    "layers": lambda: meson_suite("gcc", "layers"),
    "headers": lambda: meson_suite("gcc", "headers"),
    "format": suite_format,
    "engine": lambda: meson_suite("gcc", "engine"),
    "kernels": lambda: meson_suite("gcc", "kernels"),
    "core": lambda: meson_suite("gcc", "core"),
    "ui": lambda: meson_suite("gcc", "ui", jobs=WINDOWS),
    "run": suite_run,
    "checks": suite_checks,
    "clang": lambda: suite_build("clang"),
    "asan": suite_asan,
    "fuzz": suite_fuzz,
    "tsan": lambda: meson_suite("tsan", "threads", log="tsan", multiplier=10),
    "arm": suite_arm,
}


def main():
    global FUZZ_SECONDS
    parser = argparse.ArgumentParser(description="Runs the test suites.")
    parser.add_argument("--fuzz-seconds", type=int, default=FUZZ_SECONDS)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=" ".join(SUITES))
    arguments = parser.parse_args()
    FUZZ_SECONDS = arguments.fuzz_seconds
    for name in arguments.suites:
        if name not in SUITES:
            parser.error(f"no suite {name}; there are: {' '.join(SUITES)}")
    os.makedirs(LOGS, exist_ok=True)
    for name, suite in SUITES.items():
        if arguments.suites and name not in arguments.suites:
            continue
        in_suite[:] = [0, 0, 0]
        start = time.monotonic()
        suite()
        passed, failed, skipped = in_suite
        print(f"{name:8} {passed:7} ok" + (f", {failed} FAILED" if failed else "") +
              (f", {skipped} skipped" if skipped else "") + f"  [{time.monotonic() - start:.0f} s]")
        sys.stdout.flush()
    print("{} passed, {} failed, {} skipped".format(*totals))
    sys.exit(1 if totals[1] or not totals[0] else 0)


if __name__ == "__main__":
    main()
