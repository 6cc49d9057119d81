#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-settings.py HEARTH: what the frame offers beside chats: every row of the preferences by keyboard,
the troubleshooting text of About, a file opened over D-Bus while the program runs, a remembered file
that is gone, and a model's page from right to left."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_model  # noqa: E402
import driver  # noqa: E402
import pseudo  # noqa: E402
from driver import App, Checks, saved, start, until  # noqa: E402

driver.inside_display()
HEARTH = os.path.abspath(sys.argv[1])
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
checks = Checks()
work = tempfile.mkdtemp(prefix="hearth-test-")
tiny = os.path.join(work, "tiny.gguf")
other = os.path.join(work, "other.gguf")
big_model.write(tiny, layers=1, width=256, inner=512, name="Tiny Void")
big_model.write(other, layers=1, width=256, inner=512, name="Other Void")


def preferences():
    app = start()
    try:
        app.wait_for("button", "Open File…")
        app.key("ctrl+comma")
        app.wait_for("label", "Computing")

        def kept(name, value, what):
            checks.check(until(what, lambda: saved(name) == value), what)

        app.tab_to(None, "Send With")
        app.key("Return", "Down", "Return")
        kept("enter-sends", "false", "which key sends")
        before = saved("wrap-code")
        app.tab_to(None, "Wrap Long Lines of Code")
        app.key("Return")
        kept("wrap-code", "false" if before == "true" else "true", "whether code wraps")
        for field in "Context Length", "Threads":
            checks.wait_equal(lambda: app.written(app.find("spin button", field)), "Automatic",
                              f"{field}: what 0 means")
        for field, text, name, value in (
                ("Text Size of Answers", "150", "text-scale", "1.5"),
                ("Context Length", "2048", "context-length", "2048"),
                ("Threads", "1", "threads", "1")):
            app.tab_to("spin button", field)
            app.key("ctrl+a")
            app.type(text)
            app.key("Tab")
            kept(name, value, field)
        app.tab_to("spin button", "Threads")
        app.key("ctrl+a")
        app.type("automatic")
        app.key("Tab")
        kept("threads", "0", "the word stands for its number")
        app.tab_to(None, "KV Cache")
        app.key("Return", "Down", "Return")
        kept("kv-type", "'f32'", "how the context is kept")
        app.tab_to(None, "Add Folder…")
        checks.check(True, "every row can be reached by keyboard")
        app.key("Escape")
        app.key("ctrl+q")
        checks.clean_end(app, "quit after the preferences")

        # Another start has them.
        app = App(HEARTH)
        app.wait_for("button", "Open File…")
        app.key("ctrl+comma")
        app.wait_for("label", "Computing")
        checks.wait_equal(lambda: app.written(app.find("spin button", "Context Length")), "2048",
                          "the context after a start")
        app.tab_to("spin button", "Context Length")
        app.key("ctrl+a")
        app.type("rubbish")
        until("what was typed", lambda: app.written(app.find("spin button", "Context Length")) == "rubbish")
        app.key("Tab")
        checks.wait_equal(lambda: app.written(app.find("spin button", "Context Length")), "2048",
                          "what is no number changes nothing")
        app.key("Escape")
        app.key("ctrl+q")
        checks.clean_end(app, "quit after another start")
    finally:
        app.kill()


def about():
    app = start()
    try:
        app.wait_for("button", "Open File…")
        app.key("F10")
        app.wait_menu()
        app.key("Up", "Return")  # the last entry
        app.wait_for("label", "The Hearth Project")
        app.tab_to(None, "Troubleshooting")
        app.key("Return")
        app.wait_for("label", "Debugging Information")
        app.tab_to(None, "Debugging Information")
        app.key("Return")
        app.press("button", "Copy Text")
        text = until("the copied text", driver.clipboard)
        for part in ("Hearth ", "Ember ", "GTK 4.", "libadwaita 1.", "Display: ", "Program: ", "Data: ",
                     "Configuration: ", "Cache: "):
            checks.check(part in text, f"the troubleshooting text has “{part}”")

        def left():
            app.key("Escape")  # one page at a time
            return not any(app.find(name=name) for name in
                           ("Copy Text", "Debugging Information", "The Hearth Project"))
        until("About to go", left)
        app.key("ctrl+q")
        checks.clean_end(app, "quit after About")
    finally:
        app.kill()


def quit_everywhere():
    """Ctrl+Q, whatever dialog is open."""
    for keys, what in ((("F10", "Up", "Return"), "The Hearth Project"), (("ctrl+comma",), "Computing"),
                       (("ctrl+question",), "Keyboard Shortcuts")):
        app = start()
        try:
            app.wait_for("button", "Open File…")
            app.key(keys[0])
            if keys[1:]:
                app.wait_for("menu item")
                app.key(*keys[1:])
            app.wait_for("label", what)
            app.key("ctrl+q")
            checks.clean_end(app, f"quit at “{what}”")
        finally:
            app.kill()


def activated():
    """As a desktop does it: the one program that runs gets the file."""
    app = start()
    try:
        app.wait_for("button", "Open File…")
        subprocess.run(["gdbus", "call", "--session", "--dest", "io.github.hearth_app.Hearth",
                        "--object-path", "/io/github/hearth_app/Hearth", "--method",
                        "org.freedesktop.Application.Open", f"['file://{tiny}']", "{}"], check=True,
                       capture_output=True, timeout=driver.PATIENCE_S)
        app.wait_for("label", "Architecture")
        checks.wait(lambda: app.has("Tiny Void", "llama"), "a file from the desktop shows its page")
        app.key("ctrl+q")
        checks.clean_end(app, "quit after an activation")
    finally:
        app.kill()


def gone():
    lost = os.path.join(work, "lost.gguf")
    app = start(recent_models=f"['{lost}', '{tiny}']", place="'models'")
    try:
        app.wait_for("list", "Models")
        checks.wait_equal(lambda: app.names("list item", start=app.find("list", "Models")), ["Tiny Void"],
                          "a remembered file that is gone is not listed")
        app.key("ctrl+q")
        checks.clean_end(app, "quit beside a file that is gone")
        # Asked for by name, it is said in one sentence.
        app = start(lost)
        app.wait_for("label", contains=f"There is no “lost.gguf” in “{work}”.")
        checks.wait(lambda: app.find("toggle button", "Details"), "details are offered")
        app.key("ctrl+q")
        checks.clean_end(app, "quit after a file that is gone")
        # One that has nothing in it, as a failed download leaves it.
        empty = os.path.join(work, "empty.gguf")
        open(empty, "w").close()
        app = start(empty)
        app.wait_for("label", "“empty.gguf” is empty: not a single byte is in it. Download it again.")
        app.key("ctrl+q")
        checks.clean_end(app, "quit after an empty file")
    finally:
        app.kill()


def right_to_left():
    locales = pseudo.install(ROOT, os.path.join(work, "locale"))
    env = dict(driver.locale("ar_EG"), LANGUAGE="ar", HEARTH_LOCALEDIR=locales)
    app = start(tiny, env=env, window_width=1000, window_height=700)
    try:
        until("the page", lambda: app.has("llama", "Tiny Void"))

        def place(role):
            node = app.find(role, "Tiny Void")
            box = node.get_box() if node else None
            return box.x if box and box.width > 0 else None
        title = until("the heading", lambda: place("heading"))
        entry = until("the list", lambda: place("list item"))
        checks.check(entry > title, "the list is at the right of the page")
        tabs = [x for x in (node.get_box().x for node in app.all("page tab")) if x < entry]
        if len(tabs) > 2:
            checks.check(tabs[0] > tabs[-1], "views begin at the right")
        app.key("ctrl+q")
        checks.clean_end(app, "quit from right to left")
    finally:
        app.kill()


checks.run("preferences", preferences)
checks.run("about", about)
checks.run("quit everywhere", quit_everywhere)
checks.run("activated", activated)
checks.run("gone", gone)
checks.run("right to left", right_to_left)
sys.exit(checks.end())
