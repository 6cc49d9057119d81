#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-chat-page.py HEARTH EMBER [MODEL]: what a chat keeps and offers, by keyboard and over AT-SPI: an
open editor, other ways to answer again, presets, menus and swipes, thoughts that were stopped, the
reader's place, wrapped code, the size of text, another context, a window from right to left."""
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_model  # noqa: E402
import driver  # noqa: E402
import ember_tool  # noqa: E402
import pseudo  # noqa: E402
import thinking_model  # noqa: E402
from driver import App, clipboard, start, until  # noqa: E402

HEARTH, EMBER = (os.path.abspath(path) for path in sys.argv[1:3])
MODEL = driver.model(3)
driver.inside_display()
from chat_steps import (answer_length, answer_row, ask, ask_and_stop, checks, choose,  # noqa: E402
                        combo, copied, edit_answer, finished, menu, panel, paragraph, paragraphs, part,
                        press, question_row, quit_cleanly, rows, version, wait_copied, write)

work = tempfile.mkdtemp(prefix="hearth-test-")
tiny = os.path.join(work, "tiny.gguf")
other = os.path.join(work, "other.gguf")
big_model.write(tiny, layers=1, width=256, inner=512, name="Tiny Void")
big_model.write(other, layers=1, width=256, inner=512, name="Other Void")


# ---- an open editor ----


def editor(app):
    return app.find("text", "Edit the question")


def editing():
    """What is written in place of a question waits like a draft: for another chat, and for a kill."""
    app = start("--chat", tiny, enter_sends="false")
    app.wait_for("button", "Model: Tiny Void")
    write(app, "First")
    app.key("ctrl+Return")
    until("the answer", lambda: answer_row(app))
    app.key("Escape")
    until("the end of the answer", lambda: finished(app))
    app.key("ctrl+n")
    until("an empty chat", lambda: not question_row(app))
    write(app, "A draft of another chat")
    app.key("ctrl+Page_Down")
    until("the chat again", lambda: question_row(app))
    app.key("ctrl+e")
    app.write("Edit the question", "First, but better")
    app.key("ctrl+Page_Up")
    until("the empty chat", lambda: not question_row(app))
    app.key("ctrl+Page_Down")
    checks.wait_equal(lambda: app.written(editor(app)), "First, but better", "an edit waits in its chat")
    until("the edit on disk", lambda: saved_edit() == "First, but better")
    app.process.kill()
    app.process.wait()

    app = start(keep=True, enter_sends="false")
    checks.wait_equal(lambda: app.written(editor(app)), "First, but better", "an edit survives a kill")
    app.wait_for("button", "Model: Tiny Void")
    # Enter breaks the line, as the preference says; Ctrl+Enter sends.
    app.key("ctrl+e")
    until("the focus", lambda: app.focus_at("text", "Edit the question"))
    app.key("ctrl+End", "Return")
    until("another line", lambda: app.written(editor(app)) == "First, but better\n")
    app.type("and longer")
    until("the second line", lambda: app.written(editor(app)) == "First, but better\nand longer")
    app.key("ctrl+Return")
    until("the editor to go", lambda: not editor(app))
    version(app, "Version 2 of 2", question_row)
    checks.wait(lambda: "First, but better\nand longer" in app.texts(question_row(app)),
                "the edited question is asked")
    checks.wait(lambda: app.focus_at("text", "Question"), "the keyboard is where the next one is written")
    app.key("Escape")
    until("the end of the answer", lambda: finished(app))
    checks.wait_equal(saved_edit, None, "what was sent is not being written any more")
    quit_cleanly(app, "editing")


def saved_edit():
    """Of the chat that the next start opens."""
    path = os.environ["XDG_DATA_HOME"] + "/hearth/chats.db"
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        found = database.execute("SELECT edit FROM messages JOIN notes ON key = 'open-chat' AND value = chat"
                                 " WHERE edit IS NOT NULL").fetchall()
    except sqlite3.Error:
        return None
    finally:
        database.close()
    return found[0][0] if found else None


# ---- answering again ----


def open_menu(app, row):
    app.press("toggle button", "Other Ways to Answer Again", start=lambda: row(app))
    return menu(app, lambda: row(app))


def again():
    """Again; with other settings, for an answer in the middle; with another model."""
    app = start("--chat", tiny, recent_models=f"['{tiny}', '{other}']")
    app.wait_for("button", "Model: Tiny Void")
    ask_and_stop(app, "One")
    ask_and_stop(app, "Two")
    items = open_menu(app, lambda app: answer_row(app, 0))
    checks.equal(items, ["Again", "With Another Model…", "With Other Settings…"],
                 "the menu names its items")
    app.key("Up", "Return")
    app.wait_for("text", "System Prompt")
    checks.wait_equal(lambda: len(rows(app, "Question")), 2, "other settings come before the answer")
    app.set_value("Answer Length", 3)
    press(app, "Answer Again", lambda: panel(app))
    until("the first question alone, answered again", lambda: len(rows(app, "Question")) == 1
          and app.find("label", "Version 2 of 2", start=answer_row(app)))
    until("the end of the answer", lambda: finished(app))
    checks.wait(lambda: any("Cut off at the answer length" in text for text in app.texts(answer_row(app))),
                "the answer is made with the other settings")
    app.key("F9")
    app.wait_gone("text", "System Prompt")

    open_menu(app, answer_row)
    app.key("Down", "Return")
    app.wait_for("label", "Answer Again With")
    checks.wait_equal(lambda: app.names("list item", start=app.find("list", "Models")),
                      ["Tiny Void", "Other Void"], "the models to choose from")
    app.key("Home", "Down", "Return")
    until("the other model's answer", lambda: rows(app, "Answer from Other Void"))
    app.wait_for("button", "Model: Other Void")
    version(app, "Version 3 of 3")
    until("the end of the answer", lambda: finished(app))
    # The list that is opened by hand answers nothing.
    app.press("toggle button", "Model: Other Void")
    app.wait_for("list", "Models")
    checks.check(not app.find("label", "Answer Again With"), "by hand it says nothing of answers")
    app.key("Home", "Return")
    app.wait_for("button", "Model: Tiny Void")
    checks.check(app.find("label", "Version 3 of 3", start=answer_row(app)),
                 "another model alone answers nothing")
    app.type("typed")
    checks.wait_equal(lambda: app.written(app.find("text", "Question")), "typed",
                      "who chose a model can go on writing")
    quit_cleanly(app, "answering again")


# ---- the list of chats ----


def chat_rows(app):
    return app.items("Chats")


def chat_names(app):
    return app.names("list item", start=app.find("list", "Chats"))


def menus_and_swipes():
    app = start("--chat", tiny)
    app.wait_for("button", "Model: Tiny Void")
    ask_and_stop(app, "Swiped")
    app.key("alt+1", "shift+F10")
    checks.equal(menu(app), ["Rename…", "Pin", "Duplicate", "Delete"], "the items of a chat's menu")
    app.key("Escape")
    app.wait_gone("menu item")
    app.press("toggle button", "Chat Menu")
    items = menu(app)
    checks.check("" not in items and "Answer Again" in items, f"the items of the page's menu: {items}")
    app.key("Escape")
    app.wait_gone("menu item")

    # Two fingers to the side, which the X server tells as a wheel that is tilted.
    def first():
        return next(iter(chat_rows(app)), None)

    def action(name):
        return lambda: app.find("button", name, start=first)
    area = first().get_box()
    checks.check(not action("Pin")(), "nothing is shown before")
    swipe(area, "7")
    until("the actions", lambda: action("Pin")() and action("Delete")())
    swipe(area, "6")
    until("them to go", lambda: not action("Delete")())
    swipe(area, "7")
    app.press("button", "Pin", start=first)
    until("a section for it", lambda: "Pinned" in app.texts(app.find("list", "Chats")))
    until("the actions to go", lambda: not action("Delete")())
    swipe(area, "7")
    checks.wait(action("Unpin"), "it can be taken back")
    app.press("button", "Delete", start=first)
    until("the chat to go", lambda: "Swiped" not in chat_names(app))
    app.press("button", "Undo")
    until("it back", lambda: "Swiped" in chat_names(app))
    quit_cleanly(app, "menus and swipes")


def swipe(area, button):
    subprocess.run(["xdotool", "mousemove", str(area.x + area.width // 3),
                    str(area.y + area.height // 2), "click", button], check=True)


# ---- presets ----


def presets():
    """Saved, kept over a new start, applied to another chat, deleted."""
    app = start("--chat", tiny, temperature="nothing")
    app.wait_for("button", "Model: Tiny Void")
    app.key("F9")
    app.wait_for("text", "System Prompt")
    app.set_value("Temperature", 0.35)
    name = app.tab_to("text", "Save as Preset", most=80, showing=False)
    app.type("Calm")
    until("the name", lambda: app.written(name) == "Calm")
    app.key("Return")
    until("the preset", lambda: chosen_preset(app) == "Calm")
    until("its source", lambda: "Calm" in [text for text in app.texts(panel(app))])
    checks.wait_equal(lambda: round(app.value("Temperature"), 2), 0.35, "the preset has the value")
    # A chat that has a preset has been worked on: it stays, and another one is new.
    app.key("ctrl+n")
    until("a new chat", lambda: len(chat_rows(app)) == 1 and chosen_preset(app) == "Calm"
          or len(chat_rows(app)) == 2)
    quit_cleanly(app, "saving a preset")

    app = start("--chat", tiny, keep=True, temperature="nothing", presets="[('Calm', {'temperature': 0.35})]")
    app.wait_for("button", "Model: Tiny Void")
    app.key("F9")
    app.wait_for("text", "System Prompt")
    checks.wait_equal(lambda: chosen_preset(app), "None", "a new chat has no preset")
    choose(app, combo(app, "Preset"), "Calm")
    until("the preset's value", lambda: round(app.value("Temperature"), 2) == 0.35)
    said = app.texts(panel(app))
    checks.check(said.index("Temperature") < said.index("Delete Preset"),
                 "what is under the pointer stays there, whatever preset is chosen")
    press(app, "Delete Preset")
    until("the file's values", lambda: chosen_preset(app) == "None")
    checks.wait_equal(lambda: round(app.value("Temperature"), 2), 0.8,
                      "a deleted preset gives the file's values back")
    quit_cleanly(app, "presets")
    checks.check("Calm" not in stored_settings(), "a deleted preset is not kept")


def stored_settings():
    with open(os.environ["XDG_CONFIG_HOME"] + "/glib-2.0/settings/keyfile") as file:
        return file.read()


def chosen_preset(app):
    node = combo(app, "Preset")
    texts = [text for text in app.texts(node) if text not in ("Preset", "")]
    return texts[0] if texts else None


# ---- thoughts ----


def thoughts():
    """Thought, then answered; and cut off in the middle of the thoughts, then gone on with, in the same
    run and after a new start."""
    path = os.path.join(work, "brief.gguf")
    thinking_model.write_brief(EMBER, MODEL, path)
    question = "What is gravity?"
    whole = ember_tool.answer(EMBER, path, question)
    thought, answer = re.split(r"\s*</think>\s*", whole)
    app = start("--chat", path, window_width=1000, window_height=700)
    app.wait_for("text", "Question")
    ask(app, question)
    app.wait_for("button", contains="Thought for")
    until("the end of the answer", lambda: finished(app))
    wait_copied(app, answer, "the answer is what follows the thoughts")
    app.press("button", contains="Thought for")
    until("the thoughts", lambda: thought in app.texts(answer_row(app)))
    checks.check(not any("</think>" in text for text in app.texts(answer_row(app))), "without marks")

    answer_length(app, 6)
    app.key("ctrl+r")
    version(app, "Version 2 of 2")
    until("the cut", lambda: any("Cut off" in text for text in app.texts(answer_row(app))))
    app.press("button", contains="Thought")
    begun = until("the beginning of the thoughts", lambda: next(
        (text for text in app.texts(answer_row(app)) if text and thought.startswith(text)), None))
    checks.check(0 < len(begun) < len(thought), f"cut off while it thought: {begun!r}")
    app.click(app.find("button", "Copy", start=answer_row(app)))
    until("the thoughts in the clipboard", lambda: clipboard() == begun)
    checks.equal(copied(app), begun, "without an answer its thoughts are copied")
    answer_length(app, 0)
    app.press("button", "Continue")
    until("the end of the answer", lambda: finished(app)
          and not any("Cut off" in text for text in app.texts(answer_row(app))))
    wait_copied(app, answer, "gone on with, it is the answer in one piece")
    until("all thoughts", lambda: thought in app.texts(answer_row(app)))

    answer_length(app, 6)
    app.key("ctrl+r")
    version(app, "Version 3 of 3")
    until("the cut", lambda: any("Cut off" in text for text in app.texts(answer_row(app))))
    quit_cleanly(app, "thoughts")
    app = start(keep=True, window_width=1000, window_height=700)
    app.wait_for("button", contains="Thought")
    answer_length(app, 0)
    app.press("button", "Continue")
    until("the end of the answer", lambda: finished(app)
          and not any("Cut off" in text for text in app.texts(answer_row(app))))
    after = copied(app)
    checks.check("think>" not in after, f"after a new start it answers, too: {after!r}")
    checks.wait(lambda: app.find("button", contains="Thought"), "and keeps the thoughts apart")
    quit_cleanly(app, "thoughts gone on with")


# ---- the reader's place, code ----

LONG_LINE = "value = " + " + ".join(f"number_{i}" for i in range(60))
CODE = "```python\n" + LONG_LINE + "\n```\n"


def size_of_code(app):
    code = paragraph(app, "number_59")
    box = code.get_box() if code else None
    return box if box and box.width > 0 else None


def code_wraps():
    """Long lines of code scroll, or wrap when the preferences say so; also after a new start."""
    app = start("--chat", tiny, window_width=900, window_height=700)
    app.wait_for("button", "Model: Tiny Void")
    ask_and_stop(app, "Code, please")
    edit_answer(app, CODE)
    one = until("the code", lambda: size_of_code(app))
    checks.check(one.width > 900, f"a long line is as wide as it is: {one.width}")
    app.key("ctrl+comma")
    app.tab_to(None, "Wrap Long Lines of Code", most=80)
    app.key("space")

    def wrapped(least):
        box = size_of_code(app)
        return box if box and box.width < 900 and box.height >= least else None
    many = until("wrapped code", lambda: wrapped(4 * one.height + 1))
    checks.check(many, f"it has many lines: {one.height}, {many.height}")
    app.key("Escape")
    app.wait_gone(None, "Wrap Long Lines of Code")
    app.press("button", "Copy Code")
    until("the code in the clipboard", lambda: clipboard() == LONG_LINE)
    quit_cleanly(app, "wrapped code")
    app = App(HEARTH, keep=True)
    checks.wait(lambda: wrapped(many.height), "the preference is remembered")
    quit_cleanly(app, "wrapped code again")


def text_size():
    """The preference changes the text of questions and answers, at once and for good, and nothing else."""
    app = start("--chat", tiny, window_width=900, window_height=800)
    app.wait_for("button", "Model: Tiny Void")
    ask_and_stop(app, "How large?")
    edit_answer(app, "# Heading\n\nOne line.\n\n```\ncode();\n```\n")
    wanted = ("Heading", "One line.", "code();")

    def heights():
        found = {part.text: part.node.get_box().height for part in
                 paragraphs(app, answer_row(app), ("paragraph", "heading"), showing=True)}
        texts = [found.get(text, 0) for text in wanted]
        question = next((part.node.get_box().height for part in paragraphs(
            app, question_row(app), ("paragraph", "text", "label")) if part.text == "How large?"), 0)
        return texts + [question] if all(texts) and question else None
    before = until("the texts", heights)

    def title_height():
        node = app.find("button", "Model: Tiny Void", showing=False)
        return node.get_box().height if node else 0
    title = until("the title", title_height)
    app.key("ctrl+comma")
    app.wait_for("label", "Computing")
    app.tab_to("spin button", "Text Size of Answers")
    app.key("ctrl+a")
    app.type("200")
    app.key("Tab")

    def larger():
        now = heights()
        return now and all(new > 1.7 * old for new, old in zip(now, before)) and now
    after = until(f"text twice as large as {before}", larger)
    checks.check(True, f"text is larger: {before}, {after}")
    checks.wait_equal(title_height, title, "what is not an answer has its size")
    app.key("Escape")
    app.wait_gone("label", "Computing")
    quit_cleanly(app, "large text")
    checks.equal(driver.saved("text-scale"), "2.0", "the size is kept")
    app = App(HEARTH, keep=True)
    again = until("the text after a new start", larger)
    checks.equal(again, after, "the next start has the same size")
    quit_cleanly(app, "large text again")


def long_question():
    """Three hundred kilobytes in one line: nothing lays them out at once, every letter is kept and
    asked, and the question is folded until somebody wants it all."""
    text = "The sea is wide and deep. " * 12_000 + "The end."
    app = start("--chat", tiny, window_width=900, window_height=700)
    app.wait_for("button", "Model: Tiny Void")
    write(app, text)
    lines = until("the text", lambda: app.find("text", "Question").get_text().split("\u2029"))
    checks.check(max(map(len, lines)) < 9_000, f"the longest line that is laid out: {max(map(len, lines))}")
    app.key("Return")
    until("the rest to be asked for", lambda: app.find("button", contains="Show All (312",
                                                       start=question_row(app)))
    shown = sum(len(part) for part in app.texts(question_row(app)))
    checks.check(1_000 < shown < 6_000, f"letters that are shown: {shown}")
    until("it on disk", lambda: stored_question() == text)
    checks.check(True, "nothing of it is lost")
    app.key("ctrl+l", "Escape")
    app.wait_for("button", "Send")

    app.tab_to("button", contains="Show All")
    app.key("Return")
    until("all of it", lambda: "".join("".join(app.texts(question_row(app))).split()).count(
        "Theseaiswideanddeep.") == 12_000)
    checks.wait(lambda: app.find("button", "Show Less", start=question_row(app)), "there is a way back")
    app.tab_to("button", "Show Less", most=1)
    checks.check(True, "the keyboard stays there")
    app.key("Return")
    checks.wait(lambda: app.find("button", contains="Show All", start=question_row(app)),
                "it folds again")
    quit_cleanly(app, "a long question")


def marks():
    """What parts a long line for the view goes whole, and neither into the question nor to who copies."""
    text = "a" * 8192 + "bbb"
    mark = "\u2060\u2029"
    app = start("--chat", tiny, window_width=900, window_height=700)
    app.wait_for("button", "Model: Tiny Void")

    def now():
        return app.find("text", "Question").get_text()
    write(app, text)
    checks.wait_equal(now, "a" * 8192 + mark + "bbb", "a long line is parted")
    app.key("ctrl+l", "ctrl+a", "ctrl+c")
    checks.wait_equal(clipboard, text, "what is copied")
    app.key("ctrl+End", "Home", "BackSpace")
    checks.wait_equal(now, text, "Backspace behind a mark")
    app.key("ctrl+z")
    checks.wait_equal(now, "a" * 8192 + mark + "bbb", "Backspace undone")
    app.key("ctrl+End", "Home", "Left", "Delete")
    checks.wait_equal(now, text, "Delete before a mark")
    app.key("ctrl+z")
    checks.wait_equal(now, "a" * 8192 + mark + "bbb", "Delete undone")
    app.key("ctrl+End", "Home", "Left")
    app.type("c")
    checks.wait_equal(now, "a" * 8192 + "c" + mark + "bbb", "a letter before a mark")
    app.key("ctrl+a", "ctrl+x")
    checks.wait_equal(now, "", "all is cut")
    app.key("ctrl+v")
    checks.wait_equal(lambda: now().replace(mark, ""), "a" * 8192 + "cbbb", "what was cut is pasted")
    app.key("ctrl+End", "Home", "BackSpace", "Return")
    checks.wait_equal(stored_question, "a" * 8192 + "cbbb", "what is asked")
    quit_cleanly(app, "marks")


def stored_question():
    path = os.environ["XDG_DATA_HOME"] + "/hearth/chats.db"
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        found = database.execute("SELECT text FROM messages ORDER BY id LIMIT 1").fetchall()
        return found[0][0] if found else None
    finally:
        database.close()


def places():
    """Where the reader was in a chat is where the next start shows it; each chat has its own place."""
    app = start("--chat", tiny, window_width=900, window_height=600)
    app.wait_for("button", "Model: Tiny Void")
    ask_and_stop(app, "A long one")
    edit_answer(app, "\n\n".join(f"Paragraph number {i}." for i in range(200)))
    until("the paragraphs", lambda: paragraph(app, "Paragraph number 199."))
    app.wheel(25, "5")
    here = until("a place in the middle", lambda: at_top(app, 20, 180))
    app.key("ctrl+n")
    until("an empty chat", lambda: not question_row(app))
    app.key("ctrl+Page_Down")
    checks.wait_equal(lambda: at_top(app), here, "another chat and back: the same place")
    until("the place on disk", lambda: saved_place())
    quit_cleanly(app, "a place")
    app = App(HEARTH, keep=True)
    checks.wait_equal(lambda: at_top(app), here, "the place after a new start")
    checks.wait(lambda: app.find("button", "Go to the End"), "and the way to the end")
    quit_cleanly(app, "a place again")


def saved_place():
    path = os.environ["XDG_DATA_HOME"] + "/hearth/chats.db"
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return database.execute("SELECT 1 FROM chats WHERE place_message != 0").fetchall()
    finally:
        database.close()


def at_top(app, least=0, most=199):
    """The number of the first paragraph in the view; None when it is not between the two."""
    row = node = answer_row(app)
    while node and node.get_role_name() != "scroll pane":
        node = node.get_parent()
    if not node:
        return None
    top = node.get_box().y
    for found in paragraphs(app, row):
        number = re.search(r"\d+", found.text)
        if number and found.node.get_box().y >= top:
            number = int(number.group())
            return number if least < number < most else None
    return None


def context():
    """Another context and form of it: the model is loaded anew, and the chat goes on."""
    app = start("--chat", MODEL, context_length=512, window_width=1000, window_height=800)
    until("the model", lambda: app.find("text", "Question") and any(
        "135 million" in text for text in app.texts()))
    ask(app, "Say just yes.")
    until("the end of the answer", lambda: finished(app))
    first = copied(app)
    until("the bar", lambda: "of 512 tokens" in bar(app))
    before = until("its memory", lambda: in_memory(app))
    app.key("F9")
    app.wait_for("text", "System Prompt")
    app.set_value("Context Length", 1024)
    choose(app, combo(app, "KV Cache"), "32 bits")
    press(app, "Reload Model to Apply")
    until("the longer context", lambda: "of 1,024 tokens" in bar(app) or "of 1024 tokens" in bar(app))
    until("more memory", lambda: in_memory(app) not in ("", before))
    checks.check(True, "another context is loaded")
    app.key("F9")
    app.wait_gone("text", "System Prompt")
    app.key("ctrl+r")
    version(app, "Version 2 of 2")
    until("the end of the answer", lambda: finished(app))
    wait_copied(app, first, "the same answer as before")
    quit_cleanly(app, "another context")


def bar(app):
    node = app.find(None, "Context", showing=False)
    return node.get_description() if node else ""


def in_memory(app):
    return next((text for text in app.texts() if "in memory" in text), "")


def right_to_left():
    """Mirrored: the list is on the right, a question on the left, and the keys do what they did."""
    locales = pseudo.install(os.path.dirname(os.path.dirname(os.path.dirname(
        os.path.abspath(__file__)))), os.path.join(work, "locale"))
    env = dict(driver.locale("ar_EG"), LANGUAGE="ar", HEARTH_LOCALEDIR=locales)
    app = start("--chat", tiny, env=env, window_width=1000, window_height=700)
    words = pseudo.arabic
    app.wait_for("text", words("Question"))
    app.key("ctrl+l")
    composer = app.write(words("Question"), "From right to left")
    app.key("Return")
    row = until("the question's row", lambda: app.find("list item", words("Question")))
    app.key("Escape")
    until("the end of the answer", lambda: app.find("button", words("Send")))
    text = until("the question's text", lambda: next((part.node for part in paragraphs(
        app, row, ("paragraph", "text", "label")) if part.text == "From right to left"), None))
    chats = app.wait_for("list", words("Chats"))
    send = app.wait_for("button", words("Send"))
    for node in row, text, chats, send, composer:
        until("its place", lambda: node.get_box().width > 0)
    checks.check(chats.get_box().x > row.get_box().x, "the list of chats is on the right")
    middle = row.get_box().x + row.get_box().width / 2
    checks.check(text.get_box().x + text.get_box().width < middle, "a question stands on the left")
    checks.check(send.get_box().x < composer.get_box().x, "the button to send is left of the text")
    app.key("F9")
    prompt = app.wait_for("text", words("System Prompt"))
    checks.wait(lambda: 0 < prompt.get_box().width and prompt.get_box().x < row.get_box().x + 1,
                "the panel is on the left")
    quit_cleanly(app, "from right to left")


part("editing", editing)
part("again", again)
part("menus and swipes", menus_and_swipes)
part("presets", presets)
part("thoughts", thoughts)
part("code wraps", code_wraps)
part("text size", text_size)
part("long question", long_question)
part("marks", marks)
part("places", places)
part("context", context)
part("right to left", right_to_left)
shutil.rmtree(work, ignore_errors=True)
sys.exit(checks.end())
