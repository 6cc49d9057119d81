# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of a person in a chat, for the tests of the chat page: what is asked, read and set there. The
counts of a test that uses them are `checks`."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from driver import App, Checks, clipboard, until  # noqa: E402

checks = Checks()


def part(what, function):
    """Runs a part of the test; when it fails, the log has what was on the screen."""
    def run():
        App.running.clear()
        try:
            function()
        except Exception:
            for app in App.running:
                if not hasattr(app, "root"):  # it did not even start
                    continue
                print("\n".join(line[:160] for line in app.dump().splitlines()[-90:]))
                print(app.output())
            raise
        finally:
            App.kill_all()
    checks.run(what, run)


def rows(app, name):
    return [node for node in app.walk() if node.get_role_name() == "list item"
            and (node.get_name() or "").startswith(name)]


def question_row(app):
    found = rows(app, "Question")
    return found[-1] if found else None


def answer_row(app, position=-1):
    found = rows(app, "Answer from ")
    return found[position] if found else None


def finished(app):
    return app.find("button", "Send") and any(
        "tokens/s" in text or "Stopped" in text or "Cut off" in text
        for text in app.texts(answer_row(app)))


def write(app, text):
    app.key("ctrl+l")
    composer = until("the composer", lambda: app.find("text", "Question"))
    app.atspi.EditableText.set_text_contents(composer, text)
    until("the question", lambda: app.written(composer) == text)


def ask(app, question):
    write(app, question)
    app.key("Return")
    until("the question in the chat", lambda: question in app.texts(question_row(app)))


def ask_and_stop(app, question):
    """The small model made here never finds a word."""
    ask(app, question)
    app.key("Escape")
    until("the end of the answer", lambda: finished(app))


def quit_cleanly(app, what):
    app.key("ctrl+q")
    checks.clean_end(app, what)
    App.running.remove(app)


def value_of(app, name):
    node = app.find("spin button", name, showing=False)
    return app.atspi.Value.get_current_value(node) if node else None


def set_value(app, name, value):
    node = until(name, lambda: app.find("spin button", name, showing=False))
    app.atspi.Value.set_current_value(node, value)
    until(f"{name} {value}", lambda: abs(value_of(app, name) - value) < 1e-6)


def reach(app, find, what):
    """Tab until what this finds has the keyboard, as who has no pointer does."""
    for _ in range(80):
        node = find()
        if node and any(part.get_state_set().contains(app.atspi.StateType.FOCUSED)
                        for part in app.walk(node)):
            return node
        app.key("Tab")
    raise AssertionError(f"Tab does not reach {what}")


def press(app, name, start=None):
    """A row that is a button."""
    reach(app, lambda: app.find(None, name, start=start(app) if start else None), name)
    app.key("Return")


def extents(app, node):
    return app.atspi.Component.get_extents(node, app.atspi.CoordType.WINDOW)


def panel(app):
    """The side panel's node."""
    return next((node for node in app.walk() if node.get_name() == "Chat Settings"
                 and node.get_role_name() in ("landmark", "panel", "section", "region")), None)


def combo(app, name):
    return until(name, lambda: app.find("combo box", name, showing=False))


def choose(app, node, name):
    reach(app, lambda: node, name)
    app.key("space")
    until("the list of presets", lambda: [entry for entry in app.walk(node)
                                          if entry.get_role_name() == "list item"])
    names = [next(iter(app.texts(entry)), "") for entry in app.walk(node)
             if entry.get_role_name() == "list item"]
    app.key("Home", *["Down"] * names.index(name), "Return")


def answer_length(app, n):
    app.key("F9")
    app.wait_for("text", "System Prompt")
    set_value(app, "Answer Length", n)
    app.key("F9")
    until("the panel to go", lambda: not app.find("text", "System Prompt"))


def copied(app):
    app.key("ctrl+shift+c")
    return clipboard()


def edit_answer(app, text):
    app.click(until("Edit", lambda: app.find("button", "Edit", start=answer_row(app))))
    field = app.wait_for("text", "Edit the answer")
    app.atspi.EditableText.set_text_contents(field, text)
    until("the text in the editor", lambda: app.written(field) == text)
    app.key("ctrl+Return")
    until("the editor to go", lambda: not app.find("text", "Edit the answer"))


def paragraph(app, contains):
    return next((node for node in app.walk(answer_row(app)) if node.get_role_name() == "paragraph"
                 and contains in app.written(node)), None)
