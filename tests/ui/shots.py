#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""shots.py HEARTH FOLDER [MODEL [NAME...]]: pictures of every screen and state of the window in every
variant; what somebody looks at before a screen is called done. Prints the absolute path of each,
FOLDER/SCREEN-STATE-VARIANT.png. NAME picks some: a state ("model-fit"), or one picture
("model-fit-dark"), or a variant ("-dark")."""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_model  # noqa: E402
import flawed_model  # noqa: E402
import driver  # noqa: E402
import library_files  # noqa: E402
import pseudo  # noqa: E402
import thinking_model  # noqa: E402
from driver import App, until  # noqa: E402

driver.inside_display("1280x900")

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEARTH = os.path.abspath(sys.argv[1])
FOLDER = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else "build/shots")
MODEL = os.path.abspath(sys.argv[3] if len(sys.argv) > 3 else
                        os.path.join(os.environ.get("HEARTH_TEST_MODELS", "."), "smollm2.gguf"))
ONLY = sys.argv[4:]
WORK = os.environ["XDG_RUNTIME_DIR"]
LOCALES = pseudo.install(ROOT, os.path.join(WORK, "locale"))

WIDE, NARROW, LOW = (1120, 760), (360, 720), (720, 360)
LIGHT = {"ADW_DEBUG_COLOR_SCHEME": "prefer-light"}


def language(code):
    """A locale of its own, so that figures and dates are written as they are there; the C locale
    knows no translations."""
    name = {"de": "de_DE", "ar": "ar_EG"}[code] + ".UTF-8"
    folder = os.path.join(WORK, "locale")
    if not os.path.exists(os.path.join(folder, name)):
        subprocess.run(["localedef", "-i", name.split(".")[0], "-f", "UTF-8",
                        os.path.join(folder, name)], check=False)
    return dict(LIGHT, LANGUAGE=code, LC_ALL=name, LANG=name, LOCPATH=folder,
                HEARTH_LOCALEDIR=LOCALES)


VARIANTS = {  # name: (size, size of text, environment or language)
    "wide": (WIDE, 1, LIGHT),
    "narrow": (NARROW, 1, LIGHT),
    "dark": (WIDE, 1, {"ADW_DEBUG_COLOR_SCHEME": "prefer-dark"}),
    "contrast": (WIDE, 1, dict(LIGHT, ADW_DEBUG_HIGH_CONTRAST="1")),
    "large": (WIDE, 2, LIGHT),
    "german": (WIDE, 1, "de"),
    "arabic": (WIDE, 1, "ar"),
    # Not part of every state's set: by name, or as the state asks.
    "narrow-dark": (NARROW, 1, {"ADW_DEBUG_COLOR_SCHEME": "prefer-dark"}),
    "narrow-large": (NARROW, 2, LIGHT),
    "narrow-arabic": (NARROW, 1, "ar"),
    "low": (LOW, 1, LIGHT),
}
EACH = ("wide", "narrow", "dark", "contrast", "large", "german", "arabic")


class Shot(App):
    """Hearth in one variant. Names are looked for as they are in the code: in a translation by the
    same catalogue that Hearth reads."""

    def __init__(self, variant, *arguments, **settings):
        size, scale, env = VARIANTS[variant]
        if isinstance(env, str):
            env = language(env)
        driver.settings(temperature="just 0.0", window_width=size[0], window_height=size[1],
                        **settings)
        driver.text_scale(scale)
        self.size = size
        self.hurry = False
        self.words = translator(env.get("LANGUAGE"))
        super().__init__(HEARTH, *arguments, env=env)

    def find(self, role=None, name=None, start=None, showing=True, contains=None):
        return super().find(role, self.words(name), start, showing, self.words(contains))


def translator(name):
    import gettext
    if name is None:
        return lambda text: text
    catalogue = gettext.translation("hearth", LOCALES, [name])
    return lambda text: catalogue.gettext(text) if text else text


def start(variant, *arguments, **settings):
    return Shot(variant, *arguments, **settings)


def save(app, name):
    if not app.hurry:
        driver.settle(app)
    path = os.path.join(FOLDER, name + ".png")
    subprocess.run(driver.picture(app, path), check=True)
    print(path)
    sys.stdout.flush()

# ---- chats ----


def ask(app, question):
    composer = app.wait_for("text", "Question")
    app.key("ctrl+l")
    app.atspi.EditableText.set_text_contents(composer, question)
    until("the question", lambda: app.written(composer) == question)
    app.key("Return")


def answered(app):
    """The figures of an answer, in any language: a label with a speed."""
    pattern = app.words("%s tokens/s").replace("%s", "").strip()
    return next((text for text in app.texts() if pattern in text), None)


def empty(variant):
    app = start(variant)
    app.wait_for("label", "Talk to a model on this computer")
    return app


def ready(variant, **settings):
    app = start(variant, "--chat", MODEL, **settings)
    app.wait_for("text", "Question")
    until("the model's figures", lambda: any("Q4_1" in text for text in app.texts()))
    return app


def loading(variant):
    path = os.path.join(WORK, "great-void.gguf")
    big_model.write(path, layers=60)
    app = start(variant, "--chat", path)
    app.wait_for("button", "Cancel")
    app.hurry = True  # it will not wait for a second look
    return app


def chat(variant):
    app = ready(variant)
    ask(app, "What is gravity?")
    until("the answer", lambda: answered(app))
    return app


def answering(variant):
    app = ready(variant)
    ask(app, "Tell me a very long story about the sea, with every detail that you can think of.")
    until("a long answer", lambda: sum(map(len, app.texts())) > 1500)
    return app


def wrong_file(variant):
    path = os.path.join(WORK, "notes.zip")
    with open(path, "wb") as out:
        out.write(b"PK\x03\x04" + bytes(100))
    app = start(variant, path)
    app.click(app.wait_for("toggle button", "Details"))
    return app


def enlarging(app):
    """The button that offers a longer context, in any language: its label has a size in it."""
    begin = app.words("Enlarge Context (%s more)").split("%s")[0]
    return app.find("button", contains=begin)


def full(variant):
    app = ready(variant, context_length=160)
    ask(app, "Say just yes.")
    until("the first answer", lambda: answered(app))
    ask(app, "Tell me a very long story about the sea, with every detail that you can think of.")
    app.wait_for("button", "Leave Out the Oldest Turns")
    until("the longer context", lambda: enlarging(app))
    return app


def panel(variant):
    app = chat(variant)
    app.key("F9")
    app.wait_for("text", "System Prompt")
    return app


def stopped(variant):
    app = answering(variant)
    app.key("Escape")
    until("the end", lambda: answered(app))
    return app


FORMATTED = """## Reading a file

1. Open it **once**.
2. Read line by line, as in `for line in file`.

```python
def words(path):
    with open(path, encoding="utf-8") as file:
        return [word for line in file for word in line.split() if word.isalpha() and len(word) > 3]
```

| Way | Lines per second |
|-----|-----------------:|
| all at once | 1,200,000 |
| line by line | 950,000 |

> Measured on a laptop. See [the notes](https://example.org/notes).
"""


def edited(app, name, text):
    """An editor with this text, in place of a question or an answer."""
    app.click(until("Edit", lambda: [node for node in app.walk()
                                     if node.get_name() == app.words("Edit")
                                     and node.get_role_name() == "button"])[-1])
    field = app.wait_for("text", name)
    app.atspi.EditableText.set_text_contents(field, text)
    until("the text", lambda: app.written(field) == text)


def formatted(variant, **settings):
    app = ready(variant, **settings)
    ask(app, "What is gravity?")
    until("the answer", lambda: answered(app))
    edited(app, "Edit the answer", FORMATTED)
    app.key("ctrl+Return")
    until("the editor to go", lambda: not app.find("text", "Edit the answer"))
    app.wait_for("button", "Copy Code")
    return app


def wrapped(variant):
    return formatted(variant, wrap_code="true")


def editing(variant):
    app = chat(variant)
    app.key("ctrl+e")
    app.wait_for("text", "Edit the question")
    return app


def again(variant):
    app = chat(variant)
    app.click(app.wait_for("toggle button", "Other Ways to Answer Again"))
    app.wait_for("menu item")
    return app


def thoughts(variant):
    path = os.path.join(WORK, "thinking.gguf")
    thinking_model.write(MODEL, path)
    app = start(variant, "--chat", path)
    app.wait_for("text", "Question")
    ask(app, "What is gravity?")
    line = app.wait_for("button", contains=app.words("Thinking… %s").split("%s")[0])
    app.click(line)
    until("some thoughts", lambda: sum(map(len, app.texts())) > 700)
    app.key("Escape")
    app.wait_for("button", "Continue")
    return app


def swiped(variant):
    app = chat(variant)
    app.key("alt+1")
    chats = until("the list", lambda: app.find("list", "Chats"))
    row = until("the row", lambda: next((node for node in app.walk(chats)
                                         if node.get_role_name() == "list item"), None))
    area = app.atspi.Component.get_extents(row, app.atspi.CoordType.WINDOW)
    subprocess.run(["xdotool", "mousemove", str(area.x + area.width // 3),
                    str(area.y + area.height // 2), "click", "7"], check=True)
    app.wait_for("button", "Delete")
    return app


def no_memory(variant):
    path = os.path.join(WORK, "great-void.gguf")
    big_model.write(path, layers=600, name="Great Void 80B")
    app = start(variant, "--chat", path)
    app.wait_for("button", "Load Anyway")
    return app


def button(variant):
    app = ready(variant)
    app.click(until("the model button", lambda: next(
        (node for node in app.walk() if node.get_role_name() == "toggle button"
         and "Smollm2" in (node.get_name() or "")), None)))
    app.wait_for("button", "Open File…")
    return app


# ---- models ----

REFUSING = """{%- for message in messages -%}
  {%- if message.role == "assistant" -%}
    {{ raise_exception("Only questions are supported") }}
  {%- endif -%}
  <s>{{ message.role }}: {{ message.content }}</s>
{% endfor -%}
"""



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
    app = start(variant, model_folders=f"['{folder}']", place="'models'")
    until("all five", lambda: len([node for node in app.walk()
                                   if node.get_role_name() == "list item"
                                   and app.showing(node)]) >= 5)
    return app


def no_models(variant):
    return start(variant, place="'models'")


def listed(app):
    """The rows of the list of models that there are."""
    return [node for node in app.walk(app.find("list", "Models"))
            if node.get_role_name() == "list item" and app.showing(node)]


def models_of(variant, folder, n, **settings):
    """The list with at least n rows, all of them read."""
    app = start(variant, model_folders=f"['{folder}']" if folder else "@as []", place="'models'",
                **settings)
    until("rows", lambda: len(listed(app)) >= min(n, 4))  # large text shows few
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
    app = models_of(variant, own_folder(), 2, list_filters="'fits'", list_search="'otter'")
    return app


def models_nothing(variant):
    app = start(variant, model_folders=f"['{own_folder()}']", place="'models'",
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
    app.key("Down", "Delete")
    app.wait_for("button", "Close")
    return app


def models_menu(variant):
    app = models_of(variant, own_folder(), 8)
    app.key("alt+2", "Down", "shift+F10")
    app.wait_for("menu item")
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


def model(variant, view=None, path=MODEL):
    app = start(variant, path)
    until("the model", lambda: app.find("text", "Question") or app.find("label", "Architecture"))
    until("the model's page", lambda: app.find("label", "Architecture") or app.key("ctrl+i"))
    if view:
        app.show_view(view)
    return app


def model_fit(variant):
    app = model(variant, "Fit")
    app.wait_for("label", "Longest context that fits")
    return app


def model_fit_more(variant):
    app = model_fit(variant)
    app.scroll_down()
    return app


def model_too_big(variant):
    path = os.path.join(WORK, "great-void.gguf")
    big_model.write(path, layers=600, name="Great Void 80B")
    app = model(variant, "Fit", path)
    app.wait_for("label", "Longest context that fits")
    return app


def model_metadata(variant):
    app = model(variant, "Metadata")
    until("the keys", lambda: "general.architecture" in app.texts())
    return app


def model_array(variant):
    app = model_metadata(variant)
    app.key("ctrl+f")
    app.type("ggml.tokens")
    until("the key alone", lambda: "general.architecture" not in app.texts())
    app.key("Tab", "Return")
    app.wait_for("button", "Next Page")
    return app


def model_edit(variant):
    app = model_metadata(variant)
    app.choose("Model Menu", 0)
    app.wait_for("button", "Add Key")
    return app


def edit_key(app, name):
    app.key("ctrl+f", "ctrl+a")
    app.type(name)
    until(name, lambda: len([node for node in app.walk(app.find("list", "Keys"))
                             if node.get_role_name() == "list item"]) == 1)
    app.key("Tab", "Return")
    app.wait_for("button", "Apply")


def model_edit_key(variant):
    app = model_edit(variant)
    edit_key(app, "general.name")
    return app


def model_edit_wrong(variant):
    app = model_edit(variant)
    app.click(app.find("button", "Add Key"))
    app.wait_for("button", "Apply")
    app.type("general.sampling.temp")
    app.key("Tab", "Tab")
    app.type("warm")
    until("the complaint", lambda: any("f32" in text for text in app.texts()))
    return app


def model_edit_review(variant):
    app = model_edit(variant)
    edit_key(app, "general.name")
    app.key("ctrl+a")
    app.type("Another name")
    app.key("ctrl+Return")
    app.wait_for("button", "Add Key")
    app.click(app.find("button", "Review"))
    app.wait_for("button", "Save Copy…")
    return app


def model_tensors(variant):
    app = model(variant, "Tensors")
    until("the tensors", lambda: "token_embd.weight" in app.texts())
    return app


def model_template(variant, path=MODEL):
    app = model(variant, "Template", path)
    prompt = app.words("Prompt")
    until("the prompt", lambda: any(app.written(node) for node in app.walk()
                                    if node.get_role_name() == "text"
                                    and node.get_name() == prompt))
    return app


def model_no_template(variant):
    return model_template(variant, os.path.join(os.path.dirname(MODEL), "gemma3.gguf"))


def model_template_source(variant):
    app = model_template(variant)
    app.click(app.wait_for("radio button", "Source"))
    app.wait_for("text", "Source of the template")
    return app


def model_template_failed(variant):
    """A template that refuses what it is given, beside one for tools."""
    path = os.path.join(WORK, "refusing.gguf")
    big_model.write(path, layers=1, name="Refusing", more=[
        big_model.key("tokenizer.chat_template", big_model.STRING, REFUSING),
        big_model.key("tokenizer.chat_template.tool_use", big_model.STRING, "{{ tools }}")])
    app = model(variant, "Template", path)
    app.click(app.wait_for("button", "Show Line"))
    return app


def model_tokenizer(variant):
    app = model(variant, "Tokenizer")
    until("the tokens", lambda: app.find("text", "Tokens") and any(
        "jumps" in app.written(node) for node in app.walk()
        if node.get_role_name() == "text" and node.get_name() == app.words("Tokens")))
    return app


def model_token(variant):
    app = model_tokenizer(variant)
    app.tab_to("text", "Tokens")
    app.key("Right", "Right", "Right")
    return app


def model_vocabulary(variant):
    app = model_tokenizer(variant)
    app.click(app.wait_for("radio button", "Vocabulary"))
    app.wait_for("tree table", "Vocabulary")
    return app


def model_map_bits(variant):
    app = model_tensors(variant)
    app.click(app.wait_for("radio button", "Bits per Weight"))
    return app


def model_map_cell(variant):
    """By keyboard to a cell, and some zoom."""
    app = model_tensors(variant)
    app.tab_to("table", "Map of tensors")
    app.key("Down", "Down", "Right", "Right", "Right", "ctrl+plus", "ctrl+plus", "ctrl+plus")
    return app


def open_tensor(variant, name="blk.0.ffn_down.weight"):
    app = model_tensors(variant)
    app.key("ctrl+f")
    app.type(name)
    until("the tensor alone", lambda: "token_embd.weight" not in app.texts())
    app.tab_to("tree table", "Tensors", most=12)
    app.key("Return")
    app.wait_for("label", "Bits per weight")
    return app


def model_tensor(variant):
    app = open_tensor(variant)
    until("all values", lambda: any(app.words("All %s values").split("%s")[0] in text
                                    for text in app.texts()))
    return app


def model_numbers(variant):
    app = open_tensor(variant)
    app.show_view("Numbers")
    app.wait_for("spin button", "Column")
    return app


def model_bytes(variant):
    app = open_tensor(variant)
    app.show_view("Bytes")
    app.wait_for("text", "Go to offset")
    return app


def file_map(variant, path=None):
    app = model(variant, "File", path or MODEL)
    app.wait_for("table", "Map of the file")
    until("the regions", lambda: app.find("tree table", "Regions of the file"))
    return app


def file_marked(variant):
    """By keyboard to a region, closer, and with its place in the table."""
    app = file_map(variant)
    app.tab_to("table", "Map of the file")
    app.key("End", "Left", *["ctrl+plus"] * 6)
    return app


def file_bytes(variant):
    app = file_map(variant)
    app.tab_to("table", "Map of the file")
    app.key("Home", "Right", "Right", "Return")
    app.wait_for("text", "Go to offset")
    return app


def file_parts(variant):
    folder = os.path.join(WORK, "parts")
    os.makedirs(folder, exist_ok=True)
    return file_map(variant, big_model.write_parts(folder, 3))


def model_made_of(variant):
    app = model(variant)
    app.scroll_down()
    return app


def model_base(variant):
    gemma = os.path.join(os.path.dirname(MODEL), "gemma3.gguf")
    return model(variant, path=gemma)


def flawed(name, **more):
    path = os.path.join(WORK, name)
    flawed_model.write(path, **more)
    return path


def model_doctor(variant):
    app = model(variant, "Doctor")
    app.wait_for("button", "Check Values Too")
    return app


def model_doctor_flawed(variant):
    app = model(variant, "Doctor", flawed("flawed.gguf"))
    app.wait_for("button", "Check Values Too")
    return app


def model_doctor_values(variant):
    app = model_doctor_flawed(variant)
    app.click(app.find("button", "Check Values Too"))
    until("the values", lambda: app.find("label", "A tensor holds values that are no numbers."))
    app.tab_to("list item", "Two tensors lie over each other in the file.")
    app.key("Return")
    app.wait_for("label", "tensor-overlap")
    return app


def model_doctor_banner(variant):
    app = model(variant, path=flawed("flawed.gguf"))
    app.wait_for("button", "Show")
    return app


def model_doctor_broken(variant):
    path = os.path.join(WORK, "broken.gguf")
    with open(path, "wb") as out:
        out.write(b"GGUF" + b"\xff" * 40)
    app = start(variant, path)
    app.wait_for("button", "Copy Report")
    return app


def model_origin(variant):
    """A file that says all of itself: a mixture with its sources, in two parts."""
    folder = os.path.join(WORK, "parts")
    os.makedirs(folder, exist_ok=True)
    path = flawed_model.write_mixture(folder)
    app = model(variant, path=path)
    app.wait_for("list", "Where It Comes From", showing=False)
    app.scroll_down()
    return app


def model_compare(variant):
    app = model(variant, "Compare")
    app.wait_for("button", "Open File…")
    return app


def compared(variant, other, **settings):
    """The small model beside another file, which the library offers."""
    folder = os.path.join(WORK, "beside-" + os.path.basename(other))
    os.makedirs(folder, exist_ok=True)
    target = os.path.join(folder, os.path.basename(other))
    if not os.path.exists(target):
        os.symlink(other, target)
    app = start(variant, MODEL, model_folders=f"['{folder}']")
    app.wait_for("label", "Architecture")
    app.show_view("Compare")
    driver.compare_with(app)
    until("both files", lambda: app.find("label", "Here"))
    return app


def requantized():
    """The small model with one of its tensors changed by a little."""
    path = os.path.join(WORK, "smollm2-changed.gguf")
    if not os.path.exists(path):
        data = bytearray(open(MODEL, "rb").read())
        for at in range(len(data) // 2, len(data) // 2 + 8_000_000, 20):
            data[at] ^= 1
        data = bytes(data).replace(b"SmolLM", b"SmelLM", 2)
        with open(path, "wb") as out:
            out.write(data)
    return path


def model_compared(variant):
    return compared(variant, requantized())


def model_compared_others(variant):
    return compared(variant, os.path.join(os.path.dirname(MODEL), "gemma3.gguf"))


def model_compared_values(variant):
    app = model_compared(variant)
    app.click(app.wait_for("button", "Measure Values"))
    until("the values", lambda: not app.find("button", "Stop"))
    return app


def model_cut(variant):
    path = os.path.join(WORK, "cut.gguf")
    with open(MODEL, "rb") as whole, open(path, "wb") as out:
        out.write(whole.read(5_000_000))
    return model(variant, path=path)


# ---- the frame ----


def shortcuts(variant):
    app = ready(variant)
    app.key("ctrl+question")
    app.wait_for("label", "Keyboard Shortcuts")
    return app


def preferences(variant):
    app = ready(variant)
    app.key("ctrl+comma")
    app.wait_for("label", "Computing")
    return app


def about(variant):
    app = ready(variant)
    app.key("F10")
    until("the main menu", lambda: [node for node in app.walk()
                                    if node.get_role_name() == "menu item" and app.showing(node)])
    app.key("Up", "Return")  # the last entry
    app.wait_for("label", "The Hearth Project")
    return app


# "SCREEN-STATE": how to get there. Each has all of EACH; some ask for more.
STATES = {
    "chat-empty": empty, "chat-ready": ready, "chat-loading": loading, "chat-answered": chat,
    "chat-answering": answering, "chat-wrong-file": wrong_file, "chat-full": full,
    "chat-panel": panel, "chat-stopped": stopped,
    "chat-models": button,
    "chat-formatted": formatted, "chat-wrapped": wrapped, "chat-editing": editing,
    "chat-again": again, "chat-thoughts": thoughts, "chat-swiped": swiped,
    "chat-too-big": no_memory,
    "models-empty": no_models, "models-list": library,
    "models-grouped": models_grouped, "models-filtered": models_filtered,
    "models-nothing": models_nothing, "models-stores": models_stores,
    "models-elsewhere": models_elsewhere, "models-menu": models_menu,
    "models-writing": models_writing, "models-many": models_many,
    "model-overview": model, "model-made-of": model_made_of, "model-base": model_base,
    "model-cut": model_cut, "model-fit": model_fit, "model-fit-more": model_fit_more,
    "model-too-big": model_too_big, "model-metadata": model_metadata, "model-array": model_array,
    "model-edit": model_edit, "model-edit-key": model_edit_key,
    "model-edit-wrong": model_edit_wrong, "model-edit-review": model_edit_review,
    "model-doctor": model_doctor, "model-doctor-flawed": model_doctor_flawed,
    "model-doctor-values": model_doctor_values, "model-doctor-banner": model_doctor_banner,
    "model-doctor-broken": model_doctor_broken,
    "model-template": model_template, "model-no-template": model_no_template,
    "model-template-source": model_template_source,
    "model-template-failed": model_template_failed,
    "model-tokenizer": model_tokenizer, "model-token": model_token,
    "model-vocabulary": model_vocabulary,
    "model-tensors": model_tensors, "model-map-bits": model_map_bits,
    "model-map-cell": model_map_cell, "model-tensor": model_tensor,
    "file-map": file_map, "file-marked": file_marked, "file-bytes": file_bytes,
    "file-parts": file_parts, "model-numbers": model_numbers, "model-bytes": model_bytes,
    "model-origin": model_origin, "model-compare": model_compare, "model-compared": model_compared,
    "model-compared-others": model_compared_others,
    "model-compared-values": model_compared_values,
    "frame-shortcuts": shortcuts, "frame-preferences": preferences, "frame-about": about,
}
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
