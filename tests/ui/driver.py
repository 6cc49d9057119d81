# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives Hearth as a person does: a real window on a display of its own, keys by xdotool, and the
tree that voice output reads (AT-SPI). Nothing here decides by time: everything waits for a state, and
a timeout only ends a test that has failed.

A program that imports this calls inside_display() first: it runs itself again under Xvfb with a
D-Bus session, so that nobody's desktop is touched.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

# Generous: the tests share a small machine with compilers.
TEXT_ROLES = ("paragraph", "heading", "table cell")
PATIENCE_S = int(os.environ.get("HEARTH_UI_PATIENCE", "180"))


def inside_display(size="1280x900"):
    """Runs the calling program again where there is a display and a session bus, both its own."""
    if os.environ.get("HEARTH_UI_DISPLAY") == "own":
        return
    for tool in ("Xvfb", "dbus-run-session", "xdotool"):
        if not shutil.which(tool):
            print(f"skipped: no {tool}")
            print("0 passed, 0 failed, 1 skipped")
            sys.exit(77)
    home = tempfile.mkdtemp(prefix="hearth-ui-")
    env = dict(os.environ, HEARTH_UI_DISPLAY="own", HOME=home,
               XDG_CONFIG_HOME=home + "/config", XDG_DATA_HOME=home + "/data",
               XDG_CACHE_HOME=home + "/cache", XDG_RUNTIME_DIR=home + "/run",
               GSETTINGS_BACKEND="keyfile", GSK_RENDERER="cairo",
               LANG="C.UTF-8", LC_ALL="C.UTF-8", GDK_BACKEND="x11")
    for name in ("GTK_A11Y", "G_DEBUG", "WAYLAND_DISPLAY", "XAUTHORITY",
                 "DBUS_SESSION_BUS_ADDRESS"):
        env.pop(name, None)
    os.makedirs(home + "/run", mode=0o700)
    os.makedirs(home + "/config/gtk-4.0")
    gtk_settings(home + "/config")
    reader, writer = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", size + "x24",
                               "-nolisten", "tcp", "-noreset"], pass_fds=(writer,),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(writer)
    status = 1
    try:
        with os.fdopen(reader) as numbers:
            env["DISPLAY"] = ":" + numbers.readline().strip()
        with open(home + "/stderr", "wb") as err:
            status = subprocess.call(["dbus-run-session", "--", sys.executable, *sys.argv], env=env,
                                     stderr=err)
        with open(home + "/stderr", errors="replace") as err:
            if status not in (0, 77):
                sys.stderr.writelines(line for line in err if "dbus-daemon[" not in line)
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(home, ignore_errors=True)
    sys.exit(status)


def model(index):
    """The program's argument `index`, or the small model; a run without one ends here."""
    path = os.path.abspath(sys.argv[index] if len(sys.argv) > index else
                           os.path.join(os.environ.get("HEARTH_TEST_MODELS", "."), "smollm2.gguf"))
    if not os.path.exists(path):
        print(f"missing: {path}")
        print("0 passed, 0 failed, 1 skipped")
        sys.exit(1 if os.environ.get("CI") else 77)
    return path


def answer_of_the_tool(ember, path, question, *options):
    """What `ember chat` answers at temperature 0."""
    out = subprocess.run([ember, "chat", path, "-p", question, "--temp", "0", "--json", *options],
                         capture_output=True, text=True, check=True).stdout
    return json.loads(out)["text"]


def clipboard():
    """What was copied, read as another program reads it."""
    code = ("import gi; gi.require_version('Gtk', '4.0')\n"
            "from gi.repository import Gdk, Gtk, GLib\n"
            "Gtk.init(); loop = GLib.MainLoop()\n"
            "def done(board, result):\n"
            "    try: print(board.read_text_finish(result) or '', end='')\n"
            "    except GLib.Error: pass\n"  # nothing was copied yet
            "    loop.quit()\n"
            "Gdk.Display.get_default().get_clipboard().read_text_async(None, done); loop.run()\n")
    try:
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              timeout=20).stdout
    except subprocess.TimeoutExpired:  # who asks while the owner changes may get no answer
        return ""


def gtk_settings(config):
    """What a desktop would tell: GNOME's font and window buttons. No animations: what is looked at
    stands still."""
    with open(config + "/gtk-4.0/settings.ini", "w") as out:
        out.write("[Settings]\ngtk-font-name=Cantarell 11\ngtk-decoration-layout=:close\n"
                  "gtk-enable-animations=false\n")


def text_scale(scale):
    """The size of text that the X server tells programs that start now."""
    subprocess.run(["xprop", "-root", "-f", "RESOURCE_MANAGER", "8s", "-set", "RESOURCE_MANAGER",
                    f"Xft.dpi:\t{96 * scale}\n"], check=True)


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


def environment(**more):
    """What Hearth runs with: a complaint of GLib ends it. (Not this program: the accessibility
    library complains about windows that are gone.)"""
    return dict(os.environ, G_DEBUG="fatal-warnings", **more)


def locale(name):
    """Environment for a language the machine may not have ("ar_EG"), its direction included."""
    folder = os.path.join(os.environ["XDG_CACHE_HOME"], "locales")
    if not os.path.isdir(os.path.join(folder, name + ".UTF-8")):
        os.makedirs(folder, exist_ok=True)
        subprocess.run(["localedef", "-i", name, "-f", "UTF-8", os.path.join(folder, name + ".UTF-8")],
                       check=True, capture_output=True)
    return {"LOCPATH": folder, "LC_ALL": name + ".UTF-8", "LANG": name + ".UTF-8"}


def settings(**values):
    """Writes the settings that the next start finds; values are GVariant text."""
    path = os.environ["XDG_CONFIG_HOME"] + "/glib-2.0/settings"
    os.makedirs(path, exist_ok=True)
    with open(path + "/keyfile", "w") as out:
        out.write("[io/github/hearth_app/Hearth]\n")
        for name, value in values.items():
            out.write(f"{name.replace('_', '-')}={value}\n")


def saved(name):
    """What the settings' file has for this key, as GVariant text; None where it has none."""
    with open(os.environ["XDG_CONFIG_HOME"] + "/glib-2.0/settings/keyfile") as lines:
        for line in lines:
            if line.startswith(name + "="):
                return line.strip().split("=", 1)[1]
    return None


def until(what, condition, patience=PATIENCE_S):
    """Waits until condition() gives something true, and returns that."""
    end = time.monotonic() + patience
    while True:
        try:
            value = condition()
        except Exception as error:  # the tree may change while it is read
            if "Atspi" not in str(type(error)) and "GLib" not in str(type(error)):
                raise
            value = None
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited in vain for: {what}")
        time.sleep(0.05)


class App:
    """One running Hearth."""

    running = []

    @classmethod
    def kill_all(cls):
        for app in list(cls.running):
            app.kill()

    def __init__(self, program, *arguments, env=None, keep=False):
        """`keep`: with the chats that the program before has left; else none."""
        if not keep:
            shutil.rmtree(os.environ["XDG_DATA_HOME"] + "/hearth", ignore_errors=True)
        import gi
        gi.require_version("Atspi", "2.0")
        from gi.repository import Atspi
        self.atspi = Atspi
        self.program = program
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([program, *arguments], stdout=self.log, stderr=self.log,
                                        env=environment(**(env or {})))
        App.running.append(self)
        self.root = until("the window in the accessibility tree", self._find_root)
        self.window = until("an X window", self._find_window)
        self.focus_window()

    def _find_root(self):
        if self.process.poll() is not None:
            raise AssertionError(f"Hearth ended with {self.process.returncode}: {self.output()}")
        desktop = self.atspi.get_desktop(0)
        desktop.clear_cache()
        for i in range(desktop.get_child_count()):
            app = desktop.get_child_at_index(i)
            if app and app.get_process_id() == self.process.pid and app.get_child_count() > 0:
                app.set_cache_mask(self.atspi.Cache.NONE)
                return app
        return None

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

    def walk(self, start=None, showing=False):
        """Every node below, in order; with `showing`, without what lies in something hidden: each
        node is a question to the window, and most of its views are not to be seen."""
        first = start or self.root
        stack = [first]
        while stack:
            node = stack.pop()
            if node is None:
                continue
            try:
                if showing and node is not first and not self.showing(node):
                    continue
            except Exception:
                continue
            yield node
            try:
                children = [node.get_child_at_index(i) for i in range(node.get_child_count())]
            except Exception:
                continue
            stack.extend(reversed(children))

    def showing(self, node):
        return node.get_state_set().contains(self.atspi.StateType.SHOWING)

    def find(self, role=None, name=None, start=None, showing=True, contains=None):
        """The first node of this role name ("button") and name that is on the screen."""
        for node in self.walk(start, showing):
            try:
                if role and node.get_role_name() != role:
                    continue
                if name is not None and node.get_name() != name:
                    continue
                if contains is not None and contains not in (node.get_name() or ""):
                    continue
                if showing and not self.showing(node):
                    continue
                return node
            except Exception:
                continue
        return None

    def wait_for(self, role=None, name=None, **more):
        return until(f"{role} {name or more}", lambda: self.find(role, name, **more))

    def texts(self, start=None):
        """What is written on the labels and in the text of messages, in order."""
        found = []
        for node in self.walk(start, showing=True):
            try:
                role = node.get_role_name()
                if role == "label" and self.showing(node):
                    found.append(node.get_name() or "")
                elif role in TEXT_ROLES and self.showing(node):
                    found.append(self.written(node))
            except Exception:
                continue
        return found

    def has(self, *texts):
        """Whether each of these is in something that is written on the screen."""
        shown = self.texts()
        return all(any(text in label for label in shown) for text in texts)

    def items(self, name):
        """The rows of the list of this name that are on the screen; none without that list."""
        box = self.find("list", name)
        return [node for node in self.walk(box, showing=True)
                if node.get_role_name() == "list item" and self.showing(node)] if box else []

    def written(self, node):
        """The text of a text field; "" for a node that is none."""
        try:
            return self.atspi.Text.get_text(node, 0, self.atspi.Text.get_character_count(node))
        except Exception:
            return ""

    def dump(self):
        """For the log of a failed test."""
        def show(node, depth):
            lines = []
            try:
                lines.append("  " * depth + f"[{node.get_role_name()}] {node.get_name()!r}"
                             + ("" if self.showing(node) else " (hidden)"))
                for i in range(node.get_child_count()):
                    child = node.get_child_at_index(i)
                    if child:
                        lines += show(child, depth + 1)
            except Exception as error:
                lines.append("  " * depth + str(error))
            return lines
        return "\n".join(show(self.root, 0))

    # ---- hands ----

    def click(self, node):
        node.do_action(0)

    def key(self, *keys):
        self.focus_window()
        subprocess.run(["xdotool", "key", "--clearmodifiers", *keys], check=True)

    def show_view(self, name):
        """A tab of the model page, or an entry of the list that stands for them when it is narrow."""
        tab = until(f"the view {name}", lambda: self.find("page tab", name)
                    or self.find("combo box"))
        if tab.get_role_name() != "combo box":
            self.click(tab)
            return
        self.click(self.wait_for("toggle button", start=tab))
        entries = until("the list of views", lambda: [
            text for node in self.walk(tab) if node.get_role_name() == "list item"
            for text in self.texts(node)])
        here = entries.index(tab.get_name())
        there = entries.index(self.words(name) if hasattr(self, "words") else name)
        self.key(*["Down" if there > here else "Up"] * abs(there - here), "Return")

    def choose(self, button, entry):
        """An entry (from 0) of the menu that this button opens; menu items have no names there."""
        menu = self.wait_for("button", button)
        self.click(self.find("toggle button", start=menu) or menu)
        self.wait_for("menu item")
        subprocess.run(["xdotool", "key", *["Down"] * entry, "Return"], check=True)

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
                        str(int(size["HEIGHT"]) // 2), "click", "--repeat", str(steps), button],
                       check=True)

    def tab_to(self, role, name, most=60):
        """Presses Tab until this control has the focus, as who has no pointer does."""
        for _ in range(most):
            node = self.find(role, name)
            if node and any(part.get_state_set().contains(self.atspi.StateType.FOCUSED)
                            for part in self.walk(node)):
                return node
            self.key("Tab")
        raise AssertionError(f"Tab does not reach {role} {name}")

    def type(self, text):
        self.focus_window()
        subprocess.run(["xdotool", "type", "--delay", "4", "--clearmodifiers", text], check=True)

    def wait_end(self):
        status = self.process.wait(timeout=PATIENCE_S)
        return status

    def kill(self):
        if self in App.running:
            App.running.remove(self)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def start(*arguments, env=None, keep=False, **values):
    """Hearth, the first argument of the test, with these settings; at temperature 0 where they say
    nothing else."""
    settings(**{"temperature": "just 0.0", **values})
    return App(os.path.abspath(sys.argv[1]), *arguments, env=env, keep=keep)


def activate(app, row, most=60):
    """A row of a list, by keyboard alone."""
    focused = app.atspi.StateType.FOCUSED
    for _ in range(most):
        if any(node.get_state_set().contains(focused) for node in app.walk(row)):
            app.key("Return")
            return
        app.key("Tab")
    raise AssertionError(f"Tab does not reach {row.get_name()}")


def compare_with(app, name=None):
    """In the view that compares: with the file of this title, or the first that is offered."""
    def offered():
        for title in ("The same model", "Other models"):
            box = app.find("list", title)
            for node in app.walk(box) if box else ():
                if node.get_role_name() == "list item" and name in (None, node.get_name()):
                    return node
        return None
    activate(app, until("another file", offered))


def save_as(app, button, entry, target):
    """Through a menu's entry (from 0) that asks for a file: it is written where `target` says."""
    app.choose(button, entry)
    choose_file(app, "Save As", target)
    until(f"the file {target}", lambda: os.path.exists(target) and os.path.getsize(target) > 0)


def choose_file(app, title, target):
    """In the dialog of this title that asks where to save something."""
    dialog = app.wait_for(name=title)
    app.focus_dialog(title)
    field = until("the suggested name", lambda: next(
        (node for node in app.walk(dialog) if app.written(node).endswith(target[target.rindex("."):])),
        None))
    app.atspi.EditableText.set_text_contents(field, target)
    subprocess.run(["xdotool", "key", "Return"], check=True)

    def gone():
        replace = app.find("button", "Replace")
        if replace:
            app.click(replace)
        return not app.find(name=title)
    until("the dialog to go", gone)


class Checks:
    """Counts, and prints the closing line."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def check(self, condition, what):
        if condition:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {what}")
            sys.stdout.flush()
        return bool(condition)

    def equal(self, got, want, what):
        return self.check(got == want, f"{what}: got {got!r}, expected {want!r}")

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
            self.failed += 1
            print(f"FAILED {what}: {error}")
            sys.stdout.flush()

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        return 1 if self.failed else 0
