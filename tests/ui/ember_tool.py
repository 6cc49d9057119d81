# SPDX-License-Identifier: GPL-3.0-or-later
"""What the engine's tool says, for tests to compare with what the application shows."""
import json
import subprocess


def inspect(ember, path):
    """Of a model file; None where the tool cannot read it."""
    done = subprocess.run([ember, "inspect", "--json", path], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def answer(ember, path, question, *options):
    """What `ember chat` answers at temperature 0."""
    out = subprocess.run([ember, "chat", path, "-p", question, "--temp", "0", "--json", *options],
                         capture_output=True, text=True, check=True).stdout
    return json.loads(out)["text"]
