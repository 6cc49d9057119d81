# SPDX-License-Identifier: GPL-3.0-or-later
"""The states of the chat page."""
import os
import subprocess

import big_model
import thinking_model
from chat_steps import stop
from driver import until
from shot import MODEL, WORK, Shot


def ask(app, question):
    app.wait_for("text", "Question")
    app.key("ctrl+l")
    app.write("Question", question)
    app.key("Return")


def answered(app):
    """The figures of an answer, in any language: a label with a speed."""
    pattern = app.words("%s tokens/s").replace("%s", "").strip()
    return next((text for text in app.texts() if pattern in text), None)


def empty(variant):
    app = Shot(variant)
    app.wait_for("label", "Talk to a model on this computer")
    return app


def ready(variant, **settings):
    app = Shot(variant, "--chat", MODEL, **settings)
    app.wait_for("text", "Question")
    until("the model's figures", lambda: any("Q4_1" in text for text in app.texts()))
    return app


def loading(variant):
    path = os.path.join(WORK, "great-void.gguf")
    big_model.write(path, layers=60)
    app = Shot(variant, "--chat", path)
    app.wait_for("button", "Cancel")
    app.hurry = True  # it will not wait for a second look
    return app


def chat(variant):
    app = ready(variant)
    ask(app, "What is gravity?")
    until("the answer", lambda: answered(app))
    return app


def answering(variant):
    app = ready(variant)
    ask(app, "Tell me a very long story about the sea, with every detail that you can think of.")
    until("a long answer", lambda: sum(map(len, app.texts())) > 1500)
    return app


def wrong_file(variant):
    path = os.path.join(WORK, "notes.zip")
    with open(path, "wb") as out:
        out.write(b"PK\x03\x04" + bytes(100))
    app = Shot(variant, path)
    app.press("toggle button", "Details")
    return app


def enlarging(app):
    """The button that offers a longer context, in any language: its label has a size in it."""
    begin = app.words("Enlarge Context (%s more)").split("%s")[0]
    return app.find("button", contains=begin)


def full(variant):
    app = ready(variant, context_length=160)
    ask(app, "Say just yes.")
    until("the first answer", lambda: answered(app))
    ask(app, "Tell me a very long story about the sea, with every detail that you can think of.")
    app.wait_for("button", "Leave Out the Oldest Turns")
    until("the longer context", lambda: enlarging(app))
    return app


def panel(variant):
    app = chat(variant)
    app.key("F9")
    app.wait_for("text", "System Prompt")
    return app


def panel_first(variant):
    """Before there is a model."""
    app = empty(variant)
    app.key("F9")
    app.wait_for("text", "System Prompt")
    return app


def interrupted(variant):
    """What comes back after the program was killed."""
    app = answering(variant)
    app.process.kill()
    app.process.wait()
    app.kill()
    app = Shot(variant, keep=True)
    app.wait_for("label", "Interrupted")
    return app


def stopped(variant):
    app = answering(variant)
    app.key("Escape")
    until("the end", lambda: answered(app))
    return app


FORMATTED = """## Reading a file

1. Open it **once**.
2. Read line by line, as in `for line in file`.

```python
def words(path):
    with open(path, encoding="utf-8") as file:
        return [word for line in file for word in line.split() if word.isalpha() and len(word) > 3]
```

| Way | Lines per second |
|-----|-----------------:|
| all at once | 1,200,000 |
| line by line | 950,000 |

> Measured on a laptop. See [the notes](https://example.org/notes).
"""


def edited(app, name, text):
    """An editor with this text, in place of a question or an answer."""
    app.click(until("Edit", lambda: app.all("button", "Edit"))[-1])
    app.write(name, text)


def formatted(variant, **settings):
    app = ready(variant, **settings)
    ask(app, "What is gravity?")
    until("the answer", lambda: answered(app))
    edited(app, "Edit the answer", FORMATTED)
    app.key("ctrl+Return")
    app.wait_gone("text", "Edit the answer")
    app.wait_for("button", "Copy Code")
    return app


def wrapped(variant):
    return formatted(variant, wrap_code="true")


def editing(variant):
    app = chat(variant)
    app.key("ctrl+e")
    app.wait_for("text", "Edit the question")
    return app


def again(variant):
    app = chat(variant)
    app.scroll_down()  # large text hides the buttons
    app.press("toggle button", "Other Ways to Answer Again")
    app.wait_menu()
    return app


def thoughts(variant):
    path = os.path.join(WORK, "thinking.gguf")
    thinking_model.write(MODEL, path)
    app = Shot(variant, "--chat", path)
    app.wait_for("text", "Question")
    ask(app, "What is gravity?")
    app.press("button", contains=app.words("Thinking… %s").split("%s")[0])
    until("some thoughts", lambda: sum(map(len, app.texts())) > 700)
    app.key("Escape")
    app.wait_for("button", "Continue")
    return app


def swiped(variant):
    app = chat(variant)
    app.key("alt+1")
    area = until("the row", lambda: app.items("Chats"))[0].get_box()
    subprocess.run(["xdotool", "mousemove", str(area.x + area.width // 3),
                    str(area.y + area.height // 2), "click", "6" if "arabic" in variant else "7"], check=True)
    app.wait_for("button", "Delete")
    return app


def several(variant):
    """The list with a pinned chat; the little model never finds a word."""
    path = os.path.join(WORK, "tiny.gguf")
    big_model.write(path, layers=1, width=256, inner=512, name="Tiny Void")
    app = Shot(variant, "--chat", path)
    app.wait_for("text", "Question")
    for question in ("Why is the sky blue?", "A recipe for bread with little salt and much time",
                     "Rename files by their date"):
        ask(app, question)
        app.wait_for("list item", "Question")
        stop(app, lambda app: app.find("button", "Send"))
        app.key("ctrl+n")
        until("an empty chat", lambda: not app.find("list item", "Question"))
    app.key("alt+1", "End", "shift+F10")
    app.wait_menu()
    app.key("Down", "Return")
    app.wait_for("label", "Pinned")
    return app


def none_found(variant):
    app = several(variant)
    app.key("alt+1", "ctrl+f")
    app.type("zebra")
    app.wait_for("label", "No Chats Found")
    return app


def deleted(variant):
    app = several(variant)
    app.key("alt+1", "Down", "Delete")
    app.wait_for("button", "Undo")
    app.hurry = True
    return app


def long_question(variant):
    """In lines: who looks at the picture sees a text, not a wall."""
    app = ready(variant)
    ask(app, "\n".join(f"{i}. The sea is wide and deep, and nobody has counted its waves."
                       for i in range(1, 400)) + "\nWhat is this about?")
    app.wait_for("button", contains=app.words("Show All (%s)").split("%s")[0])
    app.key("Escape")
    return app


def no_memory(variant):
    path = os.path.join(WORK, "great-void.gguf")
    big_model.write(path, layers=600, name="Great Void 80B")
    app = Shot(variant, "--chat", path)
    app.wait_for("button", "Load Anyway")
    return app


def button(variant):
    app = ready(variant)
    app.press("toggle button", contains="Smollm2")
    app.wait_for("button", "Open File…")
    return app


# "SCREEN-STATE": how to get there.
STATES = {
    "chat-empty": empty, "chat-ready": ready, "chat-loading": loading, "chat-answered": chat,
    "chat-answering": answering, "chat-wrong-file": wrong_file, "chat-full": full,
    "chat-panel": panel, "chat-panel-first": panel_first, "chat-interrupted": interrupted,
    "chat-stopped": stopped, "chat-models": button,
    "chat-formatted": formatted, "chat-wrapped": wrapped, "chat-editing": editing,
    "chat-again": again, "chat-thoughts": thoughts, "chat-swiped": swiped,
    "chat-too-big": no_memory, "chat-list": several, "chat-none-found": none_found,
    "chat-deleted": deleted,
    "chat-long-question": long_question,
}
