# SPDX-License-Identifier: GPL-3.0-or-later
"""Translations for tests, made when they are needed: German from po/de.po, and a pseudo-Arabic whose
texts are longer and written from right to left, so that what is not translated, too narrow or not
mirrored shows itself."""
import os
import re
import struct
import subprocess

# Text that must stay: what a format fills in, and marks for keys.
KEEP = re.compile(r"(%(?:\d+\$)?['0]?[-+ #]*\d*(?:\.\d+)?(?:l|ll|z|j)?[a-zA-Z%]|_|\n)")
LETTERS = dict(zip("abcdefghijklmnopqrstuvwxyz", "ابتثجحخدذرزسشصضطظعغفقكلمنه"))
# What tools of a desktop know by itself, or what names a thing.
SAME = {"", "Hearth"}


def arabic(text):
    """Each letter becomes an Arabic one, and a third is added, as translations tend to."""
    parts = []
    for part in KEEP.split(text):
        if KEEP.fullmatch(part):
            parts.append("" if part == "_" else part)
            continue
        words = "".join(LETTERS.get(c.lower(), c) for c in part)
        parts.append(words)
    out = "".join(parts)
    if len(text) > 3 and not text.endswith("\n"):
        out += " " + "ـه" * (len(text) // 6)
    return out.rstrip()


def messages(root):
    """Every message of the project: (context, singular, plural or None)."""
    po = subprocess.run(
        ["xgettext", "--from-code=UTF-8", "--keyword=_", "--keyword=N_", "--keyword=C_:1c,2", "--keyword=NC_:1c,2",
         "--files-from=" + os.path.join(root, "po", "POTFILES"), "--directory=" + root,
         "--no-wrap", "--output=-"],
        capture_output=True, text=True, check=True, env=dict(os.environ, LC_ALL="C.UTF-8")).stdout
    found = []
    entry = {}
    key = None
    for line in po.splitlines() + [""]:
        match = re.match(r'(msgctxt|msgid|msgid_plural|msgstr(?:\[\d\])?) "(.*)"$', line)
        if match:
            key = match.group(1)
            entry[key] = match.group(2)
        elif line.startswith('"') and key:
            entry[key] += line[1:-1]
        elif not line.strip():
            if "msgid" in entry:
                found.append((entry.get("msgctxt"), entry["msgid"], entry.get("msgid_plural")))
            entry, key = {}, None

    def plain(text):
        return None if text is None else (
            text.replace("\\n", "\n").replace('\\"', '"').replace("\\t", "\t").replace("\\\\", "\\"))
    return [tuple(plain(text) for text in message) for message in found]


def write_mo(path, catalogue):
    """GNU's binary form: two tables of lengths and offsets, then the strings, sorted."""
    keys = sorted(catalogue, key=lambda text: text.encode())
    ids = strings = b""
    table = []
    for key in keys:
        source, target = key.encode(), catalogue[key].encode()
        table.append((len(source), len(ids), len(target), len(strings)))
        ids += source + b"\0"
        strings += target + b"\0"
    n = len(keys)
    start = 28 + 16 * n
    out = struct.pack("<IIIIIII", 0x950412DE, 0, n, 28, 28 + 8 * n, 0, 0)
    out += b"".join(struct.pack("<II", length, start + at) for length, at, _, _ in table)
    out += b"".join(struct.pack("<II", length, start + len(ids) + at) for _, _, length, at in table)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(out + ids + strings)


def install(root, folder):
    """Writes FOLDER/LANGUAGE/LC_MESSAGES/hearth.mo for ar (pseudo) and every language of po/."""
    catalogue = {"": "Content-Type: text/plain; charset=UTF-8\n"
                     "Plural-Forms: nplurals=1; plural=0;\n"}
    for context, single, plural in messages(root):
        if single in SAME:
            continue
        key = single if plural is None else single + "\0" + plural
        if context is not None:
            key = context + "\4" + key
        catalogue[key] = arabic(single if plural is None else plural)
    write_mo(os.path.join(folder, "ar", "LC_MESSAGES", "hearth.mo"), catalogue)
    with open(os.path.join(root, "po", "LINGUAS"), encoding="utf-8") as file:
        languages = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    for language in languages:
        target = os.path.join(folder, language, "LC_MESSAGES")
        os.makedirs(target, exist_ok=True)
        subprocess.run(["msgfmt", "-o", os.path.join(target, "hearth.mo"),
                        os.path.join(root, "po", language + ".po")], check=True)
    return folder
