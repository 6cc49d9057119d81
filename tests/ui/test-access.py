#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-access.py HEARTH [MODEL [PART…]]: what people change for their eyes. With text twice as large at
360 pixels nothing lies beside the window, and all can be scrolled to; with high contrast what has no line
of its own gets one that stands out 7 to 1, and a table that goes on beside its frame shows so; measured in the
picture."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_model  # noqa: E402
import driver  # noqa: E402
from driver import Checks, start, until  # noqa: E402

MODEL = driver.model(2)
driver.inside_display()
checks = Checks()
work = tempfile.mkdtemp(prefix="hearth-test-")
tiny = os.path.join(work, "tiny.gguf")
big_model.write(tiny, layers=1, width=256, inner=512, name="Tiny Void")

VIEWS = ("Overview", "Fit", "Metadata", "Tensors", "Template", "Tokenizer", "File", "Doctor", "Compare")
# Without a compositor a frame of 5 pixels is a part of the window.
FRAME = 5
NARROW = {"window_width": 360 + 2 * FRAME, "window_height": 720}
CONTROLS = ("button", "toggle button", "radio button", "check box", "text", "spin button", "combo box",
            "page tab", "slider")
# What scrolls to the side: its contents may lie beside the window.
WIDE = ("table", "tree table", "list box", "canvas", "terminal")
SCROLLS = "scroll pane"
# GTK does not count what is between a widget's border and its contents, so places are off by some pixels.
SLACK = 16


def parts(app):
    """What is shown, each with what it lies in, from the window down."""
    found = []

    def visit(seen, around):
        if seen.showing:
            found.append((seen, around))
        for child in seen.children:
            visit(child, (*around, seen))
    seen = app.look(names=lambda role: role in (*CONTROLS, "label"))
    if seen:
        visit(seen, ())
    return found


def box_of(seen):
    box = seen.node.get_box()
    return box.x, box.y, box.width, box.height


# ---- large text in a narrow window ----

def lost(app):
    """What cannot be reached: without a size, beside the window, or above or below it where nothing
    scrolls."""
    frame = next((seen for seen, _ in parts(app) if seen.role == "frame"), None)
    if not frame:
        return ["no window"]
    left, top, width, height = box_of(frame)
    if (width, height) != (NARROW["window_width"], NARROW["window_height"]):
        return [f"the window has become {width} × {height}"]
    bad = []
    for seen, around in parts(app):
        if seen.role not in (*CONTROLS, "label") or any(part.role in WIDE for part in around):
            continue
        if seen.role == "label" and not seen.name:
            continue
        x, y, w, h = box_of(seen)
        inside = x >= left - SLACK and x + w <= left + width + SLACK
        if not any(part.role == SCROLLS for part in around):
            inside = inside and y >= top - SLACK and y + h <= top + height + SLACK
        if w <= 0 or h <= 0 or not inside:
            bad.append(f"[{seen.role}] {(seen.name or '')[:40]!r} {x},{y} {w}×{h}")
    return bad


def reached(app, where):
    checks.wait_equal(lambda: lost(app), [], f"out of reach {where}")


def large_text():
    driver.text_scale(2)
    try:
        app = start(MODEL, **NARROW)
        try:
            app.wait_for("label", "Architecture")
            for view in VIEWS:
                if view != "Overview":
                    app.show_view(view)
                reached(app, f"in {view}")
            app.key("alt+2")
            app.wait_for("list", "Models")
            reached(app, "in the list of models")
            app.key("alt+1")
            app.wait_for("label", "No Chats Yet")
            reached(app, "in the empty list of chats")
            app.key("ctrl+comma")
            app.wait_for("label", "Computing")
            reached(app, "in the preferences")
            app.key("Escape")
            app.wait_gone("label", "Computing")
            app.key("ctrl+q")
            checks.clean_end(app, "quit with large text")
        finally:
            app.kill()
        app = start("--chat", tiny, **NARROW)
        try:
            app.wait_for("button", "Model: Tiny Void")
            reached(app, "in an empty chat")
            app.key("ctrl+l")
            app.type("Is there anything?")
            app.key("Return")
            until("the question", lambda: app.find("list item", "Question"))
            app.key("Escape")
            until("the end of the answer", lambda: app.find("label", contains="Stopped")
                  or app.find("label", contains="Cut off"))
            reached(app, "in a chat")
            app.key("alt+1")
            app.wait_for("list", "Chats")
            reached(app, "in the list of chats")
            app.key("Return")
            app.wait_for("text", "Question")
            app.key("F9")
            app.wait_for("text", "System Prompt")
            reached(app, "in the settings of a chat")
            # By keyboard to one further down, which scrolls to it.
            node = app.tab_to("text", "Save as Preset", most=80, showing=False)

            def in_sight():
                box = node.get_box()
                return -SLACK <= box.y and 0 < box.height and box.y + box.height <= NARROW["window_height"]
            checks.wait(in_sight, "the keyboard scrolls to what it goes to")
            app.key("ctrl+q")
            checks.clean_end(app, "quit a chat with large text")
        finally:
            app.kill()
    finally:
        driver.text_scale(1)


# ---- high contrast ----

def linear(value):
    value /= 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def luminance(pixel):
    return 0.2126 * linear(pixel[0]) + 0.7152 * linear(pixel[1]) + 0.0722 * linear(pixel[2])


def ratio(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


class Picture:
    """The window as it is on the screen, when it stands still."""

    def __init__(self, app):
        size = dict(line.split("=") for line in subprocess.run(
            ["xdotool", "getwindowgeometry", "--shell", app.window], capture_output=True, text=True,
            check=True).stdout.split())
        self.width, self.height = int(size["WIDTH"]), int(size["HEIGHT"])
        self.data = self.take(app)
        for _ in range(20):
            before, self.data = self.data, self.take(app)
            if before == self.data:
                break

    @staticmethod
    def take(app):
        return subprocess.run(["import", "-window", app.window, "-depth", "8", "rgb:-"], capture_output=True,
                              check=True).stdout

    def pixels(self, x, y, w, h):
        rows = (self.data[3 * (self.width * row + x):3 * (self.width * row + x + w)]
                for row in range(y, y + h))
        return [tuple(row[i:i + 3]) for row in rows for i in range(0, len(row), 3)]


def line_around(app):
    """What the bar of bytes by type stands out by where it begins: at the line around it, if it has one."""
    bar = app.find("image", contains="Bytes by tensor type")
    if not bar:
        return None
    box, picture = bar.get_box(), Picture(app)
    if box.width < 20 or box.y + box.height + SLACK > picture.height:
        return None
    column = picture.pixels(box.x + box.width // 2, box.y - 4, 1, box.height + SLACK)
    return max(ratio(pixel, column[0]) for pixel in column)


def contrast():
    """What high contrast adds (style-hc.css) is there: a line in the colour of text around the bar."""
    for scheme in ("prefer-light", "prefer-dark"):
        lines = []
        for high in "0", "1":
            env = {"ADW_DEBUG_COLOR_SCHEME": scheme, "ADW_DEBUG_HIGH_CONTRAST": high}
            app = start(MODEL, env=env, window_width=1240, window_height=890)
            try:
                subprocess.run(["xdotool", "mousemove", "1279", "899"], check=True)
                app.wait_for("label", "Architecture")
                lines.append(until("the bar", lambda: line_around(app)))
                app.key("ctrl+q")
                checks.clean_end(app, f"quit ({scheme}, high contrast {high})")
            finally:
                app.kill()
        checks.check(lines[1] >= 7 and lines[1] > lines[0] + 1,
                     f"a line around the bar ({scheme}): {lines[0]:.1f}, {lines[1]:.1f} with high contrast")
        print(f"{scheme}: {lines[0]:.1f}, {lines[1]:.1f} with high contrast")


# ---- what goes on beside its frame ----

def shades(app):
    """How much darker the background of the table is at its left and right edge than in it, where rows
    have nothing else there."""
    table = app.find("tree table", "Tensors")
    if not table:
        return None
    box, picture = table.get_box(), Picture(app)
    right = FRAME + NARROW["window_width"] - 2 * FRAME

    def background(x):
        return max(luminance(pixel) for pixel in picture.pixels(x, box.y + 60, 1, 150))
    within = background(FRAME + 20)
    return [round(within - background(x), 2) for x in (FRAME + 1, right - 2)]


def edges():
    """In a narrow window a table has a shade at the side where it goes on."""
    app = start(MODEL, env={"ADW_DEBUG_COLOR_SCHEME": "prefer-light"}, **NARROW)
    try:
        app.wait_for("label", "Architecture")
        app.show_view("Tensors")
        until("the tensors", lambda: "token_embd.weight" in app.texts())
        checks.wait(lambda: (lambda at: at and at[0] < 0.02 and at[1] > 0.1)(shades(app)),
                    f"it goes on to the right: {shades(app)}")
        box = app.find("tree table", "Tensors").get_box()
        subprocess.run(["xdotool", "mousemove", "180", str(box.y + 100), "click", "--repeat", "30", "7",
                        "mousemove", "1279", "899"], check=True)
        checks.wait(lambda: (lambda at: at and at[0] > 0.1 and at[1] < 0.02)(shades(app)),
                    f"at its end it goes on to the left: {shades(app)}")
        app.key("ctrl+q")
        checks.clean_end(app, "quit a narrow table")
    finally:
        app.kill()


PARTS = {"large text": large_text, "contrast": contrast, "edges": edges}
for part in sys.argv[3:] or PARTS:
    checks.run(part, PARTS[part])
sys.exit(checks.end())
