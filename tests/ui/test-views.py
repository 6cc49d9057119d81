#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-views.py HEARTH EMBER [MODEL [FILE…]]: every view with every kind of file (model_kinds.py). Each says
what `ember` says of that file, or one sentence; what it lists is searched; what it shows is copied and
exported; and after all others have been looked at, it is as it was left. Then the list of models with all
these files in one folder."""
import collections
import csv
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver  # noqa: E402
import model_kinds  # noqa: E402
import tricky_model  # noqa: E402
from driver import Checks, clipboard, until  # noqa: E402

EMBER = os.path.abspath(sys.argv[2])
MODEL = driver.model(3)
OTHER = os.path.join(os.path.dirname(MODEL), "gemma3.gguf")
driver.inside_display()
checks = Checks()
csv.field_size_limit(1 << 28)
work = tempfile.mkdtemp(prefix="hearth-test-")
beside = os.path.join(work, "beside")  # what is compared with
os.mkdir(beside)
tricky_model.write(os.path.join(beside, "beside.gguf"))
FILES = model_kinds.write_all(os.path.join(work, "files"), MODEL, OTHER if os.path.exists(OTHER) else None)
# What is looked for: a key, and a tensor.
WANTED = {"small": ("llama.context_length", "blk.7.attn_q.weight"),
          "other": ("gemma3.context_length", "blk.7.attn_q.weight"),
          "huge": ("llama.context_length", "blk.229.ffn_down.weight"), "many": ("general.name", "blk.49999.a.weight"),
          "parts": ("general.name", "blk.2.part_1.weight"), "empty": ("general.name", None),
          "cut": ("llama.context_length", "blk.7.attn_q.weight"), "overlap": ("nobodys.factor", "blk.0.attn_k.weight"),
          "wrong types": ("llama.context_length", "blk.0.attn_q.weight")}


def ember(*arguments, text=None):
    return subprocess.run([EMBER, *arguments], input=text, capture_output=True, text=True)


def told(*arguments, text=None):
    """None where the tool fails."""
    done = ember(*arguments, text=text)
    return json.loads(done.stdout) if done.returncode == 0 or "doctor" in arguments else None


def plain(text):
    return text.replace(",", "").replace("\u202f", "").replace("\u00a0", " ")


def says(app, *texts):
    """As has(), whatever stands between the digits."""
    shown = [plain(text) for text in app.texts()]
    return all(any(text in line for line in shown) for text in texts)


saves = 0


def save(app, menu, entry, ending):
    global saves
    saves += 1
    target = os.path.join(work, f"saved-{saves}.{ending}")
    driver.save_as(app, menu, entry, target)
    with open(target, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file)) if ending == "csv" else json.load(file) if ending == "json" \
            else file.read()


def search(app, table, text):
    """Until what is found is there: the rows begin with the titles."""
    app.key("ctrl+f", "ctrl+a")
    app.type(text)
    return until(f"{text} in {table}", lambda: app.find(
        "table row", contains=text, start=app.find("tree table", table) or app.find("table", table)))


def copy_row(app, table, wanted, what):
    """Of what has been found, by keyboard; it stays selected."""
    app.tab_to("tree table", table)
    app.key("ctrl+c")
    checks.wait_equal(lambda: clipboard().split("\t")[0], wanted, what)


def selected(app, table):
    """What is selected, and what is looked for."""
    return [row.get_name() for row in app.all("table row", start=app.find("tree table", table))
            if row.has_state("selected")]


def stays(read):
    """What is read now, as soon as it stands still; returns how to see that it is the same again."""
    seen = [read()]

    def still():
        seen.append(read())
        return len(seen) > 4 and len(set(seen[-4:])) == 1
    until("it to stand still", still)
    return lambda: read() == seen[-1]


class Shown:
    """One file in the window, and what the tool knows of it."""

    def __init__(self, app, kind):
        self.app, self.kind, self.path = app, kind, FILES[kind]
        self.key, self.tensor = WANTED[kind]
        self.known = told("inspect", "--json", self.path)
        self.whole = kind != "cut"

    def what(self, text):
        return f"{self.kind}: {text}"


# ---- the views: each is used, and returns how to see that it is as it was left ----

def overview(it):
    app, file, totals = it.app, it.known["file"], it.known["totals"]
    app.wait_for("label", "Architecture")
    checks.wait(lambda: says(app, file["architecture"], str(file["n_kv"])), it.what("Overview: the architecture"))
    app.choose("Overview Menu", 0)
    checks.wait(lambda: f"Architecture\t{file['architecture']}\n" in clipboard(), it.what("Overview: copied"))
    rows = {row["name"]: row["value"] for row in save(app, "Overview Menu", 2, "json") if row["group"] == "fact"}
    wanted = {"parameters": totals["parameters"], "tensors": file["n_tensors"], "keys": file["n_kv"],
              "bytes": file["size"]}
    checks.equal({name: rows.get(name, 0) for name in wanted}, wanted, it.what("Overview: exported"))
    place = app.find("label", "Architecture").get_box().y
    app.scroll_down()
    try:  # a short one has nothing to scroll
        until("it to scroll", lambda: app.find("label", "Architecture", showing=False).get_box().y < place, 3)
    except AssertionError:
        checks.check(it.kind not in ("small", "huge"), it.what("Overview: scrolled"))
    return stays(lambda: app.find("label", "Architecture", showing=False).get_box().y)


def fit(it):
    app = it.app
    app.show_view("Fit")
    if not it.whole or told("fit", "--json", it.path) is None:
        sentence = until("why there is no plan", lambda: next(
            (text for text in app.texts() if text.endswith(".") and len(text) > 20), None))
        checks.check(True, it.what(f"Fit: {sentence}"))
        return lambda: app.has(sentence)
    app.wait_for("spin button", "Context Length")
    app.set_value("Context Length", 512)
    device = told("fit", "--json", "--ctx", "512", it.path)["devices"][0]

    def planned():
        rows = {row["name"]: row["value"] for row in save(app, "Export the Plan", 1, "json")}
        return rows["context"] == 512 and rows
    rows = until("the plan for 512 tokens", planned)
    checks.equal({part: rows[part] for part in ("weights", "kv", "compute")},
                 {part: device[part] for part in ("weights", "kv", "compute")}, it.what("Fit: the plan"))
    app.press("button", "Copy the Arithmetic")
    checks.wait(lambda: str(device["weights"]) in plain(clipboard()), it.what("Fit: copied"))
    return lambda: app.value("Context Length") == 512 and app.has("Weights")


def metadata(it):
    app = it.app
    app.show_view("Metadata")
    known = told("export-metadata", it.path)
    until("the keys", lambda: app.find("tree table", "Metadata"))
    search(app, "Metadata", it.key)
    held = known[it.key].get("value") if known else it.known["metadata"][it.key].get("value")
    copy_row(app, "Metadata", str(held) if held is not None else "nan", it.what("Metadata: a value is copied"))
    rows = save(app, "Metadata Menu", 4, "csv")
    checks.equal([row["key"] for row in rows], list(it.known["metadata"]), it.what("Metadata: exported"))
    before = selected(app, "Metadata")
    checks.equal(len(before), 1, it.what("Metadata: a row is selected"))
    return lambda: says(app, f"1 of {it.known['file']['n_kv']} keys") and selected(app, "Metadata") == before


def tensors(it):
    app, n = it.app, it.known["file"]["n_tensors"]
    app.show_view("Tensors")
    if n == 0:
        checks.wait(lambda: app.has("No Tensors"), it.what("Tensors: there are none"))
        return lambda: app.has("No Tensors")
    until("its tensors", lambda: says(app, f"{n} tensor"))
    search(app, "Tensors", it.tensor)
    found = f"1 of {n} tensor" if n > 1 else "1 tensor"
    until("it alone", lambda: says(app, found))
    copy_row(app, "Tensors", it.tensor, it.what("Tensors: a row is copied"))
    tensor = next(each for each in it.known["tensors"] if each["name"] == it.tensor)
    rows = save(app, "Table Menu", 0, "csv")
    checks.equal([(row["name"], row["type"], int(row["bytes"])) for row in rows],
                 [(tensor["name"], tensor["type"].upper(), tensor["bytes"])], it.what("Tensors: exported"))
    before = selected(app, "Tensors")
    checks.equal(len(before), 1, it.what("Tensors: a row is selected"))
    return lambda: says(app, found) and selected(app, "Tensors") == before


def template(it):
    app = it.app
    app.show_view("Template")
    turns = [{"role": role, "content": content} for role, content in (
        ("system", "You are a helpful assistant."), ("user", "What is the capital of France?"),
        ("assistant", "Paris."), ("user", f"And of {it.kind}?"))]
    context = os.path.join(work, "context.json")
    with open(context, "w") as out:
        json.dump({"messages": turns, "add_generation_prompt": True}, out)
    done = ember("template", it.path, "--context", context)
    field = until("the last question", lambda: next(
        (node for node in app.all("text") if app.written(node) == "And of Italy?"), None))
    field.set_text(turns[-1]["content"])
    broken = isinstance(it.known["metadata"].get("tokenizer.chat_template", {}).get("value"), str)
    if done.returncode and broken:
        checks.wait(lambda: app.has("The template fails in line 1"), it.what("Template: where it fails"))
        return lambda: app.has("The template fails in line 1")
    prompt = done.stdout if done.returncode == 0 else "\n\n".join(turn["content"] for turn in turns)
    checks.wait(lambda: app.written(app.find("text", "Prompt")).endswith(prompt), it.what("Template: the prompt"))
    shown = app.written(app.find("text", "Prompt"))
    app.choose("Prompt Menu", 0)
    checks.wait(lambda: clipboard().endswith(prompt), it.what("Template: copied"))
    # Without a vocabulary there are no numbers of tokens to be copied before it in the menu.
    entry = 2 if told("tokenize", "--json", it.path, text="a") else 1
    checks.check(save(app, "Prompt Menu", entry, "txt").endswith(prompt), it.what("Template: exported"))
    return lambda: app.written(app.find("text", "Prompt")) == shown


def tokenizer(it):
    app = it.app
    app.show_view("Tokenizer")
    text = "One day, 3.14 of them."
    known = told("tokenize", "--json", it.path, text=text)
    if known is None:
        checks.wait(lambda: app.has("No Vocabulary") or app.has("vocabulary"), it.what("Tokenizer: there is none"))
        return lambda: app.has("No Vocabulary") or app.has("vocabulary")
    app.write("Text", text)
    ids = known["ids"]
    checks.wait(lambda: says(app, f"{len(ids)} tokens · {len(text)} characters"), it.what("Tokenizer: tokens"))
    app.choose("Token Menu", 0)
    checks.wait_equal(clipboard, ", ".join(map(str, ids)), it.what("Tokenizer: copied"))
    checks.equal(save(app, "Token Menu", 1, "json")["ids"], ids, it.what("Tokenizer: exported"))
    return lambda: app.written(app.find("text", "Text")) == text and says(app, f"{len(ids)} tokens")


def file_view(it):
    app = it.app
    app.show_view("File")
    until("its regions", lambda: says(app, " regions"))
    search(app, "Regions of the file", it.key)
    copy_row(app, "Regions of the file", it.key, it.what("File: a row is copied"))
    rows = save(app, "File Map Menu", 2, "csv")
    names = [name for name in it.known["metadata"] if it.key in name]
    checks.equal([row["name"] for row in rows], names, it.what("File: exported"))
    before = selected(app, "Regions of the file")
    return lambda: says(app, f"{len(names)} of ") and selected(app, "Regions of the file") == before


def verdict(problems):
    counts = collections.Counter(problem["severity"] for problem in problems)
    if counts["error"]:
        return f"This file cannot be trusted: {counts['error']} error"
    if counts["warning"]:
        return f"This file can be used, with {counts['warning']} thing"
    return "Nothing is wrong with this file."


def doctor(it):
    app = it.app
    app.show_view("Doctor")
    problems = told("doctor", "--json", it.path)["problems"]
    app.wait_for("button", "Copy Report")
    checks.wait(lambda: app.has(verdict(problems)) or not it.whole, it.what(f"Doctor: {verdict(problems)}"))
    app.press("button", "Copy Report")
    checks.wait(lambda: all(problem["message"] in clipboard() for problem in problems) and
                os.path.basename(it.path) in clipboard(), it.what("Doctor: copied"))
    saved = save(app, "Export", 1, "json")["problems"]
    codes = [sorted(problem["code"] for problem in each) for each in (saved, problems)]
    if it.kind == "parts":  # the tool looks at one part, the window at all
        codes = [sorted(set(each)) for each in codes]
    checks.equal(codes[0], codes[1], it.what("Doctor: exported"))
    if problems:  # unfolded, it stays so
        row = until("its findings", lambda: next((row for title in ("Errors", "Warnings", "Notes") for row in app.all(
            "list item", start=app.find("list", title, showing=False))), None))
        driver.activate(app, row)
        message = until("the engine's sentence", lambda: next(
            (problem["message"] for problem in problems if app.has(problem["message"])), None))
        return lambda: app.has(message)
    return lambda: app.has("Nothing is wrong with this file.")


def compare(it):
    app = it.app
    app.show_view("Compare")
    known = told("diff", "--json", it.path, os.path.join(beside, "beside.gguf"))
    driver.compare_with(app)
    until("both files", lambda: app.has("beside.gguf", "Main type"))
    app.press(None, start=lambda: app.find("radio button", "Keys") or app.find("toggle button", "Keys"))
    until("the keys", lambda: app.find("tree table", "Compared keys"))
    rows = save(app, "More", 3, "csv")
    checks.equal({row["key"]: row["change"] for row in rows}, {key["key"]: key["change"] for key in known["keys"]},
                 it.what("Compare: exported"))
    search(app, "Compared keys", "general.name")
    app.tab_to("tree table", "Compared keys")
    app.key("ctrl+c")
    name = it.known["metadata"]["general.name"]
    checks.wait(lambda: clipboard().startswith("general.name\t") and str(name["value"]) in clipboard(),
                it.what("Compare: a row is copied"))

    def kept():
        table = app.find("tree table", "Compared keys")
        return table and [row for row in app.names("table row", start=app.find("list", start=table))
                          if row] == ["general.name"]
    checks.wait(kept, it.what("Compare: found"))
    return kept


VIEWS = {"Overview": overview, "Fit": fit, "Metadata": metadata, "Tensors": tensors, "Template": template,
         "Tokenizer": tokenizer, "File": file_view, "Doctor": doctor, "Compare": compare}


def shown(kind):
    if told("inspect", "--json", FILES[kind]) is None:
        nothing(kind)
        return
    app = driver.start(FILES[kind], model_folders=f"['{beside}']")
    try:
        it = Shown(app, kind)
        app.wait_for("label", "Architecture")
        left = {name: use(it) for name, use in VIEWS.items()}
        for name, as_left in left.items():
            app.show_view(name)
            checks.wait(as_left, it.what(f"{name}: as it was left"))
        app.key("ctrl+q")
        checks.clean_end(app, it.what("quit"))
    finally:
        app.kill()


def nothing(kind):
    """A file that is no model: one sentence, and what the doctor finds; no views of nothing."""
    app = driver.start(FILES[kind])
    try:
        name = os.path.basename(FILES[kind])
        checks.wait(lambda: app.has(f"“{name}” is"), f"{kind}: a sentence about it")
        texts = app.texts()
        checks.check(not app.find("page tab", "Metadata"), f"{kind}: no views")
        checks.equal(sum(f"“{name}” is" in text for text in texts), 1, f"{kind}: it is said once")
        app.key("ctrl+q")
        checks.clean_end(app, f"{kind}: quit")
    finally:
        app.kill()


# ---- the list of models ----

def library():
    app = driver.start(model_folders=f"['{work}/files']", place="'models'")

    def names():
        return app.names("list item", start=app.find("list", "Models"), showing=False)
    try:
        n = len(FILES)
        until("all of them", lambda: app.find("label", contains=f"{n} models · ") and "Reading…" not in app.texts())
        app.press("toggle button", "List Menu")
        app.wait_menu()
        app.key("Up", "Up", "Up", "Return")
        target = os.path.join(work, "list.json")
        driver.choose_file(app, "Export the List of Models", target)
        until("the file", lambda: driver.is_saved(app, target))
        with open(target) as file:
            rows = {row["path"]: row for row in json.load(file)}
        checks.equal(sorted(rows), sorted(FILES.values()), "the list: one row for each, parts together")
        for kind, path in FILES.items():
            known, row = told("inspect", "--json", path), rows[path]
            if known is None:
                checks.check(row["state"] not in ("", "ready"), f"{kind} in the list: {row['state']}")
                continue
            checks.equal((row["architecture"], row["parameters"]),
                         (known["file"]["architecture"], known["totals"]["parameters"]), f"{kind} in the list")
            size = sum(os.path.getsize(each) for each in (
                [path.replace("00001-of", f"{i:05}-of") for i in (1, 2, 3)] if kind == "parts" else [path]))
            checks.equal(row["bytes"], size, f"{kind} in the list: its size")
        checks.equal(rows[FILES["parts"]]["parts"], 3, "the parts are counted")
        # Found, opened; another place, and back: as it was left.
        app.key("alt+2", "ctrl+f")
        app.type("great void")
        until("one", lambda: names() == ["Great Void 30B"])
        app.key("Return")
        app.wait_for("frame", "Great Void 30B")
        app.key("alt+1")
        app.wait_gone("list", "Models")
        app.key("alt+2")
        checks.wait(lambda: names() == ["Great Void 30B"], "the list: as it was left")
        app.key("ctrl+q")
        checks.clean_end(app, "quit beside the list")
    finally:
        app.kill()


for kind in FILES:
    if not sys.argv[4:] or kind in sys.argv[4:]:
        checks.run(kind, lambda: shown(kind))
if not sys.argv[4:] or "library" in sys.argv[4:]:
    checks.run("library", library)
sys.exit(checks.end())
