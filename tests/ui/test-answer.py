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
import driver  # noqa: E402
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
    return [node for node in app.walk() if node.get_role_name() == "list item"
            and (node.get_name() or "").startswith(name)]


def answer_row(app):
    found = rows(app, "Answer from ")
    return found[-1] if found else None


def ask(app, question):
    composer = app.wait_for("text", "Question")
    app.key("ctrl+l")
    app.atspi.EditableText.set_text_contents(composer, question)
    until("the question", lambda: app.written(composer) == question)
    app.key("Return")


def wait_answer(app):
    until("the end of the answer",
          lambda: any("tokens/s" in text for text in app.texts(answer_row(app))))


def button(app, name, row):
    return until(f"the button {name}", lambda: app.find("button", name, start=row(app)))


def focused(app, row):
    """The node with the keyboard, in the row."""
    for node in app.walk(row):
        if node.get_state_set().contains(app.atspi.StateType.FOCUSED):
            return node
    return None


def tab_to(app, row, role, name=None):
    """As somebody does who has only a keyboard."""
    app.key("ctrl+l")
    seen = []
    for _ in range(25):
        app.key("Tab")
        node = focused(app, row)
        if node and node.get_role_name() == role and name in (None, node.get_name()):
            return node
        seen.append(next((f"{n.get_role_name()} {n.get_name()}" for n in app.walk()
                          if n.get_state_set().contains(app.atspi.StateType.FOCUSED)), None))
    raise AssertionError(f"Tab does not lead to a {role}: {seen}")


def edit_answer(app, text):
    """By the answer's own Edit button: a new version in these words."""
    app.click(button(app, "Edit", answer_row))
    editor = app.wait_for("text", "Edit the answer")
    app.atspi.EditableText.set_text_contents(editor, text)
    until("the text in the editor", lambda: app.written(editor) == text)
    app.key("ctrl+Return")
    until("the editor to go", lambda: not app.find("text", "Edit the answer"))


def roles(app):
    row = answer_row(app)
    found = {}
    for node in app.walk(row):
        role = node.get_role_name()
        found.setdefault(role, []).append(app.written(node) or node.get_name() or "")
    return found


def look_at_blocks(app):
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
    tab_to(app, answer_row(app), "list item")
    app.key("Tab")
    app.key("ctrl+a")
    app.key("ctrl+c")
    until("the text of all blocks", lambda: clipboard() == SELECTED)
    checks.check(True, "one selection goes through all blocks")
    heading = app.find("heading", start=answer_row(app))
    checks.equal(app.atspi.Text.get_n_selections(heading), 1, "voice output sees the selection")

    # From the beginning, two words on with the keyboard.
    app.key("ctrl+Home")
    app.key("Down")
    app.key("Home")
    app.key("ctrl+shift+Right", "ctrl+shift+Right")
    app.key("ctrl+c")
    until("two words", lambda: clipboard() == "A paragraph")
    checks.check(True, "words are selected with the keyboard")

    app.key("ctrl+shift+c")
    until("the Markdown", lambda: clipboard() == ANSWER)
    checks.check(True, "copying an answer gives its Markdown")


def code(app):
    app.click(button(app, "Copy Code", answer_row))
    until("the code", lambda: clipboard() == 'print("hello")')
    app.click(button(app, "Save As…", answer_row))
    dialog = app.wait_for(name="Save Code")
    checks.check(dialog, "Save As… asks where")
    names = until("the suggested name", lambda: [app.written(node) for node in app.walk(dialog)
                                                 if app.written(node).endswith(".py")])
    checks.equal(names[0], "code.py", "the name that is suggested")
    app.focus_dialog("Save Code")
    path = os.path.join(work, "code.py")
    entry = next(node for node in app.walk(dialog) if app.written(node) == "code.py")
    app.atspi.EditableText.set_text_contents(entry, path)
    subprocess.run(["xdotool", "key", "Return"], check=True)
    until("the file", lambda: os.path.exists(path) and os.path.getsize(path) > 0)
    with open(path) as saved:
        checks.equal(saved.read(), 'print("hello")\n', "the saved code")
    until("the dialog to go", lambda: not app.find(name="Save Code"))


def links(app):
    """A link shows where it leads before anything opens."""
    tab_to(app, answer_row(app), "link", "link")
    app.key("Return")
    target = app.wait_for("label", "https://www.example.org/page")
    checks.check(target, "the target is shown")
    checks.check(app.find("button", "Open in Browser"), "it opens when told to")
    app.click(app.find("button", "Copy Link"))
    until("the target in the clipboard", lambda: clipboard() == "https://www.example.org/page")
    until("the question to go", lambda: not app.find("label", "https://www.example.org/page"))


def versions(app, first):
    until("two versions", lambda: app.find("label", "Version 2 of 2", start=answer_row(app)))
    app.click(button(app, "Previous Version", answer_row))
    until("the first version", lambda: app.find("label", "Version 1 of 2"))
    until("the first version's text", lambda: first in " ".join(app.texts(answer_row(app))))
    checks.check(True, "the first version's text is back")
    app.click(button(app, "Next Version", answer_row))
    until("the second version", lambda: app.find("label", "Version 2 of 2"))


def edit_question(app):
    """Escape leaves everything as it was; Enter asks in the new words."""
    def row(app):
        return rows(app, "Question")[-1]
    app.click(button(app, "Edit", row))
    editor = app.wait_for("text", "Edit the question")
    app.key("Escape")
    until("the editor to go", lambda: not app.find("text", "Edit the question"))
    app.click(button(app, "Edit", row))
    editor = app.wait_for("text", "Edit the question")
    app.atspi.EditableText.set_text_contents(editor, "What is a magnet?")
    until("the new words", lambda: app.written(editor) == "What is a magnet?")
    app.key("Return")
    until("a second version of the question",
          lambda: app.find("label", "Version 2 of 2", start=row(app)))
    wait_answer(app)
    until("the new question", lambda: "What is a magnet?" in app.texts(row(app)))
    checks.check(True, "the question is asked in new words")


def blocks():
    driver.settings(temperature="just 0.0", window_width=1000, window_height=880)
    app = App(HEARTH, "--chat", MODEL)
    try:
        app.wait_for("text", "Question")
        ask(app, "What is gravity?")
        wait_answer(app)
        first = app.texts(answer_row(app))[0]
        edit_answer(app, ANSWER)
        until("the heading", lambda: app.find("heading", start=answer_row(app)))
        look_at_blocks(app)
        select_and_copy(app)
        code(app)
        links(app)
        versions(app, first)
        edit_question(app)
        noise = [line for line in app.output().splitlines()
                 if "CRITICAL" in line or "WARNING" in line]
        checks.equal(noise, [], "complaints")
    except Exception:
        print("\n".join(line[:160] for line in app.dump().splitlines()[-80:]))
        print(app.output())
        raise
    finally:
        app.kill()


class Listener:
    """Hears what a voice would be told to say (the AT-SPI event)."""

    def __init__(self, app):
        self.heard = []
        self.app = app
        self.listener = app.atspi.EventListener.new(self.cb)
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
        listener.listen(lambda: any("tokens/s" in text for text in app.texts(answer_row(app))),
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
        row = answer_row(app)
        checks.equal([node for node in app.walk(row) if node.get_role_name() == "paragraph"
                      and app.showing(node)], [], "the thoughts are folded")
        app.click(line)
        shown = until("the thoughts", lambda: [app.written(node) for node in app.walk(answer_row(app))
                                               if node.get_role_name() == "paragraph"
                                               and app.showing(node) and app.written(node)])
        checks.check(len(shown[0]) > 0, "they unfold")
        until("more thoughts", lambda: sum(len(text) for text in app.texts(answer_row(app))) > 200)
        app.key("Escape")
        done = app.wait_for("button", contains="Thought for")
        checks.check(done, "afterwards it says how long it thought")
        app.click(done)
        until("them folded", lambda: not [node for node in app.walk(answer_row(app))
                                          if node.get_role_name() == "paragraph"
                                          and app.showing(node)])
        checks.check(True, "they fold again")
    except Exception:
        print("\n".join(line[:160] for line in app.dump().splitlines()[-80:]))
        print(app.output())
        raise
    finally:
        app.kill()


def costs():
    done = subprocess.run([CHECK_ROWS], capture_output=True, text=True, env=driver.environment())
    sys.stdout.write(done.stdout)
    last = re.search(r"(\d+) passed, (\d+) failed", done.stdout)
    checks.check(done.returncode == 0 and last, f"rows by counters: {done.stderr[-500:]}")


checks.run("blocks", blocks)
checks.run("announced", announced)
checks.run("thoughts", thoughts)
checks.run("costs", costs)
sys.exit(checks.end())
