#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-keys.py HEARTH [MODEL [PART…]]: each action of the window, the list of models and every view of a
model's page by the keyboard alone. A row of a table says how to get there and what comes of it; nothing
is clicked, neither by a pointer nor through the accessibility tree."""
import csv
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_model  # noqa: E402
import driver  # noqa: E402
import library_files  # noqa: E402
from driver import Checks, keys, until  # noqa: E402

MODEL = driver.model(2)
driver.inside_display()
checks = Checks()
work = tempfile.mkdtemp(prefix="hearth-test-")
TEMPLATE = "{% for m in messages %}<s>{{ m.role }}: {{ m.content }}</s>{% endfor %}"
VIEWS = ("Overview", "Fit", "Metadata", "Tensors", "Template", "Tokenizer", "File", "Doctor", "Compare")


# ---- ways: what is pressed ----

def key(*names):
    """Keys that work wherever the keyboard is."""
    return lambda app: app.key(*names)


def typed(text):
    return lambda app: app.type(text)


def at(role, name, *names, **more):
    """Tab to a control, then these keys."""
    def way(app):
        start = more.get("start")
        app.tab_to(role, name, most=150, **({"start": lambda: app.find(*start)} if start else {}))
        if names:
            app.key(*names)
    return way


def menu(button, entry):
    """Tab to the button of a menu, open it, down to an entry."""
    def way(app):
        # Popped up over the window, it may hold on to the keyboard for a moment after it is closed.
        app.tab_to("toggle button", start=lambda: app.find("button", button) or app.find(
            "toggle button", button), most=150)
        app.key("space")
        app.wait_menu()
        app.move_to(lambda: app.focus_at("menu item", entry), "Down", entry)
        keys("Return")
    return way


# ---- effects: what comes of it ----

def shows(*texts):
    return lambda app: checks_text(app, lambda: app.has(*texts), texts)


def there(role, name, **more):
    return lambda app: checks_text(app, lambda: app.find(role, name, **more), name or more)


def gone(role, name):
    return lambda app: checks_text(app, lambda: not app.find(role, name), f"no {name}")


def holds(role, name, state):
    def on():
        node = held.find(role, name)
        return node and any(node.has_state(each) for each in state.split())
    held = None

    def effect(app):
        nonlocal held
        held = app
        return checks_text(app, on, f"{name} {state}")
    return effect


def copied(text):
    return lambda app: checks_text(app, lambda: text in (driver.clipboard() or ""), f"a copy with {text!r}")


def saved(ending, title="Save As"):
    """A file that can be read as what it says it is."""
    def effect(app):
        path = os.path.join(work, "saved" + ending)
        if os.path.exists(path):
            os.remove(path)
        driver.choose_file(app, title, path)
        until(f"the file {path}", lambda: driver.is_saved(app, path))
        with open(path, "rb") as file:
            data = file.read()
        if ending == ".json":
            return bool(json.loads(data))
        if ending == ".csv":
            return len(list(csv.reader(data.decode().splitlines()))) > 1
        return data.startswith(b"\x89PNG") if ending == ".png" else len(data) > 0
    return effect


def numbers_copied():
    return lambda app: checks_text(app, lambda: all(part.strip().isdigit() for part in (
        driver.clipboard() or "none").split(",")), "copied numbers")


def n_messages(n):
    return lambda app: checks_text(app, lambda: len(app.all("button", "Remove Message", showing=False)) == n,
                                   f"{n} messages")


def asked(title):
    """A dialog of the system; Escape leaves it."""
    def effect(app):
        app.wait_for(name=title)
        app.focus_dialog(title)
        keys("Escape")
        app.wait_gone(name=title)
        app.focus_window()
        return True
    return effect


def checks_text(app, condition, what):
    until(f"{what}", condition)
    return True


def both(*effects):
    return lambda app: all(effect(app) for effect in effects)


def go_to(app, view):
    """By the keys that go from view to view."""
    def shown():
        tabs = [(app.find("page tab", name), name) for name in VIEWS]
        return next((name for tab, name in tabs if tab and tab.has_state("checked")), None)
    now = until("a view", shown)
    steps = VIEWS.index(view) - VIEWS.index(now)
    if steps:
        app.key(*["ctrl+Next" if steps > 0 else "ctrl+Prior"] * abs(steps))
        until(f"the view {view}", lambda: shown() == view)


# ---- the rows: what, in which view, by which keys, with which effect ----

FIND = "tree table"
PAGE = (
    ("copy a fact", "Overview", at("table cell", "Architecture: llama", "Return"), copied("llama")),
    ("copy all facts", "Overview", menu("Overview Menu", "Copy Facts"), copied("Layers\t2")),
    ("export the overview as CSV", "Overview", menu("Overview Menu", "Export as CSV…"), saved(".csv")),
    ("export the overview as JSON", "Overview", menu("Overview Menu", "Export as JSON…"), saved(".json")),
    ("unfold the arithmetic", "Fit", at("list item", "Show the Arithmetic", "Return"), shows("Together")),
    ("copy the arithmetic", "Fit", at("button", "Copy the Arithmetic", "space"), copied("Together")),
    ("export the plan", "Fit", menu("Export the Plan", "Export as CSV…"), saved(".csv")),
    ("a shorter context", "Fit", (at("spin button", "Context Length", "ctrl+a"), typed("512"), key("Tab")),
     lambda app: checks_text(app, lambda: app.value("Context Length") == 512, "512 tokens")),
    ("use the longest context", "Fit", at("button", "Use", "space"),
     lambda app: checks_text(app, lambda: app.value("Context Length") > 512, "more tokens")),
    ("make it the default", "Fit", at(None, "Use These for New Chats", "Return"),
     shows("New chats use these settings")),
    ("search keys", "Metadata", (at(FIND, "Metadata"), key("ctrl+f"), typed("general.name")), shows("1 of ")),
    ("copy a row", "Metadata", at(FIND, "Metadata", "space", "ctrl+c"), copied("Tiny Otter")),
    ("copy a name", "Metadata", menu("Metadata Menu", "Copy Name"), copied("general.name")),
    ("copy a value", "Metadata", menu("Metadata Menu", "Copy Value"), copied("Tiny Otter")),
    ("edit in a copy", "Metadata", (menu("Metadata Menu", "Edit in a Copy…")), there("button", "Apply")),
    ("leave the editor", None, key("Escape", "Escape"), gone("button", "Apply")),
    ("export keys as CSV", "Metadata", menu("Metadata Menu", "Export as CSV…"), saved(".csv")),
    ("export keys as JSON", "Metadata", menu("Metadata Menu", "Export as JSON…"), saved(".json")),
    ("bytes of a key", "Metadata", (at(FIND, "Metadata"), key("ctrl+b")), there("text", "Go to offset")),
    ("leave the bytes", "File", key("Escape"), there("table", "Map of the file")),
    ("colour by bits", "Tensors", at("radio button", "Type", "Right", "space"),
     holds("radio button", "Bits per Weight", "checked pressed")),
    ("a cell of the map", "Tensors", at("table", "Map of tensors", "ctrl+Home", "Down", "Right"),
     shows("blk.0.attn_norm.weight · ")),
    ("save the map", "Tensors", menu("Map Menu", "Save as PNG…"), saved(".png")),
    ("copy the map", "Tensors", menu("Map Menu", "Copy as Picture"), shows("Map copied")),
    ("search tensors", "Tensors", (at(FIND, "Tensors"), key("ctrl+f"), typed("ffn_up")), shows("2 of ")),
    ("copy a tensor's row", "Tensors", at(FIND, "Tensors", "space", "ctrl+c"), copied("blk.0.ffn_up")),
    ("export tensors as CSV", "Tensors", menu("Table Menu", "Export as CSV…"), saved(".csv")),
    ("export tensors as JSON", "Tensors", menu("Table Menu", "Export as JSON…"), saved(".json")),
    ("open a tensor", "Tensors", at(FIND, "Tensors", "Return"), shows("How Values Are Spread")),
    ("copy its name", "Tensors", at("button", "Copy Name", "space"), copied("blk.0.ffn_up.weight")),
    ("copy statistics", "Tensors", menu("Values Menu", "Copy Statistics"), copied("\t")),
    ("its numbers", "Tensors", at("page tab", "Values", "Right", "space"), there("spin button", "Column")),
    ("copy numbers", "Tensors", (at("table", "Values", "shift+Right"), menu("Numbers Menu", "Copy Selection")),
     copied("0\t0")),
    ("export numbers", "Tensors", menu("Numbers Menu", "Export as CSV…"),
     saved(".csv", "Export Selection")),
    ("back to the map", "Tensors", key("Escape"), there("table", "Map of tensors")),
    ("copy a prompt", "Template", menu("Prompt Menu", "Copy Prompt"), copied("<s>user: What is")),
    ("copy its tokens", "Template", menu("Prompt Menu", "Copy Token IDs"), copied(", ")),
    ("save a prompt", "Template", menu("Prompt Menu", "Save as Text…"), saved(".txt")),
    ("save a prompt with its tokens", "Template", menu("Prompt Menu", "Save as JSON…"), saved(".json")),
    ("add a message", "Template", at("button", "Add Message", "space"), n_messages(4)),
    ("remove a message", "Template", at("button", "Remove Message", "space"), n_messages(3)),
    ("the template's source", "Template", at("radio button", "Prompt", "Right", "space"),
     there("text", "Source of the template")),
    ("write a text", "Tokenizer", (at("text", "Text", "ctrl+a"), typed("abc")), shows("3 characters")),
    ("copy tokens", "Tokenizer", menu("Token Menu", "Copy Token IDs"), numbers_copied()),
    ("save tokens", "Tokenizer", menu("Token Menu", "Save as JSON…"), saved(".json")),
    ("search the vocabulary", "Tokenizer", (at("text", "Tokens"), key("ctrl+f"), typed("a")), there(FIND, "Vocabulary")),
    ("copy a token", "Tokenizer", at(FIND, "Vocabulary", "ctrl+c"), lambda app: checks_text(
        app, lambda: (driver.clipboard() or "1")[0].isdigit() is False, "a text instead of numbers")),
    ("save the vocabulary as CSV", "Tokenizer", menu("Vocabulary Menu", "Save as CSV…"), saved(".csv")),
    ("what cached means", "File", at("toggle button", None, "space", start=("button", "What “Cached” Means")),
     shows("is another matter")),
    ("leave that", None, lambda app: keys("Escape"), gone("label", "is another matter")),
    ("look again", "File", at("button", "Refresh What Is Cached", "space"), shows("Cached by the system")),
    ("a region", "File", at("table", "Map of the file", "Home"), shows("Header · at 0 · 24 bytes")),
    ("its bytes", "File", key("Return"), shows("24 bytes selected")),
    ("copy bytes", "File", menu("Copy Selection", "Copy as Hexadecimal"), copied("47 47 55 46")),
    ("back to the strip", "File", key("Escape"), there("table", "Map of the file")),
    ("export regions as CSV", "File", menu("File Map Menu", "Export as CSV…"), saved(".csv")),
    ("export regions as JSON", "File", menu("File Map Menu", "Export as JSON…"), saved(".json")),
    ("check values", "Doctor", at("button", "Check Values Too", "space"), shows("every value were examined")),
    ("copy the report", "Doctor", at("button", "Copy Report", "space"), copied("tiny.gguf")),
    ("export the report", "Doctor", menu("Export", "As Text…"), saved(".txt")),
    ("export the report as JSON", "Doctor", menu("Export", "As JSON…"), saved(".json")),
    ("choose a file to compare with", "Compare", at("button", "Open File…", "space"), asked("Compare With…")),
    ("compare", "Compare", at("list item", "Other Otter", "Return", start=("list", "Other models")),
     there("label", "Here")),
    ("measure values", "Compare", at("button", "Measure Values", "space"), there(FIND, "Compared tensors")),
    ("show all rows", "Compare", at("check box", "Show what is the same, too", "space"),
     shows("token_embd.weight")),
    ("copy differences", "Compare", menu("More", "Copy Differences"), copied("general.name")),
    ("export rows", "Compare", menu("More", "Export Rows as CSV…"), saved(".csv")),
    ("export differences", "Compare", menu("More", "Export Differences as JSON…"), saved(".json")),
    ("compare with another", "Compare", menu("More", "Compare With Another…"), there("button", "Open File…")),
    ("copy the path", "Overview", menu("Model Menu", "Copy Path"), copied("tiny.gguf")),
    ("edit a copy", "Overview", menu("Model Menu", "Edit Copy…"), there("button", "Add Key")),
    ("leave it", None, key("Escape"), gone("button", "Add Key")),
    ("compare from the menu", "Overview", menu("Model Menu", "Compare With…"), there("button", "Open File…")),
    ("chat", "Overview", at("button", "Chat", "space"), there("text", "Question")),
)

LIST = (
    ("filter chats", key("alt+2"), there("list", "Models")),
    ("only what chats", at("toggle button", "Chat", "space"), shows("2 of 3 models · ")),
    ("all again", at("toggle button", "Chat", "space"), shows("3 models · ")),
    ("only what compares texts", at("toggle button", "Embedding", "space"), shows("1 of 3 models · ")),
    ("and all", at("toggle button", "Embedding", "space"), shows("3 models · ")),
    ("only what fits", at("toggle button", "Fits", "space"), shows(" of 3 models · ")),
    ("whether or not", at("toggle button", "Fits", "space"), shows("3 models · ")),
    ("no groups", menu("List Menu", "No Groups"), lambda app: checks_text(
        app, lambda: "keys" not in app.texts(), "no group")),
    ("by folder", menu("List Menu", "By Folder"), shows("keys")),
    ("copy the list", menu("List Menu", "Copy List"), copied("Tiny Otter")),
    ("export the list", menu("List Menu", "Export List…"), saved(".csv", "Export the List of Models")),
    ("add a folder", menu("List Menu", "Add Folder…"), asked("Add a Folder of Models")),
    ("search", (key("alt+2", "ctrl+f"), typed("other")), shows("1 of 3 models · ")),
    ("leave the search", key("ctrl+a", "BackSpace"), shows("3 models · ")),
    ("a model's page", (key("alt+2"), at("list item", "Tiny Otter", "Return")), shows("Architecture")),
    ("to the trash from its page", menu("Model Menu", "Move to Trash"), shows("moved to the trash")),
    ("back from there", key("ctrl+z"), shows("3 models · ")),
    ("its menu", (at("list item", "Tiny Otter"), key("shift+F10")), there("menu item", "Copy Path")),
    ("leave the menu", lambda app: keys("Escape"), gone("menu item", "Copy Path")),
    ("to the trash", (at("list item", "Other Otter"), key("Delete")), shows("moved to the trash")),
    ("undo", key("ctrl+z"), shows("3 models · ")),
    ("look again", key("F5"), shows("3 models · ")),
    ("open a file", key("ctrl+o"), asked("Open a Model File")),
    ("preferences", key("ctrl+comma"), shows("Computing")),
    ("leave them", key("Escape"), gone("label", "Computing")),
    ("the shortcuts", key("ctrl+question"), shows("Show a map in its first size")),
    ("leave those", key("Escape"), gone("label", "Show a map in its first size")),
    ("the chats", key("alt+1"), lambda app: checks_text(app, lambda: not app.find("list", "Models"), "chats")),
)


def go(app, what, ways, effect):
    def part():
        for way in ways if isinstance(ways, tuple) else (ways,):
            way(app)
        checks.check(effect(app), what)
    if os.environ.get("HEARTH_UI_TELL"):
        print(what, flush=True)
    try:
        part()
    except AssertionError as error:
        checks.check(False, f"{what}: {error}; the focus is at {app.focused()}")


def folder():
    """Two models much alike, and one that makes vectors."""
    place = os.path.join(work, "keys")
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    big_model.write(f"{place}/tiny.gguf", layers=2, width=256, inner=512, name="Tiny Otter",
                    more=[big_model.key("tokenizer.chat_template", big_model.STRING, TEMPLATE)])
    library_files.runnable(f"{place}/other.gguf", "Other Otter", layers=3)
    library_files.embedder(f"{place}/wren.gguf", "Wren")
    return place


def page():
    place = folder()
    app = driver.start(f"{place}/tiny.gguf", model_folders=f"['{place}']", window_width=1240,
                       window_height=890)
    try:
        app.wait_for("label", "Architecture")
        for what, view, ways, effect in PAGE:
            if view:
                go_to(app, view)
            go(app, what, ways, effect)
        app.key("ctrl+q")
        checks.clean_end(app, "quit")
    finally:
        app.kill()


def the_list():
    place = folder()
    app = driver.start(model_folders=f"['{place}']", place="'models'", window_width=1240,
                       window_height=890)
    try:
        until("the models", lambda: app.has("3 models · "))
        for what, ways, effect in LIST:
            go(app, what, ways, effect)
        app.key("ctrl+q")
        checks.clean_end(app, "quit beside the list")
    finally:
        app.kill()


PARTS = {"page": page, "list": the_list}
for each in sys.argv[3:] or PARTS:
    checks.run(each, PARTS[each])
sys.exit(checks.end())
