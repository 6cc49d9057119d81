#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-vocabulary.py HEARTH EMBER OWNER [MODEL]: the Tokenizer view in a real window: what the
vocabulary's table gives away by key and by menu, and a text of 1 MB that another program, OWNER, has on
the clipboard."""
import csv
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver  # noqa: E402
from driver import Checks, clipboard, until  # noqa: E402

EMBER, OWNER = (os.path.abspath(path) for path in sys.argv[2:4])
MODEL = driver.model(4)
driver.inside_display()
checks = Checks()
work = tempfile.mkdtemp(prefix="hearth-test-")


def run(function):
    app = driver.start(MODEL)
    try:
        app.wait_for("label", "Architecture")
        app.show_view("Tokenizer")
        app.wait_for("text", "Text")
        function(app)
    finally:
        app.kill()


def ids_of(text):
    out = subprocess.run([EMBER, "tokenize", "--json", MODEL], input=text.encode(), capture_output=True,
                         check=True).stdout
    return json.loads(out)["ids"]


def rows_of(app):
    """Without the titles."""
    return app.all("table row", start=app.find("tree table", "Vocabulary"))[1:]


def copied(wanted, what):
    until(what, lambda: clipboard() == wanted)
    checks.check(True, what)


def vocabulary(app):
    app.key("ctrl+f")
    until("the vocabulary", lambda: app.has("49152 tokens") or app.has("49,152 tokens"))
    app.type("im_start")
    until("one found", lambda: app.has("1 of 49152 token") or app.has("1 of 49,152 token"))

    # From the search to the table by keyboard; what is chosen there is copied as it stands in a text.
    until("its row", lambda: app.find("table row", "<|im_start|>"))
    app.tab_to("tree table", "Vocabulary")
    app.key("ctrl+c")
    copied("<|im_start|>", "a token is copied by its key")
    app.choose("Vocabulary Menu", 1)
    copied("1", "its number is copied from the menu")
    app.choose("Vocabulary Menu", 0)
    copied("<|im_start|>", "and the token from there")

    path = os.path.join(work, "vocabulary.csv")
    driver.save_as(app, "Vocabulary Menu", 2, path)
    with open(path, newline="") as saved:
        rows = list(csv.reader(saved))
    checks.equal(rows, [["id", "piece", "type", "score", "bytes"],
                        ["1", "<|im_start|>", "control", "",
                         "<|im_start|>".encode().hex().upper()]], "what is found is saved")

    # One of many, further down.
    app.key("ctrl+f", "ctrl+a")
    app.type(" house")
    def found():
        names = app.names("table row", start=app.find("tree table", "Vocabulary"))[1:]
        return len(names) > 3 and all("house" in name.lower() for name in names)
    until("those that are found", found)
    app.tab_to("tree table", "Vocabulary")
    app.key("Down", "Down", "ctrl+c")
    text = until("its text", lambda: (lambda text: "house" in text.lower() and text)(clipboard()))
    app.choose("Vocabulary Menu", 1)
    copied(str(ids_of(text)[0]), "the number of a token further down")
    checks.equal(len(ids_of(text)), 1, "its text is that one token, the space included")

    # Every token of a type: saved as what it is.
    app.key("ctrl+f", "ctrl+a", "BackSpace")
    until("all again", lambda: app.has("49152 tokens") or app.has("49,152 tokens"))
    driver.pick(app, "All Types", "Control")
    said = until("those of one type", lambda: next((line for line in app.texts() if " of 49" in line), None))
    path = os.path.join(work, "control.json")
    driver.save_as(app, "Vocabulary Menu", 3, path)
    with open(path) as saved:
        data = json.load(saved)
    checks.equal(len(data), int(said.split()[0]), "as many tokens saved as are found")
    checks.equal({token["type"] for token in data}, {"control"}, "all of the type")
    app.key("ctrl+q")
    checks.clean_end(app, "quit beside a copied token")


def put_on_clipboard(text):
    """As another program does it: it must stay to hand the text over."""
    path = os.path.join(work, "pasted.txt")
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    owner = subprocess.Popen([OWNER, path], stdout=subprocess.PIPE, text=True)
    assert owner.stdout.readline() == "there\n"
    return owner


def pasted(app):
    line = "The house by the sea, Größe 12,345 · 海辺の家 🏡 costs 3.14 €.\n"
    text = line * (2 ** 20 // len(line.encode()) + 1)
    n_bytes = len(text.encode())
    ids = ids_of(text)
    owner = put_on_clipboard(text)
    try:
        app.tab_to("text", "Text")
        before = app.written(app.find("text", "Text"))
        counted = f"{len(ids_of(before))} tokens · {len(before)} characters"
        app.key("ctrl+a", "ctrl+v")
        app.wait_for("button", "Remove Long Text")
        # The window goes on while the text becomes tokens: it shows another view and this one again.
        app.show_view("Overview")
        app.wait_for("label", "Architecture")
        app.show_view("Tokenizer")
        wanted = [f"{len(ids)} tokens", f"{len(text)} characters", f"{n_bytes} bytes"]
        until("the tokens", lambda: any(
            all(part in shown_line.replace(",", "").replace("\u202f", "") for part in wanted)
            for shown_line in app.texts()))
        checks.check(True, "1 MB from the clipboard: tokens, characters and bytes")
        saved = os.path.join(work, "tokens.json")
        driver.save_as(app, "Token Menu", 1, saved)
        with open(saved, encoding="utf-8") as data:
            made = json.load(data)
        checks.check(made["ids"] == ids, "each of its tokens is the tool's")
        checks.check(made["text"] == text, "and the text is the one that was copied")
        app.press("button", "Remove Long Text")
        until("the text before", lambda: app.written(app.find("text", "Text")) == before and app.has(counted))
        checks.check(True, "then what was there before it")
    finally:
        owner.kill()
        owner.wait()
    app.key("ctrl+q")
    checks.clean_end(app, "quit after a large paste")


checks.run("vocabulary", lambda: run(vocabulary))
checks.run("pasted", lambda: run(pasted))
sys.exit(checks.end())
