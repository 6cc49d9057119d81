# SPDX-License-Identifier: GPL-3.0-or-later
"""The states of what belongs to the whole window."""
from shots_chat import ready


def shortcuts(variant):
    app = ready(variant)
    app.key("ctrl+question")
    app.wait_for("label", "Keyboard Shortcuts")
    return app


def preferences(variant):
    app = ready(variant)
    app.key("ctrl+comma")
    app.wait_for("label", "Text Size of Answers")
    return app


def main_menu(variant):
    app = ready(variant)
    app.key("alt+1", "F10")
    app.wait_menu()
    return app


def about(variant):
    app = ready(variant)
    app.key("alt+1", "F10")
    app.wait_menu()
    app.key("Up", "Return")  # the last entry
    app.wait_for("label", "The Hearth Project")
    return app


# "SCREEN-STATE": how to get there.
STATES = {
    "frame-shortcuts": shortcuts, "frame-preferences": preferences, "frame-about": about,
    "frame-menu": main_menu,
}
