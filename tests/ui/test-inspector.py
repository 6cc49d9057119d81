#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-inspector.py HEARTH EMBER [MODEL [PART…]]: the views of a model's page with files of every kind:
30 GB, 50,000 tensors, several parts, both real models, and broken ones (data past the end, tensors over
each other, an unknown type). Each shows the file, is searched, gives what it shows away and keeps its
state; the wheel zooms in both maps."""
import collections
import csv
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_model  # noqa: E402
import driver  # noqa: E402
import ember_tool  # noqa: E402
from driver import Checks, clipboard, saved, until  # noqa: E402

EMBER = os.path.abspath(sys.argv[2])
MODEL = driver.model(3)
OTHER = os.path.join(os.path.dirname(MODEL), "gemma3.gguf")
driver.inside_display()
checks = Checks()
csv.field_size_limit(1 << 28)
work = tempfile.mkdtemp(prefix="hearth-test-")


def path_of(name):
    return os.path.join(work, name + ".gguf")


def run(path, part):
    app = driver.start(path)
    try:
        app.wait_for("label", "Architecture")
        part(app)
        app.key("ctrl+q")
        checks.clean_end(app, f"quit beside {os.path.basename(path)}")
    finally:
        app.kill()


def plain(text):
    return text.replace(",", "").replace("\u202f", "").replace("\u00a0", " ")


def says(app, *texts):
    """As has(), whatever stands between the digits."""
    shown = [plain(text) for text in app.texts()]
    return all(any(text in line for line in shown) for text in texts)


def fact(app, title):
    """What is written after a title; "" without it."""
    shown = [plain(text) for text in app.texts()]
    return shown[shown.index(title) + 1] if title in shown[:-1] else ""


def one_of(app, n, what):
    """Whether one is found, of `n` or of some."""
    return any(re.fullmatch(rf"1 of {n or '[0-9]+'} {what}", plain(text)) for text in app.texts())


def row(app, table, name):
    return app.find("table row", contains=name, start=app.find("tree table", table))


def copy_row(app, table, name, n, what_of, wanted, what):
    """By keyboard: searched among `n` "keys", gone to, copied."""
    app.key("ctrl+f", "ctrl+a")
    app.type(name)
    until(f"{name} alone in {table}", lambda: one_of(app, n, what_of) and row(app, table, name))
    app.tab_to("tree table", table)
    app.key("ctrl+c")
    checks.wait_equal(lambda: clipboard().split("\t")[0], wanted, what)


def saved_rows(app, menu, entry, name):
    target = os.path.join(work, name)
    if os.path.exists(target):  # of the file before
        os.remove(target)
    driver.save_as(app, menu, entry, target)
    with open(target, newline="") as table:
        return list(csv.DictReader(table))


# ---- every view of one file ----

def views(path, searchable, tensor):
    """`searchable`: a key; `tensor`: one of its tensors."""
    known = ember_tool.inspect(EMBER, path)
    n_keys, n_tensors = known["file"]["n_kv"], known["file"]["n_tensors"]
    kind = os.path.basename(path)

    def check(app):
        # What is on the overview is that of the tool.
        totals = known["totals"]
        exactly = {"Parameters": f"{totals['parameters']}", "Size": f"{known['file']['size']} bytes",
                   "Architecture": known["file"]["architecture"], "Metadata keys": f"{n_keys}"}
        for title, wanted in exactly.items():  # some in brackets after a short form
            checks.wait_equal(lambda: fact(app, title).rstrip(")").split("(")[-1], wanted, f"{kind}: {title}")
        # Metadata.
        app.show_view("Metadata")
        until("the keys", lambda: app.find("tree table", "Metadata"))
        copy_row(app, "Metadata", searchable, n_keys, "keys", clip_of(path, searchable), f"{kind}: a value is copied")
        rows = saved_rows(app, "Metadata Menu", 4, "keys.csv")
        checks.equal({line["key"] for line in rows}, set(known["metadata"]), f"{kind}: all keys are exported")
        app.show_view("Overview")
        app.wait_for("label", "Architecture")
        app.show_view("Metadata")
        checks.wait(lambda: one_of(app, n_keys, "keys") and row(app, "Metadata", searchable),
                    f"{kind}: the search among the keys is kept")
        # Tensors.
        app.show_view("Tensors")
        until("the map", lambda: f"{n_tensors} tensors" in plain(
            app.wait_for("table", "Map of tensors").get_description()))
        copy_row(app, "Tensors", tensor, n_tensors, "tensors", tensor, f"{kind}: a tensor's row is copied")
        app.show_view("Metadata")
        until("the keys", lambda: app.find("tree table", "Metadata"))
        app.show_view("Tensors")
        checks.wait(lambda: one_of(app, n_tensors, "tensors") and row(app, "Tensors", tensor),
                    f"{kind}: the search among the tensors is kept")
        rows = saved_rows(app, "Table Menu", 0, "tensors.csv")
        checks.equal([line["name"] for line in rows], [tensor], f"{kind}: what is found is exported")
        # The file.
        app.show_view("File")
        until("its regions", lambda: says(app, " regions"))
        copy_row(app, "Regions of the file", searchable, 0, "regions", searchable,
                 f"{kind}: a region's row is copied")
        app.show_view("Overview")
        app.wait_for("label", "Architecture")
        app.show_view("File")
        checks.wait(lambda: one_of(app, 0, "regions"), f"{kind}: the search among the regions is kept")
        rows = saved_rows(app, "File Map Menu", 2, "regions.csv")
        checks.equal([line["name"] for line in rows], [searchable], f"{kind}: and exported")
        # The other views say what the tool says of this file.
        tokenizer(app, path, kind)
        template(app, path, kind)
        app.show_view("Fit")
        if planned(path):
            weights = f"{totals['bytes'] / 1e6:.1f} MB" if totals["bytes"] < 1e9 else \
                f"{totals['bytes'] / 1e9:.1f} GB"
            checks.wait(lambda: (fact(app, "Weights"), fact(app, "The model itself"))
                        == ("The model itself", weights), f"{kind}: Fit has {weights} of weights")
        else:
            checks.wait(lambda: says(app, "nobodys") or app.find("toggle button", "Details"),
                        f"{kind}: Fit says why there is no plan")
        app.show_view("Doctor")
        wanted = verdict(path)
        checks.wait(lambda: wanted in app.texts(), f"{kind}: Doctor: {wanted}")
        app.show_view("Compare")
        checks.wait(lambda: app.find("button", "Open File…"), f"{kind}: Compare offers another file")
    run(path, check)


def planned(path):
    return "nobodys" not in json.dumps(ember_tool.inspect(EMBER, path)["file"])


def verdict(path):
    out = subprocess.run([EMBER, "doctor", "--json", path], capture_output=True, text=True).stdout
    counts = collections.Counter(problem["severity"] for problem in json.loads(out)["problems"])
    if counts["error"]:
        found = "error was" if counts["error"] == 1 else "errors were"
        return f"This file cannot be trusted: {counts['error']} {found} found."
    if counts["warning"]:
        things = "thing" if counts["warning"] == 1 else "things"
        return f"This file can be used, with {counts['warning']} {things} to look at."
    return "Nothing is wrong with this file."


def tokenizer(app, path, kind):
    """A text of ours in the tokens of this file, or that it has no vocabulary."""
    app.show_view("Tokenizer")
    text = "One day, 3.14 of them."
    out = subprocess.run([EMBER, "tokenize", "--json", path], input=text, capture_output=True,
                         text=True)
    if out.returncode:
        checks.wait(lambda: "No Vocabulary" in app.texts(), f"{kind}: Tokenizer says that it has none")
        return
    app.write("Text", text)
    n = len(json.loads(out.stdout)["ids"])
    wanted = {f"{n} tokens", f"{n + 1} tokens"}  # with one that begins a text, or without
    checks.wait(lambda: wanted & {plain(text).split(" · ")[0] for text in app.texts()}, f"{kind}: {n} tokens")


TURNS = [{"role": role, "content": content} for role, content in (
    ("system", "You are a helpful assistant."), ("user", "What is the capital of France?"),
    ("assistant", "Paris."), ("user", "And of Italy?"))]


def template(app, path, kind):
    """The example in the words of this file's template, or without one the texts alone."""
    context = os.path.join(work, "context.json")
    with open(context, "w") as out:
        json.dump({"messages": TURNS, "add_generation_prompt": True}, out)
    done = subprocess.run([EMBER, "template", path, "--context", context], capture_output=True)
    plainly = "\n\n".join(turn["content"] for turn in TURNS)
    app.show_view("Template")
    prompt = done.stdout.decode() if done.returncode == 0 else plainly
    checks.wait(lambda: app.written(app.find("text", "Prompt")).endswith(prompt), f"{kind}: the prompt")


def clip_of(path, name):
    out = subprocess.run([EMBER, "export-metadata", path], capture_output=True, text=True,
                         check=True).stdout
    return str(json.loads(out)[name]["value"])


def huge():
    big_model.write(path_of("huge"), layers=230, name="Great Void 30B")
    checks.check(os.path.getsize(path_of("huge")) > 30e9, "a file of more than 30 GB")
    views(path_of("huge"), "llama.context_length", "blk.229.ffn_down.weight")


def many():
    big_model.write_many(path_of("many"), 50000)
    views(path_of("many"), "general.name", "blk.49999.a.weight")


def parts():
    folder = os.path.join(work, "parts")
    os.mkdir(folder)
    views(big_model.write_parts(folder, 3), "general.name", "blk.2.part_1.weight")


def real():
    views(MODEL, "llama.context_length", "blk.7.attn_q.weight")


def other():
    if os.path.exists(OTHER):
        views(OTHER, "gemma3.context_length", "blk.7.attn_q.weight")
    else:
        checks.skip("the other model", f"no {OTHER}")


# ---- broken files ----

def write_broken(name, tensors):
    """Tensors of 64 values: (name, type, offset)."""
    keys = [big_model.key("general.architecture", big_model.STRING, "nobodys"),
            big_model.key("general.name", big_model.STRING, "Broken")]
    out = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys)) + b"".join(keys)
    for tensor, kind, offset in tensors:
        out += big_model.text(tensor) + struct.pack("<IQIQ", 1, 64, kind, offset)
    out += bytes(-len(out) % 32)
    with open(path_of(name), "wb") as file:
        file.write(out + struct.pack("<f", 0.5) * 192)


def open_tensor(app, name):
    app.show_view("Tensors")
    app.wait_for("table", "Map of tensors")
    app.key("ctrl+f", "ctrl+a")
    app.type(name)
    until(f"{name} alone", lambda: one_of(app, 3, "tensors") and row(app, "Tensors", name))
    app.tab_to("tree table", "Tensors")
    app.key("Return")


def show_doctor(app):
    """From the file's view, whose rows have the same names."""
    app.show_view("Doctor")
    until("the doctor", lambda: not app.find("tree table", "Regions of the file"))


def past_the_end():
    write_broken("far", [("blk.0.a.weight", 0, 0), ("blk.1.a.weight", 0, 1 << 40), ("blk.2.a.weight", 0, 512)])

    def check(app):
        open_tensor(app, "blk.1.a.weight")
        checks.wait(lambda: app.has("The values could not be read: "), "past the end: why there are no values")
        app.key("Escape")
        open_tensor(app, "blk.2.a.weight")
        checks.wait(lambda: app.has("All 64 values"), "past the end: the values of its neighbour")
        app.key("Escape")
        app.show_view("File")
        app.key("ctrl+f")
        app.type("blk.1.a")
        checks.wait(lambda: app.has("cut short"), "past the end: the region says that it is not there")
        show_doctor(app)
        checks.wait(lambda: app.has("blk.1.a.weight"), "past the end: the doctor names it")
    run(path_of("far"), check)


def over_each_other():
    write_broken("twins", [("blk.0.a.weight", 0, 0), ("blk.1.a.weight", 0, 128), ("blk.2.a.weight", 0, 512)])

    def check(app):
        for name in ("blk.0.a.weight", "blk.1.a.weight"):
            open_tensor(app, name)
            checks.wait(lambda: app.has("All 64 values"), f"over each other: {name} has values")
            app.key("Escape")
        app.show_view("File")
        until("its regions", lambda: says(app, " regions"))
        app.key("ctrl+f")
        app.type(".a.weight")
        checks.wait(lambda: says(app, "3 of "), "over each other: each has its region")
        show_doctor(app)
        checks.wait(lambda: app.has("blk.1.a.weight"), "over each other: the doctor names one")
    run(path_of("twins"), check)


def unknown_type():
    write_broken("unknown", [("blk.0.a.weight", 0, 0), ("blk.1.a.weight", 77, 256), ("blk.2.a.weight", 0, 512)])
    app = driver.start(path_of("unknown"))
    try:
        checks.wait(lambda: app.has("unknown type 77") or app.find("toggle button", "Details"),
                    "an unknown type: a sentence about it")
        details = app.find("toggle button", "Details")
        if details and not app.has("unknown type 77"):
            app.click(details)
        checks.wait(lambda: app.has("blk.1.a.weight", "unknown type 77"), "an unknown type: which tensor")
        app.key("ctrl+q")
        checks.clean_end(app, "quit beside an unknown type")
    finally:
        app.kill()


# ---- the wheel ----

def point(app, node, x, y, *then):
    """The pointer to a place of a widget, in parts of its size."""
    place = node.get_box()
    subprocess.run(["xdotool", "mousemove", "--window", app.window, str(int(place.x + x * place.width)),
                    str(int(place.y + y * place.height)), *then], check=True)


def detail(app):
    return next((text for text in app.texts() if " · at " in text), "").split(" · ")[0]


def at(app, strip, x):
    """What the strip says of a place; the pointer comes from outside, so it is a move."""
    before = detail(app)
    point(app, strip, x, -0.5)
    until("nothing under the pointer", lambda: not detail(app) or detail(app) != before or not before)
    point(app, strip, x, 0.5)
    return until("what is there", lambda: detail(app))


def wheel():
    def check(app):
        app.show_view("Tensors")
        node = app.wait_for("table", "Map of tensors")
        until("its tensors", lambda: " tensors" in node.get_description())
        point(app, node, 0.3, 0.5)
        for button, what in (("4", "closer"), ("5", "away"), ("4", "closer again")):
            before = int(saved("tensor-map-zoom") or 0)
            subprocess.run(["xdotool", "keydown", "ctrl", "click", button, "keyup", "ctrl"], check=True)
            until(f"the map {what}", lambda: saved("tensor-map-zoom") and (
                int(saved("tensor-map-zoom")) - before) * (1 if button == "4" else -1) > 0)
            checks.check(True, f"the wheel brings the map {what}")
        app.show_view("File")
        strip = app.wait_for("table", "Map of the file")
        until("its regions", lambda: says(app, " regions"))
        here, there = at(app, strip, 0.5), at(app, strip, 0.6)
        checks.check(here != there, f"two places of the file: {here}, {there}")
        point(app, strip, 0.5, 0.5, "click", "--repeat", "9", "4")
        checks.wait_equal(lambda: at(app, strip, 0.5), here, "closer: the same under the pointer")
        checks.wait(lambda: at(app, strip, 0.6) != there, "closer: what was beside it is further away")
        point(app, strip, 0.5, 0.5, "click", "--repeat", "12", "5")
        checks.wait_equal(lambda: at(app, strip, 0.6), there, "away: all of it in sight again")
    run(MODEL, check)


PARTS = {"huge": huge, "many": many, "parts": parts, "real": real, "other": other,
         "past the end": past_the_end, "over each other": over_each_other, "unknown type": unknown_type,
         "wheel": wheel}
for name in sys.argv[4:] or PARTS:
    checks.run(name, PARTS[name])
sys.exit(checks.end())
