#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-pictures.py HEARTH EMBER [MODEL [PART…]]: pictures that are saved and copied, measured pixel by
pixel: the bars of a histogram are as high as the counts that are exported beside it, which are those of
the values in the file; a file's strip has each part's share of bytes; titles, axes and legends are there,
at twice the size of the screen. In light and dark."""
import collections
import csv
import json
import math
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver  # noqa: E402
from driver import Checks, clipboard, until  # noqa: E402

EMBER = os.path.abspath(sys.argv[2])
MODEL = driver.model(3)
driver.inside_display()
checks = Checks()
work = tempfile.mkdtemp(prefix="hearth-test-")
TENSOR = "blk.3.attn_q.weight"
# Pixels of a picture for one of the screen, the border around it, and what the views draw.
SCALE, BORDER = 2, 36
BARS, BARS_HEIGHT = 64, 240
STRIP_WIDTH, STRIP_HEIGHT = 1000, 40


class Picture:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.is_png = file.read(8) == b"\x89PNG\r\n\x1a\n"
        size = subprocess.run(["identify", "-format", "%w %h", path], capture_output=True, text=True, check=True)
        self.width, self.height = map(int, size.stdout.split())
        self.data = subprocess.run(["convert", path, "-depth", "8", "rgb:-"], capture_output=True,
                                   check=True).stdout
        self.background = self.at(2, 2)

    def at(self, x, y):
        place = 3 * (y * self.width + x)
        return tuple(self.data[place:place + 3])

    def differs(self, x, y):
        """From what is behind everything: by more than a shade."""
        return max(abs(a - b) for a, b in zip(self.at(x, y), self.background)) > 24

    def lines(self, left=0, right=None):
        """Stretches of rows, from top to bottom, in which something is drawn between two columns."""
        out = []
        for y in range(self.height):
            if any(self.differs(x, y) for x in range(left, right or self.width)):
                if out and out[-1][1] == y:
                    out[-1][1] = y + 1
                else:
                    out.append([y, y + 1])
        return out

    def columns(self, top, bottom):
        """The same of columns, between two rows."""
        out = []
        for x in range(self.width):
            if any(self.differs(x, y) for y in range(top, bottom)):
                if out and x - out[-1][1] < 16:
                    out[-1][1] = x + 1
                else:
                    out.append([x, x + 1])
        return out


PASTE = """
import sys, gi
gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, GLib, Gtk
Gtk.init()
loop = GLib.MainLoop()
def done(board, result):
    try:
        board.read_texture_finish(result).save_to_png(sys.argv[1])
    except GLib.Error as error:
        print(error.message)
    loop.quit()
Gdk.Display.get_default().get_clipboard().read_texture_async(None, done)
loop.run()
"""


def pasted(name):
    """The picture on the clipboard, as another program gets it; None where there is none."""
    path = os.path.join(work, name)
    subprocess.run([sys.executable, "-c", PASTE, path], check=True, capture_output=True)
    return Picture(path) if os.path.exists(path) else None


def saved(app, menu, entry, name):
    path = os.path.join(work, name)
    driver.save_as(app, menu, entry, path)
    if name.endswith(".png"):
        return Picture(path)
    with open(path, newline="") as file:
        return json.load(file) if name.endswith(".json") else list(csv.DictReader(file))


def inspect():
    return json.loads(subprocess.run([EMBER, "inspect", "--json", MODEL], capture_output=True, text=True,
                                     check=True).stdout)


def read_values():
    """Of a tensor of type Q4_1: blocks of 32 values, each a step of 16 from a least value."""
    known = inspect()
    tensor = next(each for each in known["tensors"] if each["name"] == TENSOR)
    assert tensor["type"] == "q4_1", tensor
    with open(MODEL, "rb") as file:
        file.seek(known["file"]["data_offset"] + tensor["offset"])
        data = file.read(tensor["bytes"])
    out = []
    for scale, least, steps in struct.iter_unpack("<ee16s", data):
        out += [scale * (step & 15) + least for step in steps]
        out += [scale * (step >> 4) + least for step in steps]
    return out


def run(part, view, **env):
    app = driver.start(MODEL, env=env)
    try:
        app.wait_for("label", "Architecture")
        app.show_view(view)
        part(app)
        app.key("ctrl+q")
        checks.clean_end(app, "quit after the pictures")
    finally:
        app.kill()


def open_values(app):
    app.key("ctrl+f", "ctrl+a")
    app.type(TENSOR)
    until("it alone", lambda: any(text.startswith("1 of ") for text in app.texts()))
    app.tab_to("tree table", "Tensors")
    app.key("Return")
    until("all values", lambda: app.has("All 331776 values") or app.has("All 331,776 values"))


def statistics(app):
    values = read_values()
    n = len(values)
    mean = math.fsum(values) / n
    square = math.fsum(value * value for value in values) / n
    ordered = sorted(values)
    wanted = {"values": n, "values_read": n, "zeros": values.count(0), "nan": 0, "infinite": 0,
              "minimum": ordered[0], "maximum": ordered[-1],
              "largest_magnitude": max(-ordered[0], ordered[-1]), "mean": mean,
              "root_mean_square": math.sqrt(square), "standard_deviation": math.sqrt(square - mean * mean)}
    open_values(app)
    data = saved(app, "Values Menu", 3, "values.json")
    got = {row["name"]: row["value"] for row in data if row["from"] == ""}
    for name, value in wanted.items():
        checks.check(math.isclose(got[name], value, rel_tol=1e-5, abs_tol=1e-9),
                     f"{name}: {got[name]}, expected {value}")
    for name in (name for name in got if name.startswith("quantile_")):
        part = float(name.split("_")[1])
        # Quantiles are found by counting: as near as the values around them are to each other.
        around = ordered[max(int((part - 0.002) * n), 0)], ordered[min(int((part + 0.002) * n), n - 1)]
        checks.check(around[0] - 1e-6 <= got[name] <= around[1] + 1e-6, f"{name}: {got[name]}, around {around}")
    bins = [row for row in data if row["name"] == "histogram"]
    checks.equal((len(bins), sum(row["value"] for row in bins)), (BARS, n), "each value is in one of the bars")
    low, high = struct.unpack("<ff", struct.pack("<ff", ordered[0], ordered[-1]))
    counts = [0] * BARS
    for value in values:
        counts[min(int((value - low) / (high - low) * BARS), BARS - 1)] += 1
    off = sum(abs(a - row["value"]) for a, row in zip(counts, bins))
    checks.check(off < n // 500, f"{off} of {n} values are in another bar")  # on a border
    rows = saved(app, "Values Menu", 2, "values.csv")
    checks.equal([(row["name"], row["value"]) for row in rows],
                 [(row["name"], str(row["value"]) if isinstance(row["value"], int) else row["value"])
                  for row in rows], "names and values")
    checks.check(all(math.isclose(float(row["value"]), own["value"], rel_tol=1e-8) and row["name"] == own["name"]
                     for row, own in zip(rows, data)) and len(rows) == len(data), "the same as CSV")

    # Ctrl+C, wherever in it the keyboard is: what is shown, line by line, with a minus that programs read.
    app.tab_to("image", "Histogram")
    app.key("ctrl+c")
    lines = until("the copy", lambda: (lambda text: text.splitlines() if "\t" in text else None)(clipboard()))
    copied = dict(line.split("\t") for line in lines)
    checks.equal(float(copied["Smallest"]), float(f"{got['minimum']:.4g}"), "the smallest value is copied")
    shown = app.names("list item", start=app.find("list", "Statistics", showing=False), showing=False) \
        or app.names(start=app.find(None, "Statistics", showing=False), showing=False)
    checks.equal([f"{title}: {value}" for title, value in copied.items()],
                 [name.replace("−", "-") for name in shown if ": " in name], "all that is shown is copied")
    app.choose("Values Menu", 0)
    checks.wait_equal(lambda: clipboard().splitlines(), lines, "the menu copies the same")
    return [row["value"] for row in bins]


def check_histogram(picture, bins, what):
    checks.check(picture.is_png, f"{what}: a PNG")
    checks.equal(picture.width, (720 + 36) * SCALE, f"{what}: its width, twice that of the screen")
    lines = picture.lines()
    # The title, what is known, bars, labels.
    checks.equal(len(lines), 4, f"{what}: lines {lines}")
    title, text, bars, labels = lines
    checks.check(all(12 * SCALE / 2 <= bottom - top <= 24 * SCALE for top, bottom in (title, text, labels)),
                 f"{what}: texts are as high as texts: {lines}")
    checks.equal(bars[1] - bars[0], BARS_HEIGHT * SCALE, f"{what}: the highest bar fills it")
    # The line that the bars stand on says where they begin and end.
    base = bars[1] - 1
    left = next(x for x in range(picture.width) if picture.differs(x, base) and picture.differs(x + 200, base)
                and all(picture.differs(x + i, base) for i in range(0, 200, 7)))
    right = picture.width - BORDER
    checks.check(left > BORDER, f"{what}: there is room for the counts beside the bars")
    wide = (right - left) / BARS
    wrong = []
    for i, n in enumerate(bins):
        x = int(left + (i + 0.4) * wide)
        height = 0
        while height < BARS_HEIGHT * SCALE and picture.differs(x, base - SCALE - height):
            height += 1
        wanted = max((BARS_HEIGHT - 1) * SCALE * n / max(bins), SCALE if n else 0)
        if abs(height - wanted) > 2 * SCALE:
            wrong.append((i, height, wanted))
    checks.equal(wrong, [], f"{what}: the height of each bar")
    checks.equal(len(picture.columns(*labels)), 5, f"{what}: labels under the bars")
    beside = picture.lines(BORDER, left - 4)
    beside = [line for line in beside if bars[0] <= line[0] and line[1] <= bars[1] + 8]
    checks.equal(len(beside), 2, f"{what}: the highest count and 0 beside them: {beside}")


def histogram():
    def part(app):
        bins = statistics(app)
        picture = saved(app, "Values Menu", 4, "values.png")
        check_histogram(picture, bins, "the histogram")
        checks.check(min(picture.background) > 200, f"light: {picture.background}")
        app.choose("Values Menu", 1)
        again = until("the picture on the clipboard", lambda: pasted("pasted.png"))
        checks.check((again.width, again.height, again.data) == (picture.width, picture.height, picture.data),
                     "copied: the same picture")
    run(part, "Tensors")


def dark():
    def part(app):
        open_values(app)
        bins = [row["value"] for row in saved(app, "Values Menu", 3, "values.json") if row["name"] == "histogram"]
        picture = saved(app, "Values Menu", 4, "dark.png")
        check_histogram(picture, bins, "in dark")
        checks.check(max(picture.background) < 80, f"dark: {picture.background}")
    run(part, "Tensors", ADW_DEBUG_COLOR_SCHEME="prefer-dark")


def strip():
    def part(app):
        until("its regions", lambda: app.has("Cached by the system"))
        rows = saved(app, "File Map Menu", 3, "regions.json")
        picture = saved(app, "File Map Menu", 4, "strip.png")
        checks.check(picture.is_png, "the strip: a PNG")
        checks.equal(picture.width, (STRIP_WIDTH + 36) * SCALE, "the strip: its width")
        lines = picture.lines()
        checks.check(len(lines) >= 5, f"title, size, strip, offsets, what they are, legend: {lines}")
        area = next(line for line in lines if line[1] - line[0] >= STRIP_HEIGHT * SCALE)
        y = area[0] + STRIP_HEIGHT * SCALE // 2
        sizes = collections.Counter()
        for row in rows:
            sizes[row["kind"]] += row["bytes"]
        total = sum(sizes.values())
        colour = picture.at(BORDER + int(STRIP_WIDTH * SCALE * 0.9), y)
        row = [picture.at(x, y) for x in range(BORDER, BORDER + STRIP_WIDTH * SCALE)]
        # Between two tensors is a line of one pixel of the screen.
        n_gaps = sum(1 for a, b in zip(row, row[1:]) if a == colour != b)
        share = (row.count(colour) + n_gaps * SCALE) / len(row)
        checks.check(abs(share - sizes["Tensor"] / total) < 0.01,
                     f"tensors have {share:.4f} of the strip, {sizes['Tensor'] / total:.4f} of the file")
        # The tensors that are wide enough, by their ends.
        edges = {x for x in range(1, len(row)) if (row[x] == colour) != (row[x - 1] == colour)}
        wide = [line for line in rows if line["kind"] == "Tensor" and line["bytes"] / total * STRIP_WIDTH >= 5]
        missing = [line["name"] for line in wide
                   if not any(abs(x - (line["offset"] + line["bytes"]) / total * len(row)) <= 2 * SCALE
                              for x in edges) and line["offset"] + line["bytes"] < total - total / STRIP_WIDTH]
        checks.equal(missing, [], f"each of {len(wide)} tensors ends where it should")
        checks.check(len(wide) > 3, "some are wide enough")
        # Offsets under it, and a legend with this colour and others.
        _, offsets, _, *legend = [line for line in lines if line[0] >= area[1]]  # behind what is in memory
        checks.equal(len(picture.columns(*offsets)), 5, "offsets under it")
        legend = collections.Counter(picture.at(x, y) for top, bottom in legend
                                     for y in range(top, bottom) for x in range(BORDER, picture.width - BORDER))
        checks.check(legend[colour] >= 150 * SCALE, "tensors are in the legend")
        app.choose("File Map Menu", 1)
        again = until("the picture on the clipboard", lambda: pasted("pasted-strip.png"))
        checks.check(again.data == picture.data, "copied: the same picture")
        # Closer: another picture.
        app.tab_to("table", "Map of the file")
        app.key("Home", "ctrl+plus", "ctrl+plus", "ctrl+plus", "ctrl+plus", "ctrl+plus")
        closer = saved(app, "File Map Menu", 4, "closer.png")
        checks.check(closer.data != picture.data and closer.width == picture.width, "closer: what is in sight")
        row = [closer.at(x, y) for x in range(BORDER, BORDER + STRIP_WIDTH * SCALE)]
        share = 1 - row.count(colour) / len(row)
        checks.check(share > 0.1, f"closer: keys have {share:.2f} of it")
    run(part, "File")


PARTS = {"histogram": histogram, "dark": dark, "strip": strip}
for name in sys.argv[4:] or PARTS:
    checks.run(name, PARTS[name])
if os.environ.get("HEARTH_KEEP"):
    subprocess.run(["cp", "-r", work, os.environ["HEARTH_KEEP"]], check=True)
sys.exit(checks.end())
