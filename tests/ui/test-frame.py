#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-frame.py HEARTH: the window around a chat, with models made here that need no memory. Places
and chats by keyboard, names for voice output, a narrow window, cancelling and closing during a load,
a damaged file, a file dropped from another program."""
import os
import signal
import subprocess
import sys
import tempfile
import time

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
slow = os.path.join(work, "slow.gguf")
large = os.path.join(work, "large.gguf")
big_model.write(tiny, layers=1, width=256, inner=512, name="Tiny Void")
big_model.write(other, layers=1, width=256, inner=512, name="Other Void")
big_model.write(slow, layers=8, width=1024, inner=4096, name="Slow Void")

# What a person can act on, and so must hear the name of.
CONTROLS = ("button", "toggle button", "text", "entry", "check box", "page tab", "list item")


def names(app, where):
    """Every control that is shown says what it is."""
    def nameless():
        seen = app.look(names=lambda role: role in CONTROLS)
        return [part.role for part in seen.all() if part.role in CONTROLS and part.showing
                and part.name == ""] if seen else None
    checks.wait_equal(nameless, [], f"controls without a name {where}")


def places():
    app = start("--chat", tiny)
    try:
        app.wait_for("button", "Model: Tiny Void")
        names(app, "in an empty chat")
        subprocess.run([HEARTH, "--chat", other], check=True, env=driver.environment(),
                       timeout=driver.PATIENCE_S)
        app.wait_for("button", "Model: Other Void")

        # A question makes it a chat of its own; the model here never finds a word.
        app.key("ctrl+l")
        app.type("Is there anything?")
        app.key("Return")
        until("the question", lambda: app.find("list item", "Question"))
        names(app, "while an answer grows")
        checks.wait_equal(lambda: app.names("list item", start=app.find("list", "Chats")),
                          ["Is there anything?"], "the empty chat was used again for the other file")
        app.key("ctrl+n")
        app.wait_gone("list item", "Question")
        app.key("ctrl+Page_Down")
        until("the chat before", lambda: app.find("list item", "Question"))
        app.key("Escape")
        # Stopped, or through already: so small a model fills its context in a second.
        until("the end of the answer", lambda: app.find("label", contains="Stopped")
              or app.find("label", contains="Cut off"))
        names(app, "after an answer")
        checks.check(True, "chats by keyboard")

        # The list of models, and the page of one.
        app.key("alt+2")
        app.wait_for("list", "Models")
        checks.wait_equal(lambda: app.names("list item", start=app.find("list", "Models")),
                          ["Other Void", "Tiny Void"], "models, last used first")
        app.key("Down", "Return")
        app.wait_for("label", "Overview")
        checks.wait(lambda: "llama" in app.texts(), "the page of a model from the list")
        names(app, "on a model's page")
        day = time.strftime("%-d %b %Y", time.localtime(os.path.getmtime(other)))
        checks.wait_equal(lambda: [pair for pair in zip(app.texts(), app.texts()[1:]) if day in pair[1]],
                          [("File changed", day)], "the day of the file is said once, where it says what it is")
        app.key("ctrl+Page_Down")
        checks.wait(lambda: app.has("Left free", "no graphics memory is used"),
                    "the next view by key, and what its verdict is for")
        app.key("ctrl+Page_Up")
        checks.wait(lambda: "llama" in app.texts(), "the view before")
        app.key("alt+1")
        until("the list of chats", lambda: app.find("list", "Chats"))
        app.key("ctrl+question")
        app.wait_for("label", "Keyboard Shortcuts")
        names(app, "in the shortcuts")
        for title, keys in (("Show the bytes of the selected key", "Ctrl+B"),
                            ("Copy the selected row", "Ctrl+C"), ("Next chat", "Ctrl+Page Down")):
            checks.wait_equal(lambda: app.names("label", start=app.find("list item", title, showing=False),
                                                showing=False), [title, keys], f"{keys} in the shortcuts")
        app.key("Escape")
        app.wait_gone("label", "Keyboard Shortcuts")
        app.key("ctrl+w")
        checks.clean_end(app, "closed by Ctrl+W")
    finally:
        app.kill()


def narrow():
    app = start("--chat", slow, window_width=360, window_height=600)
    try:
        app.wait_for("text", "Question")
        checks.check(not app.find("list", "Chats"), "360 pixels show the chat alone")
        names(app, "in a narrow window")
        app.key("alt+2")
        app.wait_for("list item", "Slow Void")
        app.key("Return")
        app.wait_for("label", "Overview")
        app.press("button", "Chat")
        app.wait_for("text", "Question")
        # Escape stops an answer, here a slow one, before it goes back to the list.
        app.key("ctrl+l")
        app.type("Tell me a story.")
        app.key("Return")
        app.wait_for("button", "Stop")
        app.key("Escape")
        until("the answer to stop", lambda: app.find("button", "Send"))
        checks.wait(lambda: app.find("text", "Question"), "Escape stops an answer in a narrow window")
        app.key("ctrl+l", "Escape")
        until("the list", lambda: app.find("list", "Chats"))
        app.key("alt+2")
        app.wait_for("list item", "Slow Void")
        app.key("Return")
        app.wait_for("label", "Overview")
        app.press("button", "Chat")
        app.wait_for("text", "Question")
        app.resize(1000, 600)
        until("the list beside it again", lambda: app.find("list", "Chats"))
        checks.check(True, "a narrow window goes between list and page")
        app.process.send_signal(signal.SIGINT)
        checks.clean_end(app, "interrupted")
    finally:
        app.kill()


def loading(sign, what):
    """A load that takes a while; one that is through before it is seen proves nothing, so it is
    tried with more."""
    for layers in (24, 48):
        big_model.write(large, layers=layers)
        app = start("--chat", large)
        try:
            app.wait_for("button", "Model: Great Void")
            if not app.find("button", "Cancel"):
                continue
            sign(app)
            return
        finally:
            app.kill()
            os.remove(large)
    checks.skip(what, "the load was over before it could be seen")


def cancel(app):
    app.key("Escape")
    app.wait_gone("button", "Cancel")
    checks.wait(lambda: app.find("text", "Question"), "a cancelled load leaves the chat")
    app.key("ctrl+q")
    checks.clean_end(app, "quit after a cancelled load")


def leave(app):
    app.key("ctrl+q")
    checks.clean_end(app, "quit during a load")


def damaged():
    path = os.path.join(work, "torn.gguf")
    with open(tiny, "rb") as whole, open(path, "wb") as out:
        out.write(whole.read(700))
    app = start("--chat", path)
    try:
        checks.check(app.wait_for("label", "“torn.gguf” is damaged and cannot be used."),
                     "a damaged file is said in one sentence")
        app.press("toggle button", "Details")
        app.wait_for("button", "Copy Details")
        names(app, "beside a failure")
        app.key("ctrl+q")
        checks.clean_end(app, "quit after a damaged file")
    finally:
        app.kill()


def opened():
    """What is opened shows in the place it was opened from; only where chats are it is loaded."""
    app = start(window_width=1000, window_height=700)
    app.key("alt+2", "ctrl+o")
    driver.open_file(app, tiny)
    app.wait_for("label", "What It Is Made Of")
    checks.wait(lambda: app.find("frame", "Tiny Void"), "where models are, a file shows its page")
    checks.check(not app.find("button", contains="Loaded: "), "and is not loaded")

    app.key("alt+1", "ctrl+o")
    driver.open_file(app, tiny)
    app.wait_for("button", "Model: Tiny Void")
    checks.wait(lambda: app.find("button", contains="Loaded: "), "where chats are, it is loaded")
    app.key("ctrl+l")
    app.write("Question", "Before")
    app.key("Return")
    app.wait_for("list item", "Question")
    app.key("Escape")
    app.wait_for("button", "Send")
    # By the chat's own button: another model for this chat, not another chat.
    app.press("toggle button", "Model: Tiny Void")
    checks.wait(lambda: [row.get_description().split(" · ")[0] for row in app.items("Models")] == ["Loaded"],
                "how a model stands is said as in the list of models")
    checks.wait(lambda: app.items("Models")[0].has_state("selected"), "the chat's own is marked")
    app.press("button", "Open File…")
    driver.open_file(app, other)
    app.wait_for("button", "Model: Other Void")
    checks.check(app.find("list item", "Question"), "a file that is opened for a chat is its model")
    app.key("ctrl+q")
    checks.clean_end(app, "quit after files were opened")
    app.kill()


def begins():
    """A new chat, again and again, where there is no model: the keyboard stays at what opens one."""
    app = start(window_width=360, window_height=600)
    try:
        app.wait_for("button", "Open File…")
        app.key("ctrl+n", "ctrl+n", "Tab")
        checks.wait(lambda: app.focus_at("button", "Models on This Computer"),
                    "a new chat twice, and a step on from Open File…")
        app.key("ctrl+n")
        checks.wait(lambda: app.focus_at("button", "Open File…"), "a new chat leads back to it")
        app.key("ctrl+q")
        checks.clean_end(app, "quit with nothing in it")
    finally:
        app.kill()


def dropped():
    """Another program's window offers the file; the pointer carries it over."""
    code = ("import gi, sys; gi.require_version('Gtk', '4.0')\n"
            "from gi.repository import Gdk, Gio, GLib, Gtk\n"
            "Gtk.init()\n"
            "window = Gtk.Window(title='Source', default_width=160, default_height=120, decorated=False)\n"
            "label = Gtk.Label(label='drag me'); window.set_child(label)\n"
            "drag = Gtk.DragSource(actions=Gdk.DragAction.COPY)\n"
            "files = Gdk.FileList.new_from_list([Gio.File.new_for_path(sys.argv[1])])\n"
            "drag.set_content(Gdk.ContentProvider.new_for_value(files))\n"
            "label.add_controller(drag); window.present(); GLib.MainLoop().run()\n")
    app = start(window_width=700, window_height=600)
    source = None
    try:
        app.wait_for("button", "Open File…")
        source = subprocess.Popen([sys.executable, "-c", code, tiny], stderr=subprocess.DEVNULL)
        window = until("the source of the drag", lambda: subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", "^Source$"], capture_output=True,
            text=True).stdout.split())[-1]
        subprocess.run(["xdotool", "windowmove", "--sync", window, "1000", "700"], check=True)

        def carry():
            moves = ["mousemove", "1050", "750", "sleep", "0.2", "mousedown", "1"]
            for step in range(1, 21):
                moves += ["mousemove", str(1050 - 35 * step), str(750 - 22 * step), "sleep", "0.03"]
            subprocess.run(["xdotool", *moves, "sleep", "0.3", "mouseup", "1"], check=True)
            try:
                return until("the dropped file", lambda: app.find("button", "Model: Tiny Void"), 8)
            except AssertionError:
                return None  # a busy machine may lose a drag: once more
        checks.check(until("a file that is dropped to be opened", carry), "a dropped file is opened")
        app.key("ctrl+q")
        checks.clean_end(app, "quit after a drop")
    finally:
        if source:
            source.kill()
            source.wait()
        app.kill()


checks.run("places", places)
checks.run("narrow", narrow)
checks.run("cancel a load", lambda: loading(cancel, "cancel a load"))
checks.run("quit during a load", lambda: loading(leave, "quit during a load"))
checks.run("damaged", damaged)
checks.run("opened", opened)
checks.run("begins", begins)
checks.run("dropped", dropped)
sys.exit(checks.end())
