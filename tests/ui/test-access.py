#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-access.py HEARTH [MODEL [PART…]]: what people change for their eyes. With text twice as large at
360 pixels nothing lies beside the window, and all can be scrolled to; with high contrast what has no line
of its own gets one that stands out 7 to 1, as all labels do, and a table that goes on beside its frame shows so; measured in the
picture."""
import collections
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_model  # noqa: E402
import driver  # noqa: E402
from driver import start, until  # noqa: E402

MODEL = driver.model(2)
driver.inside_display()
from chat_steps import ask_and_stop, checks, quit_cleanly  # noqa: E402

work = tempfile.mkdtemp(prefix="hearth-test-")
tiny = os.path.join(work, "tiny.gguf")
big_model.write(tiny, layers=1, width=256, inner=512, name="Tiny Void")

# The views, each with what shows that its page has filled.
VIEWS = {
    "Overview": lambda app: app.find("image", contains="Bytes by tensor type"),
    "Fit": lambda app: app.find("label", "Longest Context That Fits"),
    "Metadata": lambda app: app.find("table row", start=app.find("tree table", "Metadata")),
    "Tensors": lambda app: app.find("table row", start=app.find("tree table", "Tensors")),
    "Template": lambda app: app.written(app.find("text", "Prompt")),
    "Tokenizer": lambda app: app.written(app.find("text", "Tokens")),
    "File": lambda app: app.find("table row", start=app.find("tree table", "Regions of the file")),
    "Doctor": lambda app: app.find("button", "Check Values Too"),
    "Compare": lambda app: app.find("button", "Open File…")}
# Other places, in order: the key that leads there, and what is there.
PLACES = (("alt+2", "list", "Models", "in the list of models"),
          ("alt+1", "label", "No Chats Yet", "in the empty list of chats"),
          ("ctrl+comma", "label", "Computing", "in the preferences"))
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
    """Where everything is; and of that what cannot be reached: without a size, beside the window, or above
    or below it where nothing scrolls."""
    shown = parts(app)
    frame = next((seen for seen, _ in shown if seen.role == "frame"), None)
    if not frame:
        return [], ["no window"]
    left, top, width, height = box_of(frame)
    if (width, height) != (NARROW["window_width"], NARROW["window_height"]):
        return [], [f"the window has become {width} × {height}"]
    places, bad = [], []
    for seen, around in shown:
        if seen.role not in (*CONTROLS, "label") or any(part.role in WIDE for part in around):
            continue
        if seen.role == "label" and not seen.name:
            continue
        x, y, w, h = box_of(seen)
        inside = x >= left - SLACK and x + w <= left + width + SLACK
        if not any(part.role == SCROLLS for part in around):
            inside = inside and y >= top - SLACK and y + h <= top + height + SLACK
        places.append(f"[{seen.role}] {(seen.name or '')[:40]!r} {x},{y} {w}×{h}")
        if w <= 0 or h <= 0 or not inside:
            bad.append(places[-1])
    return places, bad


def reached(app, where):
    """Judged when two looks have found everything at the same place."""
    before = []

    def lost_at_rest():
        places, bad = lost(app)
        rests = before == [places]
        before[:] = [places]
        return bad if rests else None
    checks.wait_equal(lost_at_rest, [], f"out of reach {where}")


def large_text():
    driver.text_scale(2)
    try:
        app = start(MODEL, **NARROW)
        try:
            app.wait_for("label", "Architecture")
            for view, filled in VIEWS.items():
                if view != "Overview":
                    app.show_view(view)
                until(f"all of {view}", lambda: filled(app))
                reached(app, f"in {view}")
            for key, role, name, where in PLACES:
                app.key(key)
                app.wait_for(role, name)
                reached(app, where)
            app.key("Escape")
            app.wait_gone("label", "Computing")
            quit_cleanly(app, "quit with large text")
        finally:
            app.kill()
        app = start("--chat", tiny, **NARROW)
        try:
            app.wait_for("button", "Model: Tiny Void")
            reached(app, "in an empty chat")
            ask_and_stop(app, "Is there anything?")
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
            quit_cleanly(app, "quit a chat with large text")
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
        before = []

        def rests():
            before[:] = [*before[-1:], self.take(app)]
            return before[0] == before[-1] and len(before) == 2
        until("a window that stands still", rests)
        self.data = before[0]

    @staticmethod
    def take(app):
        return subprocess.run(["import", "-window", app.window, "-depth", "8", "rgb:-"], capture_output=True,
                              check=True).stdout

    def pixels(self, x, y, w, h):
        rows = (self.data[3 * (self.width * row + x):3 * (self.width * row + x + w)]
                for row in range(y, y + h))
        return [tuple(row[i:i + 3]) for row in rows for i in range(0, len(row), 3)]


def line_around(app):
    """How far what the bar of bytes by type begins and ends with stands out: the line around it, if it has
    one."""
    bar = app.find("image", contains="Bytes by tensor type")
    if not bar:
        return None
    box, picture = bar.get_box(), Picture(app)
    top, bottom = box.y - SLACK, box.y + box.height + SLACK
    if box.width < 20 or top < 0 or bottom > picture.height:
        return None
    column = picture.pixels(box.x + box.width // 2, top, 1, bottom - top)
    # From what is not the ground any more to where the ground is again; what is below is not the bar's.
    begin = next((i for i, pixel in enumerate(column) if pixel != column[0]), len(column))
    end = next((i for i in range(begin, len(column)) if column[i] == column[0]), begin)
    if end - begin != box.height:
        return None
    return min(ratio(column[begin], column[0]), ratio(column[end - 1], column[0]))


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
                quit_cleanly(app, f"quit ({scheme}, high contrast {high})")
            finally:
                app.kill()
        checks.check(lines[1] >= 7 and lines[1] > lines[0] + 1,
                     f"a line around the bar ({scheme}): {lines[0]:.1f}, {lines[1]:.1f} with high contrast")
        print(f"{scheme}: {lines[0]:.1f}, {lines[1]:.1f} with high contrast")


def holds(outer, box):
    """Whether all of a box can be seen in what scrolls it, or in the window."""
    x, y, w, h = outer
    return x <= box[0] and y <= box[1] and box[0] + box[2] <= x + w and box[1] + box[3] <= y + h


def faint(app, least, where):
    """Labels that stand out less than `least` to 1, measured as the pixel that differs most from the one
    there is most of. Those of controls have the desktop's colours, and of what cannot be used are faint;
    what is in tables, and the heads of groups in a list, are not where they say."""
    picture, bad, scrolls = Picture(app), [], {}
    for seen, around in parts(app):
        roles = {part.role for part in around}
        if seen.role != "label" or not (seen.name or "").strip() or roles & {*WIDE, *CONTROLS} \
                or "list" in roles and "list item" not in roles:
            continue
        x, y, w, h = box = box_of(seen)
        frames = [(FRAME, FRAME, picture.width - 2 * FRAME, picture.height - 2 * FRAME)]
        for part in around:
            if part.role == SCROLLS and id(part) not in scrolls:
                scrolls[id(part)] = box_of(part)
        frames += [scrolls[id(part)] for part in around if id(part) in scrolls]
        if w <= 0 or h <= 0 or not all(holds(frame, box) for frame in frames):
            continue
        pixels = collections.Counter(picture.pixels(x, y, w, h))
        ground = pixels.most_common(1)[0][0]
        most = max(ratio(pixel, ground) for pixel in pixels)
        # Under 1.2 nothing is drawn there: it lies under something.
        if 1.2 < most < least and seen.node.has_state("sensitive"):
            bad.append(f"{where}: {seen.name[:40]!r} {most:.2f}")
    return bad


def faint_when_still(app, least, where):
    """What is read meanwhile may move labels between the picture and the question where they are."""
    for _ in range(4):
        bad = faint(app, least, where)
        if not bad:
            break
    return bad


def labels():
    """The labels of pages, panel and preferences stand out 4.5 to 1, and 7 to 1 with high contrast; in large text, whose
    lines are as wide as a pixel at least."""
    driver.text_scale(1.6)
    try:
        for scheme in ("prefer-light", "prefer-dark"):
            for high, least in ("0", 4.5), ("1", 7):
                env = {"ADW_DEBUG_COLOR_SCHEME": scheme, "ADW_DEBUG_HIGH_CONTRAST": high}
                where = f"{scheme}, {least} to 1"
                app = start(MODEL, env=env, window_width=1270, window_height=890)
                try:
                    subprocess.run(["xdotool", "mousemove", "1279", "899"], check=True)
                    app.wait_for("label", "Architecture")
                    bad = []
                    for view in "Overview", "Fit", "Metadata", "Template", "Doctor":
                        app.show_view(view)
                        bad += faint_when_still(app, least, view)
                    app.key("alt+1")
                    app.wait_for("label", "Talk to a model on this computer")
                    bad += faint_when_still(app, least, "the first page")
                    app.key("F9")
                    app.wait_for("text", "System Prompt")
                    bad += faint_when_still(app, least, "the panel")
                    app.key("F9", "ctrl+comma")
                    app.wait_for("label", "Computing")
                    bad += faint_when_still(app, least, "the preferences")
                    checks.equal(sorted(set(bad)), [], f"labels that are too faint ({where})")
                    app.key("Escape", "ctrl+q")
                    checks.clean_end(app, f"quit ({where})")
                finally:
                    app.kill()
    finally:
        driver.text_scale(1)


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


PARTS = {"large text": large_text, "contrast": contrast, "labels": labels, "edges": edges}
for part in sys.argv[3:] or PARTS:
    checks.run(part, PARTS[part])
sys.exit(checks.end())
