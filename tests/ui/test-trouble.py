#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-trouble.py HEARTH: a chat when things go wrong, by keyboard and over AT-SPI: too little memory, a
file that is gone, settings and chats that cannot be written, a full disk. Each is a sentence, none ends
the program, and each has a way on."""
import os
import resource
import shutil
import sqlite3
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_model  # noqa: E402
import driver  # noqa: E402
from driver import App, start, until  # noqa: E402

HEARTH = os.path.abspath(sys.argv[1])
driver.inside_display()
from chat_steps import (answer_row, ask, ask_and_stop, checks, finished, part, press,  # noqa: E402
                        quit_cleanly, write)

work = tempfile.mkdtemp(prefix="hearth-test-")
tiny = os.path.join(work, "tiny.gguf")
big_model.write(tiny, layers=1, width=256, inner=512, name="Tiny Void")


def in_window(app, role, name):
    """Whether all of it is within the window, and not scrolled away."""
    node, window = app.find(role, name), app.find("frame")
    if not node or not window:
        return False
    box = node.get_box()
    return 40 < box.y and 0 < box.height and box.y + box.height <= window.get_box().height


def memory():
    """Too little of it to load, and to answer: a sentence each, and the settings to try. The program is
    not allowed more than the test gives it."""
    driver.settings(temperature="just 0.0", context_length=16000000)
    app = App("/bin/sh", "-c", 'ulimit -v "$0"; exec "$@"', "4000000", HEARTH, "--chat", tiny)
    app.wait_for("label", contains="There is not enough free memory")
    checks.wait(lambda: app.find("toggle button", "Details"), "with its details")
    ask(app, "Hello?")
    card = until("the sentence in the chat", lambda: any(
        "not enough free memory" in text for text in app.texts(answer_row(app))))
    checks.check(card and app.process.poll() is None, "an answer without memory ends nothing")
    # What can be changed about it is in view, and the keyboard is there.
    app.press("button", "Adjust Settings", start=lambda: answer_row(app))
    checks.wait(lambda: app.focus_at("spin button", "Context Length"),
                "Adjust Settings leads to the context's length")
    checks.wait(lambda: in_window(app, "spin button", "Context Length") and
                in_window(app, "combo box", "KV Cache"), "and shows it")
    app.set_value("Context Length", 512)
    press(app, "Reload Model to Apply")
    app.press("button", "Try Again", start=lambda: answer_row(app))
    until("an answer", lambda: app.find("button", "Stop") or finished(app))
    app.key("ctrl+l", "Escape")
    until("the end of the answer", lambda: finished(app))
    checks.check(True, "with a shorter context it answers")
    quit_cleanly(app, "too little memory")


def vanished():
    """A model whose file is gone when it is wanted."""
    path = os.path.join(work, "gone.gguf")
    shutil.copy(tiny, path)
    app = start("--chat", path)
    app.wait_for("button", "Model: Tiny Void")
    ask_and_stop(app, "Are you there?")
    quit_cleanly(app, "before the file is gone")
    app = start(keep=True)
    app.wait_for("button", "Model: Tiny Void")
    os.remove(path)
    ask(app, "And now?")
    until("the sentence", lambda: any("“gone.gguf” is not there any more." in text
                                      for text in app.texts(answer_row(app))))
    shutil.copy(tiny, path)
    app.press("button", "Try Again")
    until("an answer", lambda: app.find("button", "Stop") or finished(app))
    app.key("ctrl+l", "Escape")
    until("the end of the answer", lambda: finished(app))
    checks.check(True, "when it is back, another try answers")
    quit_cleanly(app, "a file that was gone")


def no_rights(*command):
    """Root may write anywhere; this runs a program as one that keeps to the permissions."""
    if os.geteuid() != 0:
        return command
    return ("setpriv", "--bounding-set=-dac_override,-dac_read_search", *command)


def sentences(app, contains):
    return [text for text in app.texts() if contains in text]


def read_only_settings():
    """A folder of settings that cannot be written: said once, and what is changed lasts until the end."""
    driver.settings(temperature="just 0.0", text_scale=1.25)
    folder = os.environ["XDG_CONFIG_HOME"] + "/glib-2.0/settings"
    os.chmod(folder, 0o500)
    try:
        app = App(*no_rights(HEARTH, "--chat", tiny))
        sentence = "Settings cannot be saved here. What you change lasts until Hearth is closed."
        app.wait_for("label", sentence)
        app.wait_for("button", "Model: Tiny Void")
        checks.equal(sentences(app, "cannot be saved"), [sentence], "it is said in one sentence")
        ask_and_stop(app, "Still there?")
        app.key("ctrl+comma")
        app.wait_for("label", "Computing")
        app.tab_to("spin button", "Text Size of Answers")
        checks.wait_equal(lambda: app.value("Text Size of Answers"), 125, "what was kept before is read")
        app.key("ctrl+a")
        app.type("150")
        app.key("Tab", "Escape")
        app.wait_gone("label", "Computing")
        press(app, "Dismiss")
        app.wait_gone("label", sentence)
        app.key("ctrl+n")
        app.wait_gone("list item", "Question")
        checks.equal(sentences(app, "cannot be saved"), [], "it is said once")
        app.key("ctrl+comma")
        app.wait_for("label", "Computing")
        checks.wait_equal(lambda: app.value("Text Size of Answers"), 150, "what was changed lasts")
        app.key("Escape")
        app.wait_gone("label", "Computing")
        quit_cleanly(app, "read-only settings")
        checks.equal(driver.saved("text-scale"), "1.25", "the file is as it was")
    finally:
        os.chmod(folder, 0o700)


def read_only_data():
    """A folder of chats that cannot be written: said, what is in it is read, and the chat goes on."""
    app = start("--chat", tiny)
    app.wait_for("button", "Model: Tiny Void")
    ask_and_stop(app, "Kept before")
    quit_cleanly(app, "before")
    data = os.environ["XDG_DATA_HOME"] + "/hearth"
    names = sorted(os.listdir(data))
    os.chmod(data, 0o500)
    for name in names:
        os.chmod(os.path.join(data, name), 0o400)
    try:
        app = App(*no_rights(HEARTH), keep=True)
        banner = app.wait_for("label", contains="cannot be saved")
        checks.check("Chats cannot be saved" in banner.get_name(), f"the banner: {banner.get_name()}")
        app.wait_for("button", "Model: Tiny Void")
        until("what was kept", lambda: "Kept before" in app.texts())
        ask_and_stop(app, "Still there?")
        checks.wait(lambda: "Kept before" in app.texts(), "old and new are in the chat")
        checks.equal(len(sentences(app, "cannot be saved")), 1, "it is said once")
        quit_cleanly(app, "a read-only data folder")
        checks.equal(sorted(os.listdir(data)), names, "nothing has come there")
    finally:
        os.chmod(data, 0o700)
        for name in os.listdir(data):
            os.chmod(os.path.join(data, name), 0o600)


def nowhere():
    """Settings that cannot be written at all, and a data folder that cannot even be made."""
    data = os.environ["XDG_DATA_HOME"] + "/hearth"
    shutil.rmtree(data, ignore_errors=True)
    os.makedirs(os.environ["XDG_DATA_HOME"], exist_ok=True)
    with open(data, "w"):
        pass
    try:
        app = start("--chat", tiny, keep=True, env={"GSETTINGS_BACKEND": "null"})
        app.wait_for("label", contains="Settings cannot be saved here.")
        app.wait_for("label", contains="Chats cannot be saved")
        app.wait_for("button", "Model: Tiny Void")
        ask_and_stop(app, "Still there?")
        checks.check(True, "both are said, and the chat goes on")
        quit_cleanly(app, "nothing can be written")
    finally:
        os.remove(data)


def full_disk():
    """No room for what was asked: said, kept, tried again, and written when there is room."""
    unlimited = resource.RLIM_INFINITY
    app = start("--chat", tiny)
    app.wait_for("button", "Model: Tiny Void")
    ask_and_stop(app, "Before")
    until("the first question on disk", lambda: stored("Before"))
    journal = os.environ["XDG_DATA_HOME"] + "/hearth/chats.db-wal"
    resource.prlimit(app.process.pid, resource.RLIMIT_FSIZE,
                     (os.path.getsize(journal) + 4096, unlimited))
    question = "No room for this. " + "word " * 4_000
    write(app, question)
    app.key("Return")
    app.wait_for("label", contains="the disk is full")
    checks.check(not stored(question), "it is not on disk")
    tried = os.stat(journal).st_mtime_ns
    app.press("button", "Try Again")
    until("it to be tried", lambda: os.stat(journal).st_mtime_ns != tried)
    checks.check(not stored(question), "it is still not on disk")
    checks.wait(lambda: app.find("label", contains="the disk is full"), "trying again in vain keeps the banner")
    resource.prlimit(app.process.pid, resource.RLIMIT_FSIZE, (unlimited, unlimited))
    app.press("button", "Try Again")
    app.wait_gone("label", contains="the disk is full")
    until("the question on disk", lambda: stored(question))
    checks.check(True, "with room again it is written")
    app.key("Escape")
    quit_cleanly(app, "a full disk")


def stored(question):
    """Whether it is on disk, as soon as that can be read."""
    def read():
        database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            return database.execute("SELECT count(*) FROM messages WHERE text = ?", (question,)).fetchone()
        except sqlite3.Error:
            return None
        finally:
            database.close()
    path = os.environ["XDG_DATA_HOME"] + "/hearth/chats.db"
    return until("what is on disk", read)[0] > 0


part("memory", memory)
part("vanished", vanished)
part("read-only settings", read_only_settings)
part("read-only data", read_only_data)
part("nowhere", nowhere)
part("full disk", full_disk)
shutil.rmtree(work, ignore_errors=True)
sys.exit(checks.end())
