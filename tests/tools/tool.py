# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the tool share: running it, counting checks, the closing line.

A test is a script that gets the path of the tool and ends with main(test, …); each test calls check()
as often as it likes. Nothing depends on how fast the machine is: whoever waits, waits for an event."""
import json
import os
import subprocess
import sys
import tempfile
import traceback

EMBER = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "ember"
# Only to end a test that hangs.
PATIENCE = 300

counts = {"passed": 0, "failed": 0, "skipped": 0}
folder = tempfile.TemporaryDirectory(prefix="ember-test-")


def path(name):
    """A place for a file of this test; gone when it ends."""
    return os.path.join(folder.name, name)


def count(passed, what):
    """Counts a check; a failed one is printed with the line of the test that asked."""
    counts["passed" if passed else "failed"] += 1
    if not passed:
        frame = next(f for f in reversed(traceback.extract_stack()) if f.filename != __file__)
        print(f"{os.path.basename(frame.filename)}:{frame.lineno}: {what}", flush=True)
    return passed


def check(condition, *what):
    return count(bool(condition), " ".join(map(str, what))[:500] or "is not so")


def equal(got, want, *what):
    return count(got == want, f"{' '.join(map(str, what))[:200]} is {str(got)[:300]!r}, "
                              f"expected {str(want)[:300]!r}")


def missing(what, why):
    """Something that could have been there: skipped for a person, a failure where CI is set."""
    failed = bool(os.environ.get("CI"))
    counts["failed" if failed else "skipped"] += 1
    print(f"{what}: {'missing' if failed else 'skipped'}: {why}", flush=True)


def skip(what, why):
    """Something that this machine cannot do."""
    counts["skipped"] += 1
    print(f"{what}: skipped: {why}", flush=True)


def main(*tests):
    """Runs the tests, each to its end or to an exception, which is a failure; then the closing line."""
    for test in tests:
        try:
            test()
        except Exception:  # the next ones still say something
            counts["failed"] += 1
            print(f"{test.__name__}: {traceback.format_exc()}", flush=True)
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    folder.cleanup()
    sys.stdout.flush()
    if counts["failed"] or not (counts["passed"] or counts["skipped"]):
        sys.exit(1)
    sys.exit(0 if counts["passed"] else 77)


def run(*args, stdin=b"", env=None, **more):
    """Runs the tool to its end; stdout and stderr are bytes."""
    if "stdout" not in more:
        more["stdout"] = subprocess.PIPE
    return subprocess.run([EMBER, *args], input=stdin, stderr=subprocess.PIPE, timeout=PATIENCE,
                          env={**os.environ, **(env or {})}, **more)


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


def run_json(*args, **more):
    """The one JSON value of a command that must succeed, or None after a failed check."""
    result = run(*args, "--json", **more)
    if not (equal(result.returncode, 0, " ".join(args), "exit status", result.stderr) and
            equal(result.stderr, b"", " ".join(args), "standard error")):
        return None
    try:
        return json.loads(result.stdout.decode(), parse_constant=no_constant)
    except ValueError as error:
        check(False, " ".join(args), error)
        return None


def fails(status, words, *args, **more):
    """Whether a command fails with this status, one sentence that holds the words, and nothing on
    standard output. Returns the sentence."""
    result = run(*args, **more)
    said = result.stderr.decode(errors="replace")
    call = " ".join(map(str, args))[:100]
    equal(result.returncode, status, call, "exit status", said)
    equal(len(said.splitlines()), 1, call, "lines of standard error", said)
    equal(said[:7], "ember: ", call)
    for word in [words] if isinstance(words, str) else words:
        check(word in said, call, repr(word), "is not in", said)
    if result.stdout is not None:
        equal(result.stdout, b"", call, "standard output")
    return said
