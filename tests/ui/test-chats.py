#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-chats.py HEARTH: several chats in a real window, by keyboard, with a small model made here.
New, second, switch, rename, pin, copy, delete with Undo, search; the last chat, its draft and its
answer come back, also after the program was killed; a damaged database is said and read."""
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_model  # noqa: E402
import driver  # noqa: E402
from driver import Checks, start, until  # noqa: E402

driver.inside_display()
HEARTH = os.path.abspath(sys.argv[1])
checks = Checks()
work = tempfile.mkdtemp(prefix="hearth-test-")
tiny = os.path.join(work, "tiny.gguf")
other = os.path.join(work, "other.gguf")
big_model.write(tiny, layers=1, width=256, inner=512, name="Tiny Void")
big_model.write(other, layers=1, width=256, inner=512, name="Other Void")
DATA = os.environ["XDG_DATA_HOME"] + "/hearth"
DATABASE = DATA + "/chats.db"


def rows(app):
    """The titles in the list of chats, from top to bottom; None when it is not there."""
    chats = app.find("list", "Chats")
    return app.names("list item", start=chats) if chats else None


def wait_rows(app, expected, what):
    checks.wait_equal(lambda: rows(app), expected, what)


def draft(app):
    node = app.find("text", "Question")
    return app.written(node) if node else None


def sections(app):
    """The titles of the sections in the list of chats, among other texts."""
    return app.texts(lambda: app.find("list", "Chats"))


def outline(app):
    """The headings and the rows of the list of chats, as they lie on the screen."""
    chats = app.find("list", "Chats")
    if not chats:
        return None
    found = [(node.get_box().y, node.get_name()) for node in app.all("list item", start=chats)]
    found += [(node.get_box().y, f"[{title}]") for title in ("Pinned", "Today")
              for node in app.all("label", title, start=chats)]
    return [name for _, name in sorted(found)]


def finished(app):
    return app.find("label", contains="Stopped") or app.find("label", contains="Cut off") \
        or app.find("label", contains="tokens/s")


def ask(app, question):
    """Asks, and stops what the model, which never finds a word, has to say."""
    app.key("ctrl+l")
    app.type(question)
    until("the question in the composer", lambda: draft(app) == question)
    app.key("Return")
    until("the question", lambda: app.find("list item", "Question"))
    app.key("Escape")
    until("the end of the answer", lambda: finished(app))


def several():
    app = start("--chat", tiny)
    try:
        app.wait_for("button", "Model: Tiny Void")
        app.wait_for("label", "No Chats Yet")
        checks.equal(app.items("Chats"), [], "no row before anything was asked")
        ask(app, "First")
        wait_rows(app, ["First"], "its title is the first question")
        app.key("ctrl+n")
        until("an empty chat", lambda: not app.find("list item", "Question"))
        wait_rows(app, ["First"], "a second chat has no row before there is something in it")
        app.key("ctrl+n", "ctrl+l")
        app.type("half")
        wait_rows(app, ["New Chat", "First"], "with a draft it has one, and was not made twice")
        app.key("ctrl+a", "Delete")
        wait_rows(app, ["First"], "without the draft it has none")
        app.key("ctrl+Page_Down")
        app.wait_for("frame", "First")
        app.key("ctrl+n")
        until("an empty chat", lambda: not app.find("list item", "Question"))
        ask(app, "Second")
        wait_rows(app, ["Second", "First"], "the one used last is on top")
        checks.wait(lambda: "Today" in sections(app), "the section says when")

        # Switch by key, draft and all.
        app.key("ctrl+l")
        app.type("half a thought")
        until("a draft", lambda: draft(app) == "half a thought")
        app.key("ctrl+Page_Down")
        app.wait_for("frame", "First")
        checks.wait_equal(lambda: draft(app), "", "a draft stays in its chat")
        app.key("ctrl+Page_Up")
        app.wait_for("frame", "Second")
        checks.wait_equal(lambda: draft(app), "half a thought", "a draft waits in its chat")

        # Rename by F2 in the list.
        app.key("alt+1", "F2")
        app.wait_for("label", "Rename Chat")
        until("the focus", lambda: app.focus_at("text"))
        app.type("Renamed")
        app.key("Return")
        wait_rows(app, ["Renamed", "First"], "renamed")
        checks.wait(lambda: app.find("frame", "Renamed"), "the window has the new title")

        # Pin the lower one by its menu.
        app.key("alt+1", "Down", "shift+F10")
        app.wait_menu()
        app.key("Down", "Return")
        wait_rows(app, ["First", "Renamed"], "a pinned chat is on top")
        checks.wait(lambda: "Pinned" in sections(app), "in a section of its own")

        # Copy.
        app.key("alt+1")
        app.key("Home", "shift+F10")
        app.wait_menu()
        app.key("Down", "Down", "Return")
        wait_rows(app, ["First", "First (copy)", "Renamed"], "a copy")
        until("the copy is shown", lambda: app.find("frame", "First (copy)")
              and app.find("list item", "Question"))

        # Delete, and back.
        app.key("alt+1", "Delete")
        wait_rows(app, ["First", "Renamed"], "deleted")
        checks.wait(lambda: app.find("frame", "Renamed"), "the next one is shown")
        app.press("button", "Undo")
        wait_rows(app, ["First", "First (copy)", "Renamed"], "undone")
        until("it is shown again", lambda: app.find("frame", "First (copy)"))
        app.key("alt+1", "Delete")
        wait_rows(app, ["First", "Renamed"], "deleted again")
        app.key("Home", "Delete")
        wait_rows(app, ["Renamed"], "another one deleted")
        app.key("ctrl+z")
        wait_rows(app, ["First", "Renamed"], "taken back by key, the last first")
        app.key("ctrl+z")
        wait_rows(app, ["First", "First (copy)", "Renamed"], "and the one before")
        app.key("alt+1", "Delete")
        wait_rows(app, ["First", "Renamed"], "deleted for good")

        # Search.
        app.key("ctrl+f")
        app.type("ren")
        wait_rows(app, ["Renamed"], "found by a part of its title")
        app.type("zzz")
        app.wait_for("label", "No Chats Found")
        app.key("Escape")
        wait_rows(app, ["First", "Renamed"], "all again")

        # The model goes with the chat.
        app.key("ctrl+n")
        until("an empty chat", lambda: not app.find("list item", "Question"))
        app.key("ctrl+q")
        checks.clean_end(app, "quit while a deletion can be undone")
    finally:
        app.kill()
    database = sqlite3.connect(DATABASE)
    checks.equal(database.execute("SELECT count(*) FROM chats").fetchone()[0], 2,
                 "what was deleted is gone, and so is an empty chat")
    checks.equal(database.execute("PRAGMA integrity_check").fetchone()[0], "ok", "the database")
    database.close()


def headings():
    """Each heading stands over its own rows, whatever goes from one section to another."""
    def shown(expected, what):
        checks.wait_equal(lambda: outline(app), expected, what)

    def pin(title):
        app.key("alt+1", "Home")
        app.move_to(lambda: app.focus_at("list item", title), "Down", title)
        app.key("shift+F10")
        app.wait_menu()
        app.key("Down", "Return")
        app.wait_gone("menu item")

    app = start("--chat", tiny)
    try:
        app.wait_for("button", "Model: Tiny Void")
        ask(app, "First")
        for question in ("Second", "Third"):
            app.key("ctrl+n")
            until("an empty chat", lambda: not app.find("list item", "Question"))
            ask(app, question)
        shown(["[Today]", "Third", "Second", "First"], "one section")
        pin("Third")
        shown(["[Pinned]", "Third", "[Today]", "Second", "First"], "the topmost chat pinned")
        pin("Second")
        shown(["[Pinned]", "Third", "Second", "[Today]", "First"], "and the one below it")
        pin("Second")
        shown(["[Pinned]", "Third", "[Today]", "Second", "First"], "unpinned again")
        pin("First")
        shown(["[Pinned]", "Third", "First", "[Today]", "Second"], "the last one pinned")
        pin("First")
        shown(["[Pinned]", "Third", "[Today]", "Second", "First"], "and unpinned")
        app.key("alt+1", "Home", "Delete")
        shown(["[Today]", "Second", "First"], "the only pinned chat deleted")
        app.key("ctrl+z")
        shown(["[Pinned]", "Third", "[Today]", "Second", "First"], "and taken back")
        pin("Third")
        shown(["[Today]", "Third", "Second", "First"], "nothing pinned any more")
        app.key("ctrl+q")
        checks.clean_end(app, "quit")
    finally:
        app.kill()


def new_chat_again():
    """A chat that nobody began is not kept, but the next start has its model again."""
    app = start("--chat", tiny)
    for end in ("asked", "closed", "killed"):
        try:
            app.wait_for("button", "Model: Tiny Void")
            if end == "asked":
                ask(app, "First")
            app.key("ctrl+n")
            until("an empty chat", lambda: not app.find("list item", "Question"))
            wait_rows(app, ["First"], f"{end}: no row of its own")
            checks.wait(lambda: app.find("button", "Model: Tiny Void"), f"{end}: its model")
            checks.wait(lambda: app.focus_at("text", "Question"), f"{end}: ready to be written in")
            if end != "killed":
                app.key("ctrl+q")
                checks.clean_end(app, f"{end}: quit")
        finally:
            app.kill()
        app = start(keep=True)
    try:
        checks.wait(lambda: app.find("button", "Model: Tiny Void"), "the model after a kill")
    finally:
        app.kill()


def own_model():
    """Each chat has its own model, also after a new start."""
    app = start("--chat", tiny)
    try:
        app.wait_for("button", "Model: Tiny Void")
        ask(app, "To the tiny one")
        subprocess.run([HEARTH, "--chat", other], check=True, env=driver.environment(),
                       timeout=driver.PATIENCE_S)
        app.wait_for("button", "Model: Other Void")
        ask(app, "To the other one")
        wait_rows(app, ["To the other one", "To the tiny one"], "two chats, two models")
        app.key("ctrl+q")
        checks.clean_end(app, "quit with two models")
    finally:
        app.kill()
    app = start(keep=True)
    try:
        app.wait_for("button", "Model: Other Void")
        wait_rows(app, ["To the other one", "To the tiny one"], "both are back")
        checks.wait(lambda: app.find("frame", "To the other one"), "the last open chat is shown")
        app.key("ctrl+Page_Down")
        app.wait_for("button", "Model: Tiny Void")
        app.key("ctrl+l")
        app.type("Are you there?")
        app.key("Return")
        until("a question to the first model", lambda: len(
            app.all("list item", "Question", showing=False)) == 2)
        app.key("Escape")
        wait_rows(app, ["To the tiny one", "To the other one"], "asking moves it up")
        app.key("ctrl+q")
        checks.clean_end(app, "quit again")
    finally:
        app.kill()


def killed():
    """kill -9 while an answer grows: question, answer, draft and place in the list come back."""
    app = start("--chat", tiny)
    try:
        app.wait_for("button", "Model: Tiny Void")
        ask(app, "Before")
        app.key("ctrl+n")
        until("an empty chat", lambda: not app.find("list item", "Question"))
        app.key("ctrl+l")
        app.type("Is there anything?")
        app.key("Return")
        until("the question", lambda: app.find("list item", "Question"))
        app.key("ctrl+l")
        app.type("and what ab")
        until("the draft on disk", lambda: saved("SELECT draft FROM chats WHERE draft != ''")
              == [("and what ab",)])
        app.process.kill()
        app.process.wait()
    finally:
        app.kill()
    app = start(keep=True)
    try:
        wait_rows(app, ["Is there anything?", "Before"], "both chats after kill -9")
        until("the question again", lambda: app.find("list item", "Question"))
        checks.wait(lambda: app.find("frame", "Is there anything?"), "the open chat after kill -9")
        checks.wait_equal(lambda: draft(app), "and what ab", "the draft after kill -9")
        checks.wait(lambda: app.find("label", "Interrupted"), "its answer was interrupted, not stopped")
        app.wait_for("button", "Model: Tiny Void")
        app.key("ctrl+q")
        checks.clean_end(app, "quit after kill -9")
    finally:
        app.kill()


def saved(sql):
    """What another process sees in the database."""
    if not os.path.exists(DATABASE):
        return None
    database = sqlite3.connect(f"file:{DATABASE}?mode=ro", uri=True)
    try:
        return database.execute(sql).fetchall()
    except sqlite3.Error:
        return None
    finally:
        database.close()


def fill(n_chats):
    """Chats as a person would have collected them, straight into the database."""
    database = sqlite3.connect(DATABASE)
    now = 1_760_000_000_000_000
    for chat in range(n_chats):
        database.execute("INSERT INTO chats (id, question, created, updated, model_title)"
                         " VALUES (?, ?, ?, ?, 'Some Model')",
                         (1000 + chat, f"Chat {chat}", now, now - chat * 86_400_000_000))
        for message in range(1, 9):
            database.execute(
                "INSERT INTO messages (chat, id, parent, role, state, chosen, created, text)"
                " VALUES (?, ?, ?, ?, 3, 1, ?, ?)",
                (1000 + chat, message, message - 1, (message + 1) % 2, now, "word " * 400))
    database.commit()
    database.close()


def damaged():
    app = start()
    try:
        app.wait_for("button", "Open File…")
        until("the database", lambda: saved("SELECT count(*) FROM chats") is not None)
        app.key("ctrl+q")
        checks.clean_end(app, "quit with nothing in it")
    finally:
        app.kill()
    fill(40)
    size = os.path.getsize(DATABASE)
    with open(DATABASE, "r+b") as out:
        out.seek(size // 2 // 4096 * 4096)
        out.write(random.Random(7).randbytes(4096 * 3))
    app = start(keep=True)
    try:
        banner = app.wait_for("label", contains="was damaged")
        checks.check("40 chats" in banner.get_name(), f"the banner: {banner.get_name()}")
        until("the chats", lambda: rows(app) and "Chat 0" in rows(app))
        checks.check([name for name in os.listdir(DATA) if name.startswith("chats.damaged-")],
                     "the damaged file is kept")
        app.press("button", "Dismiss")
        app.wait_gone("label", contains="was damaged")
        app.key("ctrl+q")
        checks.clean_end(app, "quit after damage")
    finally:
        app.kill()
    app = start(keep=True)
    try:
        until("the chats", lambda: rows(app) and "Chat 0" in rows(app))
        checks.check(not app.find("label", contains="was damaged"), "said once")
        app.key("ctrl+q")
        checks.clean_end(app, "quit after that")
    finally:
        app.kill()


def not_kept():
    """A folder where nothing can be written: said, and the chat goes on."""
    os.makedirs(os.environ["XDG_DATA_HOME"], exist_ok=True)
    app = start()
    app.key("ctrl+q")
    app.wait_end()
    shutil.rmtree(DATA)
    with open(DATA, "w"):
        pass
    try:
        app = start("--chat", tiny, keep=True)
        try:
            app.wait_for("label", contains="cannot be saved")
            ask(app, "Still there?")
            wait_rows(app, ["Still there?"], "the chat goes on in memory")
            app.key("ctrl+q")
            checks.clean_end(app, "quit without a folder")
        finally:
            app.kill()
    finally:
        os.remove(DATA)


def last_deleted():
    """Where the last chat was, a new one has its model: what is in memory can be talked to."""
    app = start("--chat", tiny)
    try:
        app.wait_for("button", "Model: Tiny Void")
        ask(app, "Only one")
        wait_rows(app, ["Only one"], "one chat")
        app.key("alt+1", "Delete")
        app.wait_for("label", "No Chats Yet")
        checks.wait(lambda: app.find("button", "Model: Tiny Void") and draft(app) == "",
                    "after the last chat its model can be asked")
        ask(app, "And again")
        wait_rows(app, ["And again"], "and answers")
        app.key("ctrl+q")
        checks.clean_end(app, "quit after the last chat")
    finally:
        app.kill()


def too_big():
    """A model that does not fit is not loaded by a question."""
    great = os.path.join(work, "great.gguf")
    big_model.write(great, layers=1000, width=8192, inner=28672, name="Great Void")
    app = start("--chat", great)
    try:
        app.wait_for("button", "Load Anyway")
        app.key("ctrl+l")
        app.type("Are you there?")
        until("the question in the composer", lambda: draft(app) == "Are you there?")
        app.key("Return")
        checks.wait(lambda: app.focus_at("button", "Choose Another Model"), "Enter leads to what helps")
        checks.equal(draft(app), "Are you there?", "the question is still being written")
        checks.check(not app.find("list item", "Question") and app.find("button", "Load Anyway"),
                     "nothing is asked or loaded")
        # Nor by anything else that answers, in a chat that had another model.
        subprocess.run([HEARTH, "--chat", tiny], check=True, env=driver.environment(),
                       timeout=driver.PATIENCE_S)
        app.wait_for("button", "Model: Tiny Void")
        app.key("ctrl+l", "ctrl+a", "Delete")
        ask(app, "Before")
        app.press("toggle button", "Model: Tiny Void")
        until("the models", lambda: app.find("list", "Models"))
        names = app.names("list item", start=app.find("list", "Models"))
        app.key("Home", *["Down"] * names.index("Great Void"), "Return")
        app.wait_for("button", "Model: Great Void")
        app.wait_for("button", "Load Anyway")
        app.key("ctrl+r")
        checks.wait(lambda: app.focus_at("button", "Choose Another Model"), "answering again leads there, too")
        app.key("ctrl+l", "ctrl+e")
        until("the editor", lambda: app.focus_at("text", "Edit the question"))
        app.type("!")
        app.key("Return")
        checks.wait(lambda: app.focus_at("button", "Choose Another Model"), "an edited question, too")
        checks.check(app.find("text", "Edit the question"), "what was written is still there")
        app.press("button", "Choose Another Model")
        checks.wait(lambda: "Tiny Void" in app.names("list item", start=app.find("list", "Models")),
                    "the models there are")
        app.key("Escape")
        # Beside the chat the corner is the window's; over the chat, its way back is at the other end.
        app.key("F9")
        app.wait_for("spin button", "Context Length")
        checks.wait(lambda: app.find("button", "Close") and not app.find("button", "Close Chat Settings"),
                    "beside the chat, what closes the window is where it was")
        app.resize(500, 500)
        back = app.wait_for("button", "Close Chat Settings")
        checks.wait(lambda: 0 < back.get_box().x + back.get_box().width < 250,
                    "over the chat, the way back is not where the window is closed")
        app.press("button", "Close Chat Settings")
        checks.wait(lambda: not app.find("spin button", "Context Length"), "it closes the panel")
        app.key("ctrl+q")
        checks.clean_end(app, "quit with a model that does not fit")
    finally:
        app.kill()
        os.remove(great)


checks.run("several", several)
checks.run("headings", headings)
checks.run("new chat again", new_chat_again)
checks.run("last deleted", last_deleted)
checks.run("too big", too_big)
checks.run("own model", own_model)
checks.run("killed", killed)
checks.run("damaged", damaged)
checks.run("not kept", not_kept)
sys.exit(checks.end())
