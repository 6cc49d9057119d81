#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check-installed.py BUILD: installs what was built into an empty folder and looks whether all that a
desktop needs is in its place."""
import glob
import os
import subprocess
import sys
import tempfile

build = sys.argv[1]
ID = "io.github.hearth_app.Hearth"
WANTED = ["bin/hearth", f"share/applications/{ID}.desktop", f"share/metainfo/{ID}.metainfo.xml",
          f"share/icons/hicolor/scalable/apps/{ID}.svg",
          f"share/icons/hicolor/symbolic/apps/{ID}-symbolic.svg",
          f"share/glib-2.0/schemas/{ID}.gschema.xml", f"share/mime/packages/{ID}.xml",
          f"share/dbus-1/services/{ID}.service"]
if not os.path.exists(os.path.join(build, "src", "hearth")):
    print("skipped: Hearth is not built")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(77)
failed = []
with tempfile.TemporaryDirectory() as folder:
    done = subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--destdir", folder],
                          capture_output=True, text=True)
    if done.returncode:
        print(done.stdout[-2000:], done.stderr[-2000:])
        print("FAILED meson install")
        print("0 passed, 1 failed, 0 skipped")
        sys.exit(1)
    found = glob.glob(folder + "/**/bin/hearth", recursive=True)
    prefix = os.path.dirname(os.path.dirname(found[0])) if found else folder
    for name in WANTED:
        if not os.path.exists(os.path.join(prefix, name)):
            failed.append(name)
    languages = [line.strip() for line in open(os.path.join(os.path.dirname(os.path.dirname(
        os.path.abspath(__file__))), "po", "LINGUAS")) if line.strip() and line[0] != "#"]
    for language in languages:
        name = f"share/locale/{language}/LC_MESSAGES/hearth.mo"
        if not os.path.exists(os.path.join(prefix, name)):
            failed.append(name)
    # What starts the program names the place it is in.
    service = os.path.join(prefix, f"share/dbus-1/services/{ID}.service")
    if os.path.exists(service):
        text = open(service).read()
        program = prefix[len(folder):] + "/bin/hearth"
        if f"Exec={program} --gapplication-service" not in text or f"Name={ID}" not in text:
            failed.append("the service file's program")
    # The caches, made as a package does after copying.
    share = os.path.join(prefix, "share")
    for command in (["glib-compile-schemas", "--strict", share + "/glib-2.0/schemas"],
                    ["update-mime-database", share + "/mime"],
                    ["update-desktop-database", share + "/applications"]):
        try:
            if subprocess.run(command, capture_output=True).returncode:
                failed.append(" ".join(command[:1]))
        except FileNotFoundError:
            continue
    globs = os.path.join(share, "mime", "globs2")
    if os.path.exists(globs) and "application/x-gguf:*.gguf" not in open(globs).read():
        failed.append("the MIME type")
    cache = os.path.join(share, "applications", "mimeinfo.cache")
    if os.path.exists(cache) and f"application/x-gguf={ID}.desktop" not in open(cache).read():
        failed.append("the program that opens the MIME type")
    total = len(WANTED) + len(languages) + 6
for what in failed:
    print(f"FAILED {what}")
print(f"{total - len(failed)} passed, {len(failed)} failed, 0 skipped")
sys.exit(1 if failed else 0)
