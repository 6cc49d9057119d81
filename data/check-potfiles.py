#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check-potfiles.py ROOT [--write]: po/POTFILES names every file of src/ that has text for people, and no
other. --write makes it so."""
import os
import re
import sys

root = sys.argv[1]
marked = re.compile(r'\b(?:N?_|ngettext) ?\("|translatable="yes"')
found = set()
for folder, _, names in os.walk(os.path.join(root, "src")):
    for name in names:
        path = os.path.join(folder, name)
        if name.endswith((".c", ".h", ".ui")):
            with open(path, encoding="utf-8") as file:
                if marked.search(file.read()):
                    found.add(os.path.relpath(path, root))
with open(os.path.join(root, "po", "POTFILES"), encoding="utf-8") as file:
    listed = {line.strip() for line in file if line.strip() and not line.startswith("#")}
if "--write" in sys.argv[2:]:
    listed = {path for path in listed if not path.startswith("src/")} | found
    with open(os.path.join(root, "po", "POTFILES"), "w", encoding="utf-8") as file:
        file.write("# SPDX-License-Identifier: GPL-3.0-or-later\n")
        file.writelines(path + "\n" for path in sorted(listed))
missing = sorted(found - listed)
gone = sorted(path for path in listed
              if path not in found and (path.startswith("src/")
                                        or not os.path.exists(os.path.join(root, path))))
for path in missing:
    print(f"FAILED po/POTFILES lacks {path}")
for path in gone:
    print(f"FAILED po/POTFILES names {path}, which has no text")
print(f"{len(listed) - len(gone)} passed, {len(missing) + len(gone)} failed, 0 skipped")
sys.exit(1 if missing or gone else 0)
