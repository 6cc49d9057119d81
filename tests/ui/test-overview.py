#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-overview.py HEARTH EMBER [MODEL]: what the overview says of a mixture in two parts that names its
sources, of a file that is no model, and of both real models; its facts copied and exported, which are those
that `ember inspect` prints."""
import collections
import csv
import json
import os
import sys
import tempfile
from math import prod

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_model  # noqa: E402
import driver  # noqa: E402
import ember_tool  # noqa: E402
import flawed_model  # noqa: E402
from driver import Checks, clipboard, until  # noqa: E402

EMBER = os.path.abspath(sys.argv[2])
MODEL = driver.model(3)
driver.inside_display()
checks = Checks()
work = tempfile.mkdtemp(prefix="hearth-test-")


def start(path):
    app = driver.start(path)
    app.wait_for("label", "Architecture")
    return app


def has(app, *texts):
    """Whether each is in a name of something, be it scrolled out of sight."""
    shown = app.names(showing=False)
    return all(any(text in label for label in shown) for text in texts)


def leave(app, what):
    app.key("ctrl+q")
    checks.clean_end(app, what)


def mixture():
    app = start(flawed_model.write_mixture(work))
    try:
        until("its sources", lambda: app.find("list", "Where It Comes From", showing=False))
        checks.wait(lambda: has(app, "Left Half, by Halves", "Right Half", "Many Pages", "apache-2.0",
                         "mixture-8x1m", "Q. Quantizer"), "where it comes from")
        # 2 of 8 experts of 32 × 32, beside 32 × 3, 32 × 32, 32 × 8 and 32 others.
        checks.wait(lambda: has(app, "3,456 of 9,600 parameters: 2 of 8 experts answer, 2,048 of their 8,192"),
                     "what is active for a token")
        checks.wait(lambda: has(app, "mixture-00001-of-00002.gguf", "mixture-00002-of-00002.gguf"), "its files")
        checks.wait(lambda: has(app, "3 tokens (llama)"), "its vocabulary")

        # A link shows where it leads first; a file's own address is none.
        def rows(text):
            """The rows below which something has this name."""
            return [node for node in app.all("list item", showing=False, start=app.find(
                "list", "Where It Comes From", showing=False)) if app.all(
                    contains=text, start=node, showing=False)]
        checks.wait_equal(lambda: len(rows("Link")), 4, "rows with links")
        driver.activate(app, until("the row", lambda: rows("Left Half, by Halves"))[0])
        app.wait_for("button", "Open in Browser")
        checks.wait(lambda: has(app, "https://example.org/left-half"), "where the link leads")
        app.key("Escape")
        app.wait_gone("button", "Open in Browser")
        leave(app, "quit after a link")
    finally:
        app.kill()


def others():
    path = os.path.join(work, "many.gguf")
    big_model.write_many(path, 50000)
    app = start(path)
    try:
        checks.wait(lambda: has(app, "50,000", "without a vocabulary"), "50,000 tensors")
        leave(app, "quit beside 50,000 tensors")
    finally:
        app.kill()
    path = os.path.join(work, "mmproj-thing.gguf")
    flawed_model.write(path, overlap=False, keys=[big_model.key("general.type", big_model.STRING, "mmproj")])
    app = start(path)
    try:
        checks.wait(lambda: has(app, "A projector of", "It turns pictures or sound"), "a projector")
        leave(app, "quit beside a projector")
    finally:
        app.kill()


def real_models():
    for path, words in ((MODEL, ("A chat model of 135 million", "49,152 tokens (gpt2)", "Chat template: Yes")),
                        (os.path.join(os.path.dirname(MODEL), "gemma3.gguf"),
                         ("A base model of 268 million", "tokens (llama)", "Chat template: None"))):
        if not os.path.exists(path):
            checks.skip(os.path.basename(path), "not there")
            continue
        app = start(path)
        try:
            until("what it says", lambda: has(app, *words))
            checks.check(True, path)
            leave(app, "quit beside a real model")
        finally:
            app.kill()


def exported():
    """Bytes by type and the counts are sums over the tensors that the tool prints."""
    shown = ember_tool.inspect(EMBER, MODEL)
    types = collections.Counter()
    for tensor in shown["tensors"]:
        types[tensor["type"].upper()] += tensor["bytes"]
    app = start(MODEL)
    try:
        target = os.path.join(work, "overview.json")
        driver.save_as(app, "Overview Menu", 2, target)
        rows = json.load(open(target))
        groups = {group: {row["name"]: row["value"] for row in rows if row["group"] == group}
                  for group in {row["group"] for row in rows}}
        checks.equal(groups["bytes of type"], dict(types), "bytes by tensor type are the tool's")
        facts = groups["fact"]
        n = sum(prod(tensor["shape"]) for tensor in shown["tensors"])
        checks.equal((facts["parameters"], facts["tensors"], facts["keys"], facts["bytes"]),
                     (n, shown["file"]["n_tensors"], shown["file"]["n_kv"], os.path.getsize(MODEL)),
                     "counts and size are the tool's")
        checks.equal(facts["architecture"], shown["file"]["architecture"], "the architecture too")
        checks.equal(sum(groups["parameters of role"].values()), n, "each parameter has one role")
        target = os.path.join(work, "overview.csv")
        driver.save_as(app, "Overview Menu", 1, target)
        with open(target, newline="") as file:
            table = list(csv.DictReader(file))
        checks.equal([(row["group"], row["name"]) for row in table],
                     [(row["group"], row["name"]) for row in rows], "the table has the same rows")
        checks.equal([row["value"] for row in table if row["group"] != "fact"],
                     [str(row["value"]) for row in rows if row["group"] != "fact"], "and figures")
        app.choose("Overview Menu", 0)
        checks.wait(lambda: "Architecture\tllama\n" in clipboard(), "the facts are copied")
        leave(app, "quit after exporting")
    finally:
        app.kill()


checks.run("mixture", mixture)
checks.run("others", others)
checks.run("real models", real_models)
checks.run("exported", exported)
sys.exit(checks.end())
