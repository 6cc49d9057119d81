#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""bench.py EMBER KERNELS FRAMES LIBRARY OUT [--only PART] [--against OLD.json] [--rounds N]
[FILE.gguf…]: `./dev bench`.

Runs the kernels' timing, `ember bench --table` for each file, the timing of the window's frames and that of
the list of models, prints one table and writes the same as JSON to OUT/COMMIT.json. With --against the table
has the ratio of each line to the older file's, above 1 where this build is the better one. Where a file has
a vocabulary, what `ember complete` and `ember eval` say of themselves stands beside what bench measured: they
share its clock and must agree."""
import argparse
import array
import json
import os
import subprocess
import sys
import tempfile
import time

PARTS = ("models", "kernels", "frames", "library")
LESS_IS_BETTER = ("ms", "ns")


def say(text):
    print(f"dev: {text}", file=sys.stderr, flush=True)


def git(*words):
    r = subprocess.run(["git", *words], capture_output=True, text=True, cwd=os.path.dirname(os.path.abspath(__file__)))
    return r.stdout.strip() if r.returncode == 0 else ""


def ember_json(ember, *words):
    r = subprocess.run([ember, *words, "--json"], stdout=subprocess.PIPE, check=True)
    return json.loads(r.stdout)


def timed(words):
    """Seconds that a command takes from outside, and what it says."""
    start = time.monotonic()
    r = subprocess.run(words, stdout=subprocess.PIPE, check=True)
    return time.monotonic() - start, json.loads(r.stdout)


def agreement(ember, file, lines):
    """What the other commands report for the same work, and what a watch beside the process says: the
    difference of a long and a short run, so that loading does not count."""
    with tempfile.TemporaryDirectory() as folder:
        ids, logits = os.path.join(folder, "ids"), os.path.join(folder, "logits")

        def evaluate(n):
            array.array("i", [i * 37 % 250 for i in range(n)]).tofile(open(ids, "wb"))
            return timed([ember, "eval", file, "--tokens", ids, "--logits", logits, "--rows", "last:1", "--json"])

        short, whole = evaluate(1), evaluate(512)
        add(lines, "eval 512, as it says", whole[1]["prefill_tps"])
        add(lines, "eval 512, by a watch", 511 / max(whole[0] - short[0], 1e-3))
    words = [ember, "complete", file, "-p", "The sea", "--temp", "0", "--ignore-eos", "--json"]
    if subprocess.run([*words, "-n", "1"], capture_output=True).returncode != 0:
        return  # no vocabulary
    short, whole = timed([*words, "-n", "1"]), timed([*words, "-n", "65"])
    add(lines, "complete 64, as it says", whole[1]["decode_tps"])
    add(lines, "complete 64, by a watch", 64 / max(whole[0] - short[0], 1e-3))


def add(lines, name, value):
    lines.append({"name": name, "value": value, "unit": "tokens/s"})


def frames(program, file):
    """Frames of the window on a virtual display: with the engine at rest, and answering with `file`."""
    display = os.path.join(os.path.dirname(os.path.abspath(__file__)), "with-display.sh")
    env = dict(os.environ, GSETTINGS_BACKEND="memory", GSK_RENDERER="cairo")
    r = subprocess.run(["sh", display, program, file], stdout=subprocess.PIPE, check=True, text=True, env=env)
    lines = [line.split("\t") for line in r.stdout.splitlines()]
    return {"name": "frames", "about": f"load: {os.path.basename(file)} answers",
            "lines": [{"name": name, "value": float(value), "unit": unit} for name, value, unit in lines]}


def views(program):
    """How long each view of a model's page takes to appear, and to be complete, and the longest turn of the
    main loop (of computing) meanwhile, beside a file of 30 GB and one with 50,000 tensors."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, os.path.join(here, "..", "..", "tests", "ui"))
    import big_model
    import library_files
    display = os.path.join(here, "with-display.sh")
    build = os.path.join(os.path.dirname(program), "..", "..", "data")
    env = dict(os.environ, GSETTINGS_BACKEND="memory", GSK_RENDERER="cairo",
               GSETTINGS_SCHEMA_DIR=os.path.abspath(build))
    with tempfile.TemporaryDirectory() as folder:
        great, many, fewer = (os.path.join(folder, name + ".gguf") for name in ("great", "many", "fewer"))
        big_model.write(great, layers=230, name="Great Void 30B")
        big_model.write_many(many, 50000)
        big_model.write_many(fewer, 49000, name="Fewer")
        models = os.path.join(folder, "models")
        library_files.many(models, 3000)
        r = subprocess.run(["sh", display, program, models, fewer, great, many], stdout=subprocess.PIPE, check=True,
                           text=True, env=env)
    lines = []
    for line in r.stdout.splitlines():
        file, view, *figures = line.split("\t")
        figures = dict(zip(figures[::2], figures[1::2]))
        kind = {"great.gguf": "30 GB", "many.gguf": "50,000 tensors"}.get(file, "3,000 models")
        lines += [{"name": f"{view}, {kind}: {figure}", "value": float(figures[figure]), "unit": "ms"}
                  for figure in ("appears", "complete", "turn")]
    return {"name": "views", "about": "of the page of a model", "lines": lines}


def library(program):
    """How long ten thousand small models take to be listed and read, anew and with what is kept of it;
    the header of a file of 30 GB and of one with 50,000 tensors."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, os.path.join(here, "..", "..", "tests", "ui"))
    import big_model
    import library_files
    n = 10000
    with tempfile.TemporaryDirectory() as folder:
        library_files.many(os.path.join(folder, "many"), n)
        great, many = (os.path.join(folder, name + ".gguf") for name in ("great", "tensors"))
        big_model.write(great, layers=230, name="Great Void 30B")
        big_model.write_many(many, 50000)
        build = os.path.join(os.path.dirname(program), "..", "..", "data")
        env = dict(os.environ, GSETTINGS_BACKEND="memory", GSETTINGS_SCHEMA_DIR=os.path.abspath(build))
        out = subprocess.run([program, os.path.join(folder, "many"), str(n), great, many],
                             stdout=subprocess.PIPE, check=True, env=env).stdout
    r = json.loads(out)
    lines = [{"name": f"{what}, {how}", "value": r[key][figure], "unit": "ms"}
             for key, how in (("anew", "nothing kept"), ("kept", "headers kept"))
             for figure, what in (("first", "first files listed"), ("listed", "all listed"),
                                  ("read", "all read"), ("stall", "longest turn of the main loop"))]
    lines += [{"name": name, "value": value, "unit": "ms"} for name, value in
              zip(("header read, 30 GB", "header read, 50,000 tensors"), r["files"])]
    return {"name": "library", "about": f"{n:,} files in 100 folders", "lines": lines}


def measure(a):
    """{"commit", "date", "groups": [{"name", "lines": […]}, …]}"""
    groups = []
    parts = [a.only] if a.only else PARTS
    for file in a.files if "models" in parts else ():
        say(f"measuring {file}")
        r = ember_json(a.ember, "bench", file, "--table", "--repeat", str(a.rounds))
        agreement(a.ember, file, r["lines"])
        threads, size = r["threads"], r["weights_bytes"] / 2 ** 20
        groups.append({"name": os.path.basename(file), "lines": r["lines"],
                       "about": f"{r['cpu_name']}, {r['cpu']}, {threads} threads, {size:.0f} MiB of weights"})
    if "kernels" in parts:
        say("measuring kernels")
        threads = ember_json(a.ember, "cpu")["cores"]
        with tempfile.NamedTemporaryFile() as out:
            subprocess.run([a.kernels, "--threads", str(threads), "--json", out.name], check=True,
                           stdout=subprocess.DEVNULL)
            r = json.load(open(out.name))
        groups.append({"name": "kernels", "about": f"{r['threads']} threads", "lines": r["lines"]})
    if "frames" in parts:
        say("measuring frames")
        groups.append(frames(a.frames, a.files[0]))
        groups.append(views(os.path.join(os.path.dirname(a.frames), "check-views")))
    if "library" in parts:
        say("measuring the list of models")
        groups.append(library(a.library))
    commit = git("rev-parse", "--short", "HEAD") or "unknown"
    return {"commit": commit + ("-changed" if git("status", "--porcelain", "-uno") else ""),
            "date": time.strftime("%Y-%m-%d %H:%M"), "groups": groups}


def show(new, old):
    before = {(g["name"], line["name"]): line for g in old["groups"] for line in g["lines"]} if old else {}
    if old:
        print(f"{new['commit']} against {old['commit']} of {old['date']}; above 1 is better")
    for group in new["groups"]:
        print(f"\n{group['name']}: {group['about']}")
        for line in group["lines"]:
            text = f"  {line['name']:<44} {line['value']:>10.4g} {line['unit']:<9}"
            text += f" {100 * line['share']:>4.0f} % of {line['of']}" if "share" in line else " " * 15
            then = before.get((group["name"], line["name"]))
            if then and then["value"] and line["value"]:
                ratio = line["value"] / then["value"]
                text += f"  × {1 / ratio if line['unit'] in LESS_IS_BETTER else ratio:.2f}"
            print(text.rstrip())


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("ember")
    ap.add_argument("kernels")
    ap.add_argument("frames")
    ap.add_argument("library")
    ap.add_argument("out")
    ap.add_argument("files", nargs="*")
    ap.add_argument("--against")
    ap.add_argument("--only", choices=PARTS)
    ap.add_argument("--rounds", type=int, default=3)
    a = ap.parse_intermixed_args()
    old = json.load(open(a.against)) if a.against else None
    if old and "groups" not in old:
        sys.exit(f"dev: {a.against} was not written by ./dev bench")
    new = measure(a)
    show(new, old)
    os.makedirs(a.out, exist_ok=True)
    path = os.path.join(a.out, "-".join([new["commit"]] + ([a.only] if a.only else [])) + ".json")
    with open(path, "w") as file:
        json.dump(new, file, indent=1)
    say(f"written to {path}")


main()
