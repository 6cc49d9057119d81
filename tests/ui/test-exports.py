#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-exports.py HEARTH EMBER [MODEL [PART…]]: what the views save, read back: it is what `ember` says of
the same file, or what was written into it. Of the small model, and of a file whose names and texts have
quotes, commas, lines, formulas and letters of many scripts."""
import csv
import json
import math
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver  # noqa: E402
import flawed_model  # noqa: E402
import library_files  # noqa: E402
import tricky_model  # noqa: E402
from driver import Checks, until  # noqa: E402

EMBER = os.path.abspath(sys.argv[2])
MODEL = driver.model(3)
driver.inside_display()
checks = Checks()
csv.field_size_limit(1 << 28)
work = tempfile.mkdtemp(prefix="hearth-test-")
# The name of the file is one of those that break things, too.
TRICKY = os.path.join(work, "träg, \"otter\" 新.gguf")
tricky_model.write(TRICKY)


def ember(*arguments, text=None, status=(0,)):
    done = subprocess.run([EMBER, *arguments], input=text, capture_output=True, text=True)
    if done.returncode not in status:
        raise AssertionError(f"ember {arguments}: {done.returncode}, {done.stderr}")
    return done.stdout


def told(*arguments, **more):
    return json.loads(ember(*arguments, **more))


def cell(text):
    """As a spreadsheet gets it: what it would take for a formula is kept a text."""
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") and text else text


def held(entry):
    """What a key holds. The tool writes lists of numbers with a point as the bytes in the file."""
    if "hex" not in entry:
        return entry["value"]
    data = bytes.fromhex(entry["hex"])
    return list(struct.unpack(f"<{(len(data) - 12) // 4}f", data[12:]))


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file)) if path.endswith(".csv") else json.load(file)


saves = 0


def save(app, menu, entry, ending):
    """What a menu's entry (from 0) saves, read back."""
    global saves
    saves += 1
    target = os.path.join(work, f"saved-{saves}.{ending}")
    driver.save_as(app, menu, entry, target)
    if ending == "txt":
        with open(target, "rb") as file:
            return file.read().decode()
    return read(target)


def run(path, view, part, *folders):
    app = driver.start(path, model_folders=f"{list(folders)!r}" if folders else "@as []")
    try:
        app.wait_for("label", "Architecture")
        app.show_view(view)
        part(app)
        app.key("ctrl+q")
        checks.clean_end(app, f"quit after exporting from {view}")
    finally:
        app.kill()


# ---- values ----

def open_numbers(app, name):
    app.key("ctrl+f", "ctrl+a")
    app.type(name)
    until(f"{name} alone", lambda: any(text.startswith("1 of ") for text in app.texts()))
    try:
        app.tab_to("tree table", "Tensors")
    except AssertionError:  # the page was still changing on the way: once more from the search
        app.key("ctrl+f")
        app.tab_to("tree table", "Tensors")
    app.key("Return")
    app.wait_for("label", "Offset in the file")
    app.show_view("Numbers")
    until("a value", lambda: app.has(", row 0, column 0"))


def saved_values(app, what, title="Export Values"):
    global saves
    saves += 1
    target = os.path.join(work, f"values-{saves}.csv")
    app.choose("Numbers Menu", 1)
    driver.choose_file(app, title, target)
    until(f"the values of {what}", lambda: driver.is_saved(app, target))
    with open(target, newline="") as file:
        return list(csv.reader(file))


def same(written, value):
    """To the last bit of 32."""
    value = struct.unpack("<f", struct.pack("<f", value))[0]
    got = struct.unpack("<f", struct.pack("<f", float(written)))[0]
    return math.isnan(got) if math.isnan(value) else got == value


def values():
    def part(app):
        for index, (name, _, shape) in enumerate(tricky_model.TENSORS):
            # What is typed need not be all of it: this much is in no other one.
            open_numbers(app, name.split(".")[2][:4])
            rows = saved_values(app, name)
            width, height = shape[0], tricky_model.count(shape) // shape[0]
            checks.equal(rows[0], [""] + [str(c) for c in range(width)], f"{name!r}: the titles")
            checks.equal([row[0] for row in rows[1:]], [str(r) for r in range(height)],
                         f"{name!r}: the numbers of rows")
            wanted = tricky_model.values_of(index)
            got = [written for row in rows[1:] for written in row[1:]]
            checks.equal(len(got), len(wanted), f"{name!r}: how many values")
            wrong = [(a, b) for a, b in zip(got, wanted) if not same(a, b)]
            checks.equal(wrong[:3], [], f"{name!r}: each value")
            if index == 0:
                # What is selected alone: by keyboard, two rows of three.
                app.tab_to("table", "Values")
                app.key("ctrl+Home", "Down", "Right", "shift+Right", "shift+Right", "shift+Down")
                rows = saved_values(app, name, "Export Selection")
                checks.equal([rows[0], [row[0] for row in rows[1:]]], [["", "1", "2", "3"], ["1", "2"]],
                             "a selection: its rows and columns")
                picked = [wanted[r * width + c] for r in (1, 2) for c in (1, 2, 3)]
                got = [written for row in rows[1:] for written in row[1:]]
                checks.check(len(got) == 6 and all(map(same, got, picked)), f"a selection: its values {got}")
            app.key("Escape")
            until("the list", lambda: app.find("table", "Map of tensors"))
    run(TRICKY, "Tensors", part)


# ---- the tables of one file ----

def tensors():
    def part(app):
        known = told("inspect", "--json", TRICKY)
        until("the map", lambda: app.find("table", "Map of tensors"))
        until("all tensors", lambda: app.has(f"{len(known['tensors'])} tensors"))
        wanted = [(tensor["name"], tensor["type"].upper(), " × ".join(map(str, tensor["shape"])),
                   tensor["bytes"], tensor["offset"] + known["file"]["data_offset"])
                  for tensor in known["tensors"]]
        checks.equal([name for name, *_ in wanted], [name for name, *_ in tricky_model.TENSORS],
                     "the tool has the names that were written")
        for entry, ending in enumerate(("csv", "json")):
            rows = save(app, "Table Menu", entry, ending)
            checks.equal([(row["name"], row["type"], row["shape"], int(row["bytes"]), int(row["offset"]))
                          for row in rows], wanted, f"tensors as {ending}: as the tool has them")
    run(TRICKY, "Tensors", part)


def keys():
    def part(app):
        known = told("export-metadata", TRICKY)
        checks.check(all(known[name]["value"] == text for name, text in tricky_model.KEYS.items()),
                     "the tool has the texts that were written")
        until("the keys", lambda: app.find("tree table", "Metadata"))
        rows = save(app, "Metadata Menu", 0, "csv")
        checks.equal([row["key"] for row in rows], list(map(cell, known)), "keys as csv: the names")
        checks.equal([row["type"] for row in rows], [entry["type"] for entry in known.values()],
                     "keys as csv: the types")
        for row, entry in zip(rows, known.values()):
            value = held(entry)
            got = row["value"] if isinstance(value, str) else json.loads(row["value"])
            checks.equal(got, cell(value) if isinstance(value, str) else value,
                         f"keys as csv: {row['key'][:20]!r}")
        checks.equal(save(app, "Metadata Menu", 1, "json"), known, "keys as json")
    run(TRICKY, "Metadata", part)


def regions(path):
    known = told("inspect", "--json", path)

    def part(app):
        until("its regions", lambda: any(" regions" in text for text in app.texts()))
        places = {tensor["name"]: (tensor["offset"] + known["file"]["data_offset"], tensor["bytes"],
                                   tensor["type"].upper()) for tensor in known["tensors"]}
        for entry, ending in ((2, "csv"), (3, "json")):
            rows = save(app, "File Map Menu", entry, ending)
            name = os.path.basename(path)
            if ending == "csv":
                rows = [dict(row, offset=int(row["offset"]), bytes=int(row["bytes"]),
                             bytes_in_file=int(row["bytes_in_file"])) for row in rows]
            checks.equal({row["name"]: (row["offset"], row["bytes"], row["type"]) for row in rows
                          if row["kind"] == "Tensor"}, places, f"{name}: its tensors as {ending}")
            written = [(row["name"], row["type"]) for row in rows if row["kind"] == "Key"]
            wanted = [(cell(key) if ending == "csv" else key, entry["type"])
                      for key, entry in known["metadata"].items()]
            checks.equal(written, wanted, f"{name}: its keys as {ending}")
            end = 0
            for row in rows:
                if row["offset"] != end:
                    break
                end = row["offset"] + row["bytes"]
            checks.equal(end, known["file"]["size"], f"{name}: region after region as {ending}")
            checks.check(all(row["bytes"] == row["bytes_in_file"] for row in rows), f"{name}: all is there")
            with open(path, "rb") as file:
                data = file.read(known["file"]["data_offset"])
            checks.check(all(data[row["offset"] + 8:].startswith(
                row["name"].encode()) for row in rows if row["kind"] == "Key" and ending == "json"),
                f"{name}: each key is where it is said to be")
    run(path, "File", part)


# ---- texts ----

TURNS = [{"role": role, "content": content} for role, content in (
    ("system", "You are a helpful assistant."), ("user", "What is the capital of France?"),
    ("assistant", "Paris."), ("user", 'And of "Italy",\tthen? 新'))]


def prompt(path):
    """What `ember` makes of the same turns with the same template, byte for byte, and the ids of that."""
    context = os.path.join(work, "context.json")
    with open(context, "w") as file:
        json.dump({"messages": TURNS, "add_generation_prompt": True}, file)
    wanted = subprocess.run([EMBER, "template", path, "--context", context], capture_output=True,
                            check=True).stdout.decode()
    ids = told("tokenize", "--json", "--special", "--bos", path, text=wanted)["ids"]
    name = os.path.basename(path)

    def part(app):
        until("the prompt", lambda: app.find("text", "Prompt"))
        # The last question, in the editor of the conversation.
        fields = until("the messages", lambda: [node for node in app.all("text") if
                                                app.written(node) == "And of Italy?"])
        fields[0].set_text(TURNS[3]["content"])
        until("the new prompt", lambda: "Italy\",\tthen? 新" in app.written(app.find("text", "Prompt")))
        checks.equal(save(app, "Prompt Menu", 2, "txt"), wanted, f"{name}: the prompt as a text")
        data = save(app, "Prompt Menu", 3, "json")
        checks.equal(data["text"], wanted, f"{name}: the prompt in the JSON")
        checks.equal("".join(span["text"] for span in data["spans"]), wanted, f"{name}: its spans")
        checks.equal(data["ids"], ids, f"{name}: its token ids")
    run(path, "Template", part)


def tokens(path, text):
    known = told("tokenize", "--json", path, text=text)
    name = os.path.basename(path)

    def part(app):
        app.write("Text", text)
        until("the tokens", lambda: app.has(f"{len(known['ids'])} tokens · {len(text)} characters"))
        data = save(app, "Token Menu", 1, "json")
        checks.equal(data["text"], text, f"{name}: the text of the tokens")
        checks.equal((data["ids"], data["pieces"]), (known["ids"], known["pieces"]), f"{name}: the tokens")
        vocabulary(app, path)
    run(path, "Tokenizer", part)


def vocabulary(app, path):
    """All of it, with the types and scores of the file."""
    known = told("export-metadata", path)
    pieces = known["tokenizer.ggml.tokens"]["value"]
    kinds = known["tokenizer.ggml.token_type"]["value"]
    scores = "tokenizer.ggml.scores" in known and held(known["tokenizer.ggml.scores"])
    words = {1: "normal", 2: "unknown", 3: "control", 4: "user-defined", 5: "unused", 6: "byte"}
    name = os.path.basename(path)
    app.key("ctrl+f")
    until("the vocabulary", lambda: app.find("tree table", "Vocabulary"))
    for entry, ending in ((2, "csv"), (3, "json")):
        rows = save(app, "Vocabulary Menu", entry, ending)
        checks.equal([int(row["id"]) for row in rows], list(range(len(pieces))), f"{name}: ids as {ending}")
        wanted = [cell(piece) if ending == "csv" else piece for piece in pieces]
        wrong = [(row["piece"], piece) for row, piece in zip(rows, wanted) if row["piece"] != piece]
        checks.equal(wrong[:3], [], f"{name}: pieces as {ending}")
        checks.equal([row["type"] for row in rows], [words[kind] for kind in kinds], f"{name}: types as {ending}")
        if scores:
            checks.check(all(math.isclose(float(row["score"]), score, rel_tol=1e-6)
                             for row, score in zip(rows, scores)), f"{name}: scores as {ending}")
        if path == TRICKY:
            made = [bytes.fromhex(row["bytes"]).decode() for row in rows[-len(tricky_model.PIECES):]]
            checks.equal(made, [piece.replace("▁", " ") for piece in tricky_model.PIECES],
                         f"{name}: bytes as {ending}")


# ---- the plan ----

def plan():
    def part(app):
        app.wait_for("label", contains="Fits. It needs")
        rows = save(app, "Export the Plan", 1, "json")
        got = {(row["group"], row["name"]): row["value"] for row in rows}
        known = told("fit", "--json", MODEL, "--ctx", str(got["plan", "context"]),
                     "--kv", got["plan", "kv_type"], "--threads", str(got["plan", "threads"]))
        device = known["devices"][0]
        wanted = {("plan", "fits"): "yes" if known["verdict"] == "cpu" else "no",
                  ("plan", "context_trained"): known["context_trained"], ("plan", "batch"): known["batch"]}
        wanted.update({("bytes", part): device[part] for part in (
            "weights", "kv", "kv_full", "kv_window", "checkpoint", "compute")})
        wanted.update({("bytes of type", kind["type"].upper()): kind["bytes"]
                       for kind in known["weights_by_type"]})
        for name, value in wanted.items():
            checks.equal(got.get(name), value, f"{name} of the plan")
        checks.equal({name for name in got if name[0] == "bytes of type"},
                     {name for name in wanted if name[0] == "bytes of type"}, "all types")
        checks.equal(got["bytes", "need"], sum(device[part] for part in ("weights", "kv", "checkpoint", "compute")),
                     "what it needs")
        rows = save(app, "Export the Plan", 0, "csv")
        checks.equal({(row["group"], row["name"]): row["value"] for row in rows},
                     {name: str(value) for name, value in got.items()}, "the same as CSV")
    run(MODEL, "Fit", part)


# ---- findings and differences ----

def findings():
    path = os.path.join(work, "flawed.gguf")
    flawed_model.write(path)

    def compare(app, known, what):
        data = save(app, "Export", 1, "json")
        part = [tuple(problem[field] for field in ("severity", "code", "where", "message", "advice"))
                for problem in data["problems"]]
        wanted = [tuple(problem[field] for field in ("severity", "code", "where", "message", "advice"))
                  for problem in known["problems"]]
        checks.equal(sorted(part), sorted(wanted), f"{what}: the findings")
        checks.equal(data["ok"], known["ok"], f"{what}: whether it can be used")
        report = save(app, "Export", 0, "txt")
        checks.check(all(problem["message"] in report for problem in known["problems"]),
                     f"{what}: each in the text")
        checks.equal(report.count("\n\n"), len(known["problems"]), f"{what}: as many in the text")

    def part(app):
        app.wait_for("button", "Copy Report")
        compare(app, told("doctor", "--json", path, status=(0, 1)), "a flawed file")
        app.press("button", "Check Values Too")
        until("the values", lambda: app.has("every value were examined"))
        compare(app, told("doctor", "--json", "--deep", path, status=(0, 1)), "its values too")
    run(path, "Doctor", part)
    run(TRICKY, "Doctor", lambda app: (app.wait_for("button", "Copy Report"), compare(
        app, told("doctor", "--json", TRICKY, status=(0, 1)), "strange names")))


def differences(first, folder, second, measured):
    known = told("diff", "--json", *(["--error"] if measured else []), first, second)
    names = {key["key"] for key in known["keys"]}

    def value(side):
        return side and side.get("value")

    def part(app):
        driver.compare_with(app)
        until("both files", lambda: app.has("Main type"))
        if measured:
            app.press("button", "Measure Values")
            until("the errors", lambda: not app.find("button", "Stop") and (
                app.find("table", "Compared tensors") or app.find("tree table", "Compared tensors")))
        app.press(None, start=lambda: app.find("radio button", "Keys") or app.find("toggle button", "Keys"))
        until("the keys", lambda: app.find("table", "Compared keys") or app.find("tree table", "Compared keys"))
        rows = save(app, "More", 3, "csv")
        checks.equal({row["key"]: row["change"] for row in rows},
                     {cell(key["key"]): key["change"] for key in known["keys"]}, "compared keys as csv")
        data = save(app, "More", 4, "json")
        checks.equal([(key["key"], key["change"]) for key in data["keys"]],
                     [(key["key"], key["change"]) for key in known["keys"]], "compared keys as json")
        n_texts = 0
        for key, row, own in zip(known["keys"], sorted(
                rows, key=lambda row: [cell(key["key"]) for key in known["keys"]].index(row["key"])), data["keys"]):
            for side, column in (("before", "first"), ("after", "second")):
                text = value(key[side])
                if key[side] is None:
                    checks.equal((row[column], own[column]), ("", None), f"{key['key']!r}: absent in the {column}")
                elif isinstance(text, str):
                    n_texts += 1
                    checks.equal(row[column], cell(text), f"{key['key']!r} as csv: the {column}")
                    checks.equal(own[column], text, f"{key['key']!r} as json: the {column}")
        checks.check(n_texts > 2, f"{n_texts} texts were compared")
        checks.check(names >= {key["key"] for key in data["keys"]}, "no other keys")
        app.press(None, start=lambda: app.find("radio button", "Tensors", start=comparison(app))
                  or app.find("toggle button", "Tensors", start=comparison(app)))
        until("the tensors", lambda: app.find("table", "Compared tensors")
              or app.find("tree table", "Compared tensors"))
        rows = save(app, "More", 3, "csv")
        wanted = [tensor for tensor in known["tensors"] if tensor["change"] != "same"]
        checks.check(wanted, "there are tensors that differ")
        checks.equal({row["tensor"]: row["change"] for row in rows},
                     {cell(tensor["name"]): tensor["change"] for tensor in wanted}, "compared tensors as csv")
        by_name = {row["tensor"]: row for row in rows}
        own = {tensor["name"]: tensor for tensor in data["tensors"]}
        for tensor in wanted:
            row = by_name[cell(tensor["name"])]
            for side, column in (("before", "first"), ("after", "second")):
                known_side = tensor[side] or {"type": "", "shape": [], "bytes": 0}
                got = (row[column + "_type"], row[column + "_shape"], int(row[column + "_bytes"]))
                want = (known_side["type"].upper(), " × ".join(map(str, known_side["shape"])), known_side["bytes"])
                if got != want:
                    checks.equal(got, want, f"{tensor['name']}: the {column}")
            if measured:
                for figure in ("relative_rms", "maximum", "cosine", "different"):
                    if not (math.isclose(float(row[figure]), tensor[figure], rel_tol=1e-8, abs_tol=1e-12)
                            and own[tensor["name"]][figure] == tensor[figure]):
                        checks.equal((row[figure], own[tensor["name"]][figure]), tensor[figure],
                                     f"{tensor['name']}: {figure}")
        checks.check(True, f"{len(wanted)} tensors that differ")
        checks.equal(set(own) >= {tensor["name"] for tensor in wanted}, True, "compared tensors as json")
    run(first, "Compare", part, folder)


def comparison(app):
    return app.find("grouping", "Part of the comparison") or app.find("radio button", "Keys").get_parent()


def tricky_differences():
    folder = os.path.join(work, "changed")
    os.mkdir(folder)
    other = os.path.join(folder, "anders, \"otter\".gguf")
    tricky_model.write(other, changed=True)
    differences(TRICKY, folder, other, True)


def real_differences():
    gemma = os.path.join(os.path.dirname(MODEL), "gemma3.gguf")
    if not os.path.exists(gemma):
        checks.skip("two real models", "gemma3.gguf is not there")
        return
    folder = os.path.join(work, "other")
    os.mkdir(folder)
    os.symlink(gemma, os.path.join(folder, "gemma3.gguf"))
    differences(MODEL, folder, os.path.join(folder, "gemma3.gguf"), False)


# ---- the library ----

def library():
    folder = os.path.join(work, "library")
    tricky_model.write(library_files.write(os.path.join(folder, "a, \"b\" 新.gguf"), b""))
    library_files.runnable(os.path.join(folder, "otter.gguf"), 'Otter, "seven"')
    library_files.embedder(os.path.join(folder, "wren.gguf"), "=Wren")
    app = driver.start(model_folders=f"['{folder}']", place="'models'")
    try:
        until("all are read", lambda: app.find("label", contains="3 models · ") and "Reading…" not in app.texts())
        for ending in ("csv", "json"):
            target = os.path.join(work, "list." + ending)
            app.press("toggle button", "List Menu")
            app.wait_menu()
            app.key("Up", "Up", "Up", "Return")
            driver.choose_file(app, "Export the List of Models", target)
            until("the file", lambda: driver.is_saved(app, target))
            rows = read(target)
            checks.equal(sorted(os.path.basename(row["path"]) for row in rows),
                         sorted(os.listdir(folder)), f"the list as {ending}: each file")
            for row in rows:
                known = told("inspect", "--json", row["path"])
                name = known["metadata"]["general.name"]["value"]
                checks.equal((row["name"], row["architecture"], int(row["parameters"]), int(row["bytes"]),
                              int(row["bytes_on_disk"])),
                             (cell(name) if ending == "csv" else name, known["file"]["architecture"],
                              known["totals"]["parameters"], known["file"]["size"],
                              os.stat(row["path"]).st_blocks * 512), f"{name}: as {ending}")
                context = known["metadata"].get(known["file"]["architecture"] + ".context_length", {}).get("value", 0)
                checks.equal(int(row["context"]), context, f"{name}: its context as {ending}")
        app.key("ctrl+q")
        checks.clean_end(app, "quit after exporting the list")
    finally:
        app.kill()


PARTS = {"values": values, "tensors": tensors, "keys": keys, "regions": lambda: regions(TRICKY),
         "regions of a model": lambda: regions(MODEL), "prompt": lambda: prompt(TRICKY),
         "prompt of a model": lambda: prompt(MODEL), "tokens": lambda: tokens(TRICKY, '"é",\t新\n-x'),
         "tokens of a model": lambda: tokens(MODEL, '"é",\t新\n=x'), "findings": findings,
         "plan": plan, "differences": tricky_differences, "differences of models": real_differences, "library": library}
for name in sys.argv[4:] or PARTS:
    checks.run(name, PARTS[name])
sys.exit(checks.end())
