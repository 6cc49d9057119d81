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


def answer_rows(app):
    return [node for node in app.walk() if node.get_role_name() == "list item"
            and (node.get_name() or "").startswith("Answer from ")]


def answers(app):
    return len(answer_rows(app))


def last_answer(app):
    rows = answer_rows(app)
    return rows[-1] if rows else None


def is_figure_line(text):
    return "tokens/s" in text or text.startswith("Stopped")


def answer_text(app):
    """The paragraphs of the last answer that are shown, joined as they are written."""
    row = last_answer(app)
    texts = app.texts(row) if row else []
    return "\n\n".join(text for text in texts if not is_figure_line(text)
                       and not text.endswith("…") and not text.startswith("Reading…"))


def figure_line(app):
    row = last_answer(app)
    for text in app.texts(row) if row else []:
        if is_figure_line(text):
            return text
    return None


def composer(app):
    return app.find("text", "Question")


def wait_answer(app):
    return until("the end of the answer", lambda: figure_line(app))


def paste(app, text):
    """Puts text into the composer as an input method would."""
    node = until("the composer", lambda: composer(app))
    app.atspi.EditableText.set_text_contents(node, text)
    until("the text in the composer", lambda: app.written(node).strip() == text.strip())


def ask(app, question):
    app.key("ctrl+l")
    paste(app, question)
    app.key("Return")


def conversation():
    # Low, so that a longer answer does not fit into the view.
    driver.settings(temperature="just 0.0", window_width=1000, window_height=440)
    app = App(HEARTH)
    try:
        app.wait_for("label", "Talk to a model on this computer")
        checks.check(app.find("button", "Open File…"), "the empty window offers Open File…")

        # By dialog, with the keyboard alone.
        app.key("ctrl+o")
        dialog = app.wait_for(name="Open a Model File")
        checks.check(dialog, "Ctrl+O opens the dialog")
        def path_entry():
            """A slash opens the entry for a path, once the dialog listens to the keyboard."""
            for node in app.walk(dialog):
                if app.written(node).startswith("/"):
                    return node
            app.focus_dialog("Open a Model File")
            subprocess.run(["xdotool", "key", "slash"], check=True)
            return None
        entry = until("the dialog's entry for a path", path_entry)
        # As pasted: typed letter by letter, the dialog completes it while it is written.
        app.atspi.EditableText.set_text_contents(entry, MODEL)
        until("the path in the dialog", lambda: app.written(entry) == MODEL)
        subprocess.run(["xdotool", "key", "Return"], check=True)
        app.wait_for("button", contains="Model: Smollm2 135M")
        checks.check(app.find("label", contains="135 million parameters · Q4_1 · 98.4"),
                     "the main figures are shown at once")

        # The question, written and sent with the keyboard.
        app.key("ctrl+l")
        app.type(QUESTION)
        until("the question in the composer",
              lambda: app.written(composer(app)) == QUESTION)
        app.key("Return")
        wait_answer(app)
        checks.check("first after" in figure_line(app), "the figure line")
        expected = answer_of_the_tool(QUESTION)
        app.key("ctrl+shift+c")
        copied = until("the copied answer", lambda: clipboard())
        checks.equal(copied, expected, "the answer equals ember chat's")
        checks.equal(" ".join(answer_text(app).split()), " ".join(expected.split()),
                     "the answer as it is shown")

        # Again: the same text.
        app.key("ctrl+r")
        until("a second version of it", lambda: app.find("label", "Version 2 of 2"))
        wait_answer(app)
        app.key("ctrl+shift+c")
        until("the same text again", lambda: clipboard() == expected)
        checks.check(True, "regenerating gives the same text")

        # A long one, stopped by Escape; its text stays, and the next question is answered.
        ask(app, LONG)
        until("some of the long answer", lambda: len(answer_text(app)) > 200)
        checks.check(app.find("button", "Stop"), "Send has turned into Stop")

        # The view follows; who scrolls up stays there, and a button leads back.
        until("more than the view holds", lambda: len(answer_text(app)) > 1400)
        checks.check(not app.find("button", "Go to the End"), "the view follows a growing answer")
        app.wheel_up(3)
        app.click(app.wait_for("button", "Go to the End"))
        until("the end again", lambda: not app.find("button", "Go to the End"))
        app.key("Escape")
        line = wait_answer(app)
        kept = answer_text(app)
        checks.check(line.startswith("Stopped"), f"the figure line says so: {line}")
        checks.check(len(kept) > 200, "a stopped answer keeps its text")
        checks.check(app.find("button", "Send"), "Stop has turned back into Send")
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
        app.click(app.wait_for("button", "Dismiss"))
        until("the sentence to go", lambda: not app.find("label", sentence))

        # What a file is made of.
        app.key("ctrl+i")
        app.wait_for("label", "Overview")
        texts = app.texts()
        for figure in ("llama", "Q4_1", "8192", "apache-2.0"):
            checks.check(figure in texts, f"the model page shows {figure}")
        checks.check(any("134515008" in text for text in texts), "the model page counts parameters")
        app.click(app.find("button", "Chat"))
        app.wait_for("text", "Question")

        # Quit while an answer grows.
        ask(app, LONG)
        until("some of an answer", lambda: len(answer_text(app)) > 50 and not figure_line(app))
        app.key("ctrl+q")
        checks.clean_end(app, "quit during an answer")
    except Exception:
        print("\n".join(line[:160] for line in app.dump().splitlines()[-80:]))
        print(app.output())
        raise
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
