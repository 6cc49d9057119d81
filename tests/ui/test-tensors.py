#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-tensors.py HEARTH MAP EMBER [MODEL]: the map of tensors, the page of one, and the file by
offset, in a real window: by keyboard, by pointer and over AT-SPI, on both real models, a file of
50,000 tensors, one of 30 GB, one cut short and a split one. Figures are those of EMBER. Redraws and
rows by MAP, the counting test program."""
import csv
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_model  # noqa: E402
import driver  # noqa: E402
import ember_tool  # noqa: E402
from driver import Checks, saved, start, until  # noqa: E402

MAP, EMBER = (os.path.abspath(path) for path in sys.argv[2:4])
MODEL = driver.model(4)
driver.inside_display()
checks = Checks()
work = tempfile.mkdtemp(prefix="hearth-test-")


def page(app, view):
    until("the model", lambda: app.find("text", "Question") or app.find("label", "Architecture"))
    until("its page", lambda: app.find("label", "Architecture") or app.key("ctrl+i"))
    app.show_view(view)


def the_map(app):
    return app.wait_for("table", "Map of tensors")


def press_at(app, node, x, y):
    """A click at a place of a widget, in parts of its size or, from 1 on, in pixels."""
    place = node.get_box()
    x = place.x + (x if x >= 1 else x * place.width)
    y = place.y + (y if y >= 1 else y * place.height)
    subprocess.run(["xdotool", "mousemove", "--window", app.window, str(int(x)), str(int(y)),
                    "click", "1"], check=True)


def facts(app):
    """The line under the map."""
    return next((text for text in app.texts() if "bits per weight" in text), "")


def guarded(app, part):
    try:
        part(app)
        app.key("ctrl+q")
        checks.clean_end(app, "quit")
    finally:
        app.kill()


def real_map(app):
    known = ember_tool.inspect(EMBER, MODEL)
    by_name = {tensor["name"]: tensor for tensor in known["tensors"]}
    page(app, "Tensors")
    node = the_map(app)
    n = len(by_name)
    until("what voice output says", lambda: f"{n} tensors" in node.get_description())
    checks.check("30 layer" in node.get_description() or "31 columns" in node.get_description(),
                 f"rows and columns are said: {node.get_description()}")
    for kind in {tensor["type"].upper() for tensor in known["tensors"]}:
        checks.wait(lambda: app.find("toggle button", contains=kind + ","), f"{kind} is in the legend")

    # By keyboard: the line under the map follows, Enter opens the page of the tensor.
    app.tab_to("table", "Map of tensors")
    app.key("ctrl+Home")
    until("the first cell", lambda: facts(app).startswith("token_embd.weight · Token embedding"))
    app.key("Down", "Down", "Right", "Right", "Right", "Right")
    until("a cell", lambda: facts(app).startswith("blk.3.attn_q.weight · Attention Q"))
    app.key("Return")
    app.wait_for("label", "Offset in the file")
    tensor = by_name["blk.3.attn_q.weight"]
    size = 1
    for length in tensor["shape"]:
        size *= length
    for text in (tensor["type"].upper(), " × ".join(map(str, tensor["shape"])), f"{size:,}",
                 f"({tensor['bytes']:,} bytes)",
                 f"{tensor['offset'] + known['file']['data_offset']:,}"):
        checks.wait(lambda: app.has(text), f"the page says {text}")
    until("all values", lambda: app.has(f"All {size:,} values"))
    image = app.wait_for("image", "Histogram")
    checks.check(image, "the histogram has a name")
    checks.wait(lambda: app.has("Standard deviation", "Median", "99\xa0% quantile")
                or app.has("Standard deviation", "Median", "99 % quantile"), "statistics")
    checks.wait(lambda: "Half of the values" in image.get_description(), "and says the middle half")

    # Numbers: the first value is the engine's; a column is jumped to.
    app.show_view("Numbers")
    field = app.wait_for("spin button", "Column")
    until("a value", lambda: app.has(", row 0, column 0"))
    app.tab_to("spin button", "Column")
    app.key("ctrl+a")
    app.type("500")
    app.key("Return")
    until("the column", lambda: app.has(", row 0, column 500"))
    checks.check(field, "columns are chosen by number")
    app.tab_to("table", "Values")
    app.key("Down", "shift+Right", "shift+Down", "ctrl+c")
    copied = until("the copy", lambda: (lambda t: t if t.count("\t") == 2 else None)
                   (driver.clipboard()))
    values = [float(cell) for line in copied.split("\n") for cell in line.split("\t")]
    checks.equal(len(values), 4, "what was copied are two rows of two")

    # Bytes: those of the tensor are selected. The keyboard was in what has gone: it is at the tab, be the
    # bytes there already or not, and not somewhere else in the window.
    app.show_view("Bytes")
    checks.wait(lambda: app.focus_at("page tab", "Bytes"), "the keyboard stays in the page")
    app.wait_for("text", "Go to offset")
    until("its bytes", lambda: app.has(f"{tensor['bytes']:,} bytes selected"))
    app.key("Escape")
    until("the list", lambda: app.find("table", "Map of tensors"))

    # Escape leads back from wherever in the model's page the keyboard is.
    app.tab_to("table", "Map of tensors")
    app.key("Return")
    app.wait_for("label", "Offset in the file")
    app.tab_to("button", "Chat")
    app.key("Escape")
    checks.wait(lambda: app.find("table", "Map of tensors"), "Escape leads back from above the page")

    # By pointer: a cell filters the table, once more shows all; a role and a layer do, too.
    node = the_map(app)
    press_at(app, node, 0.5, 100)
    until("one tensor", lambda: app.has(f"1 of {n} tensors"))
    name = facts(app).split(" · ")[0]
    checks.check(name in by_name, f"the line names a tensor: {name}")
    checks.wait(lambda: name in app.texts(), f"the table has {name} alone")
    press_at(app, node, 0.5, 100)
    until("all tensors", lambda: app.has(f"{n} tensors") and not app.has(f"1 of {n} tensors"))
    press_at(app, node, 20, 100)
    until("a role", lambda: app.has(f"30 of {n} tensors"))
    press_at(app, node, 0.5, 16)
    until("a layer", lambda: app.has(f"9 of {n} tensors"))
    app.key("ctrl+f", "ctrl+a", "BackSpace")
    until("all again", lambda: app.has(f"{n} tensors") and not app.has(f" of {n} tensors"))

    # The other colours, by bits; a type toggled; the picture.
    app.press("radio button", "Bits per Weight")
    app.wait_for("toggle button", contains="4–5,")
    checks.wait_equal(lambda: saved("tensor-map-colours"), "'bits'", "the colours are kept")
    toggle = app.press("toggle button", contains="4–5,")
    until("it is off", lambda: not toggle.has_state("checked") and not toggle.has_state("pressed"))
    target = os.path.join(work, "map.png")
    driver.save_as(app, "Map Menu", 0, target)
    until("a picture", lambda: open(target, "rb").read(8) == b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", open(target, "rb").read(24)[16:])
    checks.check(width > 300 and height > 200, f"its size: {width} × {height}")

    # The table as CSV and JSON.
    target = os.path.join(work, "tensors.csv")
    driver.save_as(app, "Table Menu", 0, target)
    rows = until("all rows", lambda: (lambda r: r if len(r) == n else None)
                 (list(csv.DictReader(open(target)))))
    checks.check(all(int(row["bytes"]) == by_name[row["name"]]["bytes"]
                     and row["type"] == by_name[row["name"]]["type"].upper() for row in rows),
                 "the exported figures are the tool's")
    target = os.path.join(work, "tensors.json")
    driver.save_as(app, "Table Menu", 1, target)
    checks.equal(len(json.load(open(target))), n, "as JSON")
    for kept in "5", "6":  # a button that is pressed takes no other press for a moment
        app.press("button", "Zoom In")
        until("the zoom to be kept", lambda: saved("tensor-map-zoom") == kept)


def state(app):
    """Begun anew, it looks as it was left."""
    page(app, "Tensors")
    the_map(app)
    checks.check(app.wait_for("toggle button", contains="4–5,"), "the colours are as they were")
    checks.equal(saved("tensor-map-zoom"), "6", "the zoom is, too")
    # A place and a filter are kept while another view, or another model, is looked at.
    app.tab_to("table", "Map of tensors")
    app.key("ctrl+Home", "Down", "Right", "Right")
    until("a cell", lambda: facts(app).startswith("blk.1.attn_norm.weight"))
    app.show_view("Metadata")
    until("the keys", lambda: app.find("tree table", "Metadata"))
    app.show_view("Tensors")
    checks.wait(lambda: facts(app).startswith("blk.1.attn_norm.weight"), "the cell stays")


def real_file(app):
    size = os.path.getsize(MODEL)
    known = ember_tool.inspect(EMBER, MODEL)
    regions = 2 + known["file"]["n_kv"] + known["file"]["n_tensors"]
    page(app, "File")
    app.wait_for("table", "Map of the file")
    until("the regions", lambda: app.has(f"{regions:,} regions") or app.has(f"{regions + 1:,} regions"))
    until("what is cached", lambda: app.has("Cached by the system · "))
    app.tab_to("toggle button", start=lambda: app.find("button", "What “Cached” Means"))
    app.key("space")
    checks.wait(lambda: app.has("a model that is cached loads sooner", "is loaded is another matter"),
                "what that is good for, and what it does not mean")
    app.key("Escape")
    app.wait_gone("label", contains="loads sooner")
    checks.wait(lambda: app.has(f"({size:,} bytes)"), "the size is the file's")
    app.tab_to("table", "Map of the file")
    app.key("Home")
    until("the header", lambda: app.has("Header · at 0 · 24 bytes"))
    app.key("Right")
    until("the first key", lambda: app.has("Key general.architecture · str · at 24"))
    app.key("ctrl+plus", "ctrl+plus", "ctrl+0", "End")
    until("the last region", lambda: app.has(f"{known['tensors'][-1]['name']} · ")
          or app.has("Padding · at "))
    app.key("Home", "Return")
    app.wait_for("text", "Go to offset")
    until("the bytes", lambda: app.has("24 bytes selected"))
    app.tab_to("text", "Go to offset")
    app.type("0x1c")
    app.key("Return")
    until("an offset", lambda: app.has("0x1C · 28 · Key general.architecture"))
    app.tab_to("text", "Go to offset")
    app.key("ctrl+a")
    app.type("nonsense")
    app.key("Return")
    until("a sentence", lambda: app.has(f"Enter a number below {size:,}"))
    app.key("ctrl+a")
    app.type("0")
    app.key("Return")
    until("the beginning", lambda: app.has("0x0 · 0 · Header"))
    app.key("shift+Right", "shift+Right", "shift+Right", "ctrl+c")
    until("the copy", lambda: driver.clipboard() == "47 47 55 46")
    checks.check(True, "bytes are copied")
    app.key("Escape")
    until("the map", lambda: app.find("table", "Map of the file"))
    target = os.path.join(work, "regions.csv")
    driver.save_as(app, "File Map Menu", 2, target)
    rows = until("all rows", lambda: (lambda r: r if len(r) >= regions else None)
                 (list(csv.DictReader(open(target)))))
    checks.equal(sum(int(row["bytes"]) for row in rows), size, "regions add up to the file")


def gemma(app):
    path = os.path.join(os.path.dirname(MODEL), "gemma3.gguf")
    known = ember_tool.inspect(EMBER, path)
    page(app, "Tensors")
    node = the_map(app)
    until("its tensors", lambda: f"{len(known['tensors'])} tensors" in node.get_description())
    app.tab_to("table", "Map of tensors")
    app.key("ctrl+Home")
    until("a cell", lambda: facts(app).startswith("token_embd.weight"))
    app.key("Return")
    size = 1
    tensor = next(t for t in known["tensors"] if t["name"] == "token_embd.weight")
    for length in tensor["shape"]:
        size *= length
    until("all of 168 million values", lambda: app.has(f"All {size:,} values"))
    checks.check(True, "a large tensor is counted behind its sample")


def many(app):
    app.wait_for("label", "Architecture")
    app.show_view("Tensors")
    node = the_map(app)
    until("the map", lambda: "50,000 tensors" in node.get_description())
    app.tab_to("table", "Map of tensors")
    app.key("End")
    until("the last layer", lambda: facts(app).startswith("blk.49999.a.weight"))
    app.key("Return")
    until("its values", lambda: app.has("All 32 values", "NaN or infinite"))
    app.key("Escape")
    app.show_view("File")
    until("all regions", lambda: app.has("50,005 regions") or app.has("50,004 regions"))
    n = len(app.all("table row", start=app.find("tree table", "Regions of the file"), showing=False))
    checks.check(0 < n < 300, f"rows in the tree: {n}")
    app.key("ctrl+f")
    app.type("blk.49999.")
    until("one region", lambda: app.has("1 of 50,00"))


def huge(app):
    """30 GB: nothing of it is read to show it; a tensor of 8 GB is counted until somebody stops."""
    app.wait_for("label", "Architecture")
    app.show_view("Tensors")
    node = the_map(app)
    until("the map", lambda: "2 tensors" in node.get_description())
    app.tab_to("table", "Map of tensors")
    app.key("ctrl+Home", "Return")
    until("the sample", lambda: app.has("counting all of them"))
    app.tab_to("button", "Cancel")
    app.key("Return")
    until("the sample alone", lambda: app.has("A sample of 262,144 of ")
          and not app.has("counting all of them"))
    checks.wait(lambda: app.focus_at("button", "Count All"), "it can be counted after all")
    app.key("Escape")
    checks.wait(lambda: app.find("table", "Map of tensors"), "and Escape leads back")
    app.show_view("File")
    until("the regions", lambda: app.has("Gap"))
    app.tab_to("table", "Map of the file")
    app.key("End", "Return")
    app.wait_for("text", "Go to offset")
    app.tab_to("text", "Go to offset")
    app.type("29999999999")
    app.key("Return")
    until("the last byte", lambda: app.has("0x6FC23ABFF · 29,999,999,999"))


def cut(app):
    until("its page", lambda: app.find("label", "Architecture"))
    app.show_view("Tensors")
    the_map(app)
    app.tab_to("table", "Map of tensors")
    app.key("ctrl+Home", "Return")
    until("why there are no values", lambda: app.has("The values could not be read: "))
    app.key("Escape")
    app.show_view("File")
    until("the regions", lambda: app.has("general.architecture"))
    app.key("ctrl+f")
    app.type("token_embd")
    until("what is missing", lambda: app.has("cut short"))


def parts(app):
    app.wait_for("label", "Architecture")
    app.show_view("Tensors")
    node = the_map(app)
    until("tensors of all parts", lambda: "6 tensors" in node.get_description())
    app.tab_to("table", "Map of tensors")
    app.key("ctrl+Home", "End")
    app.key("Return")
    until("its file", lambda: app.has("parts-00003-of-00003.gguf"))
    app.key("Escape")
    app.show_view("File")
    until("the first part", lambda: app.has("general.name"))
    picker = app.wait_for("combo box", contains="parts-00001-of-00003.gguf")
    app.press("toggle button", start=picker)
    until("the list of files", lambda: any("00002" in text for node in app.all("list item", start=picker)
                                           for text in app.texts(node)))
    app.key("Down", "Return")
    until("the second part", lambda: app.has("blk.1.part_1.weight") and not app.has("general.name"))
    checks.check(True, "each file of a split model has its map")


def counted():
    done = subprocess.run([MAP], capture_output=True, text=True, timeout=driver.PATIENCE_S * 3,
                          env=driver.environment())
    for line in done.stdout.splitlines():
        if "drawn" in line:
            print(line)
    checks.equal(done.returncode, 0, f"what is drawn ({done.stdout[-400:]}{done.stderr[-400:]})")
    checks.equal(len([line for line in done.stdout.splitlines() if line.startswith("ok ")]), 5,
                 "its parts")


def write_huge(path):
    """Two tensors, the first of 2 ** 31 values, and a gap up to 30 GB."""
    keys = [big_model.key("general.architecture", big_model.STRING, "nobodys"),
            big_model.key("general.name", big_model.STRING, "Huge")]
    out = b"GGUF" + struct.pack("<IQQ", 3, 2, len(keys)) + b"".join(keys)
    out += big_model.text("blk.0.a.weight") + struct.pack("<IQQIQ", 2, 1 << 16, 1 << 15, 0, 0)
    out += big_model.text("blk.0.b.weight") + struct.pack("<IQIQ", 1, 64, 0, 1 << 33)
    with open(path, "wb") as file:
        file.write(out + bytes(-len(out) % 32))
        file.truncate(30_000_000_000)


def run(what, part, *arguments, **settings):
    checks.run(what, lambda: guarded(start(*arguments, **settings), part))


run("the map of a real model", real_map, MODEL)
run("its state", state, MODEL, tensor_map_colours="'bits'", tensor_map_zoom="6")
run("the file of a real model", real_file, MODEL)
gemma_path = os.path.join(os.path.dirname(MODEL), "gemma3.gguf")
if os.path.exists(gemma_path):
    run("the other model", gemma, gemma_path)
else:
    checks.skip("the other model", f"no {gemma_path}")
big_model.write_many(os.path.join(work, "many.gguf"), 50000)
run("50,000 tensors", many, os.path.join(work, "many.gguf"))
write_huge(os.path.join(work, "huge.gguf"))
run("30 GB", huge, os.path.join(work, "huge.gguf"))
with open(MODEL, "rb") as whole, open(os.path.join(work, "cut.gguf"), "wb") as short:
    short.write(whole.read(5_000_000))
run("a file cut short", cut, os.path.join(work, "cut.gguf"))
os.makedirs(os.path.join(work, "parts"))
run("a split model", parts, big_model.write_parts(os.path.join(work, "parts"), 3))
checks.run("counted", counted)
sys.exit(checks.end())
