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
import pseudo  # noqa: E402
import thinking_model  # noqa: E402
from driver import App, clipboard, start, until  # noqa: E402

HEARTH, EMBER = (os.path.abspath(path) for path in sys.argv[1:3])
MODEL = driver.model(3)
driver.inside_display()
from chat_steps import (answer_length, answer_row, ask, ask_and_stop, checks, choose,  # noqa: E402
                        combo, copied, edit_answer, extents, finished, panel, paragraph, part, press,
                        question_row, quit_cleanly, reach, rows, set_value, value_of, write)

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
    field = until("the editor", lambda: editor(app))
    app.atspi.EditableText.set_text_contents(field, "First, but better")
    app.key("ctrl+Page_Up")
    until("the empty chat", lambda: not question_row(app))
    app.key("ctrl+Page_Down")
    until("the editor again", lambda: editor(app))
    checks.equal(app.written(editor(app)), "First, but better", "an edit waits in its chat")
    until("the edit on disk", lambda: saved_edit() == "First, but better")
    app.process.kill()
    app.process.wait()

    app = start(keep=True, enter_sends="false")
    until("the editor after a kill", lambda: editor(app))
    checks.equal(app.written(editor(app)), "First, but better", "an edit survives a kill")
    app.wait_for("button", "Model: Tiny Void")
    # Enter breaks the line, as the preference says; Ctrl+Enter sends.
    app.key("ctrl+e")
    until("the focus", lambda: editor(app).get_state_set().contains(app.atspi.StateType.FOCUSED))
    app.key("ctrl+End", "Return")
    until("another line", lambda: app.written(editor(app)) == "First, but better\n")
    app.type("and longer")
    until("the second line", lambda: app.written(editor(app)) == "First, but better\nand longer")
    app.key("ctrl+Return")
    until("the editor to go", lambda: not editor(app))
    until("a second version", lambda: app.find("label", "Version 2 of 2",
                                               start=question_row(app)))
    checks.equal(app.texts(question_row(app))[0], "First, but better\nand longer",
                 "the edited question is asked")
    app.key("Escape")
    until("the end of the answer", lambda: finished(app))
    checks.equal(saved_edit(), None, "what was sent is not being written any more")
    quit_cleanly(app, "editing")


def saved_edit():
    path = os.environ["XDG_DATA_HOME"] + "/hearth/chats.db"
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        found = database.execute("SELECT edit FROM messages WHERE edit IS NOT NULL").fetchall()
    except sqlite3.Error:
        return None
    finally:
        database.close()
    return found[0][0] if found else None


# ---- answering again ----


def open_menu(app, row):
    app.click(until("the menu's button",
                    lambda: app.find("toggle button", "Other Ways to Answer Again", start=row(app))))
    return until("the menu", lambda: [node.get_name() for node in app.walk(row(app))
                                      if node.get_role_name() == "menu item" and app.showing(node)])


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
    checks.equal(len(rows(app, "Question")), 2, "other settings come before the answer")
    set_value(app, "Answer Length", 3)
    press(app, "Answer Again", panel)
    until("the first question alone, answered again", lambda: len(rows(app, "Question")) == 1
          and app.find("label", "Version 2 of 2", start=answer_row(app)))
    until("the end of the answer", lambda: finished(app))
    checks.check(any("Cut off at the answer length" in text for text in app.texts(answer_row(app))),
                 "the answer is made with the other settings")
    app.key("F9")
    until("the panel to go", lambda: not app.find("text", "System Prompt"))

    open_menu(app, answer_row)
    app.key("Down", "Return")
    app.wait_for("label", "Answer Again With")
    choices = [node for node in app.walk(app.wait_for("list", "Models"))
               if node.get_role_name() == "list item"]
    checks.equal([node.get_name() for node in choices], ["Tiny Void", "Other Void"],
                 "the models to choose from")
    app.key("Home", "Down", "Return")
    until("the other model's answer", lambda: rows(app, "Answer from Other Void"))
    app.wait_for("button", "Model: Other Void")
    until("a third version", lambda: app.find("label", "Version 3 of 3", start=answer_row(app)))
    until("the end of the answer", lambda: finished(app))
    # The list that is opened by hand answers nothing.
    app.click(app.find("toggle button", "Model: Other Void"))
    app.wait_for("list", "Models")
    checks.check(not app.find("label", "Answer Again With"), "by hand it says nothing of answers")
    app.key("Home", "Return")
    app.wait_for("button", "Model: Tiny Void")
    checks.check(app.find("label", "Version 3 of 3", start=answer_row(app)),
                 "another model alone answers nothing")
    quit_cleanly(app, "answering again")


# ---- the list of chats ----


def chat_rows(app):
    chats = app.find("list", "Chats")
    return [node for node in app.walk(chats) if node.get_role_name() == "list item"] if chats else []


def menus_and_swipes():
    app = start("--chat", tiny)
    app.wait_for("button", "Model: Tiny Void")
    ask_and_stop(app, "Swiped")
    app.key("alt+1", "shift+F10")
    items = until("the row's menu", lambda: [
        node.get_name() for node in app.walk() if node.get_role_name() == "menu item"
        and app.showing(node)])
    checks.equal(items, ["Rename…", "Pin", "Duplicate", "Delete"], "the items of a chat's menu")
    app.key("Escape")
    until("the menu to go", lambda: not app.find("menu item"))
    app.click(app.wait_for("toggle button", "Chat Menu"))
    items = until("the chat's menu", lambda: [
        node.get_name() for node in app.walk() if node.get_role_name() == "menu item"
        and app.showing(node)])
    checks.check("" not in items and "Answer Again" in items, f"the items of the page's menu: {items}")
    app.key("Escape")
    until("the menu to go", lambda: not app.find("menu item"))

    # Two fingers to the side, which the X server tells as a wheel that is tilted.
    row = chat_rows(app)[0]
    area = extents(app, row)
    checks.check(not app.find("button", "Pin", start=row), "nothing is shown before")
    swipe(area, "7")
    until("the actions", lambda: app.find("button", "Pin", start=row)
          and app.find("button", "Delete", start=row))
    swipe(area, "6")
    until("them to go", lambda: not app.find("button", "Delete", start=row))
    swipe(area, "7")
    app.click(until("Pin", lambda: app.find("button", "Pin", start=row)))
    until("a section for it", lambda: "Pinned" in app.texts(app.find("list", "Chats")))
    until("the actions to go", lambda: not app.find("button", "Delete", start=chat_rows(app)[0]))
    swipe(area, "7")
    row = until("the row", lambda: chat_rows(app)[0])
    checks.check(until("Unpin", lambda: app.find("button", "Unpin", start=row)), "it can be taken back")
    app.click(app.find("button", "Delete", start=row))
    undo = app.wait_for("button", "Undo")
    until("the chat to go", lambda: "Swiped" not in [row.get_name() for row in chat_rows(app)])
    app.click(undo)
    until("it back", lambda: "Swiped" in [row.get_name() for row in chat_rows(app)])
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
    set_value(app, "Temperature", 0.35)
    name = reach(app, lambda: app.find("text", "Save as Preset", showing=False), "the name")
    app.type("Calm")
    until("the name", lambda: app.written(name) == "Calm")
    app.key("Return")
    until("the preset", lambda: chosen_preset(app) == "Calm")
    until("its source", lambda: "Calm" in [text for text in app.texts(panel(app))])
    checks.equal(round(value_of(app, "Temperature"), 2), 0.35, "the preset has the value")
    # A chat that has a preset has been worked on: it stays, and another one is new.
    app.key("ctrl+n")
    until("a new chat", lambda: len(chat_rows(app)) == 1 and chosen_preset(app) == "Calm"
          or len(chat_rows(app)) == 2)
    quit_cleanly(app, "saving a preset")

    app = start("--chat", tiny, keep=True, temperature="nothing", presets="[('Calm', {'temperature': 0.35})]")
    app.wait_for("button", "Model: Tiny Void")
    app.key("F9")
    app.wait_for("text", "System Prompt")
    checks.equal(chosen_preset(app), "From the File", "a new chat takes the file's values")
    choose(app, combo(app, "Preset"), "Calm")
    until("the preset's value", lambda: round(value_of(app, "Temperature"), 2) == 0.35)
    press(app, "Delete Preset")
    until("the file's values", lambda: chosen_preset(app) == "From the File")
    until("the default", lambda: round(value_of(app, "Temperature"), 2) == 0.8)
    checks.check(True, "a deleted preset gives the file's values back")
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
    whole = driver.answer_of_the_tool(EMBER, path, question)
    thought, answer = re.split(r"\s*</think>\s*", whole)
    app = start("--chat", path, window_width=1000, window_height=700)
    app.wait_for("text", "Question")
    ask(app, question)
    line = app.wait_for("button", contains="Thought for")
    until("the end of the answer", lambda: finished(app))
    checks.equal(copied(app), answer, "the answer is what follows the thoughts")
    app.click(line)
    until("the thoughts", lambda: thought in app.texts(answer_row(app)))
    checks.check(not any("</think>" in text for text in app.texts(answer_row(app))), "without marks")

    answer_length(app, 6)
    app.key("ctrl+r")
    until("a second version", lambda: app.find("label", "Version 2 of 2", start=answer_row(app)))
    until("the cut", lambda: any("Cut off" in text for text in app.texts(answer_row(app))))
    app.click(app.wait_for("button", contains="Thought"))
    begun = until("the beginning of the thoughts", lambda: next(
        (text for text in app.texts(answer_row(app)) if text and thought.startswith(text)), None))
    checks.check(0 < len(begun) < len(thought), f"cut off while it thought: {begun!r}")
    answer_length(app, 0)
    app.click(app.wait_for("button", "Continue"))
    until("the end of the answer", lambda: finished(app)
          and not any("Cut off" in text for text in app.texts(answer_row(app))))
    checks.equal(copied(app), answer, "gone on with, it is the answer in one piece")
    until("all thoughts", lambda: thought in app.texts(answer_row(app)))

    answer_length(app, 6)
    app.key("ctrl+r")
    until("a third version", lambda: app.find("label", "Version 3 of 3", start=answer_row(app)))
    until("the cut", lambda: any("Cut off" in text for text in app.texts(answer_row(app))))
    quit_cleanly(app, "thoughts")
    app = start(keep=True, window_width=1000, window_height=700)
    app.wait_for("button", contains="Thought")
    answer_length(app, 0)
    app.click(app.wait_for("button", "Continue"))
    until("the end of the answer", lambda: finished(app)
          and not any("Cut off" in text for text in app.texts(answer_row(app))))
    after = copied(app)
    checks.check(after and "think>" not in after, f"after a new start it answers, too: {after!r}")
    checks.check(app.find("button", contains="Thought"), "and keeps the thoughts apart")
    quit_cleanly(app, "thoughts gone on with")


# ---- the reader's place, code ----

LONG_LINE = "value = " + " + ".join(f"number_{i}" for i in range(60))
CODE = "```python\n" + LONG_LINE + "\n```\n"


def code_wraps():
    """Long lines of code scroll, or wrap when the preferences say so; also after a new start."""
    app = start("--chat", tiny, window_width=900, window_height=700)
    app.wait_for("button", "Model: Tiny Void")
    ask_and_stop(app, "Code, please")
    edit_answer(app, CODE)
    code = until("the code", lambda: paragraph(app, "number_59"))
    one = extents(app, code)
    checks.check(one.width > 900, f"a long line is as wide as it is: {one.width}")
    app.key("ctrl+comma")
    reach(app, lambda: app.find(None, "Wrap Long Lines of Code"), "the switch")
    app.key("space")
    until("wrapped code", lambda: extents(app, paragraph(app, "number_59")).width < 900)
    many = extents(app, paragraph(app, "number_59"))
    checks.check(many.height > 4 * one.height, f"it has many lines: {one.height}, {many.height}")
    app.key("Escape")
    until("the preferences to go", lambda: not app.find(None, "Wrap Long Lines of Code"))
    app.click(app.wait_for("button", "Copy Code"))
    until("the code in the clipboard", lambda: clipboard() == LONG_LINE)
    quit_cleanly(app, "wrapped code")
    app = App(HEARTH, keep=True)
    until("the code", lambda: paragraph(app, "number_59"))
    until("wrapped code again", lambda: extents(app, paragraph(app, "number_59")).height >= many.height)
    checks.check(True, "the preference is remembered")
    quit_cleanly(app, "wrapped code again")


def text_size():
    """The preference changes the text of questions and answers, at once and for good, and nothing else."""
    app = start("--chat", tiny, window_width=900, window_height=800)
    app.wait_for("button", "Model: Tiny Void")
    ask_and_stop(app, "How large?")
    edit_answer(app, "# Heading\n\nOne line.\n\n```\ncode();\n```\n")
    wanted = ("Heading", "One line.", "code();")

    def heights():
        row = answer_row(app)
        found = {app.written(node): extents(app, node).height for node in app.walk(row, showing=True)
                 if node.get_role_name() in ("paragraph", "heading")}
        texts = [found.get(text, 0) for text in wanted]
        question = next((extents(app, node).height for node in app.walk(question_row(app))
                         if app.written(node) == "How large?"), 0)
        return texts + [question] if all(texts) and question else None
    before = until("the texts", heights)
    title = extents(app, app.find("button", "Model: Tiny Void")).height
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
    checks.equal(extents(app, app.find("button", "Model: Tiny Void", showing=False)).height, title,
                 "what is not an answer has its size")
    app.key("Escape")
    until("the preferences to go", lambda: not app.find("label", "Computing"))
    quit_cleanly(app, "large text")
    checks.equal(driver.saved("text-scale"), "2.0", "the size is kept")
    app = App(HEARTH, keep=True)
    again = until("the text after a new start", larger)
    checks.equal(again, after, "the next start has the same size")
    quit_cleanly(app, "large text again")


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
    until("the place after another chat", lambda: at_top(app) == here)
    checks.check(True, "another chat and back: the same place")
    until("the place on disk", lambda: saved_place())
    quit_cleanly(app, "a place")
    app = App(HEARTH, keep=True)
    until("the place after a new start", lambda: at_top(app) == here)
    checks.check(app.find("button", "Go to the End"), "and the way to the end")
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
    row = answer_row(app)
    view = None
    node = row
    while node and not view:
        node = node.get_parent()
        view = node if node and node.get_role_name() == "scroll pane" else None
    top = extents(app, view).y
    for node in app.walk(row):
        if node.get_role_name() == "paragraph" and extents(app, node).y >= top:
            number = int(re.search(r"\d+", app.written(node)).group())
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
    before = in_memory(app)
    app.key("F9")
    app.wait_for("text", "System Prompt")
    set_value(app, "Length in Tokens", 1024)
    choose(app, combo(app, "Kept As"), "Full Precision (F32)")
    press(app, "Reload Model to Apply")
    until("the longer context", lambda: "of 1,024 tokens" in bar(app) or "of 1024 tokens" in bar(app))
    until("more memory", lambda: in_memory(app) not in ("", before))
    checks.check(True, "another context is loaded")
    app.key("F9")
    until("the panel to go", lambda: not app.find("text", "System Prompt"))
    app.key("ctrl+r")
    until("a second version", lambda: app.find("label", "Version 2 of 2", start=answer_row(app)))
    until("the end of the answer", lambda: finished(app))
    checks.equal(copied(app), first, "the same answer as before")
    quit_cleanly(app, "another context")


def bar(app):
    node = app.find(None, "Context", showing=False)
    return (node.get_description() or "") if node else ""


def in_memory(app):
    return next((text for text in app.texts() if "in memory" in text), "")


def right_to_left():
    """Mirrored: the list is on the right, a question on the left, and the keys do what they did."""
    locales = pseudo.install(os.path.dirname(os.path.dirname(os.path.dirname(
        os.path.abspath(__file__)))), os.path.join(work, "locale"))
    env = dict(driver.locale("ar_EG"), LANGUAGE="ar", HEARTH_LOCALEDIR=locales)
    app = start("--chat", tiny, env=env, window_width=1000, window_height=700)
    words = pseudo.arabic
    composer = app.wait_for("text", words("Question"))
    app.key("ctrl+l")
    app.atspi.EditableText.set_text_contents(composer, "From right to left")
    until("the question", lambda: app.written(composer) == "From right to left")
    app.key("Return")
    row = until("the question's row", lambda: app.find("list item", words("Question")))
    app.key("Escape")
    until("the end of the answer", lambda: app.find("button", words("Send")))
    text = until("the question's text", lambda: next(
        (node for node in app.walk(row) if app.written(node) == "From right to left"), None))
    chats = app.wait_for("list", words("Chats"))
    checks.check(extents(app, chats).x > extents(app, row).x, "the list of chats is on the right")
    middle = extents(app, row).x + extents(app, row).width / 2
    checks.check(extents(app, text).x + extents(app, text).width < middle,
                 "a question stands on the left")
    send = extents(app, app.find("button", words("Send")))
    checks.check(send.x < extents(app, composer).x, "the button to send is left of the text")
    app.key("F9")
    prompt = app.wait_for("text", words("System Prompt"))
    checks.check(extents(app, prompt).x < extents(app, row).x + 1, "the panel is on the left")
    quit_cleanly(app, "from right to left")


part("editing", editing)
part("again", again)
part("menus and swipes", menus_and_swipes)
part("presets", presets)
part("thoughts", thoughts)
part("code wraps", code_wraps)
part("text size", text_size)
part("places", places)
part("context", context)
part("right to left", right_to_left)
shutil.rmtree(work, ignore_errors=True)
sys.exit(checks.end())
