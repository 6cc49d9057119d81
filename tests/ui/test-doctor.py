#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-doctor.py HEARTH [MODEL]: the doctor's view. Real models, a file with flaws of every kind, one
that cannot be read, parts of a split model, 50,000 tensors, 30 GB; each way from a problem to its place,
the values with progress and stop, the report copied and saved."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_model  # noqa: E402
import driver  # noqa: E402
import flawed_model  # noqa: E402
from driver import Checks, start, until  # noqa: E402

MODEL = driver.model(2)
driver.inside_display()
checks = Checks()
work = tempfile.mkdtemp(prefix="hearth-test-")


def rows(app, name):
    return app.all("list item", start=app.find("list", name), showing=False)


def examined(app):
    app.show_view("Doctor")
    app.wait_for("button", "Copy Report")


def name_of(node):
    return node.get_name() if node else ""


def leave(app, what):
    app.key("ctrl+q")
    checks.clean_end(app, what)


def real_models():
    for path in (MODEL, os.path.join(os.path.dirname(MODEL), "gemma3.gguf")):
        if not os.path.exists(path):
            checks.skip(os.path.basename(path), "not there")
            continue
        app = start(path)
        try:
            app.wait_for("label", "Architecture")
            examined(app)
            checks.wait(lambda: app.has("Nothing is wrong with this file.", "The values were not."),
                         f"{path}: a sound file")
            app.press("button", "Check Values Too")
            until("the values", lambda: app.has("every value were examined"))
            checks.wait(lambda: app.has("Nothing is wrong with this file.")
                         or app.has("This file can be used"), f"{path}: sound values")
            checks.wait(lambda: app.has("A checksum of all tensor data was made."), f"{path}: a checksum")
            leave(app, "quit after the values of a real model")
        finally:
            app.kill()


def flawed():
    path = os.path.join(work, "flawed.gguf")
    flawed_model.write(path)
    app = start(path)
    try:
        app.wait_for("label", "Architecture")
        # The banner leads to the view, and is not above it.
        app.wait_for("label", contains="This file cannot be trusted: 1 error was found.")
        app.press("button", "Show")
        app.wait_for("button", "Copy Report")
        banner = app.find("grouping", contains="cannot be trusted", showing=False)
        app.wait_gone("label", start=banner)
        checks.wait(lambda: rows(app, "Errors"), "the errors")
        checks.wait(lambda: app.has("Two tensors lie over each other in the file.",
                             "A text is not valid", "The name of a key is not spelled as keys are.",
                             "The chat template has a syntax error."), "its flaws in sentences")
        checks.check(not app.has("A tensor holds values that are no numbers."), "no values yet")

        # Unfolded by keyboard: the engine's own sentence with its figures.
        app.tab_to("list item", "Two tensors lie over each other in the file.")
        app.key("Return")
        app.wait_for("label", contains="begins at offset 128")
        checks.wait(lambda: app.has("tensor-overlap"), "the code")

        # One click to the place.
        show(app, "Two tensors lie over each other in the file.")
        until("its place in the file", lambda: not app.find("button", "Copy Report")
              and app.has("blk.0.attn_k.weight"))
        app.show_view("Doctor")
        show(app, "The name of a key is not spelled as keys are.")
        until("the key's row", lambda: revealed(app, "Wrong Key", "nobodys.factor"))
        app.show_view("Doctor")

        # The values. The button that the keyboard is at goes away: it is on what has come of that.
        app.tab_to("button", "Check Values Too")
        app.key("space")
        until("the values", lambda: app.has("A tensor holds values that are no numbers."))
        checks.wait(lambda: "cannot be trusted" in name_of(app.focus_at("heading")),
                    "the keyboard is at the verdict")
        app.tab()
        checks.wait(lambda: app.focus_at("button", "Copy Report"), "and goes on from there")
        checks.wait(lambda: app.has("every value were examined"), "what was examined")

        show(app, "A tensor holds values that are no numbers.")
        until("the tensor", lambda: not app.find("button", "Copy Report")
              and app.has("blk.0.attn_q.weight"))
        app.show_view("Doctor")

        # The report.
        app.press("button", "Copy Report")
        text = until("the copy", driver.clipboard)
        checks.check("This file cannot be trusted" in text and "blk.0.attn_k.weight" in text
                     and "begins at offset 128" in text, f"the copied report: {text[:200]!r}")
        target = os.path.join(work, "report.json")
        driver.save_as(app, "Export", 1, target)
        report = json.load(open(target))
        checks.equal([p["code"] for p in report["problems"] if p["severity"] == "error"],
                     ["tensor-overlap"], "the saved report")
        target = os.path.join(work, "report.txt")
        driver.save_as(app, "Export", 0, target)
        checks.check("Two tensors lie over" in open(target).read(), "the saved text")
        leave(app, "quit after the flaws")
    finally:
        app.kill()


def show(app, problem):
    app.press("button", "Show", start=lambda: app.find("list item", problem))


def revealed(app, name, other):
    """Whether the row of this name is what a table shows."""
    shown = app.texts()
    return name in shown and other not in shown


def broken():
    path = os.path.join(work, "broken.gguf")
    with open(path, "wb") as out:
        out.write(b"GGUF" + (3).to_bytes(4, "little") + b"\xff" * 40)
    app = start(path)
    try:
        app.wait_for("button", "Copy Report")
        checks.wait(lambda: app.has("This file cannot be trusted: 1 error was found.", "ended where"),
                     "a file that cannot be read is examined as far as it goes")
        checks.check(not app.find("button", "Check Values Too"), "it has no values to check")
        leave(app, "quit after a broken file")
    finally:
        app.kill()


def cut():
    """The views say once, and in words, what is missing and what to do."""
    path = os.path.join(work, "cut.gguf")
    size = os.path.getsize(MODEL)
    with open(MODEL, "rb") as whole, open(path, "wb") as out:
        out.write(whole.read(size // 4))
    app = start(path)
    sentence, way_out = "“cut.gguf” is incomplete: ", "Download it again, or wait"

    def said(text):
        return sum(text in label for label in app.texts())

    def ways():
        return len(app.all("button", "Show in Files"))
    try:
        app.wait_for("label", "Architecture")
        checks.wait_equal(lambda: (said(sentence), said(way_out), ways()), (1, 1, 1), "the overview")
        checks.wait(lambda: app.has(f"({size // 4:,} bytes)", f"({size - size // 4:,} bytes)"),
                    "how much is there, and how much is not")
        app.show_view("Fit")
        until("the other view", lambda: app.has("No Plan"))
        checks.wait_equal(lambda: (said(sentence), said(way_out), said("No Plan"), ways()), (1, 1, 1, 1),
                          "the memory it needs")
        app.show_view("Metadata")
        until("the keys", lambda: app.has("general.architecture"))
        checks.check(not said(sentence), "keys can be read without being told")
        leave(app, "quit after a cut file")
        # Cut within the header: there is an examination alone.
        with open(path, "r+b") as out:
            out.truncate(4096)
        app = start(path)
        app.wait_for("button", "Copy Report")
        checks.wait_equal(lambda: (said("“cut.gguf” is damaged"), said("Download it again, or get"), ways()),
                          (1, 1, 1),
                          "a header that ends early")
        leave(app, "quit after a cut header")
    finally:
        app.kill()


def parts():
    def keys(i):
        return [big_model.key("split.no", big_model.U32, i),
                big_model.key("split.count", big_model.U32, 3)]
    folder = os.path.join(work, "split")
    os.makedirs(folder)
    for i in range(2):
        flawed_model.write(os.path.join(folder, f"Split-7B-v1.0-F32-{i + 1:05}-of-00003.gguf"), overlap=i == 1,
                           keys=keys(i))
    with open(os.path.join(folder, "mmproj-Split-7B-v1.0-F16.gguf"), "wb") as out:
        out.write(b"GGUF")
    app = start(os.path.join(folder, "Split-7B-v1.0-F32-00001-of-00003.gguf"))
    try:
        app.wait_for("button", "Copy Report")
        app.wait_for("list", "Files That Belong Together", showing=False)
        checks.wait_equal(lambda: len(app.all("list item", showing=False, start=app.find(
            "list", "Files That Belong Together", showing=False))), 4, "the files that belong together")
        checks.wait(lambda: app.has("A part of the model is missing."), "the missing part is said")
        checks.wait(lambda: app.has("is incomplete.", "Put all parts of the model into one folder"),
                    "and what to do")
        leave(app, "quit after the parts")
    finally:
        app.kill()


def large():
    path = os.path.join(work, "great-void.gguf")
    big_model.write(path, layers=230, name="Great Void 30B")
    app = start(path)
    try:
        app.wait_for("label", "Architecture")
        examined(app)
        app.tab_to("button", "Check Values Too")
        app.key("space")
        checks.wait(lambda: app.focus_at("button", "Stop"), "the keyboard can stop it at once")
        app.key("space")
        checks.wait(lambda: app.focus_at("button", "Check Values Too"), "and begin it again")
        checks.wait(lambda: app.has("The values were not."), "stopped: the quick report stays")
        leave(app, "quit beside 30 GB")
    finally:
        app.kill()
    path = os.path.join(work, "many.gguf")
    big_model.write_many(path, 50000)
    app = start(path)
    try:
        app.wait_for("label", "Architecture")
        examined(app)
        n = len(app.all("list item", showing=False))
        checks.check(0 < n < 150, f"50,000 tensors: {n} rows")
        leave(app, "quit beside 50,000 tensors")
    finally:
        app.kill()


checks.run("flawed", flawed)
checks.run("broken", broken)
checks.run("cut", cut)
checks.run("parts", parts)
checks.run("large", large)
checks.run("real models", real_models)
sys.exit(checks.end())
