# SPDX-License-Identifier: GPL-3.0-or-later
"""The states of the list of models."""
import os

import big_model
import library_files
from driver import until
from shot import MODEL, WORK, Shot


def library(variant):
    """A folder with what people have: models that fit, one too big, one cut short, one unknown."""
    folder = os.path.join(WORK, "models")
    os.makedirs(folder, exist_ok=True)
    gemma = os.path.join(os.path.dirname(MODEL), "gemma3.gguf")
    for source in (MODEL, gemma):
        target = os.path.join(folder, os.path.basename(source))
        if os.path.exists(source) and not os.path.exists(target):
            os.symlink(source, target)
    big_model.write(os.path.join(folder, "great-void.gguf"), layers=600, name="Great Void 80B")
    big_model.write(os.path.join(folder, "strange.gguf"), layers=1, name="Strange One",
                    architecture="nobodys")
    with open(MODEL, "rb") as whole, open(os.path.join(folder, "cut-short.gguf"), "wb") as out:
        out.write(whole.read(5_000_000))
    os.utime(os.path.join(folder, "cut-short.gguf"), (1e9, 1e9))
    app = Shot(variant, model_folders=f"['{folder}']", place="'models'")
    until("all five", lambda: len(app.items("Models")) >= 5)
    reading = app.words("Reading…")
    until("all to be read", lambda: reading not in app.texts())
    return app


def no_models(variant):
    return Shot(variant, place="'models'")


def models_of(variant, folder, n, **settings):
    """The list with at least n rows, all of them read."""
    app = Shot(variant, model_folders=f"['{folder}']" if folder else "@as []", place="'models'",
                **settings)
    until("rows", lambda: len(app.items("Models")) >= min(n, 4))  # large text shows few
    reading = app.words("Reading…")
    until("all to be read", lambda: reading not in app.texts())
    return app


def own_folder():
    """What somebody keeps: quantizations of one model with their projector, shards, an adapter."""
    folder = os.path.join(WORK, "own")
    if os.path.isdir(folder):
        return folder
    for i, label in enumerate(("Q4_K_M", "Q5_K_M", "Q8_0")):
        library_files.runnable(f"{folder}/otter/otter-7b-{label}.gguf", "Otter 7B", 2 + i)
    library_files.write(f"{folder}/otter/mmproj-otter-7b-F16.gguf",
                        library_files.small("Otter 7B eyes", "clip", "mmproj", 1 << 20))
    library_files.write(f"{folder}/otter/lora-otter-7b-french.gguf",
                        library_files.small("Otter 7B French", "llama", "adapter", 1 << 16))
    library_files.embedder(f"{folder}/wren-embed-Q8_0.gguf", "Wren Embed")
    big_model.write(f"{folder}/heron-80b-F16.gguf", layers=600, name="Heron 80B")
    library_files.write(f"{folder}/kite-00001-of-00003.gguf", library_files.small("Kite 30B"))
    return folder


def at_home_with_stores(function):
    """Runs it where every program has its store."""
    home = os.path.join(WORK, "home")
    if not os.path.isdir(home):
        library_files.stores(home)
    own = {name: os.environ.get(name) for name in library_files.HOME}
    os.environ.update(library_files.at_home(home))
    try:
        return function()
    finally:
        for name, value in own.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


def models_grouped(variant):
    return models_of(variant, own_folder(), 8, list_group="'family'")


def models_filtered(variant):
    return models_of(variant, own_folder(), 2, list_filters="'fits'", list_search="'otter'")


def models_nothing(variant):
    app = Shot(variant, model_folders=f"['{own_folder()}']", place="'models'",
                list_search="'eagle'")
    app.wait_for("button", "Show All")
    return app


def models_stores(variant):
    return at_home_with_stores(lambda: models_of(variant, own_folder(), 8))


def models_elsewhere(variant):
    """Another program's file is to be removed."""
    app = at_home_with_stores(lambda: models_of(variant, None, 1, list_search="'kite'",
                                                list_group="'none'"))
    app.key("alt+2")
    app.move_to(lambda: app.focus_at("list item"), "Down", "the row")
    app.key("Delete")
    app.wait_for("button", "Close")
    return app


def models_menu(variant):
    app = models_of(variant, own_folder(), 8)
    app.key("alt+2", "Down", "shift+F10")
    app.wait_menu()
    return app


def models_writing(variant):
    """One that grows, one that is gone, one that is cut short."""
    folder = os.path.join(WORK, "growing-" + variant)
    library_files.runnable(f"{folder}/otter-7b-Q4_K_M.gguf", "Otter 7B")
    going = f"{folder}/swift-2b-Q8_0.gguf"
    library_files.runnable(going, "Swift 2B")
    whole = library_files.small("Heron 3B", n_bytes=1 << 22)
    cut = library_files.write(f"{folder}/kite-1b-Q8_0.gguf",
                              library_files.small("Kite 1B", n_bytes=1 << 20)[:1 << 19])
    os.utime(cut, (1e9, 1e9))
    app = models_of(variant, folder, 3)
    os.remove(going)
    app.wait_for("label", "Gone")
    library_files.write(f"{folder}/heron-3b-Q8_0.gguf", whole[:1 << 21])
    app.wait_for("label", "Being written")
    app.hurry = True  # soon it will be told as cut short
    return app


def models_many(variant):
    folder = os.path.join(WORK, "many")
    if not os.path.isdir(folder):
        library_files.many(folder, 10000)
    app = models_of(variant, folder, 5)
    until("all of them", lambda: any("10,000" in text or "10.000" in text or "١٠٬٠٠٠" in text
                                     or "10000" in text for text in app.texts()))
    return app


# "SCREEN-STATE": how to get there.
STATES = {
    "models-empty": no_models, "models-list": library, "models-grouped": models_grouped,
    "models-filtered": models_filtered, "models-nothing": models_nothing,
    "models-stores": models_stores, "models-elsewhere": models_elsewhere,
    "models-menu": models_menu, "models-writing": models_writing, "models-many": models_many,
}
