# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives Hearth as a person does: a real window on a display of its own, keys by xdotool, and the
tree that voice output reads (tree.py). Nothing here decides by time: everything waits for a state, and
a timeout only ends a test that has failed.

What a window shows comes when it comes: read inside until(), or by Checks.wait() and wait_equal(). A
control is found and used by press() and write(), which look again for one that goes in between.

A program that imports this calls inside_display() first: it runs itself again under Xvfb with a
D-Bus session, so that nobody's desktop is touched.
"""
import inspect
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

# Most of these are for who imports this.
from session import (clipboard, environment, inside_display, locale, model, saved,  # noqa: F401
                     settings, text_scale)
from tree import Gone, Tree, never

TEXT_ROLES = ("paragraph", "heading", "table cell")
# Generous: the tests share a small machine with compilers. It ends what has failed. A look counts for a
# second at most: where the machine is so busy that one takes longer, patience grows with it.
PATIENCE_S = int(os.environ.get("HEARTH_UI_PATIENCE", "180"))
LOOK_S = 1
# Where to look for something, unless a test says so.
WINDOW = object()


def picture(app, form):
    """The window with what pops up over it."""
    width, height = app.size
    return ["import", "-window", "root", "-crop", f"{width}x{height}+0+0", "+repage", form]


def settle(app):
    """Until two pictures of the window, a little apart, are the same, or it keeps changing."""
    before = None
    for _ in range(8):
        now = subprocess.run(picture(app, "rgb:-"), capture_output=True, check=True).stdout
        if now == before and any(now):
            return
        before = now
        time.sleep(0.2)


def until(what, condition, patience=PATIENCE_S):
    """Waits until condition() gives something true, and returns that."""
    while True:
        begin = time.monotonic()
        try:
            value = condition()
        except Gone:  # the window may change between two questions
            value = None
        if value:
            return value
        if patience < 0:
            raise AssertionError(f"waited in vain for: {what}")
        time.sleep(0.05)
        patience -= min(time.monotonic() - begin, LOOK_S)


def keys(*names):
    """Presses these where the focus is: in a dialog with a window of its own, in a menu."""
    subprocess.run(["xdotool", "key", "--clearmodifiers", *names], check=True)


class App:
    """One running Hearth."""

    running = []
    # What the window writes for a text of the code, where it speaks another language.
    words = staticmethod(lambda text: text)

    @classmethod
    def kill_all(cls):
        for app in list(cls.running):
            app.kill()

    def __init__(self, program, *arguments, env=None, keep=False):
        """`keep`: with the chats that the program before has left; else none."""
        if not keep:
            shutil.rmtree(os.environ["XDG_DATA_HOME"] + "/hearth", ignore_errors=True)
        self.program = program
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([program, *arguments], stdout=self.log, stderr=self.log,
                                        env=environment(**(env or {})))
        App.running.append(self)
        self.tree = Tree(self.process.pid)
        self.root = until("the window in the accessibility tree", self._find_root)
        self.window = until("an X window", self._find_window)
        self.focus_window()

    def _find_root(self):
        if self.process.poll() is not None:
            raise AssertionError(f"Hearth ended with {self.process.returncode}: {self.output()}")
        return self.tree.root()

    def _find_window(self):
        found = subprocess.run(["xdotool", "search", "--onlyvisible", "--pid", str(self.process.pid)],
                               capture_output=True, text=True).stdout.split()
        return found[0] if found else None

    def focus_dialog(self, name):
        """A window of its own, beside the main one."""
        found = until(f"the X window {name}", lambda: subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", name], capture_output=True,
            text=True).stdout.split())
        subprocess.run(["xdotool", "windowfocus", "--sync", found[-1]], check=False,
                       capture_output=True)

    def focus_window(self):
        subprocess.run(["xdotool", "windowfocus", "--sync", self.window], check=False,
                       capture_output=True)

    def resize(self, width, height):
        subprocess.run(["xdotool", "windowsize", self.window, str(width), str(height)], check=True)

    def output(self):
        self.log.seek(0)
        return self.log.read()

    # ---- the tree ----

    def look(self, start=WINDOW, showing=True, names=never, texts=never):
        """What is there, from one look (tree.Seen); None where `start` (a node, None, or what finds one)
        is not there."""
        first = self.root if start is WINDOW else start() if callable(start) else start
        return self.tree.look(first, not showing, names, texts) if first else None

    def walk(self, start=WINDOW, showing=False):
        """Every node below, in order; with `showing`, without what lies in something hidden."""
        seen = self.look(start, showing)
        return (part.node for part in seen.all()) if seen else iter(())

    def showing(self, node):
        return node.has_state("showing")

    def _seen(self, role, name, start, showing, contains, named):
        seen = self.look(start, showing, lambda it: named and role in (None, it))
        return [part for part in seen.all() if role in (None, part.role)
                and (part.showing or not showing)
                and (name is None or part.name == name)
                and (contains is None or contains in (part.name or ""))] if seen else []

    def all(self, role=None, name=None, start=WINDOW, showing=True, contains=None):
        """The nodes of this role ("button") and name that are on the screen, in order; nothing where
        `start` is None."""
        named = name is not None or contains is not None
        return [part.node for part in self._seen(role, name, start, showing, contains, named)]

    def find(self, role=None, name=None, start=WINDOW, showing=True, contains=None):
        """The first of them, or None."""
        return next(iter(self.all(role, name, start, showing, contains)), None)

    def names(self, role=None, start=WINDOW, showing=True, contains=None):
        """Their names."""
        return [part.name or "" for part in self._seen(role, None, start, showing, contains, True)]

    def wait_for(self, role=None, name=None, **more):
        return until(f"{role} {name or more}", lambda: self.find(role, name, **more))

    def wait_gone(self, role=None, name=None, **more):
        until(f"{role} {name or more} to go", lambda: not self.find(role, name, **more))

    def focused(self, start=WINDOW):
        """What has the keyboard, there; or None."""
        seen = self.look(start)
        return next((part.node for part in seen.all() if part.focused), None) if seen else None

    def focus_at(self, role, name=None):
        """What has the keyboard, when it is one of these."""
        node = self.focused()
        return node if node and node.get_role_name() == role and name in (None, node.get_name()) else None

    def texts(self, start=WINDOW):
        """What is written on the labels and in the text of messages, in order."""
        seen = self.look(start, names=lambda role: role == "label", texts=lambda role: role in TEXT_ROLES)
        return [part.name or "" if part.role == "label" else part.text or ""
                for part in seen.all() if part.showing and part.role in ("label", *TEXT_ROLES)] \
            if seen else []

    def has(self, *texts):
        """Whether each of these is in something that is written on the screen."""
        shown = self.texts()
        return all(any(text in label for label in shown) for text in texts)

    def items(self, name):
        """The rows of the list of this name that are on the screen; none without that list."""
        return self.all("list item", start=self.find("list", name))

    def written(self, node):
        """The text of a text field; "" for a node that is none."""
        return node.get_text() if node else ""

    def dump(self):
        """For the log of a failed test."""
        def show(seen, depth):
            lines.append("  " * depth + f"[{seen.role}] {seen.name!r}" + ("" if seen.showing else " (hidden)")
                         + (" (focused)" if seen.focused else ""))
            for child in seen.children:
                show(child, depth + 1)
        lines = []
        seen = self.look(showing=False, names=lambda role: True)
        if seen:
            show(seen, 0)
        return "\n".join(lines)

    # ---- hands ----

    def click(self, node):
        """Raises Gone for one that is not there any more; see press()."""
        node.click()

    def press(self, role, name=None, **more):
        """Finds a control, waits until it can be used, and clicks it."""
        def pressed():
            node = self.find(role, name, **more)
            return node and node.has_state("sensitive") and node.click() and node
        return until(f"{role} {name or more} to press", pressed)

    def write(self, name, text, role="text", **more):
        """Puts a text into the field of this name, as an input method would."""
        def written():
            node = self.find(role, name, **more)
            # Marks that nobody sees part a long line.
            if node and (node.get_text() or "").replace("\u2060\u2029", "") == text:
                return node
            if node:
                node.set_text(text)
            return None
        return until(f"{text[:60]!r} in {role} {name}", written)

    def value(self, name):
        """Of the field with a number of this name, as it is announced; not a number without it."""
        node = self.find("spin button", name, showing=False)
        value = node.get_value() if node else None
        return math.nan if value is None else value

    def set_value(self, name, value):
        def same():
            if abs(self.value(name) - value) < 1e-6:
                return True
            node = self.find("spin button", name, showing=False)
            return node and node.set_value(value)
        until(f"{name} {value}", same)

    def key(self, *names):
        """Presses these in the window."""
        subprocess.run(["xdotool", "windowfocus", "--sync", self.window, "key", "--clearmodifiers", *names],
                       check=True)

    def show_view(self, name):
        """A tab of the model page, or an entry of the list that stands for them when it is narrow. A tab
        acts a while after it is clicked: until it has."""
        def find():  # the bars of a page come behind its contents, which may have lists of their own
            return self.find("page tab", name) or next(iter(self.all("combo box")[::-1]), None)
        tab = until(f"the view {name}", find)
        if tab.get_role_name() != "combo box":
            self.click(tab)
            until(f"the view {name} instead of the one before", lambda: tab.has_state("checked"))
            return
        self.press("toggle button", start=tab)
        name = self.words(name)
        choose_in(self, tab, lambda texts: name in texts, name)
        until(f"the view {name} instead of the one before", lambda: tab.get_name() == name)

    def wait_menu(self):
        """Until an open menu listens to the keyboard."""
        until("a menu", lambda: self.focus_at("menu item"))

    def choose(self, button, entry):
        """An entry of the menu that this button opens: its name, or how many that can be chosen are
        above it."""
        self.press("toggle button", start=lambda: self.find("button", button) or self.find(
            "toggle button", button))
        self.wait_menu()
        if isinstance(entry, str):
            self.move_to(lambda: self.focus_at("menu item", entry), "Down", entry)
            entry = 0
        keys(*["Down"] * entry, "Return")

    def move_to(self, there, key, what, most=40):
        """Presses a key until it has led there, once for each move of the focus."""
        for _ in range(most):
            if there():
                return
            before = self.focused()
            keys(key)
            self.wait_moved(before)
        raise AssertionError(f"{key} does not lead to {what}; the focus is at {self.focused()}")

    def wait_moved(self, before):
        """Until the focus is not there any more. It may have nowhere to go: then this waits a little."""
        try:
            until("another focus", lambda: self.focused() != before, 2)
        except AssertionError:
            pass

    def scroll_down(self):
        """To the end of what is scrolled in the trailing half of the window."""
        self.wheel(80, "5")

    def wheel_up(self, steps):
        self.wheel(steps, "4")

    def wheel(self, steps, button):
        """Over the trailing half of the window."""
        size = dict(line.split("=") for line in subprocess.run(
            ["xdotool", "getwindowgeometry", "--shell", self.window], capture_output=True, text=True,
            check=True).stdout.split())
        subprocess.run(["xdotool", "mousemove", str(int(size["WIDTH"]) * 2 // 3),
                        str(int(size["HEIGHT"]) // 2), "click", "--repeat", str(steps), "--delay", "1", button],
                       check=True)

    def tab_to(self, role, name=None, most=60, start=WINDOW, showing=True, contains=None):
        """Presses Tab until this control has the focus, as who has no pointer does."""
        def find(seen):
            places = [seen] if start is WINDOW else [part for part in seen.all() if part.node == place]
            return next((part for top in places for part in top.all() if role in (None, part.role)
                         and (part.showing or not showing) and name in (None, part.name)
                         and (contains is None or contains in (part.name or ""))), None)
        place = start() if callable(start) else start
        name, contains = self.words(name), self.words(contains)
        return self._tab_until(find, f"{role} {name or contains}", most, showing,
                               lambda it: role in (None, it))

    def reach(self, find, what, most=60):
        """The same with the node that this finds."""
        def part_of(seen):
            node = find()
            return next((part for part in seen.all() if part.node == node), None)
        return self._tab_until(part_of, what, most)

    def _tab_until(self, find, what, most, showing=True, names=never):
        """`find` finds a part in a look at the window; one look tells whether it has the focus, and
        where else that is."""
        def moved(before=None):
            seen = self.look(showing=showing, names=names)
            at = next((part.node for part in seen.all() if part.focused), None) if seen else None
            looks[:] = [seen, at]
            return seen and (before is None or at != before[0])
        looks = []
        until("the window", moved)
        for _ in range(most):
            seen, at = looks
            target = find(seen)
            if target and any(part.focused for part in target.all()):
                return target.node
            self.key("Tab")
            try:
                until("another focus", lambda: moved([at]), 2)
            except AssertionError:  # it may have nowhere to go
                until("the window", moved)
        raise AssertionError(f"Tab does not reach {what}; the focus is at {self.focused()}")

    def tab(self):
        """Tab, and until the focus has moved."""
        before = self.focused()
        self.key("Tab")
        self.wait_moved(before)

    def type(self, text):
        subprocess.run(["xdotool", "windowfocus", "--sync", self.window, "type", "--delay", "4",
                        "--clearmodifiers", text], check=True)

    def wait_end(self):
        """The exit status."""
        until("the end of the program", lambda: self.process.poll() is not None)
        return self.process.returncode

    def kill(self):
        """Where this cleans up after something that has failed, the log gets what was on the screen."""
        if self in App.running:
            App.running.remove(self)
            if sys.exc_info()[0]:
                self.report()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def report(self):
        """What it shows and what it has said."""
        if self.process.poll() is None and hasattr(self, "root"):
            print("\n".join(line[:160] for line in self.dump().splitlines()[-120:]))
        print(self.output())


def start(*arguments, env=None, keep=False, **values):
    """Hearth, the first argument of the test, with these settings; at temperature 0 where they say
    nothing else."""
    settings(**{"temperature": "just 0.0", **values})
    return App(os.path.abspath(sys.argv[1]), *arguments, env=env, keep=keep)


def activate(app, row, most=60):
    """A row of a list, by keyboard alone."""
    app.reach(lambda: row, repr(row), most)
    app.key("Return")


def compare_with(app, name=None):
    """In the view that compares: with the file of this title, or the first that is offered."""
    def offered():
        for title in ("The same model", "Other models"):
            row = app.find("list item", name, start=app.find("list", title))
            if row:
                return row
        return None
    activate(app, until("another file", offered))


def choose_in(app, combo, wanted, what):
    """In the list that a drop-down list opens, by keyboard: the entry whose texts are `wanted`. It may
    begin anywhere, and there may be other lists in the window."""
    def entry():
        node = app.focused(combo)
        return node if node and node.get_role_name() == "list item" else None

    def first():
        node = entry()
        parent = node and node.get_parent()
        return parent and node in parent.get_children()[:1]
    until("the keyboard in the list", entry)
    keys("Home")
    until("its first entry", first)
    app.move_to(lambda: wanted(app.texts(entry())), "Down", what)
    keys("Return")


def pick(app, chosen, wanted):
    """From a drop-down list, by keyboard: the entry that begins so."""
    combo = app.tab_to("combo box", chosen)
    app.key("space")
    choose_in(app, combo, lambda texts: any(text.startswith(wanted) for text in texts), wanted)
    app.wait_gone("combo box", chosen)


def save_as(app, button, entry, target):
    """Through a menu's entry (from 0) that asks for a file: it is written where `target` says."""
    app.choose(button, entry)
    choose_file(app, "Save As", target)
    until(f"the file {target}", lambda: is_saved(app, target))


def is_saved(app, path):
    """Whether there is something, and the program is through with it."""
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        return False
    open_files = f"/proc/{app.process.pid}/fd"
    for name in os.listdir(open_files):
        try:
            if os.readlink(f"{open_files}/{name}").startswith(os.path.realpath(path)):
                return False
        except FileNotFoundError:  # closed meanwhile
            continue
    return True


def open_file(app, path, title="Open a Model File"):
    """In the dialog of this title that asks for a file, with the keyboard alone."""
    app.wait_for(name=title)

    def path_entry():
        """A slash opens the entry for a path, once the dialog listens to the keyboard. The path comes as
        pasted: typed letter by letter, the dialog completes it while it is written."""
        seen = app.look(app.find(name=title), showing=False, texts=lambda role: True)
        field = next((part for part in seen.all() if (part.text or "").startswith("/")), None) \
            if seen else None
        if not field:
            app.focus_dialog(title)
            keys("slash")
        elif field.text != path:
            field.node.set_text(path)
        return field and field.text == path
    until("the path in the dialog", path_entry)
    keys("Return")
    app.wait_gone(name=title)


def choose_file(app, title, target):
    """In the dialog of this title that asks where to save something. Returns the name it suggested."""
    app.wait_for(name=title)
    app.focus_dialog(title)
    suggested = []

    def named():
        seen = app.look(app.find(name=title), texts=lambda role: role == "text")
        field = next((part for part in seen.all() if "." in (part.text or "")), None) if seen else None
        if field and field.text != target:
            suggested.append(field.text)
            field.node.set_text(target)
        return field and field.text == target and field.focused
    until("the name of the file", named)
    keys("Return")

    def gone():
        replace = app.find("button", "Replace")
        if replace:
            app.click(replace)
        return not app.find(name=title)
    until("the dialog to go", gone)
    return suggested[0]


class Checks:
    """Counts, and prints the closing line."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.failures = []

    def check(self, condition, what):
        if condition:
            self.passed += 1
        else:
            self._fail(f"{what} ({where(inspect.stack())})")
        return bool(condition)

    def equal(self, got, want, what):
        return self.check(got == want, f"{what}: got {got!r}, expected {want!r}")

    def wait(self, condition, what):
        """As check(), of something that comes."""
        try:
            until(what, condition)
        except AssertionError:
            return self.check(False, what)
        return self.check(True, what)

    def wait_equal(self, read, want, what):
        """As equal(), of something that becomes so."""
        got = []

        def same():
            got[:] = [read()]
            return got[0] == want
        try:
            until(what, same)
        except AssertionError:
            pass
        return self.equal(got[0] if got else None, want, what)

    def clean_end(self, app, what):
        """The program ends by itself, without an error and without a complaint."""
        self.equal(app.wait_end(), 0, f"{what}: exit status")
        noise = [line for line in app.output().splitlines()
                 if "CRITICAL" in line or "WARNING" in line or "ERROR" in line]
        self.equal(noise, [], f"{what}: complaints")

    def skip(self, what, why):
        self.skipped += 1
        print(f"skipped {what}: {why}")

    def run(self, what, function):
        """A part of a test; what it raises is one failed check."""
        try:
            function()
        except Exception as error:
            self._fail(f"{what}: {type(error).__name__}: {error} "
                       f"({where(traceback.extract_tb(error.__traceback__)[::-1])})")
            for app in list(App.running):
                app.report()
                app.kill()

    def _fail(self, what):
        self.failed += 1
        self.failures.append(what)
        print(f"FAILED {what}")
        sys.stdout.flush()

    def end(self):
        """What failed is said again: of a log that is cut, the end is kept."""
        for what in self.failures:
            print(f"FAILED {what[:600]}")
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        return 1 if self.failed else 0


def where(frames):
    """The lines of the test, innermost first, that led to something."""
    test = os.path.abspath(sys.argv[0])
    return ", from ".join(f"line {frame.lineno}" for frame in frames
                          if os.path.abspath(frame.filename) == test) or "not in the test"
