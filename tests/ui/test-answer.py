#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-answer.py HEARTH CHECK_ROWS [MODEL]: what an answer looks like to the keyboard and to voice
output: blocks with their roles, one selection through all of them, code, links, tables, versions,
editing, thoughts, and whole sentences announced. Then what it costs, by counters (check-rows)."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_model  # noqa: E402
import driver  # noqa: E402
import tree  # noqa: E402
from driver import App, Checks, clipboard, until  # noqa: E402

HEARTH, CHECK_ROWS = (os.path.abspath(path) for path in sys.argv[1:3])
MODEL = driver.model(3)
driver.inside_display()

checks = Checks()
work = tempfile.mkdtemp(prefix="hearth-test-")

ANSWER = """# Title

A paragraph with **bold** words and a [link](https://www.example.org/page).

- one
- two
  - inside
- [x] done

> A quote.

```python
print("hello")
```

| Name | Size |
|------|-----:|
| a    | 1    |

<script>alert(1)</script> ![cat](https://example.org/cat.png)
"""

SELECTED = """Title

A paragraph with bold words and a link.

- one
- two
  - inside
- [x] done

A quote.

print("hello")

Name\tSize
a\t1

<script>alert(1)</script> cat"""


def rows(app, name):
    return app.all("list item", contains=name)


def answer_row(app):
    found = rows(app, "Answer from ")
    return found[-1] if found else None


def ask(app, question):
    app.wait_for("text", "Question")
    app.key("ctrl+l")
    app.write("Question", question)
    app.key("Return")


def wait_answer(app):
    until("the end of the answer",
          lambda: any("tokens/s" in text for text in app.texts(lambda: answer_row(app))))


def press(app, name):
    """A button of the answer."""
    app.press("button", name, start=lambda: answer_row(app))


def tab_to(app, row, role, name=None):
    """As somebody does who has only a keyboard."""
    app.key("ctrl+l")
    seen = []
    for _ in range(25):
        app.tab()
        node = app.focused(row)
        if node and node.get_role_name() == role and name in (None, node.get_name()):
            return node
        seen.append(app.focused())
    raise AssertionError(f"Tab does not lead to a {role}: {seen}")


def edit_answer(app, text):
    """By the answer's own Edit button: a new version in these words."""
    press(app, "Edit")
    app.write("Edit the answer", text)
    app.key("ctrl+Return")
    app.wait_gone("text", "Edit the answer")


def roles(app):
    seen = app.look(lambda: answer_row(app), showing=False, names=lambda role: True, texts=lambda role: True)
    found = {}
    for part in seen.all() if seen else ():
        found.setdefault(part.role, []).append(part.text or part.name or "")
    return found


def look_at_blocks(app):
    # All of it is there when its last paragraph is.
    until("the last paragraph", lambda: any("alert(1)" in text for text in roles(app).get("paragraph", [])))
    found = roles(app)
    checks.equal(found.get("heading"), ["Title"], "a heading is a heading")
    checks.check("A paragraph with bold words and a link." in found.get("paragraph", []),
                 f"a paragraph: {found.get('paragraph')}")
    checks.equal(found.get("link"), ["link", "cat"], "links, an image among them")
    checks.check("block quote" in found, f"a quote: {sorted(found)}")
    checks.check(len(found.get("list", [])) >= 2, "a list, and one inside")
    checks.equal(len(found.get("list item", [])) - 1, 4, "items")
    checks.check("Done" in found.get("image", []), "a task says that it is done")
    checks.check("Code: Python" in found.get("grouping", []) + found.get("panel", []),
                 "code names its language")
    checks.check(any('print("hello")' in text for text in found.get("paragraph", [])),
                 "code can be read")
    cells = found.get("table cell", [])
    checks.check({"Name", "Size", "a", "1"} <= set(cells), f"a table has cells: {cells} {sorted(found)}")
    checks.check(any("<script>alert(1)</script>" in text for text in found.get("paragraph", [])),
                 "raw HTML is text")


def select_and_copy(app):
    """Tab from the row leads into its text; Ctrl+A and Ctrl+C take all of it."""
    tab_to(app, lambda: answer_row(app), "list item")
    app.tab()
    app.key("ctrl+a")
    app.key("ctrl+c")
    checks.wait_equal(clipboard, SELECTED, "one selection goes through all blocks")
    heading = app.wait_for("heading", start=lambda: answer_row(app))
    checks.equal(heading.get_n_selections(), 1, "voice output sees the selection")

    # From the beginning, two words on with the keyboard.
    app.key("ctrl+Home")
    app.key("Down")
    app.key("Home")
    app.key("ctrl+shift+Right", "ctrl+shift+Right")
    app.key("ctrl+c")
    checks.wait_equal(clipboard, "A paragraph", "words are selected with the keyboard")

    app.key("ctrl+shift+c")
    checks.wait_equal(clipboard, ANSWER, "copying an answer gives its Markdown")


def code(app):
    press(app, "Copy Code")
    until("the code", lambda: clipboard() == 'print("hello")')
    press(app, "Save As…")
    checks.check(app.wait_for(name="Save Code"), "Save As… asks where")
    path = os.path.join(work, "code.py")
    checks.equal(driver.choose_file(app, "Save Code", path), "code.py", "the name that is suggested")
    until("the file", lambda: driver.is_saved(app, path))
    with open(path) as saved:
        checks.equal(saved.read(), 'print("hello")\n', "the saved code")


def links(app):
    """A link shows where it leads before anything opens."""
    tab_to(app, lambda: answer_row(app), "link", "link")
    app.key("Return")
    target = app.wait_for("label", "https://www.example.org/page")
    checks.check(target, "the target is shown")
    checks.wait(lambda: app.find("button", "Open in Browser"), "it opens when told to")
    app.press("button", "Copy Link")
    until("the target in the clipboard", lambda: clipboard() == "https://www.example.org/page")
    app.wait_gone("label", "https://www.example.org/page")


def versions(app, first):
    app.wait_for("label", "Version 2 of 2", start=lambda: answer_row(app))
    press(app, "Previous Version")
    app.wait_for("label", "Version 1 of 2")
    checks.wait(lambda: first in " ".join(app.texts(lambda: answer_row(app))),
                "the first version's text is back")
    press(app, "Next Version")
    app.wait_for("label", "Version 2 of 2")


def edit_question(app):
    """Escape leaves everything as it was; Enter asks in the new words."""
    def row():
        found = rows(app, "Question")
        return found[-1] if found else None
    app.press("button", "Edit", start=row)
    until("the focus", lambda: app.focus_at("text", "Edit the question"))
    app.key("Escape")
    app.wait_gone("text", "Edit the question")
    app.press("button", "Edit", start=row)
    app.write("Edit the question", "What is a magnet?")
    until("the focus", lambda: app.focus_at("text", "Edit the question"))
    app.key("Return")
    app.wait_for("label", "Version 2 of 2", start=row)
    wait_answer(app)
    checks.wait(lambda: "What is a magnet?" in app.texts(row), "the question is asked in new words")


def blocks():
    driver.settings(temperature="just 0.0", window_width=1000, window_height=880)
    app = App(HEARTH, "--chat", MODEL)
    try:
        app.wait_for("text", "Question")
        ask(app, "What is gravity?")
        wait_answer(app)
        first = app.texts(lambda: answer_row(app))[0]
        edit_answer(app, ANSWER)
        look_at_blocks(app)
        select_and_copy(app)
        code(app)
        links(app)
        versions(app, first)
        edit_question(app)
        noise = [line for line in app.output().splitlines()
                 if "CRITICAL" in line or "WARNING" in line]
        checks.equal(noise, [], "complaints")
    finally:
        app.kill()


class Listener:
    """Hears what a voice would be told to say (the AT-SPI event)."""

    def __init__(self, app):
        self.heard = []
        self.app = app
        self.listener = tree.Atspi.EventListener.new(self.cb)
        self.listener.register("object:announcement")

    def cb(self, event):
        self.heard.append(event.any_data)

    def listen(self, condition, what):
        from gi.repository import GLib
        context = GLib.MainContext.default()

        def step():
            while context.iteration(False):
                pass
            return condition()
        return until(what, step)


def announced():
    driver.settings(temperature="just 0.0", window_width=1000, window_height=700)
    app = App(HEARTH, "--chat", MODEL)
    try:
        app.wait_for("text", "Question")
        listener = Listener(app)
        ask(app, "What is gravity? Answer in three sentences.")
        listener.listen(lambda: any("tokens/s" in text for text in app.texts(lambda: answer_row(app))),
                        "the end of the answer")
        app.key("ctrl+shift+c")
        text = until("the copied answer", clipboard)
        try:
            listener.listen(lambda: "".join(text.split())[-20:] in "".join(
                "".join(listener.heard).split()), "the last sentence announced")
        except AssertionError:
            print(f"heard {listener.heard!r}, the answer {text!r}")
            raise
        heard = [part for part in listener.heard if not part.startswith("A toast")]
        said = " ".join(heard)
        checks.check(len(listener.heard) > 1, f"sentences come one by one: {listener.heard}")
        checks.equal("".join(said.split()), "".join(text.split()),
                     "together they are the answer")
        parts = [part.strip() for part in heard[:-1]]
        checks.equal([part for part in parts if not re.search(r"[.!?:\n]$|[.!?:]\W*$", part)], [],
                     "each is whole sentences")
    finally:
        app.kill()


def refused():
    """Who asks a model that does not fit is told so, and where the keyboard is led."""
    great = os.path.join(work, "great.gguf")
    big_model.write(great, layers=1000, width=8192, inner=28672, name="Great Void")
    app = App(HEARTH, "--chat", great)
    try:
        app.wait_for("button", "Load Anyway")
        listener = Listener(app)
        app.key("ctrl+l")
        app.type("Hello")
        app.key("Return")
        listener.listen(lambda: app.focus_at("button", "Choose Another Model") and listener.heard,
                        "the sentence announced")
        checks.check(any(part.startswith("Great Void needs") for part in listener.heard),
                     f"why nothing is asked: {listener.heard}")
    finally:
        app.kill()
        os.remove(great)


def thinking_model():
    """The same model with a template that opens thoughts, as reasoning models have it."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import thinking_model as maker
    path = os.path.join(work, "thinking.gguf")
    maker.write(MODEL, path)
    return path


def thoughts():
    driver.settings(temperature="just 0.0", window_width=1000, window_height=700)
    app = App(HEARTH, "--chat", thinking_model())
    try:
        app.wait_for("text", "Question")
        ask(app, "What is gravity?")
        line = app.wait_for("button", contains="Thinking…")
        checks.check(line, "one line says that it thinks")
        def read():
            """What can be read of the thoughts."""
            return [text for text in (node.get_text() for node in app.all(
                "paragraph", start=lambda: answer_row(app))) if text]
        checks.equal(read(), [], "the thoughts are folded")
        app.press("button", contains="Thinking…")
        checks.wait(read, "they unfold")
        until("more thoughts", lambda: sum(map(len, read())) > 200)
        app.key("Escape")
        done = app.wait_for("button", contains="Thought for")
        checks.check(done, "afterwards it says how long it thought")
        app.press("button", contains="Thought for")
        checks.wait(lambda: not read(), "they fold again")
    finally:
        app.kill()


def costs():
    done = subprocess.run([CHECK_ROWS], capture_output=True, text=True, env=driver.environment())
    sys.stdout.write(done.stdout)
    last = re.search(r"(\d+) passed, (\d+) failed", done.stdout)
    checks.check(done.returncode == 0 and last, f"rows by counters: {done.stderr[-500:]}")


checks.run("blocks", blocks)
checks.run("announced", announced)
checks.run("refused", refused)
checks.run("thoughts", thoughts)
checks.run("costs", costs)
sys.exit(checks.end())
