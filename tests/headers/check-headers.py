#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check-headers.py ROOT COMPILER…: each header of the engine compiles alone, and twice in one file.

Public headers are held to what a stranger may ask: strict C11 and C17, no feature macros.
A module's own header sees the engine's include path, as its users do.
"""
import glob
import os
import subprocess
import sys

root, compiler = sys.argv[1], sys.argv[2:]
engine = os.path.join(root, "engine")
public = f"{engine}/include"
WARNINGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wstrict-prototypes", "-Wundef", "-Werror"]
passed = failed = 0


def compiles(name, arguments, language="c"):
    global passed, failed
    text = f"#include <{name}>\n#include <{name}>\nextern int nothing;\n"
    r = subprocess.run([*compiler, "-x", language, *arguments, "-"], input=text, capture_output=True, text=True)
    if r.returncode == 0:
        passed += 1
        return
    failed += 1
    print(f"{name} ({' '.join(arguments[:1])}) does not compile alone:")
    print("\n".join(r.stderr.splitlines()[:6]))


for path in sorted(glob.glob(f"{public}/ember/*.h")):
    name = os.path.relpath(path, public)
    compiles(name, ["-std=c11", *WARNINGS, f"-I{public}"])
    compiles(name, ["-std=c17", *WARNINGS, f"-I{public}"])
# A header of one instruction set is compiled with its flags, where the compiler knows them.
machine = subprocess.run([*compiler, "-dumpmachine"], capture_output=True, text=True).stdout
X86 = ("x86_64", ["-mavx2", "-mfma", "-mf16c"])
ARM = ("aarch64", ["-march=armv8.2-a+dotprod"])
FLAGS = {"cpu/x86/": X86, "cpu/arm/": ARM, "cpu/vec/": X86 if machine.startswith("x86_64") else ARM}
for path in sorted(glob.glob(f"{engine}/*/**/*.h", recursive=True)):
    name = os.path.relpath(path, engine)
    if name.startswith("include/"):
        continue
    where, flags = next((v for k, v in FLAGS.items() if name.startswith(k)), ("", []))
    if machine.startswith(where):
        compiles(name, ["-std=c11", "-D_GNU_SOURCE", *WARNINGS, *flags, f"-I{engine}", f"-I{public}"])

print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed or not passed else 0)
