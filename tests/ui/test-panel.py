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
import ember_tool  # noqa: E402
from driver import App, clipboard, until  # noqa: E402

HEARTH, EMBER = (os.path.abspath(path) for path in sys.argv[1:3])
MODEL = driver.model(3)
driver.inside_display()
from chat_steps import (ask, checks, combo, copied, finished, part,  # noqa: E402
                        quit_cleanly, wait_copied)

QUESTION = "What is gravity?"
LONG = "Tell me a very long story about the sea, with every detail that you can think of."
work = tempfile.mkdtemp(prefix="hearth-test-")


def answer_of_the_tool(question, *options):
    return ember_tool.answer(EMBER, MODEL, question, *options)


def wait_answer(app):
    until("the end of the answer", lambda: finished(app))


def start():
    app = App(HEARTH, "--chat", MODEL)
    until("the model", lambda: app.find("text", "Question") and any(
        "135 million" in text for text in app.texts()))
    return app


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

        def loaded():
            button = app.find("button", contains="Loaded: ")
            return button and "KV cache" in button.get_description()
        checks.wait(loaded, "what its memory is for")
        # One stop for each field.
        app.tab_to("spin button", "Temperature")
        app.tab()
        checks.wait(lambda: app.focus_at("spin button", "Top-p"), "Tab goes from field to field")
        app.key("shift+Tab")
        checks.wait(lambda: app.focus_at("spin button", "Temperature"), "and back")

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
        checks.wait(lambda: "No limit" in app.written(app.find("spin button", "Answer Length")),
                    "no limit is said in words")
        app.key("ctrl+l", "ctrl+shift+r")
        until("the whole answer", lambda: app.find("button", "Send") and not any(
            "Cut off" in text for text in app.texts()))
        wait_answer(app)
        wait_copied(app, answer_of_the_tool(QUESTION, "--system", "You are a pirate."),
                    "cut off and continued equals the answer in one piece")

        app.press("button", "Reset Temperature")
        until("the default again", lambda: round(app.value("Temperature"), 2) == 0.8)

        # Context and its form, with what they cost.
        cost = until("the cost", lambda: next(
            (text for text in app.texts() if " · KV cache " in text), None))
        checks.check(combo(app, "KV Cache"), "the form of the context can be chosen")
        app.set_value("Context Length", 2048)
        until("another cost", lambda: any(" · KV cache " in text and text != cost
                                          for text in app.texts()))
        app.wait_for(None, "Reload Model to Apply", showing=False)
        checks.check(True, "another context costs something else and waits to be applied")
        app.key("F9")
        app.wait_gone("text", "System Prompt")
        quit_cleanly(app, "the panel")
    finally:
        app.kill()


def first_start():
    """Without a model: where the keyboard begins, and no figures that nobody knows."""
    driver.settings(window_width=1120, window_height=860)
    app = App(HEARTH)
    checks.wait(lambda: app.focus_at("button", "Open File…"), "the keyboard begins at what leads on")
    checks.wait(lambda: app.has("GGUF files", "huggingface.co"), "what a model file is, and where from")
    memory = next(int(line.split()[1]) * 1024 for line in open("/proc/meminfo") if "MemTotal" in line)
    checks.wait(lambda: app.has("This computer has ", f"files of up to about {int(memory * 0.6 / 1e9)} GB"),
                "and which size suits this computer")
    app.key("F9")
    checks.wait(lambda: app.focus_at("text", "System Prompt"), "F9 goes to the panel")
    checks.wait_equal(lambda: [node.get_name() for node in app.all("spin button")], ["Answer Length"],
                      "no figure is shown before a model gives it")
    checks.wait(lambda: app.has("From the model", "The cost is known when a model is chosen."),
                "it is said where they come from")
    app.key("F9")
    checks.wait(lambda: app.focus_at("button", "Open File…"), "F9 goes back")
    app.tab_to("button", "Models on This Computer")
    app.key("Return")
    app.wait_for("label", "No Models Yet")
    quit_cleanly(app, "a first start")


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
        beginning = copied(app)
        checks.check(whole.startswith(beginning) and 0 < len(beginning) < len(whole),
                     "a stopped answer is the beginning of the whole one")
        app.press("button", "Continue")
        until("more of it", lambda: app.find("button", "Stop"))
        wait_answer(app)
        wait_copied(app, whole, "stopped and continued equals ember chat's answer")
        quit_cleanly(app, "a stopped answer")
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
        before = copied(app)

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
        checks.wait(lambda: copied(app) == before, "the answer is as it was")
        checks.wait(lambda: app.has("Cut off: the context is full"), "and so is its line")
        app.key("Return")
        until("the answer to go on", lambda: len(copied(app)) > len(before))
        until("the end", lambda: app.find("button", "Send"))
        checks.check(copied(app).startswith(before), "it goes on where it stopped")
        quit_cleanly(app, "leaving out")
    finally:
        app.kill()

    app = start()
    try:
        fill(app)
        before = copied(app)
        app.press("button", contains="Enlarge Context")
        until("the answer to go on", lambda: len(copied(app)) > len(before))
        checks.check(copied(app).startswith(before), "with a larger context it goes on, too")
        app.key("Escape")
        until("the end", lambda: app.find("button", "Send"))
        quit_cleanly(app, "enlarging")
    finally:
        app.kill()

    # A longer context that was chosen in the panel: going on alone is enough.
    app = start()
    try:
        fill(app)
        before = copied(app)
        app.press("button", "Dismiss")
        app.wait_gone("button", "Leave Out the Oldest Turns")
        app.key("F9")
        app.set_value("Context Length", 512)
        app.tab_to(None, "Reload Model to Apply", most=80)
        app.key("Return")
        until("the longer context", lambda: "of 512 tokens" in context(app))
        app.key("ctrl+l", "ctrl+shift+r")
        until("the answer to go on", lambda: len(copied(app)) > len(before))
        checks.check(copied(app).startswith(before), "with a longer context from the panel, too")
        app.key("Escape")
        quit_cleanly(app, "a longer context")
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
        quit_cleanly(app, "a lost file")
    finally:
        app.kill()


part("panel", panel)
part("first start", first_start)
part("stopped", stopped)
part("full context", full_context)
part("lost file", lost_file)
shutil.rmtree(work, ignore_errors=True)
sys.exit(checks.end())
