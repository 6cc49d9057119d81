#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""shots.py HEARTH FOLDER [MODEL [NAME...]]: pictures of every screen and state of the window in every
variant; what somebody looks at before a screen is called done. Prints the absolute path of each,
FOLDER/SCREEN-STATE-VARIANT.png. NAME picks some: a state ("model-fit"), or one picture
("model-fit-dark"), or a variant ("-dark")."""
import os
import sys

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


def wanted(state, variant):
    return (not ONLY or state in ONLY or f"{state}-{variant}" in ONLY or f"-{variant}" in ONLY)


os.makedirs(FOLDER, exist_ok=True)
lost = 0
for state, show in STATES.items():
    for variant in VARIANTS:
        asked = f"{state}-{variant}" in ONLY
        if not wanted(state, variant) or not (asked or variant in EACH
                                              or variant in MORE.get(state, ())):
            continue
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
