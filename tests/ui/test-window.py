#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-window.py HEARTH EMBER [MODEL]: the whole application in a real window. Open a file by dialog,
figures, a question at temperature 0 equal to `ember chat`, copy, regenerate, stop, a file that is no
model, quit in every phase."""
import os
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver  # noqa: E402
import ember_tool  # noqa: E402
from driver import App, Checks, clipboard, until  # noqa: E402

HEARTH, EMBER = (os.path.abspath(path) for path in sys.argv[1:3])
MODEL = driver.model(3)
driver.inside_display()

QUESTION = "What is gravity?"
LONG = "Tell me a very long story about the sea, with every detail that you can think of."
checks = Checks()
work = tempfile.mkdtemp(prefix="hearth-test-")


def answer_of_the_tool(question, *options):
    return ember_tool.answer(EMBER, MODEL, question, *options)


def answers(app):
    return len(app.all("list item", contains="Answer from ", showing=False))


def last_answer(app):
    rows = app.all("list item", contains="Answer from ", showing=False)
    return rows[-1] if rows else None


def is_figure_line(text):
    return "tokens/s" in text or text.startswith("Stopped")


def answer_text(app):
    """The paragraphs of the last answer that are shown, joined as they are written."""
    return "\n\n".join(text for text in app.texts(last_answer(app)) if not is_figure_line(text)
                       and not text.endswith("…") and not text.startswith("Reading…"))


def figure_line(app):
    return next((text for text in app.texts(last_answer(app)) if is_figure_line(text)), None)


def composer(app):
    return app.find("text", "Question")


def wait_answer(app):
    return until("the end of the answer", lambda: figure_line(app))


def ask(app, question):
    app.key("ctrl+l")
    app.write("Question", question)
    app.key("Return")


def conversation():
    # Low, so that a longer answer does not fit into the view.
    driver.settings(temperature="just 0.0", window_width=1000, window_height=440)
    app = App(HEARTH)
    try:
        app.wait_for("label", "Talk to a model on this computer")
        checks.wait(lambda: app.find("button", "Open File…"), "the empty window offers Open File…")

        # By dialog, with the keyboard alone.
        app.key("ctrl+o")
        driver.open_file(app, MODEL)
        app.wait_for("button", contains="Model: Smollm2 135M")
        checks.wait(lambda: app.find("label", contains="135 million parameters · Q4_1 · 98.4"),
                    "the main figures are shown at once")

        # The question, written and sent with the keyboard.
        app.key("ctrl+l")
        app.type(QUESTION)
        until("the question in the composer",
              lambda: app.written(composer(app)) == QUESTION)
        app.key("Return")
        wait_answer(app)
        checks.check("first after" in wait_answer(app), "the figure line")
        expected = answer_of_the_tool(QUESTION)
        app.key("ctrl+shift+c")
        copied = until("the copied answer", lambda: clipboard())
        checks.equal(copied, expected, "the answer equals ember chat's")
        checks.wait_equal(lambda: " ".join(answer_text(app).split()), " ".join(expected.split()),
                          "the answer as it is shown")

        # Again: the same text.
        app.key("ctrl+r")
        until("a second version of it", lambda: app.find("label", "Version 2 of 2"))
        wait_answer(app)
        app.key("ctrl+shift+c")
        checks.wait_equal(clipboard, expected, "regenerating gives the same text")

        # A long one, stopped by Escape; its text stays, and the next question is answered.
        ask(app, LONG)
        until("some of the long answer", lambda: len(answer_text(app)) > 200)
        checks.wait(lambda: app.find("button", "Stop"), "Send has turned into Stop")

        # The view follows; who scrolls up stays there, and a button leads back.
        until("more than the view holds", lambda: len(answer_text(app)) > 1400)
        checks.wait(lambda: not app.find("button", "Go to the End"), "the view follows a growing answer")
        app.wheel_up(3)
        app.press("button", "Go to the End")
        app.wait_gone("button", "Go to the End")
        app.key("Escape")
        line = wait_answer(app)
        kept = answer_text(app)
        checks.check(line.startswith("Stopped"), f"the figure line says so: {line}")
        checks.check(len(kept) > 200, "a stopped answer keeps its text")
        checks.wait(lambda: app.find("button", "Send"), "Stop has turned back into Send")
        before = answers(app)
        ask(app, "And then?")
        until("an answer after the stopped one",
              lambda: answers(app) > before and answer_text(app))
        checks.check(True, "the chat goes on after a stop")
        app.key("Escape")
        wait_answer(app)

        # A file that is no model, opened as a second start of the program does it.
        broken = os.path.join(work, "notes.zip")
        with open(broken, "wb") as out:
            out.write(b"PK\x03\x04" + bytes(100))
        subprocess.run([HEARTH, broken], check=True, timeout=driver.PATIENCE_S,
                       env=driver.environment())
        sentence = "“notes.zip” is a ZIP archive, not a model file. Hearth opens GGUF files."
        checks.check(app.wait_for("label", sentence), "a wrong file is said in one sentence")
        app.press("button", "Dismiss")
        app.wait_gone("label", sentence)

        # What a file is made of.
        app.key("ctrl+i")
        app.wait_for("label", "Overview")
        for figure in ("llama", "Q4_1", "8,192", "apache-2.0"):
            checks.wait(lambda: figure in app.texts(), f"the model page shows {figure}")
        checks.wait(lambda: app.has("134,515,008"), "the model page counts parameters")
        app.press("button", "Chat")
        app.wait_for("text", "Question")

        # Quit while an answer grows.
        ask(app, LONG)
        until("some of an answer", lambda: len(answer_text(app)) > 50 and not figure_line(app))
        app.key("ctrl+q")
        checks.clean_end(app, "quit during an answer")
    finally:
        app.kill()


def quit_while_reading():
    driver.settings(temperature="just 0.0")
    app = App(HEARTH, "--chat", MODEL)
    try:
        app.wait_for("text", "Question")
        ask(app, "Which word is the longest here? " + "hearth and home " * 1500)
        until("the prompt being read", lambda: app.find("label", contains="Reading…"))
        app.process.send_signal(signal.SIGTERM)
        checks.clean_end(app, "quit while a prompt is read")
    finally:
        app.kill()


def quit_at_once():
    app = App(HEARTH, "--chat", MODEL)
    try:
        app.key("ctrl+w")
        checks.clean_end(app, "closed right after the start")
    finally:
        app.kill()


def from_the_command_line():
    picture = os.path.join(work, "picture.png")
    done = subprocess.run([HEARTH, MODEL, "--ask", QUESTION, "--screenshot", picture],
                          capture_output=True, text=True, timeout=driver.PATIENCE_S * 3,
                          env=driver.environment())
    checks.equal(done.returncode, 0, f"--ask: exit status ({done.stderr[-300:]})")
    lines = done.stdout.splitlines()
    expected = answer_of_the_tool(QUESTION).replace("\r", " ").replace("\n", " ")
    checks.equal(lines[-1] if lines else "", expected, "--ask: the last line is the answer")
    checks.equal(lines[-2] if len(lines) > 1 else "", picture, "--ask: before it the picture's path")
    checks.check(os.path.exists(picture) and os.path.getsize(picture) > 20000,
                 "--ask: the picture has something in it")

    broken = os.path.join(work, "broken.gguf")
    with open(broken, "wb") as out:
        out.write(b"GGUF" + b"\xff" * 60)
    done = subprocess.run([HEARTH, broken, "--ask", QUESTION], capture_output=True, text=True,
                          timeout=driver.PATIENCE_S, env=driver.environment())
    checks.equal(done.returncode, 1, "--ask with a broken file: exit status")
    checks.equal(done.stdout, "", "--ask with a broken file: nothing on standard output")
    said = [line for line in done.stderr.splitlines() if line.startswith("hearth: ")]
    checks.check(len(said) == 1 and "broken.gguf" in said[0],
                 f"--ask with a broken file: one sentence: {done.stderr!r}")


checks.run("conversation", conversation)
checks.run("quit while reading", quit_while_reading)
checks.run("quit at once", quit_at_once)
checks.run("command line", from_the_command_line)
sys.exit(checks.end())
