# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of a person in a chat, for the tests of the chat page: what is asked, read and set there. The
counts of a test that uses them are `checks`."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from driver import WINDOW, App, Checks, choose_in, clipboard, until  # noqa: E402

checks = Checks()


def part(what, function):
    checks.run(what, function)
    App.kill_all()


def rows(app, name):
    return app.all("list item", contains=name)


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
    app.write("Question", text)


def ask(app, question):
    write(app, question)
    app.key("Return")
    until("the question in the chat", lambda: question in app.texts(question_row(app)))


def stop(app, over=finished):
    """By the button: where the answer is through already, Escape would lead away from it."""
    def ended():
        button = app.find("button", "Stop")
        if button:
            app.click(button)
        return not button and over(app)
    until("the end of the answer", ended)


def ask_and_stop(app, question):
    """The small model made here never finds a word."""
    ask(app, question)
    stop(app)


def quit_cleanly(app, what):
    app.key("ctrl+q")
    checks.clean_end(app, what)
    App.running.remove(app)


def version(app, which, row=answer_row):
    """Such as "Version 2 of 2"."""
    app.wait_for("label", which, start=lambda: row(app))


def press(app, name, start=WINDOW):
    """A row that is a button, by keyboard."""
    app.tab_to(None, name, most=80, start=start)
    app.key("Return")


def menu(app, start=WINDOW):
    """What an open menu offers."""
    app.wait_menu()
    return app.names("menu item", start=start)


def panel(app):
    """The side panel's node; what GTK calls a region has one of these roles."""
    return next((node for node in app.all(None, "Chat Settings", showing=False)
                 if node.get_role_name() in ("landmark", "filler")), None)


def combo(app, name):
    return until(name, lambda: app.find("combo box", name, showing=False))


def choose(app, node, name):
    app.reach(lambda: node, name, 80)
    app.key("space")
    choose_in(app, node, lambda texts: name in texts, name)


def answer_length(app, n):
    app.key("F9")
    app.wait_for("text", "System Prompt")
    app.set_value("Answer Length", n)
    app.key("F9")
    app.wait_gone("text", "System Prompt")


def copied(app):
    """The answer, by the key that copies it."""
    def text():
        app.key("ctrl+shift+c")
        return clipboard()
    return until("the copied answer", text)


def wait_copied(app, want, what):
    def text():
        app.key("ctrl+shift+c")
        return clipboard()
    checks.wait_equal(text, want, what)


def edit_answer(app, text):
    app.press("button", "Edit", start=lambda: answer_row(app))
    app.write("Edit the answer", text)
    app.key("ctrl+Return")
    app.wait_gone("text", "Edit the answer")


def paragraphs(app, row, roles=("paragraph",), showing=False):
    """The paragraphs of a row, with their texts, from one look."""
    seen = app.look(row, showing=showing, texts=lambda role: role in roles)
    return [part for part in seen.all() if part.text is not None] if seen else []


def paragraph(app, contains):
    return next((part.node for part in paragraphs(app, answer_row(app)) if contains in part.text), None)
