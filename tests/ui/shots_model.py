# SPDX-License-Identifier: GPL-3.0-or-later
"""The states of a model's page."""
import os

import big_model
import driver
import flawed_model
from driver import until
from shot import MODEL, WORK, Shot
from shots_chat import ready


REFUSING = """{%- for message in messages -%}
  {%- if message.role == "assistant" -%}
    {{ raise_exception("Only questions are supported") }}
  {%- endif -%}
  <s>{{ message.role }}: {{ message.content }}</s>
{% endfor -%}
"""


def model(variant, view=None, path=MODEL):
    app = Shot(variant, path)
    until("the model", lambda: app.find("text", "Question") or app.find("label", "Architecture"))
    until("the model's page", lambda: app.find("label", "Architecture") or app.key("ctrl+i"))
    if view:
        app.show_view(view)
    return app


def model_fit(variant):
    app = model(variant, "Fit")
    app.wait_for("label", "Longest Context That Fits")
    return app


def model_fit_more(variant):
    app = model_fit(variant)
    app.scroll_down()
    return app


def model_arithmetic(variant):
    app = model_fit(variant)
    app.tab_to("list item", "Show the Arithmetic")
    app.key("Return")
    app.scroll_down()
    return app


def model_loaded(variant):
    """What was predicted beside what it takes."""
    app = ready(variant)
    app.key("ctrl+i")
    app.show_view("Fit")
    app.wait_for("label", "Longest Context That Fits")
    app.scroll_down()
    return app


def model_too_big(variant):
    path = os.path.join(WORK, "great-void.gguf")
    big_model.write(path, layers=600, name="Great Void 80B")
    app = model(variant, "Fit", path)
    app.wait_for("label", "Longest Context That Fits")
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
    app.tab_to("tree table", "Metadata")
    app.key("Return")
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
    until(name, lambda: len(app.items("Keys")) == 1)
    app.key("Tab", "Return")
    app.wait_for("button", "Apply")


def model_edit_key(variant):
    app = model_edit(variant)
    edit_key(app, "general.name")
    return app


def model_edit_wrong(variant):
    app = model_edit(variant)
    app.press("button", "Add Key")
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
    app.press("button", "Review")
    app.wait_for("button", "Save Copy…")
    return app


def model_tensors(variant):
    app = model(variant, "Tensors")
    until("the tensors", lambda: "token_embd.weight" in app.texts())
    return app


def model_template(variant, path=MODEL):
    app = model(variant, "Template", path)
    until("the prompt", lambda: app.written(app.find("text", "Prompt")))
    return app


def model_no_template(variant):
    return model_template(variant, os.path.join(os.path.dirname(MODEL), "gemma3.gguf"))


def model_template_source(variant):
    app = model_template(variant)
    app.press("radio button", "Source")
    app.wait_for("text", "Source of the template")
    return app


def model_template_failed(variant):
    """A template that refuses what it is given, beside one for tools."""
    path = os.path.join(WORK, "refusing.gguf")
    big_model.write(path, layers=1, name="Refusing", more=[
        big_model.key("tokenizer.chat_template", big_model.STRING, REFUSING),
        big_model.key("tokenizer.chat_template.tool_use", big_model.STRING, "{{ tools }}")])
    app = model(variant, "Template", path)
    app.press("button", "Show Line")
    return app


def model_tokenizer(variant):
    app = model(variant, "Tokenizer")
    until("the tokens", lambda: app.written(app.find("text", "Tokens")))
    return app


def model_token(variant):
    app = model_tokenizer(variant)
    app.tab_to("text", "Tokens")
    app.key("Right", "Right", "Right")
    return app


def model_vocabulary(variant):
    app = model_tokenizer(variant)
    app.press("radio button", "Vocabulary")
    app.wait_for("tree table", "Vocabulary")
    return app


def model_map_bits(variant):
    app = model_tensors(variant)
    app.press("radio button", "Bits per Weight")
    until("the bits", lambda: not app.find("toggle button", "F32"))
    return app


def model_map_cell(variant):
    """By keyboard to a cell, and some zoom."""
    app = model_tensors(variant)
    app.tab_to("table", "Map of tensors")
    onward = "Left" if "arabic" in variant else "Right"
    app.key("Down", "Down", *[onward] * 3, *["ctrl+plus"] * 3)
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
    begin = app.words("The only value", "All %s values").split("%s")[0]
    until("all values", lambda: any(begin in text for text in app.texts()))
    return app


def model_values_menu(variant):
    app = model_tensor(variant)
    app.press("toggle button", start=app.find("button", "Values Menu") or app.find(
        "toggle button", "Values Menu"))
    app.wait_menu()
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
    app.press("button", "Check Values Too")
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
    app = Shot(variant, path)
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
    app = Shot(variant, MODEL, model_folders=f"['{folder}']")
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
    app.press("button", "Measure Values")
    until("the values", lambda: not app.find("button", "Stop"))
    return app


def cut_file():
    path = os.path.join(WORK, "cut.gguf")
    with open(MODEL, "rb") as whole, open(path, "wb") as out:
        out.write(whole.read(5_000_000))
    return path


def model_cut(variant):
    return model(variant, path=cut_file())


def model_cut_fit(variant):
    return model(variant, "Fit", cut_file())


def file_cached(variant):
    """What is meant by that."""
    app = file_map(variant)
    app.press("toggle button", start=lambda: app.find("button", "What “Cached” Means"))
    app.wait_for("label", "The system keeps what was lately read from files in memory that is free "
                 "anyway, so reading it again is fast: a model that is cached loads sooner. Programs "
                 "that need this memory get it at once.\n\nWhether the model is loaded is another "
                 "matter.")
    return app


# "SCREEN-STATE": how to get there.
STATES = {
    "model-overview": model, "model-made-of": model_made_of, "model-base": model_base,
    "model-cut": model_cut, "model-cut-fit": model_cut_fit,
    "file-cached": file_cached, "model-fit": model_fit, "model-fit-more": model_fit_more,
    "model-arithmetic": model_arithmetic, "model-loaded": model_loaded,
    "model-too-big": model_too_big, "model-metadata": model_metadata, "model-array": model_array,
    "model-edit": model_edit, "model-edit-key": model_edit_key,
    "model-edit-wrong": model_edit_wrong, "model-edit-review": model_edit_review,
    "model-doctor": model_doctor, "model-doctor-flawed": model_doctor_flawed,
    "model-doctor-values": model_doctor_values, "model-doctor-banner": model_doctor_banner,
    "model-doctor-broken": model_doctor_broken, "model-template": model_template,
    "model-no-template": model_no_template, "model-template-source": model_template_source,
    "model-template-failed": model_template_failed, "model-tokenizer": model_tokenizer,
    "model-token": model_token, "model-vocabulary": model_vocabulary,
    "model-tensors": model_tensors, "model-map-bits": model_map_bits,
    "model-map-cell": model_map_cell, "model-tensor": model_tensor, "file-map": file_map,
    "model-values-menu": model_values_menu,
    "file-marked": file_marked, "file-bytes": file_bytes, "file-parts": file_parts,
    "model-numbers": model_numbers, "model-bytes": model_bytes, "model-origin": model_origin,
    "model-compare": model_compare, "model-compared": model_compared,
    "model-compared-others": model_compared_others, "model-compared-values": model_compared_values,
}
