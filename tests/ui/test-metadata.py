#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-metadata.py HEARTH EMBER [MODEL [PART…]]: the keys of a model, by keyboard: a copy with other keys, its
diff before it is saved, what the engine's tool reads of it; values copied; all keys exported;
the bytes of a key; a copy that is stopped on its way."""
import csv
import hashlib
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_model  # noqa: E402
import driver  # noqa: E402
from driver import App, Checks, until  # noqa: E402

HEARTH, EMBER = (os.path.abspath(path) for path in sys.argv[1:3])
MODEL = driver.model(3)
driver.inside_display()
checks = Checks()
csv.field_size_limit(1 << 28)  # a vocabulary is one field
work = tempfile.mkdtemp(prefix="hearth-test-")


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def metadata(path):
    out = subprocess.run([EMBER, "export-metadata", path], capture_output=True, text=True,
                         check=True).stdout
    return json.loads(out)


def start():
    """A link, so that the dialog begins in our folder."""
    link = os.path.join(work, "small.gguf")
    if not os.path.exists(link):
        os.symlink(MODEL, link)
    driver.settings(temperature="just 0.0")
    app = App(HEARTH, link)
    app.wait_for("label", "Architecture")
    app.show_view("Metadata")
    until("the keys", lambda: "general.architecture" in app.texts())
    return app


def items(app, name):
    return app.names("list item", start=app.find("list", name))


def open_key(app, name):
    app.key("ctrl+f", "ctrl+a")
    app.type(name)
    until(f"{name} alone", lambda: [text.split(":")[0] for text in items(app, "Keys")] == [name])
    app.key("Tab", "Return")
    app.wait_for("button", "Apply")


def back_at_keys(app):
    app.wait_for("button", "Add Key")


def edit_a_copy():
    before = digest(MODEL)
    app = start()
    try:
        app.choose("Model Menu", 0)
        back_at_keys(app)
        # A value of a kind that the key cannot have is told at once, and cannot be applied.
        open_key(app, "llama.context_length")
        app.key("ctrl+a")
        app.type("5.5")
        until("the complaint", lambda: app.find("alert", contains="not a valid value of type u32"))
        app.key("ctrl+a")
        app.type("4096")
        app.wait_gone("alert", contains="not a valid value")
        app.key("ctrl+Return")
        back_at_keys(app)
        open_key(app, "general.name")
        app.key("ctrl+a")
        app.type("Edited here")
        app.key("ctrl+Return")
        back_at_keys(app)
        checks.wait(lambda: any("Edited here, Changed" in text for text in items(app, "Keys")),
                    "the list says what is changed")
        open_key(app, "general.license")
        app.tab_to("button", "Remove Key")
        app.key("Return")
        back_at_keys(app)
        app.press("button", "Add Key")
        app.wait_for("button", "Apply")
        app.type("general.sampling.temp")
        until("its type", lambda: app.has("f32"))
        app.tab_to("text", "Value")
        app.type("0.25")
        app.key("Return")
        back_at_keys(app)

        # Leaving without having saved is asked about.
        app.key("Escape")
        app.wait_for("button", "Keep Editing")
        app.key("Escape")
        app.wait_gone("button", "Keep Editing")
        app.key("ctrl+q")
        app.wait_for("button", "Keep Editing")
        app.key("Return")
        app.wait_gone("button", "Keep Editing")
        checks.check(app.wait_for("button", "Review"), "quitting asks, too, before anything is lost")

        app.press("button", "Review")
        app.wait_for("button", "Save Copy…")
        until("the diff", lambda: len(items(app, "Changes")) == 4)
        checks.wait(lambda: app.has("“small.gguf” stays as it is", "→ Edited here", "→ 4096", "Removed", "New"),
                     "what changes is shown before it is saved")

        # Not over the file itself, by whatever name.
        app.press("button", "Save Copy…")
        driver.choose_file(app, "Save Copy", os.path.join(work, "small.gguf"))
        until("the refusal", lambda: app.has("is the file itself"))
        copy = os.path.join(work, "copy.gguf")
        app.press("button", "Save Copy…")
        driver.choose_file(app, "Save Copy", copy)
        app.press("button", "Show")
        until("the copy's page", lambda: app.has("Edited here", "copy.gguf"))
        checks.wait(lambda: not app.find("button", "Save Copy…"), "the dialog is closed")
        checks.equal(digest(MODEL), before, "the file that was edited")
        old, new = metadata(MODEL), metadata(copy)
        checks.equal(new["general.name"]["value"], "Edited here", "its name")
        checks.equal(new["llama.context_length"], {"type": "u32", "value": 4096}, "its context")
        checks.equal(new["general.sampling.temp"], {"type": "f32", "value": 0.25}, "its new key")
        checks.check("general.license" not in new, "the removed key")
        checks.equal({key: value for key, value in new.items() if key in old and value != old[key]}.keys(),
                     {"general.name", "llama.context_length"}, "nothing else has changed")
        app.key("ctrl+q")
        checks.clean_end(app, "quit after editing a copy")
    finally:
        app.kill()


def copied_and_exported():
    app = start()
    try:
        table, values = os.path.join(work, "keys.csv"), os.path.join(work, "keys.json")
        driver.save_as(app, "Metadata Menu", 0, table)
        with open(table, newline="") as file:
            rows = list(csv.DictReader(file))
        wanted = metadata(MODEL)
        checks.equal([row["key"] for row in rows], list(wanted), "the keys of the CSV")
        checks.equal(next(row["meaning"] for row in rows if row["key"] == "llama.context_length"),
                     "trained context (tokens)", "a meaning with its unit")
        driver.save_as(app, "Metadata Menu", 1, values)
        with open(values) as file:
            checks.equal(json.load(file), wanted, "the JSON is what the tool writes")

        app.key("ctrl+f")
        app.type("general.license")
        until("the key alone", lambda: app.has("1 of "))
        app.key("Tab", "Tab", "Down", "ctrl+c")
        checks.wait_equal(driver.clipboard, "apache-2.0", "the copied value")
        app.key("ctrl+q")
        checks.clean_end(app, "quit after exporting")
    finally:
        app.kill()


def quit_from_outside(app):
    """As from outside, without a key."""
    subprocess.run(["gapplication", "action", "io.github.hearth_app.Hearth", "quit"], check=True)


def select_row(app, name):
    app.key("space")
    until(f"{name} to be selected", lambda: (
        lambda row: row and row.has_state("selected"))(app.find("table row", contains=name)))


def bytes_of_a_key():
    """From a row to what stands for it in the file, by its key and by the menu."""
    app = start()
    try:
        with open(MODEL, "rb") as file:
            header = file.read(1 << 22)
        for name, ways in (("general.license", lambda: app.key("ctrl+b")),
                           ("llama.block_count", lambda: (select_row(app, "llama.block_count:"),
                                                          app.choose("Metadata Menu", 2)))):
            app.key("ctrl+f", "ctrl+a")
            app.type(name)
            until("the key alone", lambda: app.has("1 of ") and app.find("table row", contains=name + ":"))
            app.tab_to("tree table", "Metadata")
            ways()
            app.wait_for("text", "Go to offset")
            at = header.index(struct.pack("<Q", len(name)) + name.encode())
            until(f"the bytes of {name}", lambda: app.has(f"0x{at:X} · {at}"))
            checks.check(app.find(name="Bytes"), f"the bytes of {name}")
            app.key("Escape")
            until("the map of the file", lambda: app.find("table", "Map of the file"))
            app.show_view("Metadata")
            until("the keys", lambda: app.find("tree table", "Metadata"))
        app.key("ctrl+q")
        checks.clean_end(app, "quit after the bytes of a key")
    finally:
        app.kill()


def stopped_while_saving():
    """A copy of 12 GB, none of it on the disk: stopped on its way, it leaves nothing, be it by Cancel or
    because the program ends."""
    folder = os.path.join(work, "stopped")
    os.mkdir(folder)
    path = os.path.join(folder, "large.gguf")
    big_model.write(path, layers=90, name="Large")
    with open(path, "rb") as file:
        before = file.read(1 << 16), os.stat(path).st_size, os.stat(path).st_mtime_ns

    def same():
        with open(path, "rb") as file:
            return before == (file.read(1 << 16), os.stat(path).st_size, os.stat(path).st_mtime_ns)

    def saving():
        app.choose("Model Menu", 0)
        back_at_keys(app)
        open_key(app, "general.name")
        app.key("ctrl+a")
        app.type("Never")
        app.key("ctrl+Return")
        back_at_keys(app)
        app.press("button", "Review")
        app.press("button", "Save Copy…")
        driver.choose_file(app, "Save Copy", os.path.join(folder, "copy.gguf"))
        until("it is being saved", lambda: app.has("Saving “copy.gguf”…"))

    driver.settings(temperature="just 0.0")
    app = App(HEARTH, path)
    try:
        app.wait_for("label", "Architecture")
        app.show_view("Metadata")
        until("the keys", lambda: app.has("general.architecture"))
        saving()
        app.press("button", "Cancel")
        app.wait_for("button", "Save Copy…")
        checks.equal(os.listdir(folder), ["large.gguf"], "what is left when it was stopped")
        checks.check(same(), "the file is as it was")
        checks.check(not app.has("could not be saved"), "that is no failure")
        checks.equal(len(items(app, "Changes")), 1, "the changes are still there")
        # Closing the window asks first.
        app.press("button", "Save Copy…")
        driver.choose_file(app, "Save Copy", os.path.join(folder, "copy.gguf"))
        until("it is being saved again", lambda: app.has("Saving “copy.gguf”…"))
        app.key("ctrl+q")
        app.wait_for("button", "Keep Saving")
        app.key("ctrl+q", "Escape")
        app.wait_gone("button", "Keep Saving")
        checks.check(app.has("Saving “copy.gguf”…"), "it goes on")
        quit_from_outside(app)
        app.press("button", "Stop and Discard")
        app.wait_gone("button", "Stop and Discard")
        until("nothing is left", lambda: os.listdir(folder) == ["large.gguf"])
        # The end of the session does not.
        saving()
        app.process.terminate()
        checks.clean_end(app, "ended while it is being saved")
        checks.equal(os.listdir(folder), ["large.gguf"], "what is left when the program ended")
        checks.check(same(), "the file is still as it was")
    finally:
        app.kill()
        shutil.rmtree(folder)


PARTS = {"edit a copy": edit_a_copy, "copied and exported": copied_and_exported,
         "bytes of a key": bytes_of_a_key, "stopped while saving": stopped_while_saving}
for part in sys.argv[4:] or PARTS:
    checks.run(part, PARTS[part])
sys.exit(checks.end())
