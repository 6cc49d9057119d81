#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-library.py HEARTH [MODEL [PART...]]: the list of models, by keyboard and as voice output reads it. What
other programs have, groups, order, filters and search; files that come, grow and go; what is done with
one; how the list was left; ten thousand files; what the desktop opens."""
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_model  # noqa: E402
import driver  # noqa: E402
import library_files  # noqa: E402
from driver import App, Checks, until  # noqa: E402

HEARTH = os.path.abspath(sys.argv[1])
MODEL = driver.model(2)
driver.inside_display()
checks = Checks()
with open("/proc/meminfo") as meminfo:
    MEMORY = int(meminfo.readline().split()[1]) * 1024
TOO_MANY_LAYERS = MEMORY // 134_000_000 + 20
work = os.path.realpath(tempfile.mkdtemp(prefix="hearth-test-"))
# The trash of this home is on the disk of the files, as it mostly is.
os.environ["XDG_DATA_HOME"] = os.path.join(work, "data")


def start(*arguments, folder=None, home=None, **settings):
    folders = f"['{folder}']" if folder else "@as []"
    return driver.start(*arguments, env=library_files.at_home(home) if home else None,
                        **{"model_folders": folders, "place": "'models'", **settings})


def again(*arguments):
    """The next start, with what the one before has left."""
    return App(HEARTH, *arguments)


def nodes(app):
    return app.all("list item", start=app.find("list", "Models"), showing=False)


def names(app):
    return app.names("list item", start=app.find("list", "Models"), showing=False)


def wait_names(app, want, what):
    checks.wait_equal(lambda: names(app), want, what)


def describe(app, name):
    """What voice output says of a row after its name."""
    node = app.find("list item", name, start=app.find("list", "Models"), showing=False)
    return node.get_description() if node else ""


def wait_description(app, name, *parts):
    checks.wait(lambda: all(part in describe(app, name) for part in parts), f"{name}: {parts}")


def choose(app, menu, *keys):
    """Opens a menu and walks through it."""
    app.press("toggle button", menu)
    app.wait_menu()
    app.key(*keys)


def finish(app, what):
    app.key("ctrl+q")
    checks.clean_end(app, what)


def own_folder(place=work):
    folder = os.path.join(place, "own")
    for label, layers in (("Q4_K_M", 2), ("Q8_0", 4)):
        library_files.runnable(f"{folder}/otter/otter-7b-{label}.gguf", f"Otter 7B {label}", layers)
    library_files.write(f"{folder}/otter/mmproj-otter-7b-Q4_K_M.gguf",
                        library_files.small("Eyes", "clip", "mmproj", 4096))
    library_files.embedder(f"{folder}/wren.gguf", "Wren Embed")
    big_model.write(f"{folder}/heron.gguf", layers=TOO_MANY_LAYERS, name="Heron 400B")
    library_files.write(f"{folder}/kite-00001-of-00002.gguf", library_files.small("Kite 30B"))
    return folder


EVERYTHING = ["Heron 400B", "Kite 30B", "Wren Embed", "Otter 7B Q4_K_M", "Eyes", "Otter 7B Q8_0"]


def order_and_filters():
    app = start(folder=own_folder())
    try:
        wait_names(app, EVERYTHING, "by folder, then by name, the projector under its model")
        wait_description(app, "Eyes", "Projector", "for Otter 7B Q4_K_M")
        wait_description(app, "Heron 400B", "Too big")
        wait_description(app, "Kite 30B", "Incomplete")
        wait_description(app, "Otter 7B Q8_0", "F16", "Fits")
        checks.wait(lambda: {"own", "own/otter"} <= set(app.texts()), "the groups have their folders' names")
        until("how many, and how much", lambda: app.find("label", contains="5 models · "))

        # Filters: one of chat and embedding, and what fits.
        app.press("toggle button", "Chat")
        wait_names(app, ["Heron 400B", "Otter 7B Q4_K_M", "Eyes", "Otter 7B Q8_0"], "chat models")
        app.press("toggle button", "Fits")
        wait_names(app, ["Otter 7B Q4_K_M", "Eyes", "Otter 7B Q8_0"], "chat models that fit")
        until("how many of them", lambda: app.find("label", contains="2 of 5 models · "))
        app.press("toggle button", "Chat")
        app.press("toggle button", "Fits")
        app.press("toggle button", "Embedding")
        wait_names(app, ["Wren Embed"], "embedding models")
        app.press("toggle button", "Embedding")
        wait_names(app, EVERYTHING, "all again")

        # Order and groups.
        choose(app, "List Menu", "Down", "Return")
        wait_names(app, ["Heron 400B", "Wren Embed", "Kite 30B", "Otter 7B Q8_0",
                         "Otter 7B Q4_K_M", "Eyes"], "by size")
        choose(app, "List Menu", "Down", "Down", "Down", "Down", "Return")
        until("families", lambda: "Otter" in app.texts() and "own" not in app.texts())
        wait_names(app, ["Heron 400B", "Kite 30B", "Otter 7B Q8_0", "Otter 7B Q4_K_M", "Eyes",
                         "Wren Embed"], "by family, then by size")
        choose(app, "List Menu", "Down", "Down", "Down", "Down", "Down", "Return")
        wait_names(app, ["Heron 400B", "Otter 7B Q8_0", "Otter 7B Q4_K_M", "Eyes", "Wren Embed",
                         "Kite 30B"], "no groups, by size")

        # Search: words of name, family, quantization, file.
        app.key("alt+2", "ctrl+f")
        app.type("otter q8")
        wait_names(app, ["Otter 7B Q8_0"], "found by two words")
        app.key("ctrl+a")
        app.type("zzz")
        app.wait_for("label", "No Models Found")
        app.press("button", "Show All")
        until("all", lambda: len(names(app)) == 6)

        # It is all there at the next start.
        app.press("toggle button", "Fits")
        app.key("alt+2", "ctrl+f")
        app.type("otter")
        wait_names(app, ["Otter 7B Q8_0", "Otter 7B Q4_K_M", "Eyes"], "otters that fit")
        finish(app, "quit")
        app = again()
        wait_names(app, ["Otter 7B Q8_0", "Otter 7B Q4_K_M", "Eyes"], "as it was left")
        fits = app.wait_for("toggle button", "Fits")
        checks.wait(lambda: fits.has_state("pressed") or fits.has_state("checked"), "with its filter")
        checks.wait_equal(lambda: app.written(app.find(None, "Search models")), "otter", "and its search")
        finish(app, "quit again")
    finally:
        app.kill()


def left_by_family():
    """Files come into groups that are not by folder, and go from one to another as they are read."""
    folder = own_folder(os.path.join(work, "families"))
    for label, layers in (("Q5_K_M", 3), ("Q6_K", 5)):
        library_files.runnable(f"{folder}/otter/otter-7b-{label}.gguf", f"Otter 7B {label}", layers)
    library_files.write(f"{folder}/otter/lora-otter-7b-french.gguf",
                        library_files.small("French", "llama", "adapter", 1 << 16))
    app = start(folder=folder, list_group="'family'")
    try:
        until("families", lambda: "Otter" in app.texts() and len(names(app)) >= 9)
        checks.check("own" not in app.texts(), "a list left by family comes by family")
        finish(app, "quit after a list by family")
    finally:
        app.kill()


def other_programs():
    home = os.path.join(work, "home")
    shared = library_files.stores(home)
    app = start(home=home)
    try:
        until("all of them", lambda: len(names(app)) == 6)
        wait_description(app, "Otter 7B", "Fits", "Hugging Face, LM Studio, Ollama")
        wait_description(app, "Otter 7B eyes", "Projector", "for Otter 7B", "LM Studio, Ollama")
        wait_description(app, "Heron 3B", "Ollama")
        wait_description(app, "Wren Embed", "llama.cpp")
        wait_description(app, "Kite 1B", "Jan")
        wait_description(app, "Swift 2B", "GPT4All")

        # Theirs is not thrown away.
        app.key("alt+2", "ctrl+f")
        app.type("kite")
        wait_names(app, ["Kite 1B"], "one alone")
        app.key("alt+2", "Down", "Delete")
        app.wait_for("label", "“Kite 1B” Belongs to Jan")
        checks.wait(lambda: app.has("remove it in Jan"), "where to remove it")
        app.key("Escape")
        app.wait_gone("label", "“Kite 1B” Belongs to Jan")
        checks.check(os.path.exists(os.path.join(
            home, ".local/share/Jan/data/llamacpp/models/acme/kite/model.gguf")), "it is still there")
        checks.check(os.path.exists(shared), "so is the shared one")
        finish(app, "quit beside other programs' files")
    finally:
        app.kill()


def opened_files():
    """Files that were only opened are taken from the list, and put back where they were."""
    folder = os.path.join(work, "opened")
    paths = []
    for i in range(15):
        paths.append(f"{folder}/{i:02}.gguf")
        library_files.write(paths[-1], library_files.small(f"Otter {i:02}"))
    recent = "[" + ", ".join(f"'{path}'" for path in paths) + "]"
    app = start(recent_models=recent, list_group="'none'")
    wanted = [f"Otter {i:02}" for i in range(12)]

    def kept():
        return [os.path.basename(part.strip(" '[]")) for part in
                driver.saved("recent-models").split(",")]
    try:
        wait_names(app, wanted, "the last twelve that were opened")
        app.key("alt+2", "Home", "Down", "Delete")
        wait_names(app, wanted[:1] + wanted[2:], "Delete takes one from the list")
        checks.wait(lambda: app.find("label", "“Otter 01” removed from the list"), "it is said which")
        checks.check(os.path.exists(paths[1]), "its file stays where it is")
        until("the settings without it", lambda: "01.gguf" not in kept())
        app.key("ctrl+z")
        wait_names(app, wanted, "it is back where it was")
        until("the settings with it", lambda: kept()[:2] == ["00.gguf", "01.gguf"])

        # By the row's menu; for good after another look and another start.
        app.key("alt+2", "Home", "shift+F10")
        app.wait_menu()
        checks.equal(app.names("menu item")[-1], "Remove From List", "the menu of a file that was opened")
        app.key("Up", "Return")
        wait_names(app, wanted[1:], "the menu takes one from the list")
        app.key("alt+2", "F5")
        wait_names(app, wanted[1:], "another look leaves it out")
        finish(app, "quit after removing from the list")
        app = again()
        wait_names(app, wanted[1:], "the next start leaves it out")
        finish(app, "quit again")
    finally:
        app.kill()


MANAGER = """
import sys
from gi.repository import Gio, GLib
xml = ('<node><interface name="org.freedesktop.FileManager1"><method name="ShowItems">'
       '<arg type="as" direction="in"/><arg type="s" direction="in"/></method></interface></node>')
def called(connection, sender, path, interface, method, parameters, invocation):
    print(parameters.unpack()[0][0], flush=True)
    invocation.return_value(None)
def ready(connection, name):
    connection.register_object('/org/freedesktop/FileManager1',
                               Gio.DBusNodeInfo.new_for_xml(xml).interfaces[0], called, None, None)
def owned(connection, name):
    print('ready', flush=True)
Gio.bus_own_name(Gio.BusType.SESSION, 'org.freedesktop.FileManager1', 0, ready, owned, None)
GLib.MainLoop().run()
"""


def with_one_file():
    folder = os.path.join(work, "one")
    path = f"{folder}/otter.gguf"
    library_files.runnable(path, "Otter 7B")
    manager = subprocess.Popen([sys.executable, "-c", MANAGER], stdout=subprocess.PIPE, text=True)
    app = None
    try:
        checks.equal(manager.stdout.readline().strip(), "ready", "a file manager")
        app = start(folder=folder)
        wait_names(app, ["Otter 7B"], "one file")
        wait_description(app, "Otter 7B", "Fits")

        # The menu by keyboard: show, copy, trash; undo.
        app.key("alt+2", "Down", "shift+F10")
        app.wait_menu()
        app.key("Down", "Return")
        checks.equal(manager.stdout.readline().strip(), "file://" + path, "shown in Files")
        app.key("alt+2", "shift+F10")
        app.wait_menu()
        app.key("Down", "Down", "Return")
        checks.wait_equal(driver.clipboard, path, "the path is on the clipboard")
        app.key("alt+2", "Delete")
        checks.wait(lambda: not os.path.exists(path), "the file is in the trash")
        checks.wait(lambda: app.find("label", "“Otter 7B” moved to the trash"), "it is said where it has gone")
        app.press("button", "Undo")
        wait_names(app, ["Otter 7B"], "back in the list")
        checks.check(os.path.exists(path), "the file is back")
        trash = os.path.join(os.environ["XDG_DATA_HOME"], "Trash/files")
        checks.wait_equal(lambda: os.listdir(trash), [], "nothing is left in the trash")

        # Where something else has come to be meanwhile, it stays in the trash.
        wait_description(app, "Otter 7B", "Fits")
        app.key("alt+2", "Down", "Delete")
        app.wait_for("label", "“Otter 7B” moved to the trash")
        app.wait_for("button", "Undo")
        library_files.write(path, library_files.small("Heron"))
        wait_names(app, ["Heron"], "another file of this name")
        app.press("button", "Undo")
        app.wait_for("label", "The file could not be put back. It is in the trash.")
        checks.equal(os.listdir(trash), ["otter.gguf"], "it is in the trash")
        checks.check(os.path.getsize(path) < 4096, "and what is there is untouched")
        finish(app, "quit after undoing")
    finally:
        manager.kill()
        manager.wait()
        if app:
            app.kill()


def thrown_away():
    """Only what is the person's own: all parts of a model together, and of a file that Ollama has as well
    the person's name for it alone. Undo brings back what it took."""
    home, folder = os.path.join(work, "trashing"), os.path.join(work, "trashed")
    os.makedirs(folder)
    first = big_model.write_parts(folder, 3, name="Parts")
    parts = [first.replace("00001-of", f"{i:05}-of") for i in (1, 2, 3)]
    before = [os.stat(path).st_ino for path in parts]
    shared = os.path.join(folder, "shared.gguf")
    library_files.runnable(shared, "Shared 1B")
    library_files.ollama(home, "shared", "1b", shared)
    blobs = os.path.join(home, ".ollama/models/blobs")
    app = start(folder=folder, home=home)
    try:
        wait_names(app, ["Parts", "Shared 1B"], "a model in parts, and a shared one")
        wait_description(app, "Shared 1B", "Ollama")

        def delete(name):
            app.key("alt+2", "ctrl+f", "ctrl+a")
            app.type(name)
            wait_names(app, [name], f"{name} alone")
            app.key("alt+2", "Down", "Delete")
        delete("Parts")
        checks.wait(lambda: not any(map(os.path.exists, parts)), "all its parts are in the trash")
        app.press("button", "Undo")
        checks.wait(lambda: all(map(os.path.exists, parts)), "all its parts are back")
        checks.equal([os.stat(path).st_ino for path in parts], before, "each where it was")
        wait_names(app, ["Parts"], "back in the list")
        delete("Shared 1B")
        checks.wait(lambda: not os.path.exists(shared), "the person's name is in the trash")
        checks.equal(len(os.listdir(blobs)), 1, "Ollama still has it")
        app.press("button", "Undo")
        checks.wait(lambda: os.path.exists(shared), "the name is back")
        checks.check(os.path.samefile(shared, os.path.join(blobs, os.listdir(blobs)[0])), "of the same file")

        # Without a name of the person's it is Ollama's alone.
        os.remove(shared)
        app.key("alt+2", "F5")
        until("it among Ollama's", lambda: "trashed" not in app.texts() and "Ollama" in app.texts())
        delete("Shared 1B")
        app.wait_for("label", "“Shared 1B” Belongs to Ollama")
        app.key("Escape")
        checks.equal(len(os.listdir(blobs)), 1, "and stays")
        finish(app, "quit after the trash")
    finally:
        app.kill()


def the_list_as_text():
    app = start(folder=own_folder())
    try:
        wait_names(app, EVERYTHING, "the list")
        wait_description(app, "Otter 7B Q8_0", "Fits")
        choose(app, "List Menu", "Up", "Up", "Up", "Up", "Return")
        rows = list(csv.DictReader(io.StringIO(until("the copied list", driver.clipboard))))
        checks.equal([row["name"] for row in rows], EVERYTHING, "copied in the order that is shown")
        eyes = rows[EVERYTHING.index("Eyes")]
        checks.equal((eyes["role"], eyes["goes_with"]), ("projector", "Otter 7B Q4_K_M"),
                     "with what it goes with")
        checks.equal(rows[1]["state"], "incomplete", "with its state")
        checks.equal(int(rows[0]["bytes"]), os.path.getsize(rows[0]["path"]), "with its size")
        for ending in ("json", "csv"):
            path = os.path.join(work, "list." + ending)
            choose(app, "List Menu", "Up", "Up", "Up", "Return")
            driver.choose_file(app, "Export the List of Models", path)
            until("the file", lambda: driver.is_saved(app, path))
            with open(path, newline="") as file:
                rows = json.load(file) if ending == "json" else list(csv.DictReader(file))
            checks.equal([row["name"] for row in rows], EVERYTHING, f"exported as {ending}")
        finish(app, "quit after exporting")
    finally:
        app.kill()


def files_that_change():
    folder = os.path.join(work, "changing")
    library_files.runnable(f"{folder}/otter.gguf", "Otter 7B")
    whole = library_files.small("Heron 3B", n_bytes=1 << 20)
    app = start(folder=folder)
    try:
        wait_names(app, ["Otter 7B"], "one file")
        path = f"{folder}/heron.gguf"
        library_files.write(path, whole[:1 << 19])
        wait_names(app, ["Heron 3B", "Otter 7B"], "a file that comes")
        wait_description(app, "Heron 3B", "Being written")
        with open(path, "ab") as out:
            out.write(whole[1 << 19:])
        wait_description(app, "Heron 3B", "Cannot run")
        os.remove(f"{folder}/otter.gguf")
        wait_description(app, "Otter 7B", "Gone")
        library_files.runnable(f"{folder}/otter.gguf", "Otter 7B")
        wait_description(app, "Otter 7B", "Fits")
        os.remove(f"{folder}/otter.gguf")
        wait_description(app, "Otter 7B", "Gone")
        app.key("alt+2", "F5")
        wait_names(app, ["Heron 3B"], "gone for good after another look")
        finish(app, "quit beside files that change")
    finally:
        app.kill()


def ten_thousand():
    folder = os.path.join(work, "many")
    n = 10000
    library_files.many(folder, n)
    app = start(folder=folder)
    try:
        until("rows", lambda: names(app))
        until("all of them", lambda: app.find("label", contains=f"{n:,} models · "))
        until("all are read", lambda: "Reading…" not in app.texts())
        checks.wait(lambda: "Model 00000" in names(app), "the first is shown")
        checks.check(0 < len(nodes(app)) < 300, f"rows in the tree: {len(nodes(app))}")
        # A key that comes before the list has the keyboard goes elsewhere.
        until("the last", lambda: f"Model {n - 1:05}" in names(app) or app.key("alt+2", "End"))
        checks.check(len(nodes(app)) < 300, f"rows in the tree at the end: {len(nodes(app))}")
        app.key("ctrl+f")
        app.type("07777")
        wait_names(app, ["Model 07777"], "one of ten thousand")
        app.key("Return")
        app.wait_for("frame", "Model 07777")
        app.key("alt+2", "ctrl+f", "Escape")
        until("all again", lambda: app.find("label", contains=f"{n:,} models · "))
        app.key("alt+2", "Home")
        until("the first", lambda: "Model 00000" in names(app))

        # Left in the middle, it is there again.
        app.key(*["Next"] * 12)
        until("another page", lambda: "Model 00000" not in names(app))
        finish(app, "quit among ten thousand")
        left = [line.split("=", 1)[1].strip().strip("'") for line in open(
            os.environ["XDG_CONFIG_HOME"] + "/glib-2.0/settings/keyfile")
            if line.startswith("list-position=")]
        checks.check(left and left[0].endswith(".gguf"), f"the topmost row is kept: {left}")
        app = again()
        title = "Model " + left[0][-len("00000.gguf"):-len(".gguf")]
        until("the row that was topmost", lambda: title in names(app))
        until("all of them", lambda: app.find("label", contains=f"{n:,} models · "))
        until("the row that was topmost, still", lambda: title in names(app))
        checks.check("Model 00000" not in names(app), "and not the beginning")
        finish(app, "quit again among ten thousand")
    finally:
        app.kill()
        shutil.rmtree(folder, ignore_errors=True)


def from_the_desktop():
    """The command line, another start of the program, and D-Bus all show the page; none loads."""
    other = os.path.join(work, "other.gguf")
    library_files.runnable(other, "Other One")
    app = start(MODEL, place="'chats'")
    try:
        app.wait_for("label", "Architecture")
        checks.wait(lambda: app.find("frame", contains="Smollm2"), "the command line shows the page")
        subprocess.run([HEARTH, other], check=True, timeout=driver.PATIENCE_S,
                       env=driver.environment())
        app.wait_for("frame", "Other One")
        checks.check(True, "a second start shows it in the first window")
        subprocess.run(["gdbus", "call", "--session", "--dest", "io.github.hearth_app.Hearth",
                        "--object-path", "/io/github/hearth_app/Hearth", "--method",
                        "org.freedesktop.Application.Open", f"['file://{MODEL}']", "{}"],
                       check=True, timeout=driver.PATIENCE_S, capture_output=True)
        until("the page over D-Bus", lambda: app.find("frame", contains="Smollm2"))
        checks.check(not app.find("button", contains="Loaded: "), "nothing has been loaded")
        with open(f"/proc/{app.process.pid}/maps") as maps:
            mapped = [line for line in maps if line.rstrip().endswith(os.path.realpath(MODEL))]
        resident = 0
        with open(f"/proc/{app.process.pid}/smaps") as maps:
            inside = False
            for line in maps:
                if "-" in line.split(" ")[0] and ":" not in line.split(" ")[0]:
                    inside = line.rstrip().endswith(os.path.realpath(MODEL))
                elif inside and line.startswith("Rss:"):
                    resident += int(line.split()[1]) * 1024
        checks.check(resident < os.path.getsize(MODEL) // 2,
                     f"{resident} bytes of it are in memory, {len(mapped)} maps")
        desktop = os.path.join(os.path.dirname(HEARTH), "../data/io.github.hearth_app.Hearth.desktop")
        if os.path.exists(desktop):
            lines = open(desktop).read().splitlines()
            checks.check(any(line.startswith("MimeType=") and "application/x-gguf" in line
                             for line in lines), "the desktop knows which files")
            checks.check(any(line.startswith("Exec=hearth") and "%" in line for line in lines),
                         "and hands them over")
        finish(app, "quit after opening")
    finally:
        app.kill()


for name, part in (("order and filters", order_and_filters),
                   ("left by family", left_by_family), ("other programs", other_programs),
                   ("one file", with_one_file), ("opened files", opened_files), ("thrown away", thrown_away),
                   ("the list as text", the_list_as_text),
                   ("files that change", files_that_change), ("from the desktop", from_the_desktop),
                   ("ten thousand", ten_thousand)):
    if not sys.argv[3:] or name in sys.argv[3:]:
        checks.run(name, part)
shutil.rmtree(work, ignore_errors=True)
sys.exit(checks.end())
