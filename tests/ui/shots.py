#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""shots.py HEARTH FOLDER [MODEL [NAME...]]: pictures of every screen and state of the window in every
variant; what somebody looks at before a screen is called done. Prints the absolute path of each,
FOLDER/SCREEN-STATE-VARIANT.png. NAME picks some: a state ("model-fit"), or one picture
("model-fit-dark"), or a variant ("-dark"). A program for each core, with a display of its own, takes
state after state."""
import os
import subprocess
import sys
import tempfile

# Where the programs say which states they have taken.
TAKEN = "HEARTH_SHOTS_TAKEN"
# Each may load a model.
MOST_PROGRAMS = 4


def all_programs():
    """Runs this program several times, and returns the exit status of the worst."""
    n = min(len(os.sched_getaffinity(0)), MOST_PROGRAMS)
    with tempfile.TemporaryDirectory(prefix="hearth-shots-") as taken:
        programs = [subprocess.Popen([sys.executable, "-B", *sys.argv], env={**os.environ, TAKEN: taken})
                    for _ in range(n)]
        return max(program.wait() for program in programs)


if TAKEN not in os.environ:
    sys.exit(all_programs())

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import shots_chat  # noqa: E402
import shots_frame  # noqa: E402
import shots_library  # noqa: E402
import shots_model  # noqa: E402
from shot import FOLDER, VARIANTS, App, save  # noqa: E402

ONLY = sys.argv[4:]
# Each state has all of EACH; some ask for more.
EACH = ("wide", "narrow", "dark", "contrast", "large", "german", "arabic")
STATES = {**shots_chat.STATES, **shots_library.STATES, **shots_model.STATES, **shots_frame.STATES}
MORE = {"chat-ready": ("low",), "chat-panel": ("narrow-dark", "narrow-large", "narrow-arabic"),
        "chat-full": ("narrow-large",), "chat-answered": ("narrow-dark", "narrow-large"),
        "model-fit": ("narrow-large", "narrow-arabic"), "model-overview": ("narrow-dark",)}


def variants(state):
    """Those that are wanted of it."""
    return [variant for variant in VARIANTS if f"{state}-{variant}" in ONLY or (
        (variant in EACH or variant in MORE.get(state, ()))
        and (not ONLY or state in ONLY or f"-{variant}" in ONLY))]


def taken(state):
    """Whether another program has it; else this one has it from now on."""
    try:
        os.mkdir(os.path.join(os.environ[TAKEN], state))
    except FileExistsError:
        return True
    return False


os.makedirs(FOLDER, exist_ok=True)
lost = 0
for state, show in STATES.items():
    wanted = variants(state)
    if not wanted or taken(state):
        continue
    for variant in wanted:
        app = None
        try:
            app = show(variant)
            save(app, f"{state}-{variant}")
        except Exception as error:  # one that fails must not keep the others from being seen
            print(f"FAILED {state}-{variant}: {error}")
            lost += 1
        finally:
            if app:
                app.kill()
            else:
                App.kill_all()
sys.exit(1 if lost else 0)
