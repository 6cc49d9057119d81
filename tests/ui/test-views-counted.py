#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-views-counted.py VIEWS [MODEL]: the list of 3,000 models, and each view of a model's page beside
30 GB, 50,000 tensors and a real model, counted by VIEWS: few rows exist, whatever the file; who comes back finds what was there, nothing
made anew; where nobody does anything nothing is laid out; and the main loop reads no file."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_model  # noqa: E402
import driver  # noqa: E402
import library_files  # noqa: E402
from driver import Checks  # noqa: E402

VIEWS = os.path.abspath(sys.argv[1])
MODEL = driver.model(2)
driver.inside_display()
checks = Checks()
NAMES = ["overview", "fit", "metadata", "tensors", "template", "tokenizer", "file", "doctor", "compare"]
MOST_ROWS, MOST_WIDGETS, MOST_READ = 300, 3000, 65536


def counted():
    with tempfile.TemporaryDirectory() as work:
        paths = [os.path.join(work, name + ".gguf") for name in ("huge", "many", "fewer")]
        big_model.write(paths[0], layers=230, name="Great Void 30B")
        big_model.write_many(paths[1], 50000)
        big_model.write_many(paths[2], 49000, name="Fewer")
        files = [paths[0], paths[1], MODEL]
        folder = os.path.join(work, "list")
        library_files.many(folder, 3000)
        done = subprocess.run([VIEWS, folder, paths[2], *files], capture_output=True, text=True, env=driver.environment())
        print(done.stdout)
        checks.equal(done.returncode, 0, f"the end of the program ({done.stderr[-600:]})")
        lines = [line.split("\t") for line in done.stdout.splitlines()]
        checks.equal([line[:2] for line in lines],
                     [["list", "library"]] + [[os.path.basename(file), name] for file in files for name in NAMES],
                     "the list, each file and view")
        for file, name, *figures in lines:
            got = dict(zip(figures[::2], map(float, figures[1::2])))
            what = f"{file}, {name}"
            checks.check(got["rows"] < MOST_ROWS, f"{what}: {got['rows']:.0f} rows")
            checks.check(20 < got["widgets"] < MOST_WIDGETS, f"{what}: {got['widgets']:.0f} widgets")
            checks.equal(got["again"], 0, f"{what}: widgets made anew for who comes back")
            checks.equal(got["layouts"], 0, f"{what}: layouts when nobody does anything")
            checks.check(got["read"] < MOST_READ, f"{what}: the main thread has read {got['read']:.0f} bytes")


checks.run("counted", counted)
sys.exit(checks.end())
