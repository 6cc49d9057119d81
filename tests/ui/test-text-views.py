#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""test-text-views.py HEARTH EMBER COUNTED [MODEL]: the Template and Tokenizer views in a real window,
by keyboard and by the tree that voice output reads. What they show is what `ember template` and
`ember tokenize` print, for the real models, a base model without a template, templates and
vocabularies of the corpus, a broken template, and a file with neither. Rows and lines are counted by
COUNTED."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import big_model  # noqa: E402
import driver  # noqa: E402
from driver import Checks, clipboard, until  # noqa: E402

EMBER, COUNTED = (os.path.abspath(path) for path in sys.argv[2:4])
MODEL = driver.model(4)
BASE = os.path.join(os.path.dirname(MODEL), "gemma3.gguf")
CORPUS = os.environ.get("HEARTH_CORPUS", ".")
driver.inside_display()
checks = Checks()
work = tempfile.mkdtemp(prefix="hearth-test-")

SYSTEM = {"role": "system", "content": "You are a helpful assistant."}
TURNS = [{"role": "user", "content": "What is the capital of France?"},
         {"role": "assistant", "content": "Paris."},
         {"role": "user", "content": "And of Italy?"}]
BROKEN = "{# one #}\n{% for m in messages %}\n{{ m.content }\n{% endfor %}"
REFUSING = ("{%- for m in messages -%}\n{%- if m.role == 'assistant' -%}\n"
            "{{ raise_exception('Only questions are supported') }}\n{%- endif -%}\n"
            "{{ m.content }}\n{%- endfor -%}")
# Of these vocabularies the tokens do not add up to the text.
CHANGING = ("bert", "phi-3")
THIRD = "{{ 'Third: ' ~ messages[-1].content }}"


def start(path, view):
    app = driver.start(path)
    until("the model", lambda: app.find("text", "Question") or app.find("label", "Architecture"))
    until("the model's page", lambda: app.find("label", "Architecture") or app.key("ctrl+i"))
    app.show_view(view)
    return app


def ended(app, what):
    app.key("ctrl+q")
    checks.clean_end(app, what)


def run(function, path, view):
    app = start(path, view)
    try:
        function(app)
    finally:
        app.kill()


# ---- what the tool says ----

def rendered(path, messages, generate=True, **more):
    context = os.path.join(work, "context.json")
    with open(context, "w") as out:
        json.dump(dict(messages=messages, add_generation_prompt=generate, **more), out)
    return subprocess.run([EMBER, "template", path, "--context", context], capture_output=True,
                          check=True).stdout.decode()


def ids_of(path, text, *options):
    out = subprocess.run([EMBER, "tokenize", "--json", *options, path], input=text.encode(),
                         capture_output=True, check=True).stdout
    return json.loads(out)["ids"]


# ---- what the window shows ----

def shown(app, name):
    """The text of a field, "" while there is none."""
    node = app.find("text", name)
    return app.written(node) if node else ""


def wait_text(app, name, wanted, what):
    checks.wait_equal(lambda: shown(app, name), wanted, what)


def is_sensitive(app, name):
    box = app.find("check box", name)
    return box and box.has_state("sensitive")


def menu(app, button, entry):
    """The entry (from 0) of a menu; one that cannot be chosen is passed over."""
    app.choose(button, entry)
    app.wait_gone("menu item")


def write(app, name, text):
    app.write(name, text)


def facts_lines(app):
    """Where the lines of the facts about a token are."""
    return [node.get_box().y for node in app.all("label", start=app.find("grouping", "Token"))]


def switch(app, name):
    """By keyboard."""
    app.tab_to("check box", name)
    app.key("space")


# ---- the template of a chat model ----

def conversation(app):
    def check(messages, what, generate=True):
        wait_text(app, "Prompt", rendered(MODEL, messages, generate), what)

    check([SYSTEM] + TURNS, "the prompt is the tool's")
    for name, reason in (("Tools", "The template does not know tools"),
                         ("Thinking", "The template has no switch for it")):
        checks.wait(lambda: app.has(reason), f"{name} says why it cannot be switched")
        checks.wait(lambda: is_sensitive(app, name) is False, f"{name} is insensitive")
    ids = ids_of(MODEL, rendered(MODEL, [SYSTEM] + TURNS), "--special", "--bos")
    checks.wait(lambda: app.has(f"{len(ids)} tokens"), "the tokens are counted")

    # Tokens by keyboard: their facts in a line that does not move.
    prompt = app.tab_to("text", "Prompt")
    until("the first token", lambda: app.has("ID 1 · Control", "“<|im_start|>”"))
    before = facts_lines(app)
    app.key("Right", "Right")
    until("the third token", lambda: app.has(f"ID {ids[2]} · Normal", "Bytes 0A"))
    app.key("ctrl+End")
    until("the last token", lambda: app.has(f"ID {ids[-1]} · Normal"))
    app.key("Home", "Down", "Up", "Page_Up", "ctrl+Home")
    until("the first again", lambda: app.has("ID 1 · Control"))
    checks.wait_equal(prompt.get_caret, 0, "the caret is at the token")
    app.key("Right")
    until("the second", lambda: app.has(f"ID {ids[1]} · Normal"))
    checks.wait_equal(prompt.get_caret, len("<|im_start|>"), "the caret went along")
    checks.wait_equal(lambda: facts_lines(app), before, "the line of facts stands still")

    # Messages by keyboard: added, moved, removed.
    app.tab_to("button", "Add Message")
    app.key("Return")
    app.type("Rome, <|im_end|> of course.")
    more = TURNS + [{"role": "assistant", "content": "Rome, <|im_end|> of course."}]
    check([SYSTEM] + more, "a message is added")
    app.key("alt+Up")
    moved = TURNS[:2] + [more[3], TURNS[2]]
    check([SYSTEM] + moved, "a message is moved up")
    app.key("alt+Down")
    check([SYSTEM] + more, "and down again")
    app.key("alt+Down")
    app.press("button", start=lambda: (app.all("button", "Remove Message") or [None])[-1])
    check([SYSTEM] + TURNS, "a message is removed")

    switch(app, "System Message")
    check(TURNS, "without a system message")
    switch(app, "Generation Prompt")
    check(TURNS, "without the beginning of an answer", generate=False)
    switch(app, "Token Borders")
    menu(app, "Prompt Menu", 0)
    wanted = rendered(MODEL, TURNS, False)
    until("the copied prompt", lambda: clipboard() == wanted)
    menu(app, "Prompt Menu", 1)
    numbers = ", ".join(map(str, ids_of(MODEL, wanted, "--special", "--bos")))
    until("the copied numbers", lambda: clipboard() == numbers)
    checks.check(True, "prompt and numbers are copied")
    path = os.path.join(work, "prompt.json")
    driver.save_as(app, "Prompt Menu", 3, path)
    with open(path) as saved:
        data = json.load(saved)
    checks.equal(data["text"], wanted, "the text in the saved file")
    checks.equal(data["ids"], ids_of(MODEL, wanted, "--special", "--bos"), "the numbers in it")
    checks.equal("".join(span["text"] for span in data["spans"]), wanted, "the spans in it")

    # The source; and what was written stays when another model is looked at and this one again.
    app.press("radio button", "Source")
    until("the source", lambda: "for message in messages" in shown(app, "Source of the template"))
    app.press("radio button", "Prompt")
    app.show_view("Overview")
    app.wait_for("label", "Architecture")
    app.show_view("Template")
    check(TURNS, "text and switches are kept", generate=False)
    ended(app, "quit beside a template")


def base_model(app):
    text = "\n\n".join(message["content"] for message in [SYSTEM] + TURNS)
    wait_text(app, "Prompt", "<bos>" + text, "without a template: the texts alone")
    checks.wait(lambda: app.has("This file has no chat template."), "it is said that there is none")
    checks.wait(lambda: app.has("There is no template"), "switches say why")
    count = len(ids_of(BASE, text, "--bos"))
    checks.wait(lambda: app.has(f"{count} tokens"), "tokens of a base model")
    ended(app, "quit beside no template")


# ---- templates that fail, several templates ----

def with_templates(name, **templates):
    path = os.path.join(work, name + ".gguf")
    keys = [big_model.key("tokenizer.chat_template" + ("." + key if key != "default" else ""),
                          big_model.STRING, text) for key, text in templates.items()]
    big_model.write(path, layers=1, width=256, inner=512, name=name, more=keys)
    return path


def failing(app):
    until("the failure", lambda: app.has("The template fails in line 3: “Only questions are"))
    checks.equal(shown(app, "Prompt"), "", "no prompt is shown")
    app.tab_to("button", "Show Line")
    app.key("Return")
    source = until("the source", lambda: app.find("text", "Source of the template"))
    until("the line with the focus", lambda: app.focused(source))
    checks.wait_equal(lambda: app.written(source)[:source.get_caret()].count("\n") + 1, 3,
                      "the caret is in the line that failed")

    # Another template of the same file, by keyboard.
    driver.pick(app, "Standard Template", "broken")
    until("the other", lambda: app.has("line 3") and "{{ m.content }" in shown(
        app, "Source of the template"))
    until("what is broken in it", lambda: app.has("The template fails in line 3: “"))
    checks.check(not app.has("Only questions"), "a template that cannot be parsed says so")

    # The last of them, one step further down, makes a prompt again.
    driver.pick(app, "broken", "third")
    until("the third", lambda: "Third: " in shown(app, "Source of the template"))
    until("no complaint", lambda: not app.has("The template fails"))
    app.press("radio button", "Prompt")
    wait_text(app, "Prompt", "Third: And of Italy?", "the prompt of the third template")
    driver.pick(app, "third", "Standard Template")
    until("the first again", lambda: app.has("The template fails in line 3: “Only questions are"))
    checks.equal(shown(app, "Prompt"), "", "the prompt of the third is gone")
    ended(app, "quit beside templates that fail")


def corpus_templates():
    for name, thinks in (("Qwen3.5-4B", "enable_thinking"), ("Qwen3-Coder", None)):
        source = os.path.join(CORPUS, "templates", name + ".jinja")
        if not os.path.exists(source):
            checks.skip(name, "no corpus")
            continue
        with open(source) as text:
            path = with_templates(name, default=text.read())

        def check(app):
            def wait(what, messages=None, **more):
                wait_text(app, "Prompt", rendered(path, messages or [SYSTEM] + TURNS, **more),
                          f"{name}: {what}")

            wait("the prompt")
            checks.wait(lambda: is_sensitive(app, "Tools"), f"{name}: tools can be switched")
            if thinks:
                switch(app, "Thinking")
                wait("without thinking", **{thinks: False})
                switch(app, "Thinking")
                wait("thinking again")
            switch(app, "Tools")
            field = app.wait_for("text", "Tools, as JSON")
            wait("with tools", tools=json.loads(app.written(field)))
            write(app, "Tools, as JSON", "[1, ")
            until("the complaint", lambda: app.has("The tools are no JSON list."))
            checks.check(True, f"{name}: tools that are no JSON")
            write(app, "Tools, as JSON", "[]")
            until("no complaint", lambda: not app.has("The tools are no JSON list."))
            ended(app, f"quit beside {name}")
        run(check, path, "Template")


# ---- the tokenizer ----

def tokens(app):
    app.tab_to("text", "Text")
    app.key("ctrl+a")
    app.type("Hi <|im_start|> 3.14")
    plain = ids_of(MODEL, "Hi <|im_start|> 3.14")
    until("the plain tokens", lambda: app.has(f"{len(plain)} tokens · 20 characters · 20 bytes"))
    wait_text(app, "Tokens", "Hi <|im_start|> 3.14", "the pieces give the text")
    checks.wait(lambda: is_sensitive(app, "Add Special Tokens") is False, "this vocabulary adds none")
    switch(app, "Find Special Tokens")
    special = ids_of(MODEL, "Hi <|im_start|> 3.14", "--special")
    until("the special ones", lambda: app.has(f"{len(special)} tokens"))
    menu(app, "Token Menu", 0)
    until("the copied numbers", lambda: clipboard() == ", ".join(map(str, special)))
    app.tab_to("text", "Tokens")
    app.key("Home", "Right", "Right")
    until("the pill", lambda: app.has("“<|im_start|>”", "ID 1 · Control"))
    checks.check(True, "a special token is found in the text")

    # Bytes that are no characters by themselves.
    write(app, "Text", "\U0001fae0\t")
    split = ids_of(MODEL, "\U0001fae0\t")
    until("the bytes", lambda: app.has(f"{len(split)} tokens") and "\\xF0" in shown(app, "Tokens"))
    app.tab_to("text", "Tokens")
    app.key("ctrl+End")
    until("the tab", lambda: app.has("Bytes 09", "“⇥”"))
    checks.check(True, "what is no text is made visible")

    # A long text is kept aside.
    long_text = "All work and no play. " * 9000

    def kept_aside():
        field = app.find("text", "Text")
        return app.find("button", "Remove Long Text") or field and field.set_text(long_text) and None
    until("a long text", kept_aside)
    count = len(ids_of(MODEL, long_text))
    until("its tokens", lambda: app.has(f"{count:,}".replace(",", "") + " tokens")
          or app.has(f"{count:,} tokens"))
    # A pointer over the flow would say what is under it.
    subprocess.run(["xdotool", "mousemove", "5", "5"], check=True)
    last = ids_of(MODEL, long_text)[-1]

    def at_the_end():  # the flow is new where there were no tokens in between
        if app.has(f"ID {last} · Normal"):
            return True
        app.tab_to("text", "Tokens")
        app.key("ctrl+End")
        return False
    until("the last of them", at_the_end)
    app.press("button", "Remove Long Text")
    until("an empty text", lambda: app.has("Tokens appear here"))
    checks.check(True, "a long text in tokens")

    # The vocabulary: searched, filtered, copied, saved.
    app.key("ctrl+f")
    until("the search", lambda: app.has("49152 tokens") or app.has("49,152 tokens"))
    app.type("im_start")
    until("one found", lambda: app.has("1 of 49152 token") or app.has("1 of 49,152 token"))
    row = until("its row", lambda: app.find("table row", "<|im_start|>"))
    checks.equal(row.get_description(), "1, Control", "what voice output says of it")
    app.key("ctrl+f")
    app.key("ctrl+a", "BackSpace")
    until("all again", lambda: app.has("49152 tokens") or app.has("49,152 tokens"))
    driver.pick(app, "All Types", "Normal")
    until("those of one type", lambda: any(" of 49" in text for text in app.texts()))
    checks.check(True, "the table is filtered by type")
    n = len(app.all("table row", start=app.find("tree table", "Vocabulary"), showing=False))
    checks.check(0 < n < 300, f"rows in the tree: {n}")
    ended(app, "quit beside a vocabulary")


def base_tokens(app):
    write(app, "Text", "Hello")
    switch(app, "Add Special Tokens")
    count = len(ids_of(BASE, "Hello", "--bos"))
    until("with BOS", lambda: app.has(f"{count} tokens", "<bos> before the text"))
    wait_text(app, "Tokens", "<bos>Hello", "what is added is shown")
    app.tab_to("text", "Tokens")
    app.key("ctrl+End")
    until("the score", lambda: app.has("Score −"))
    checks.check(True, "a vocabulary with scores")
    ended(app, "quit beside scores")


def corpus_vocabularies():
    folder = os.path.join(CORPUS, "tokenizers")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    names = [name for name in names if name.endswith(".gguf")]
    if not names:
        checks.skip("vocabularies", "no corpus")
    for name in names:
        path = os.path.join(folder, name)

        def check(app):
            text = "The Größe of 12345 tokens,  and more…\n"
            write(app, "Text", text)
            count = len(ids_of(path, text))
            until(f"{name}: the tokens", lambda: app.has(f"{count} tokens · {len(text)} characters"))
            checks.check(True, f"{name}: as many tokens as the tool's")
            # Borders in the prompt, or why there are none.
            app.show_view("Template")
            until(f"{name}: the prompt", lambda: shown(app, "Prompt"))
            checks.wait(lambda: app.has("This vocabulary changes the text" if name.startswith(CHANGING)
                                        else "Point at a token"), f"{name}: tokens in the prompt")
            ended(app, f"quit beside {name}")
        run(check, path, "Tokenizer")


def neither():
    path = os.path.join(work, "many.gguf")
    big_model.write_many(path, 50000)

    def check(app):
        app.wait_for("label", "No Vocabulary")
        checks.check(True, "50,000 tensors without a vocabulary")
        app.show_view("Template")
        wait_text(app, "Prompt", "\n\n".join(m["content"] for m in [SYSTEM] + TURNS),
                  "without a vocabulary: the texts alone")
        checks.wait(lambda: app.has("The file has no usable vocabulary"), "no borders, and why")
        checks.wait(lambda: app.has("There are no tokens without a usable vocabulary"), "also beside the prompt")
        ended(app, "quit beside 50,000 tensors")
    run(check, path, "Tokenizer")


def counted():
    done = subprocess.run([COUNTED, BASE if os.path.exists(BASE) else MODEL], capture_output=True,
                          text=True, timeout=driver.PATIENCE_S * 3, env=driver.environment())
    for line in done.stdout.splitlines():
        if "lines of" in line or "rows of" in line:
            print(line)
    checks.equal(done.returncode, 0, f"counted ({done.stdout[-400:]}{done.stderr[-400:]})")


checks.run("conversation", lambda: run(conversation, MODEL, "Template"))
if os.path.exists(BASE):
    checks.run("base model", lambda: run(base_model, BASE, "Template"))
    checks.run("base tokens", lambda: run(base_tokens, BASE, "Tokenizer"))
else:
    checks.skip("base model", "gemma3.gguf is not there")
checks.run("failing templates", lambda: run(failing, with_templates(
    "failing", default=REFUSING, broken=BROKEN, third=THIRD), "Template"))
checks.run("templates of the corpus", corpus_templates)
checks.run("tokens", lambda: run(tokens, MODEL, "Tokenizer"))
checks.run("vocabularies of the corpus", corpus_vocabularies)
checks.run("neither", neither)
checks.run("counted", counted)
sys.exit(checks.end())
