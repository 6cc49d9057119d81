# SPDX-License-Identifier: GPL-3.0-or-later
"""What a window test runs in: a display, a D-Bus session and a home of its own, with settings, a
language and a clipboard."""
import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile


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
               TMPDIR=home + "/tmp",
               GSETTINGS_BACKEND="keyfile", GSK_RENDERER="cairo", GDK_DISABLE="gl,vulkan",
               LANG="C.UTF-8", LC_ALL="C.UTF-8", GDK_BACKEND="x11")
    for name in ("GTK_A11Y", "G_DEBUG", "WAYLAND_DISPLAY", "XAUTHORITY",
                 "DBUS_SESSION_BUS_ADDRESS"):
        env.pop(name, None)
    os.makedirs(home + "/run", mode=0o700)
    os.makedirs(home + "/tmp")
    os.makedirs(home + "/config/gtk-4.0")
    gtk_settings(home + "/config")
    reader, writer = os.pipe()
    # No key repeats (-r): on a busy machine it may be long from its press to its release.
    server = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", size + "x24", "-r",
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


# Another program that reads the clipboard, and goes on doing so: to start one takes longer than to ask.
CLIPBOARD = """
import json, sys
import gi
gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, GLib, Gtk
Gtk.init()
board = Gdk.Display.get_default().get_clipboard()
def done(board, result):
    try:
        text = board.read_text_finish(result)
    except GLib.Error:  # nothing was copied yet
        text = None
    print(json.dumps(text or ""), flush=True)
def asked(channel, condition):
    if not sys.stdin.readline():
        sys.exit()
    board.read_text_async(None, done)
    return True
GLib.io_add_watch(0, GLib.PRIORITY_LOW, GLib.IO_IN | GLib.IO_HUP, asked)
GLib.MainLoop().run()
"""
readers = []


def clipboard():
    """What was copied, read as another program reads it; "" while there is nothing."""
    if not readers:
        readers.append(subprocess.Popen([sys.executable, "-c", CLIPBOARD], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL))
        atexit.register(readers[0].kill)
    print(file=readers[0].stdin, flush=True)
    return json.loads(readers[0].stdout.readline())


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
