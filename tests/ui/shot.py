# SPDX-License-Identifier: GPL-3.0-or-later
"""What the pictures share: Hearth in one variant, in a window of this size and language. Who imports
it runs again in a display of its own."""
import os
import subprocess
import sys

import driver
import pseudo
from driver import App

driver.inside_display("1280x900")

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEARTH = os.path.abspath(sys.argv[1])
FOLDER = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else "build/shots")
MODEL = os.path.abspath(sys.argv[3] if len(sys.argv) > 3 else
                        os.path.join(os.environ.get("HEARTH_TEST_MODELS", "."), "smollm2.gguf"))
WORK = os.environ["XDG_RUNTIME_DIR"]
LOCALES = pseudo.install(ROOT, os.path.join(WORK, "locale"))

# Without a compositor, as here, a frame of 5 pixels is a part of the window: 360 are left.
WIDE, NARROW, LOW = (1120, 760), (370, 720), (720, 360)
ENGLISH = driver.locale("en_GB")  # numbers as people write them
DARK = dict(ENGLISH, ADW_DEBUG_COLOR_SCHEME="prefer-dark")
LIGHT = dict(ENGLISH, ADW_DEBUG_COLOR_SCHEME="prefer-light")


def language(code):
    """A locale of its own, so that figures and dates are written as they are there; the C locale
    knows no translations."""
    return dict(LIGHT, LANGUAGE=code, HEARTH_LOCALEDIR=LOCALES,
                **driver.locale({"de": "de_DE", "ar": "ar_EG"}[code]))


VARIANTS = {  # name: (size, size of text, environment or language)
    "wide": (WIDE, 1, LIGHT),
    "narrow": (NARROW, 1, LIGHT),
    "dark": (WIDE, 1, DARK),
    "contrast": (WIDE, 1, dict(LIGHT, ADW_DEBUG_HIGH_CONTRAST="1")),
    "large": (WIDE, 2, LIGHT),
    "german": (WIDE, 1, "de"),
    "arabic": (WIDE, 1, "ar"),
    # Not part of every state's set: by name, or as the state asks.
    "narrow-dark": (NARROW, 1, DARK),
    "narrow-large": (NARROW, 2, LIGHT),
    "narrow-arabic": (NARROW, 1, "ar"),
    "low": (LOW, 1, LIGHT),
}


class Shot(App):
    """Hearth in one variant. Names are looked for as they are in the code: in a translation by the
    same catalogue that Hearth reads."""

    def __init__(self, variant, *arguments, keep=False, **settings):
        size, scale, env = VARIANTS[variant]
        if isinstance(env, str):
            env = language(env)
        driver.settings(temperature="just 0.0", window_width=size[0], window_height=size[1],
                        **settings)
        driver.text_scale(scale)
        self.size = size
        self.hurry = False
        self.words = translator(env.get("LANGUAGE"))
        subprocess.run(["xdotool", "mousemove", "1279", "899"], check=True)  # it points at nothing
        super().__init__(HEARTH, *arguments, env=env, keep=keep)

    def _seen(self, role, name, start, showing, contains, named):
        return super()._seen(role, self.words(name), start, showing, self.words(contains), named)


def translator(name):
    """What the window writes for a text of the code; that of a button may have an access key."""
    import gettext
    if name is None:
        return lambda text, many=None: many or text
    catalogue = gettext.translation("hearth", LOCALES, [name])
    by_label = {source.replace("_", ""): said.replace("_", "", 1)
                for source, said in catalogue._catalog.items()
                if isinstance(source, str) and "_" in source}

    def words(text, many=None):
        if not text:
            return text
        if many:
            return catalogue.ngettext(text, many, 1000)
        said = catalogue.gettext(text)
        return said if said != text else by_label.get(text, text)
    return words


def save(app, name):
    if not app.hurry:
        driver.settle(app)
    path = os.path.join(FOLDER, name + ".png")
    subprocess.run(driver.picture(app, path), check=True)
    print(path)
    sys.stdout.flush()
