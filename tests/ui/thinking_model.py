# SPDX-License-Identifier: GPL-3.0-or-later
"""A chat model whose template begins the answer inside thoughts, as those of reasoning models do: a
copy of another one with its template replaced by one of the same length."""
import json
import struct
import subprocess

TEMPLATE = ("{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
            "{% if add_generation_prompt %}<|im_start|>assistant\n<think>\n{% endif %}")


def write(source, path):
    with open(source, "rb") as file:
        data = file.read()
    name = b"tokenizer.chat_template"
    at = data.index(struct.pack("<Q", len(name)) + name) + 8 + len(name) + 4
    size = struct.unpack_from("<Q", data, at)[0]
    # The end mark stands in a comment, which also fills the room.
    text = (TEMPLATE + "{# </think>").encode()
    assert len(text) + 2 <= size, f"the template has only {size} bytes"
    text += b" " * (size - len(text) - 2) + b"#}"
    with open(path, "wb") as file:
        file.write(data[:at + 8] + text + data[at + 8 + size:])


def write_brief(ember, source, path):
    """One that thinks a sentence and then answers: its template begins with examples of that."""
    def example(question, thought, answer):
        return (f"<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n"
                f"<think>\n{thought}\n</think>\n\n{answer}<|im_end|>\n")
    examples = (example("What is ice?", "The person asks about ice. Ice is cold.",
                        "Ice is frozen water.")
                + example("What is a dog?", "The person asks about dogs. Dogs bark.",
                          "A dog is an animal that barks.")
                + example("What is snow?", "The person asks about snow. Snow is white.",
                          "Snow is frozen rain."))
    template = "{{ " + json.dumps(examples) + " }}" + TEMPLATE
    subprocess.run([ember, "edit", "--set", "tokenizer.chat_template=str:" + template, "-o", path,
                    source], check=True, capture_output=True)
