#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check-flatpak.py ROOT: the Flatpak manifest can be read, names what this project is called, says of
each permission why it is asked for, and asks for none that nobody has thought about."""
import os
import re
import sys

root = sys.argv[1]
path = os.path.join(root, "flatpak", "io.github.hearth_app.Hearth.yml")
THOUGHT_ABOUT = {"--share=ipc", "--socket=wayland", "--socket=fallback-x11", "--device=dri",
                 "--filesystem=home:ro"}
KEYS = {"id", "runtime", "runtime-version", "sdk", "command", "finish-args", "cleanup", "modules"}


def read_yaml(lines, indent=0):
    """The part of YAML that the manifest is written in: mappings, lists and plain values by
    indentation. Takes (indent, text) pairs from the front."""
    if lines[0][1].startswith("- "):
        items = []
        while lines and lines[0][0] == indent and lines[0][1].startswith("- "):
            text = lines[0][1][2:]
            if re.match(r"[\w-]+:( |$)", text):
                lines[0] = (indent + 2, text)
                items.append(read_yaml(lines, indent + 2))
            else:
                lines.pop(0)
                items.append(text.strip("'"))
        return items
    mapping = {}
    while lines and lines[0][0] == indent and not lines[0][1].startswith("- "):
        match = re.fullmatch(r"([\w-]+):(?: (.*))?", lines[0][1])
        if not match:
            raise ValueError(f"cannot be read: {lines[0][1]}")
        lines.pop(0)
        if match.group(2):
            mapping[match.group(1)] = match.group(2).strip("'")
        else:
            mapping[match.group(1)] = read_yaml(lines, lines[0][0])
    return mapping


failed = []
with open(path, encoding="utf-8") as file:
    text = file.read()
content = [(len(line) - len(line.lstrip()), line.strip()) for line in text.splitlines()
           if line.strip() and not line.strip().startswith("#")]
manifest = read_yaml(content)


def check(condition, what):
    if not condition:
        failed.append(what)
    return 1


n = check(not content, f"left over: {content[:1]}")
n += check(set(manifest) == KEYS, f"keys: {sorted(set(manifest) ^ KEYS)}")
n += check(manifest["id"] == "io.github.hearth_app.Hearth", "id")
n += check(manifest["command"] == "hearth", "command")
for argument in manifest["finish-args"]:
    n += check(argument in THOUGHT_ABOUT, f"unknown permission {argument}")
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.strip() == "- " + argument)
    while re.match(r"\s*- ", lines[at]):  # what stands together has one reason
        at -= 1
    n += check(lines[at].strip().startswith("#"), f"no reason for {argument}")
for module in manifest["modules"]:
    n += check({"name", "buildsystem", "sources"} <= set(module), f"module {module.get('name')}")
    for source in module["sources"]:
        n += check(source["type"] in ("git", "dir") and ("tag" in source or "path" in source),
                   f"source of {module['name']}")
n += check(manifest["modules"][-1]["name"] == "hearth", "the last module is Hearth")
# Everything Meson looks for that the runtime lacks must be a module.
with open(os.path.join(root, "src", "meson.build"), encoding="utf-8") as file:
    wanted = set(re.findall(r"dependency\('([^']+)'", file.read()))
names = {module["name"] for module in manifest["modules"]}
for dependency, module in (("md4c", "md4c"), ("libspelling-1", "libspelling")):
    n += check(dependency not in wanted or module in names, f"no module for {dependency}")
for what in failed:
    print(f"FAILED {what}")
print(f"{n - len(failed)} passed, {len(failed)} failed, 0 skipped")
sys.exit(1 if failed else 0)
