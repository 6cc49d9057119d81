#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-compare.py HEARTH EMBER [MODEL]: a model's file beside another one. The small model beside a
changed copy and beside one of another architecture, the errors as the tool has them, sorted and saved;
50,000 tensors, 30 GB with stop, parts, a file that cannot be read."""
import csv
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_model  # noqa: E402
import driver  # noqa: E402
import flawed_model  # noqa: E402
from driver import Checks, until  # noqa: E402

EMBER = os.path.abspath(sys.argv[2])
MODEL = driver.model(3)
driver.inside_display()
checks = Checks()
work = tempfile.mkdtemp(prefix="hearth-test-")


def start(path, *folders):
    app = driver.start(path, model_folders=f"{list(folders)!r}" if folders else "@as []")
    app.wait_for("label", "Architecture")
    app.show_view("Compare")
    return app


def toggle(app, name):
    app.press(None, start=lambda: app.find("radio button", name) or app.find("toggle button", name))


def table(app, name):
    return app.find("table", name) or app.find("tree table", name)


def row_names(app, name):
    shown = table(app, name)
    rows = app.find("list", start=shown)  # beside the row of titles
    return app.names("table row", start=rows, showing=False)


def switch_all(app):
    app.tab_to("check box", "Show what is the same, too")
    app.key("space")


def leave(app, what):
    app.key("ctrl+q")
    checks.clean_end(app, what)


def changed_copy(folder):
    """Some values of one tensor and one text are other ones."""
    os.makedirs(folder)
    path = os.path.join(folder, "changed.gguf")
    with open(MODEL, "rb") as source:
        data = bytearray(source.read())
    middle = len(data) // 2
    for at in range(middle, middle + 200_000, 20):
        data[at] ^= 1
    with open(path, "wb") as out:
        out.write(bytes(data).replace(b"HuggingFaceTB", b"HuggingFaceTC", 1))
    return path


def same_model():
    folder = os.path.join(work, "same")
    other = changed_copy(folder)
    app = start(MODEL, folder)
    try:
        checks.check(app.wait_for("list", "The same model"), "another file of it comes first")
        driver.compare_with(app)
        until("both files", lambda: app.has("changed.gguf", "Main type"))
        checks.wait(lambda: app.has("1 key differs. The tensors are of the same shapes and types."),
                     "the verdict")
        toggle(app, "Keys")
        until("the key", lambda: table(app, "Compared keys"))
        checks.wait_equal(lambda: row_names(app, "Compared keys"), ["general.organization"],
                          "only what differs")
        checks.wait(lambda: app.has("HuggingFaceTB", "HuggingFaceTC"), "both values")
        switch_all(app)
        until("all keys", lambda: app.has("general.architecture"))
        app.key("ctrl+f")
        app.type("general.arch")
        until("the found one", lambda: row_names(app, "Compared keys") == ["general.architecture"])
        app.key("ctrl+a", "BackSpace")
        switch_all(app)

        # The values, as the tool has them.
        app.tab_to("button", "Measure Values")
        app.key("space")
        until("the errors", lambda: not app.find("button", "Stop") and table(app, "Compared tensors"))
        checks.wait(lambda: app.focus_at("heading"), "the keyboard is at the verdict")
        truth = json.loads(subprocess.run([EMBER, "diff", MODEL, other, "--error", "--json"],
                                          capture_output=True, text=True).stdout)
        wrong = {t["name"]: t["relative_rms"] for t in truth["tensors"] if t["different"]}
        until("the changed tensors", lambda: set(row_names(app, "Compared tensors")) == set(wrong))
        checks.check(0 < len(wrong) < 272, f"{len(wrong)} tensors were changed")
        target = os.path.join(work, "tensors.csv")
        driver.save_as(app, "More", 3, target)
        with open(target, newline="") as file:
            rows = list(csv.DictReader(file))
        checks.equal({row["tensor"] for row in rows}, set(wrong), "the saved rows")
        checks.check(all(abs(float(row["relative_rms"]) - wrong[row["tensor"]]) < 1e-9
                         for row in rows), "the saved errors are the tool's")
        target = os.path.join(work, "all.json")
        driver.save_as(app, "More", 4, target)
        saved = json.load(open(target))
        checks.equal([key["change"] for key in saved["keys"]], ["changed"], "the saved keys")
        leave(app, "quit beside a changed copy")
    finally:
        app.kill()


def other_model():
    gemma = os.path.join(os.path.dirname(MODEL), "gemma3.gguf")
    if not os.path.exists(gemma):
        checks.skip("another model", "gemma3.gguf is not there")
        return
    folder = os.path.join(work, "other")
    os.makedirs(folder)
    os.symlink(gemma, os.path.join(folder, "gemma3.gguf"))
    app = start(MODEL, folder)
    try:
        app.wait_for("list", "Other models")
        driver.compare_with(app)
        until("both files", lambda: app.has("different architectures, “llama” and “gemma3”"))
        toggle(app, "Tensors")
        until("the tensors", lambda: app.has("Only here") or app.has("Only there")
              or app.has("Changed"))
        checks.check(True, "models of different architectures say so")
        leave(app, "quit beside another model")
    finally:
        app.kill()


def many_tensors():
    folder = os.path.join(work, "many")
    os.makedirs(folder)
    path = os.path.join(work, "many.gguf")
    big_model.write_many(path, 50000)
    big_model.write_many(os.path.join(folder, "fewer.gguf"), 49990, name="Fewer")
    app = start(path, folder)
    try:
        driver.compare_with(app)
        until("both files", lambda: app.has("1 key differs, 10 tensors differ."))
        toggle(app, "Tensors")
        until("the ten", lambda: len(row_names(app, "Compared tensors")) == 10)
        switch_all(app)
        until("all of them", lambda: len(row_names(app, "Compared tensors")) > 10)
        n = len(row_names(app, "Compared tensors"))
        checks.check(n < 300, f"rows in the tree: {n}")
        app.key("ctrl+f")
        app.type("blk.49989")
        until("one found", lambda: row_names(app, "Compared tensors") == ["blk.49989.a.weight"])
        leave(app, "quit beside 50,000 tensors")
    finally:
        app.kill()


def large_and_stopped():
    folder = os.path.join(work, "large")
    os.makedirs(folder)
    path = os.path.join(work, "great-void.gguf")
    big_model.write(path, layers=230, name="Great Void 30B")
    big_model.write(os.path.join(folder, "greater.gguf"), layers=230, name="Greater Void 30B")
    app = start(path, folder)
    try:
        driver.compare_with(app)
        app.tab_to("button", "Measure Values")
        app.key("space")
        checks.wait(lambda: app.focus_at("button", "Stop"), "the keyboard can stop it at once")
        app.key("space")
        checks.wait(lambda: app.focus_at("button", "Measure Values"), "and begin it again")
        checks.wait(lambda: table(app, "Compared tensors") or app.has("Nothing to Show"),
                    "stopped: what is known stays")
        leave(app, "quit beside 30 GB")
    finally:
        app.kill()


def broken():
    folder = os.path.join(work, "broken")
    os.makedirs(folder)
    path = os.path.join(work, "whole.gguf")
    flawed_model.write(path, overlap=False)
    other = os.path.join(folder, "other.gguf")
    flawed_model.write(other, overlap=False)
    app = start(path, folder)
    try:
        app.wait_for("list", "The same model")
        with open(other, "wb") as out:
            out.write(b"GGUF" + b"\xff" * 40)
        driver.compare_with(app)
        until("the failure", lambda: app.has("Cannot Compare", "other.gguf"))
        app.press("button", "Choose Another File")
        checks.check(app.wait_for("button", "Open File…"), "another one can be chosen")
        leave(app, "quit after a broken file")
    finally:
        app.kill()


def any_file():
    """The dialog begins beside the model, with model files alone."""
    folder = os.path.join(work, "any")
    os.makedirs(folder)
    path = os.path.join(folder, "whole.gguf")
    flawed_model.write(path, overlap=False)
    flawed_model.write(os.path.join(folder, "other.gguf"), overlap=False)
    open(os.path.join(folder, "notes.txt"), "w").close()
    app = start(path)
    try:
        app.press("button", "Open File…")
        app.wait_for(name="Compare With…")
        app.focus_dialog("Compare With…")

        def names():
            return [text for text in app.texts(app.find(name="Compare With…"))
                    if text.endswith((".gguf", ".txt"))]
        checks.wait_equal(lambda: sorted(names()), ["other.gguf", "whole.gguf"],
                          "the models beside this one, and nothing else")
        driver.keys("Escape")
        app.wait_gone(name="Compare With…")
        leave(app, "quit after a dialog")
    finally:
        app.kill()


checks.run("any file", any_file)
checks.run("same model", same_model)
checks.run("other model", other_model)
checks.run("many tensors", many_tensors)
checks.run("large and stopped", large_and_stopped)
checks.run("broken", broken)
sys.exit(checks.end())
