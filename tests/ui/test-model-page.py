#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-model-page.py HEARTH TABLE [MODEL]: the page of a model, by keyboard. Overview, fit (the same
figures as the engine's, predicted beside actual), metadata, tensors; files of 30 GB and of 50,000
tensors; model folders; preferences; the table of tensors by TABLE, the counting test program."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_model  # noqa: E402
import driver  # noqa: E402
from driver import Checks, saved, start, until  # noqa: E402

TABLE = os.path.abspath(sys.argv[2])
MODEL = driver.model(3)
driver.inside_display()
checks = Checks()
work = tempfile.mkdtemp(prefix="hearth-test-")


def state(app, name):
    """What voice output says of a row of the list of models after its name."""
    node = app.find("list item", name, start=app.find("list", "Models"))
    return node.get_description() if node else ""


def real_model():
    app = start("--chat", MODEL)
    try:
        app.wait_for("text", "Question")
        app.wait_for("button", contains="Loaded: Smollm2 135M")
        app.key("ctrl+i")
        app.wait_for("label", "Architecture")
        checks.wait(lambda: app.has("llama", "HuggingFaceTB · apache-2.0", "A chat model of 135 million"),
                     "the overview says what it is")
        checks.wait(lambda: app.find("image", contains="Bytes by tensor type"), "the bar has a name")
        checks.wait(lambda: app.find("list item", "Q4_1"), "its legend is a list")

        # Fit: the figures of the loaded model are those that were planned.
        app.show_view("Fit")
        app.wait_for("label", contains="Fits. It needs")
        until("predicted and actual", lambda: app.has("Predicted and Actual", "exactly as predicted"))
        checks.check(not app.has(" actual"), "nothing differs from the plan")
        checks.wait(lambda: {"96.6\xa0MB", "188.7\xa0MB", "8,192 tokens, all that the model was made for"}
                    <= set(app.texts()), "weights, context and the longest that fits in figures")

        # Metadata: searched by its meaning, opened by keyboard, read page by page.
        app.show_view("Metadata")
        until("the keys", lambda: app.has("general.architecture", "kind of model"))
        app.key("ctrl+f")
        app.type("trained context")
        until("the key alone", lambda: app.has("llama.context_length")
              and not app.has("general.architecture"))
        app.key("ctrl+a", "BackSpace")
        app.type("ggml.tokens")
        until("the vocabulary", lambda: app.has("tokenizer.ggml.tokens", "49,152: <|endoftext|>"))
        app.key("Tab", "Tab", "Return")  # past the menu
        app.wait_for("button", "Next Page")
        until("the first page", lambda: app.has("0–499 of 49,152", "<|im_start|>"))
        app.press("button", "Next Page")
        until("the second page", lambda: app.has("500–999 of 49,152"))
        app.key("Escape")
        app.wait_gone("button", "Next Page")

        # Tensors: searched.
        app.show_view("Tensors")
        until("the tensors", lambda: app.has("token_embd.weight", "272 tensors"))
        app.key("ctrl+f")
        app.type("blk.29.ffn")
        until("the found ones", lambda: app.has("4 of 272 tensors", "blk.29.ffn_up.weight"))

        # Unload from the bottom of the sidebar.
        app.press("button", "Unload From Memory")
        app.wait_gone("button", contains="Loaded: ")
        checks.wait(lambda: "Fits" in state(app, "Smollm2 135M"), "the list says that it is not loaded")
        app.key("ctrl+q")
        checks.clean_end(app, "quit on a model's page")
    finally:
        app.kill()


def context_by_keyboard():
    """The context is chosen by keyboard; the plan follows, and becomes the default."""
    path = os.path.join(work, "great-void.gguf")
    size = big_model.write(path, layers=230, name="Great Void 30B")
    checks.check(size > 30e9, "a file of 30 GB")
    app = start(path)
    try:
        # Shown from its header: nothing of the weights has been read.
        app.wait_for("label", "Architecture")
        checks.wait(lambda: app.has("Great Void 30B", f"{size / 1e9:.1f}\xa0GB"), "30 GB are shown at once")
        app.show_view("Fit")
        until("the verdict", lambda: app.has("Missing") or app.has("Fits."))
        app.wait_for("spin button", "Context Length")
        app.tab_to("spin button", "Context Length")
        app.key("ctrl+a")
        app.type("512")
        app.key("Tab")
        shown = until("the arithmetic button", lambda: app.find("button", "Copy the Arithmetic"))
        checks.check(shown, "the arithmetic can be copied")
        app.tab_to("button", "Use These for New Chats")
        app.key("Return")
        until("the setting", lambda: saved("context-length") == "512")
        checks.check(True, "what is wished becomes the default")
        app.key("ctrl+q")
        checks.clean_end(app, "quit beside 30 GB")
    finally:
        app.kill()


def many_tensors():
    path = os.path.join(work, "many.gguf")
    n = big_model.write_many(path, 50000)
    app = start(path)
    try:
        app.wait_for("label", "Architecture")
        checks.wait(lambda: app.has("Many", f"{n:,}"), "50,000 tensors: the overview")
        app.show_view("Tensors")
        until("the table", lambda: app.has(f"{n:,} tensors", "blk.0.a.weight"))
        n_rows = len(app.all("table row", start=app.find("tree table", "Tensors"), showing=False))
        checks.check(0 < n_rows < 300, f"rows in the tree: {n_rows}")
        app.key("ctrl+f")
        app.type("blk.49999")
        until("one found", lambda: app.has(f"1 of {n:,} tensors"))
        app.key("ctrl+q")
        checks.clean_end(app, "quit beside 50,000 tensors")
    finally:
        app.kill()


def folders():
    folder = os.path.join(work, "models", "deep", "er")
    os.makedirs(folder)
    for name, layers in (("b-second", 1), ("a-first", 1)):
        big_model.write(os.path.join(folder, name + ".gguf"), layers=layers, width=256, inner=512,
                        name=name)
    big_model.write(os.path.join(folder, "strange.gguf"), layers=1, width=256, inner=512,
                    name="strange", architecture="nobodys")
    with open(os.path.join(folder, "broken.gguf"), "wb") as out:
        out.write(b"GGUF" + b"\xff" * 40)
    with open(os.path.join(folder, "notes.txt"), "w") as out:
        out.write("no model")
    app = start(model_folders=f"['{work}/models', '/nowhere']", place="'models'")
    try:
        app.wait_for("list", "Models")

        def listed():
            return app.names("list item", start=app.find("list", "Models"))
        until("the files of the folder",
              lambda: listed() == ["a-first", "b-second", "broken.gguf", "strange"])
        for name, wanted in (("a-first", "Fits"), ("b-second", "Fits"), ("broken.gguf", "Damaged"),
                             ("strange", "Cannot run")):
            checks.wait(lambda: wanted in state(app, name), f"{name} in a folder: {wanted}")

        # Taken out in the preferences, they are gone from the list.
        app.key("ctrl+comma")
        app.press("button", contains="Remove “models”")
        until("the list without them", lambda: not listed())
        checks.wait_equal(lambda: saved("model-folders"), "['/nowhere']", "the settings")
        app.key("Escape")
        app.key("ctrl+q")
        checks.clean_end(app, "quit after the preferences")
    finally:
        app.kill()


def counted():
    done = subprocess.run([TABLE], capture_output=True, text=True, timeout=driver.PATIENCE_S * 3,
                          env=driver.environment())
    lines = done.stdout.splitlines()
    for line in lines:
        if "rows in" in line or "sorted in" in line:
            print(line)
    checks.equal(done.returncode, 0, f"the table of tensors ({done.stdout[-400:]}{done.stderr[-400:]})")
    checks.equal(len([line for line in lines if line.startswith("ok ")]), 4, "its parts")


checks.run("real model", real_model)
checks.run("context by keyboard", context_by_keyboard)
checks.run("many tensors", many_tensors)
checks.run("folders", folders)
checks.run("counted rows", counted)
sys.exit(checks.end())
