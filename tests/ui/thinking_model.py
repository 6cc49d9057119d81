# SPDX-License-Identifier: GPL-3.0-or-later
"""A chat model whose template begins the answer inside thoughts, as those of reasoning models do: a
copy of another one with its template replaced by one of the same length."""
import struct

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
