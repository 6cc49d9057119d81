#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-panel.py HEARTH EMBER [MODEL]: the chat page around the answers, by keyboard: the side panel,
going on with a stopped answer, a full context and both ways out of it, and a model file that is cut
short while it is in use. Answers are compared with `ember chat`'s."""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver  # noqa: E402
from driver import App, Checks, clipboard, until  # noqa: E402

HEARTH, EMBER = (os.path.abspath(path) for path in sys.argv[1:3])
MODEL = driver.model(3)
driver.inside_display()

QUESTION = "What is gravity?"
LONG = "Tell me a very long story about the sea, with every detail that you can think of."
checks = Checks()
work = tempfile.mkdtemp(prefix="hearth-test-")


def answer_of_the_tool(question, *options):
    return driver.answer_of_the_tool(EMBER, MODEL, question, *options)


def copied_answer(app):
    app.key("ctrl+shift+c")
    return clipboard()


def wait_copied(app, want, what):
    """The clipboard may still have what was copied before, so it is copied until it has this."""
    checks.wait_equal(lambda: copied_answer(app), want, what)


def idle(app):
    """The composer offers to send: nothing is going on."""
    return app.find("button", "Send")


def ask(app, question):
    app.key("ctrl+l")
    app.write("Question", question)
    app.key("Return")


def wait_answer(app):
    until("the end of the answer", lambda: idle(app) and any(
        "tokens/s" in text for text in app.texts()))


def start():
    app = App(HEARTH, "--chat", MODEL)
    until("the model", lambda: app.find("text", "Question") and any(
        "135 million" in text for text in app.texts()))
    return app


def clean_end(app, what):
    app.key("ctrl+q")
    checks.clean_end(app, what)


def panel():
    driver.settings(window_width=1120, window_height=860)
    app = start()
    try:
        app.key("F9")
        app.wait_for("text", "System Prompt")
        checks.wait(lambda: app.focus_at("text", "System Prompt"),
                    "F9 opens the panel and goes there")
        checks.wait_equal(lambda: round(app.value("Temperature"), 2), 0.8, "the engine's temperature")
        checks.wait(lambda: "Default" in app.texts(), "the source of a value")

        # A value of one's own: answers are made with it, and it can be taken back.
        app.set_value("Temperature", 0.0)
        until("the source", lambda: "Yours" in app.texts())
        app.wait_for("button", "Reset Temperature")
        app.set_value("Answer Length", 24)
        app.write("System Prompt", "You are a pirate.")
        ask(app, QUESTION)
        wait_answer(app)
        wait_copied(app, answer_of_the_tool(QUESTION, "-n", "24", "--system", "You are a pirate."),
                    "system prompt, temperature and length reach the answer")
        checks.wait(lambda: app.has("Cut off at the answer length"), "a cut off answer says why")

        # Going on makes the answer that it would have been.
        app.set_value("Answer Length", 0)
        app.key("ctrl+l", "ctrl+shift+r")
        until("the whole answer", lambda: idle(app) and not any(
            "Cut off" in text for text in app.texts()))
        wait_answer(app)
        wait_copied(app, answer_of_the_tool(QUESTION, "--system", "You are a pirate."),
                    "cut off and continued equals the answer in one piece")

        app.press("button", "Reset Temperature")
        until("the default again", lambda: round(app.value("Temperature"), 2) == 0.8)

        # Context and its form, with what they cost.
        cost = until("the cost", lambda: next(
            (text for text in app.texts() if text.startswith("Conversation ")), None))
        checks.wait(lambda: app.find("combo box", "Kept As", showing=False),
                    "the form of the context can be chosen")
        app.set_value("Length in Tokens", 2048)
        until("another cost", lambda: any(text.startswith("Conversation ") and text != cost
                                          for text in app.texts()))
        app.wait_for(None, "Reload Model to Apply", showing=False)
        checks.check(True, "another context costs something else and waits to be applied")
        app.key("F9")
        app.wait_gone("text", "System Prompt")
        clean_end(app, "the panel")
    finally:
        app.kill()


def stopped():
    # So short a context that the whole answer ends in time.
    driver.settings(temperature="just 0.0", context_length=384, window_width=1000,
                    window_height=700)
    app = start()
    try:
        whole = answer_of_the_tool(LONG, "--ctx", "384")
        ask(app, LONG)
        until("some of the answer", lambda: sum(map(len, app.texts())) > 400)
        app.key("Escape")
        wait_answer(app)
        beginning = until("the copied answer", lambda: copied_answer(app))
        checks.check(whole.startswith(beginning) and 0 < len(beginning) < len(whole),
                     "a stopped answer is the beginning of the whole one")
        app.press("button", "Continue")
        until("more of it", lambda: app.find("button", "Stop"))
        wait_answer(app)
        wait_copied(app, whole, "stopped and continued equals ember chat's answer")
        clean_end(app, "a stopped answer")
    finally:
        app.kill()


def context(app):
    """What the bar under the question says of the context."""
    bar = app.find(None, "Context", showing=False)
    return bar.get_description() if bar else ""


def fill(app):
    ask(app, "Say just yes.")
    wait_answer(app)
    ask(app, LONG)
    app.wait_for("button", "Leave Out the Oldest Turns")


def full_context():
    driver.settings(temperature="just 0.0", context_length=160, window_width=1000,
                    window_height=700)
    app = start()
    try:
        fill(app)
        checks.wait(lambda: app.has("longer than this model can read at once (160 tokens)"),
                    "a full context is said in a sentence")
        before = until("the copied answer", lambda: copied_answer(app))

        # Going on alone does not help: it leads to the ways out, also when they were dismissed.
        def offered():
            way = app.find("button", "Leave Out the Oldest Turns")
            return way and app.focused(way)
        app.key("ctrl+l", "ctrl+shift+r")
        until("the keyboard on the first way out", offered)
        app.press("button", "Dismiss")
        app.wait_gone("button", "Leave Out the Oldest Turns")
        # Something else on the clipboard: what is read there below was copied there.
        app.write("Question", "Something else")
        app.key("ctrl+l", "ctrl+a", "ctrl+x")
        until("something else to be copied", lambda: clipboard() == "Something else")
        app.tab_to("button", "Continue")
        app.key("Return")
        until("the ways out again", offered)
        checks.wait(lambda: copied_answer(app) == before, "the answer is as it was")
        checks.wait(lambda: app.has("Cut off: the context is full"), "and so is its line")
        app.key("Return")
        until("the answer to go on", lambda: len(copied_answer(app)) > len(before))
        until("the end", lambda: idle(app))
        checks.check(copied_answer(app).startswith(before), "it goes on where it stopped")
        clean_end(app, "leaving out")
    finally:
        app.kill()

    app = start()
    try:
        fill(app)
        before = until("the copied answer", lambda: copied_answer(app))
        app.press("button", contains="Enlarge Context")
        until("the answer to go on", lambda: len(copied_answer(app)) > len(before))
        checks.check(copied_answer(app).startswith(before), "with a larger context it goes on, too")
        app.key("Escape")
        until("the end", lambda: idle(app))
        clean_end(app, "enlarging")
    finally:
        app.kill()

    # A longer context that was chosen in the panel: going on alone is enough.
    app = start()
    try:
        fill(app)
        before = until("the copied answer", lambda: copied_answer(app))
        app.press("button", "Dismiss")
        app.wait_gone("button", "Leave Out the Oldest Turns")
        app.key("F9")
        app.set_value("Length in Tokens", 512)
        app.tab_to(None, "Reload Model to Apply", most=80)
        app.key("Return")
        until("the longer context", lambda: "of 512 tokens" in context(app))
        app.key("ctrl+l", "ctrl+shift+r")
        until("the answer to go on", lambda: len(copied_answer(app)) > len(before))
        checks.check(copied_answer(app).startswith(before), "with a longer context from the panel, too")
        app.key("Escape")
        clean_end(app, "a longer context")
    finally:
        app.kill()


def lost_file():
    """A download that starts over, a disk that is full: the file becomes shorter under the model."""
    path = os.path.join(work, "short.gguf")
    shutil.copy(MODEL, path)
    driver.settings(temperature="just 0.0", window_width=1000, window_height=700)
    app = App(HEARTH, "--chat", path)
    try:
        until("the model", lambda: any("135 million" in text for text in app.texts()))
        ask(app, "Say just yes.")
        wait_answer(app)
        os.truncate(path, 4096)
        ask(app, QUESTION)
        until("a sentence", lambda: any("can no longer be read" in text for text in app.texts()))
        checks.check(app.process.poll() is None, "a file that is cut short does not end Hearth")
        app.press("toggle button", "Details")
        checks.check(app.wait_for("toggle button", "Hide Details"), "Details can be hidden again")
        clean_end(app, "a lost file")
    finally:
        app.kill()


checks.run("panel", panel)
checks.run("stopped", stopped)
checks.run("full context", full_context)
checks.run("lost file", lost_file)
shutil.rmtree(work, ignore_errors=True)
sys.exit(checks.end())
