#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check-layers.py ROOT [LIBRARY]: who may include what, by text; what the library exports, by symbol.

One check per file; a line per sin. The rules: a module of the engine includes itself and the modules
listed for it, public headers belong to the module that implements them, tools see public headers
only, the engine knows no GLib, src/core no GTK, src/ui no engine; architecture names stand in
arch_tables.c alone; nothing in the engine ends the process or prints; every file has an SPDX line.
"""
import os
import re
import subprocess
import sys

# What each module may include besides itself. A name with a slash is one header.
MAY = {
    "base": [],
    "quant": ["base"],
    "gguf": ["base", "quant"],
    "graph": ["base", "quant"],
    "cpu": ["graph/backend.h", "quant", "base"],
    "vulkan": ["graph/backend.h", "quant", "base"],
    "arch": ["gguf", "quant", "graph", "base"],
    "forward": ["gguf", "quant", "graph", "base", "arch"],
    "fit": ["gguf", "quant", "graph", "base", "arch", "forward", "cpu/cpu.h", "vulkan/vulkan.h"],
    "model": ["gguf", "quant", "graph", "base", "arch", "forward", "fit", "cpu/cpu.h", "vulkan/vulkan.h"],
    "tokens": ["gguf", "base"],
    "chat": ["gguf", "base", "tokens"],
    "sample": ["gguf", "base", "tokens"],
    "doctor": ["base", "quant", "gguf", "graph", "cpu", "vulkan", "arch", "forward", "fit", "model", "tokens",
               "chat", "sample"],
    "session": ["base", "quant", "gguf", "graph", "cpu", "vulkan", "arch", "forward", "fit", "model", "tokens",
                "chat", "sample", "doctor"],
    "tools": [],
}

# Which module stands behind a public header; the ones of base are everybody's.
PUBLIC = {
    "error": "base", "log": "base", "json": "base", "gguf": "gguf", "hardware": "fit", "fit": "fit",
    "model": "model", "tokenizer": "tokens", "chat": "chat", "reasoning": "chat", "sampler": "sample", "session": "session",
    "doctor": "doctor", "version": "base", "tensor": "gguf", "writer": "gguf", "naming": "gguf", "diff": "doctor",
}

NO_ARCHITECTURE = ["graph", "cpu", "vulkan", "forward", "fit", "model", "session"]

TOOLKIT = re.compile(r"^(glib|gio|gobject|gtk|gdk|adwaita|pango|cairo|libsoup|json-glib|gmodule)")
GTK = re.compile(r"^(gtk|gdk/|gsk|adwaita|gtksourceview|libspelling|pango)")
ENDS_OR_PRINTS = re.compile(r"\b(exit|_exit|abort|quick_exit|printf|vprintf|fprintf|vfprintf|puts|putchar|fputs|perror)\s*\(")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(["<])([^">]+)[">]', re.M)

passed = failed = 0
root = sys.argv[1]


def without_comments(text):
    """Comments become blanks; strings and line numbers stay."""
    def blank(m):
        s = m.group(0)
        return s if s[0] in "\"'" else re.sub(r"[^\n]", " ", s)
    return re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', blank, text, flags=re.S)


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def result(name, sins):
    global passed, failed
    if not sins:
        passed += 1
        return
    failed += 1
    for where, what in sins:
        print(f"{name}:{where}: {what}" if where else f"{name}: {what}")


def sources(folder, endings=(".c", ".h")):
    for path, folders, files in os.walk(os.path.join(root, folder)):
        folders.sort()
        for f in sorted(files):
            if f.endswith(endings):
                full = os.path.join(path, f)
                yield os.path.relpath(full, root), open(full, encoding="utf-8", errors="replace").read()


def architecture_names():
    """The names of the table's rows, and what they have in common without sizes and versions."""
    path = os.path.join(root, "engine/arch/arch_tables.c")
    if not os.path.exists(path):
        return []
    text = without_comments(open(path).read())
    names = set(re.findall(r'\.name\s*=\s*"([^"]+)"', text))
    names |= {re.sub(r"[\d.]+.*$", "", n) for n in names}
    return sorted(n for n in names if len(n) > 2)


def engine_file(name, text, names):
    sins = []
    code = without_comments(text)
    module = name.split("/")[1]
    public = module == "include"
    if not public and module not in MAY:
        return [(0, f"engine/{module} is in no layer")]
    if "/" not in name[len("engine/"):]:
        return [(0, "a source file outside every module")]
    for m in INCLUDE.finditer(code):
        quote, target = m.groups()
        where = line_of(code, m.start())
        folder = target.split("/")[0]
        if TOOLKIT.match(target):
            sins.append((where, f"the engine includes {target}"))
        elif target.endswith(".c"):
            sins.append((where, f"includes a source file: {target}"))
        elif folder == "ember":
            owner = PUBLIC.get(target[len("ember/"):-2])
            if public or module == "tools" or owner in ("base", module):
                continue
            if owner is None and target == "ember/ember.h":
                sins.append((where, "a module includes the header of all headers"))
            elif owner is None:
                sins.append((where, f"nobody owns the public header {target}"))
            elif owner not in MAY[module]:
                sins.append((where, f"{module} may not include {target} (of {owner})"))
        elif quote == '"':
            if public:
                sins.append((where, f"a public header includes the private {target}"))
            elif folder != module and "/" in target and folder not in MAY[module] and target not in MAY[module]:
                sins.append((where, f"{module} may not include {target}"))
    if module != "tools" and not public:
        for m in ENDS_OR_PRINTS.finditer(code):
            sins.append((line_of(code, m.start()), f"{m.group(1)} in the engine"))
    if module == "graph":
        for m in re.finditer(r"\b(cpu|vulkan|vk|kern)_\w+|\bvulkan\b", code, re.I):
            sins.append((line_of(code, m.start()), f"graph names a backend: {m.group(0)}"))
    if module in NO_ARCHITECTURE and names:
        for m in re.finditer(r"(?<![a-z])(" + "|".join(map(re.escape, names)) + r")(?![a-z])", text, re.I):
            sins.append((line_of(text, m.start()), f"names an architecture: {m.group(1)}"))
    return sins


def application_file(name, text):
    sins = []
    code = without_comments(text)
    for m in INCLUDE.finditer(code):
        target = m.group(2)
        where = line_of(code, m.start())
        if target.endswith(".c"):
            sins.append((where, f"includes a source file: {target}"))
        if name.startswith("src/core/") and (GTK.match(target) or target.startswith("ui/")):
            sins.append((where, f"src/core includes {target}"))
        if name.startswith("src/ui/") and target.startswith("ember/"):
            sins.append((where, f"src/ui includes {target}; it talks to src/core"))
        if target == "ember/session.h" and not name.startswith("src/core/hearth-engine"):
            sins.append((where, "only hearth-engine touches a session"))
        if re.match(r"(%s)/" % "|".join(MAY), target):
            sins.append((where, f"the application includes the engine's private {target}"))
    return sins


def common(name, text):
    sins = []
    if "SPDX-License-Identifier: GPL-3.0-or-later" not in text[:400]:
        sins.append((1, "no SPDX line at the top"))
    lines = text.count("\n")
    if name.endswith(".c") and not name.endswith("_tables.c") and lines > 800:
        sins.append((0, f"{lines} lines: split by verb or stage"))
    if name.endswith(".h") and "#pragma once" not in text:
        sins.append((1, "no #pragma once"))
    return sins


names = architecture_names()
if not names:
    result("engine/arch/arch_tables.c", [(0, "no architecture names found")])
for name, text in sources("engine"):
    result(name, common(name, text) + engine_file(name, text, names))
for name, text in sources("src"):
    result(name, common(name, text) + application_file(name, text))
for name, text in sources("tests"):
    sins = common(name, text)
    for m in INCLUDE.finditer(without_comments(text)):
        if m.group(2).endswith(".c"):
            sins.append((line_of(text, m.start()), f"a test includes a source file: {m.group(2)}"))
    result(name, sins)

# Everything that is visible outside the library is the public interface.
if len(sys.argv) > 2:
    table = subprocess.run(["readelf", "-W", "--syms", sys.argv[2]], capture_output=True, text=True)
    seen = set()
    for line in table.stdout.splitlines():
        w = line.split()
        if len(w) >= 8 and w[4] in ("GLOBAL", "WEAK") and w[5] == "DEFAULT" and w[6] != "UND":
            seen.add(w[7])
    if not any(s.startswith("ember_") for s in seen):
        result("library", [(0, "no public symbol found: " + table.stderr.strip())])
    result("library", [(0, f"{s} is visible outside") for s in sorted(seen)
                       if not s.startswith(("ember_", "__odr_asan", "__asan", "__sancov", "__tsan", "__ubsan"))])

print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed or not passed else 0)
