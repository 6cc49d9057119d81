#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""shots.py HEARTH [FOLDER [MODEL [NAME...]]]: pictures of every state of the window, wide and 360
pixels narrow, light and dark, with large text; what somebody looks at before a screen is called done.
Prints the absolute path of each. NAME picks some ("chat", "chat-narrow-dark")."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_model  # noqa: E402
import driver  # noqa: E402
from driver import App, until  # noqa: E402

driver.inside_display("1280x900")

HEARTH = os.path.abspath(sys.argv[1])
FOLDER = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else "build/shots")
MODEL = os.path.abspath(sys.argv[3] if len(sys.argv) > 3 else
                        os.path.join(os.environ.get("HEARTH_TEST_MODELS", "."), "smollm2.gguf"))
ONLY = sys.argv[4:]
WORK = os.environ["XDG_RUNTIME_DIR"]

LOOKS = {  # suffix: (width, height, dark, text scale)
    "": (1120, 760, False, 1),
    "-dark": (1120, 760, True, 1),
    "-narrow": (360, 720, False, 1),
    "-narrow-dark": (360, 720, True, 1),
    "-low": (720, 360, False, 1),
    "-large": (1120, 760, False, 2),
    "-narrow-large": (360, 720, False, 2),
}


def start(look, *arguments, **more):
    width, height, dark, scale = LOOKS[look]
    driver.settings(temperature="just 0.0", window_width=width, window_height=height, **more)
    driver.text_scale(scale)
    app = App(HEARTH, *arguments,
              env={"ADW_DEBUG_COLOR_SCHEME": "prefer-dark" if dark else "prefer-light"})
    app.size = width, height
    return app


def save(app, name):
    if not hasattr(app, "hurry"):
        driver.settle(app)
    path = os.path.join(FOLDER, name + ".png")
    subprocess.run(driver.picture(app, path), check=True)
    print(path)
    sys.stdout.flush()


def ask(app, question):
    composer = app.wait_for("text", "Question")
    app.key("ctrl+l")
    app.atspi.EditableText.set_text_contents(composer, question)
    until("the question", lambda: app.written(composer) == question)
    app.key("Return")


def figure_line(app):
    return next((text for text in app.texts() if "tokens/s" in text), None)


def empty(look):
    app = start(look)
    app.wait_for("label", "Talk to a model on this computer")
    return app


def ready(look):
    app = start(look, MODEL)
    app.wait_for("label", contains="135 million")
    return app


def loading(look):
    path = os.path.join(WORK, "great-void.gguf")
    big_model.write(path, layers=60)
    app = start(look, path)
    app.wait_for("label", contains="Loading Great Void")
    app.hurry = True  # it will not wait for a second look
    return app


def chat(look):
    app = ready(look)
    ask(app, "What is gravity?")
    until("the answer", lambda: figure_line(app))
    return app


def answering(look):
    app = ready(look)
    ask(app, "Tell me a very long story about the sea, with every detail that you can think of.")
    until("a long answer", lambda: sum(map(len, app.texts())) > 1500)
    return app


def wrong_file(look):
    path = os.path.join(WORK, "notes.zip")
    with open(path, "wb") as out:
        out.write(b"PK\x03\x04" + bytes(100))
    app = start(look, path)
    app.wait_for("label", contains="is a ZIP archive")
    app.click(app.wait_for("toggle button", "Details"))
    return app


def failed(look):
    app = start(look, MODEL, context_length=16)
    app.wait_for("label", contains="135 million")
    ask(app, "Anybody there? Say something that I can read while I sit by the fire, please.")
    app.wait_for("button", "Try Again")
    return app


def cut(look):
    path = os.path.join(WORK, "cut.gguf")
    with open(MODEL, "rb") as whole, open(path, "wb") as out:
        out.write(whole.read(5_000_000))
    app = start(look, path)
    app.wait_for("label", contains="is incomplete")
    return app


def model(look):
    app = ready(look)
    app.key("ctrl+i")
    app.wait_for("label", "Overview")
    return app


def made_of(look):
    app = model(look)
    width, height = app.size
    subprocess.run(["xdotool", "mousemove", str(width * 2 // 3), str(height // 2),
                    "click", "--repeat", "80", "5"], check=True)
    return app


def models(look):
    app = ready(look)
    app.key("alt+2")
    return app


def button(look):
    app = ready(look)
    app.click(app.find("toggle button", contains="Model: "))
    app.wait_for("button", "Open File…")
    return app


def shortcuts(look):
    app = ready(look)
    app.key("ctrl+question")
    app.wait_for("label", "Keyboard Shortcuts")
    return app


STATES = {"empty": empty, "ready": ready, "loading": loading, "chat": chat, "answering": answering,
          "wrong-file": wrong_file, "failed": failed, "cut": cut, "model": model, "made-of": made_of,
          "models": models, "button": button, "shortcuts": shortcuts}

os.makedirs(FOLDER, exist_ok=True)
for state, show in STATES.items():
    for look in LOOKS:
        if ONLY and state not in ONLY and state + look not in ONLY:
            continue
        app = show(look)
        save(app, state + look)
        app.kill()
        if os.path.exists(WORK + "/great-void.gguf"):
            os.remove(WORK + "/great-void.gguf")
