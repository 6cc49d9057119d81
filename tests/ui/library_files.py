# SPDX-License-Identifier: GPL-3.0-or-later
"""Model files as people have them: thousands of small ones, and the stores of other programs, laid out
in a home folder as those programs do it."""
import hashlib
import json
import os
import struct

import big_model
from big_model import STRING, U32, key, text


HOME = ("HOME", "HOST_XDG_CACHE_HOME", "HOST_XDG_DATA_HOME", "HOST_XDG_CONFIG_HOME")


def at_home(home):
    """The environment of a program whose user has this home folder, while its own folders are those of
    the test."""
    return dict(zip(HOME, (home, home + "/.cache", home + "/.local/share", home + "/.config")))


def small(name, architecture="nobodys", kind=None, n_bytes=128, keys=()):
    """The bytes of a sound file of one tensor; nothing can run it."""
    all_keys = [key("general.architecture", STRING, architecture), key("general.name", STRING, name)]
    if kind:
        all_keys.append(key("general.type", STRING, kind))
    all_keys += keys
    out = b"GGUF" + struct.pack("<IQQ", 3, 1, len(all_keys)) + b"".join(all_keys)
    out += text("a") + struct.pack("<IQIQ", 1, n_bytes // 4, 0, 0)
    return out + bytes(-len(out) % 32) + bytes(n_bytes)


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(data)
    return path


def many(folder, n):
    """n small files, a hundred to a folder."""
    for i in range(n):
        write(os.path.join(folder, f"{i // 100:03}", f"model-{i:05}.gguf"), small(f"Model {i:05}"))


def runnable(path, name, layers=2):
    """A small llama that chats; it takes no room."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return big_model.write(path, layers=layers, width=256, inner=512, name=name)


def embedder(path, name):
    """One that makes vectors of texts."""
    return write(path, small(name, "bert", keys=[key("bert.pooling_type", U32, 1)]))


def ollama(home, name, tag, source, projector=None):
    """Puts the file into Ollama's store as NAME:TAG, by a link where it can be."""
    root = os.path.join(home, ".ollama/models")
    layers = []
    for kind, path in (("model", source), ("projector", projector)):
        if path is None:
            continue
        digest = hashlib.sha256(os.path.basename(path).encode()).hexdigest()
        blob = os.path.join(root, "blobs", "sha256-" + digest)
        os.makedirs(os.path.dirname(blob), exist_ok=True)
        if not os.path.exists(blob):
            os.link(path, blob)
        layers.append({"mediaType": f"application/vnd.ollama.image.{kind}",
                       "digest": "sha256:" + digest, "size": os.path.getsize(path)})
    manifest = {"schemaVersion": 2, "config": {}, "layers": layers}
    write(os.path.join(root, "manifests/registry.ollama.ai/library", name, tag),
          json.dumps(manifest).encode())


def stores(home):
    """A model or two in the store of each program; one file is in three of them. Returns its path."""
    shared = os.path.join(home, ".lmstudio/models/acme-labs/otter-7b-GGUF/otter-7b-Q4_K_M.gguf")
    runnable(shared, "Otter 7B")
    eyes = write(os.path.join(os.path.dirname(shared), "mmproj-otter-7b-F16.gguf"),
                 small("Otter 7B eyes", "clip", "mmproj", 4096))
    ollama(home, "otter", "7b", shared, eyes)
    snapshot = os.path.join(home, ".cache/huggingface/hub/models--acme-labs--otter-7b-GGUF",
                            "snapshots/0123456789abcdef")
    os.makedirs(snapshot)
    os.symlink(shared, os.path.join(snapshot, "otter-7b-Q4_K_M.gguf"))
    heron = os.path.join(home, "heron")
    runnable(heron, "Heron 3B", 3)
    ollama(home, "heron", "3b-instruct", heron)
    os.remove(heron)
    embedder(os.path.join(home, ".cache/llama.cpp/acme_wren_wren-embed-Q8_0.gguf"), "Wren Embed")
    jan = os.path.join(home, ".local/share/Jan/data/llamacpp/models/acme/kite")
    runnable(os.path.join(jan, "model.gguf"), "Kite 1B")
    write(os.path.join(jan, "model.yml"),
          b"name: kite\nmodel_path: llamacpp/models/acme/kite/model.gguf\n")
    runnable(os.path.join(home, ".local/share/nomic.ai/GPT4All/swift-2b.gguf"), "Swift 2B")
    return shared
