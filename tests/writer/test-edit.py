# SPDX-License-Identifier: GPL-3.0-or-later
"""edit, import-metadata, split, merge, hash, diff: files come back as they were, and never half written."""
import glob
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import stat
import struct
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "tools"), os.path.join(HERE, "..", "doctor")]

from cases import ARR, BOOL, F32, F64, I32, I64, Q8_0, STR, U16, U32, U64, U8, build, deep_array, model, noise, tensors, vocabulary
from tool import EMBER, check, equal, fails, main, missing, path, run, run_json, skip


def write(name, data):
    file = path(name)
    with open(file, "wb") as out:
        out.write(data)
    return file


def read(file):
    with open(file, "rb") as data:
        return data.read()


def does(*args, **more):
    result = run(*args, **more)
    return equal(result.returncode, 0, " ".join(args)[:200], result.stderr)


RICH = [("a.u8", U8, 255), ("a.u16", U16, 65535), ("a.i32", I32, -5), ("a.u64", U64, 2 ** 64 - 1), ("a.i64", I64, -2 ** 63),
        ("a.f32", F32, 0.1), ("a.f64", F64, 0.1), ("a.nan", F32, float("nan")), ("a.inf", F64, float("-inf")), ("a.yes", BOOL, 1),
        ("a.odd", BOOL, 3), ("a.text", STR, "näme\n\"x\""), ("a.bytes", STR, b"\xff\0\xfe"), ("a.none", ARR, (STR, [])),
        ("a.texts", ARR, (STR, ["", "b", "c" * 300])), ("a.numbers", ARR, (I32, [1, -2, 3])), ("a.nest", ARR, deep_array(3)),
        ("a.flags", ARR, (BOOL, [1, 0, 1])), ("a.raw", ARR, (STR, [b"\xc0", "ok"])), ("a.last", STR, "")]
# Version 1 has no 64-bit numbers.
PLAIN = [k for k in RICH if k[1] not in (U64, I64, F64)]
WHOLE = build(model(more=RICH), tensors() + [("x", [32, 6], Q8_0), ("s", [], 0), ("z", [3, 1], 0)])


def sound_files():
    corpus = os.environ.get("HEARTH_CORPUS") or ""
    for place in ("archs/*.gguf", "tokenizers/*.gguf", "badgguf/ok-*.gguf"):
        yield from sorted(glob.glob(os.path.join(corpus, place)))


def test_identity():
    """Edit and edit back, export and import, split and merge: the same bytes."""
    files = [write("rich.gguf", WHOLE), write("vocabulary.gguf", vocabulary())]
    others = [f for f in sound_files() if b"GGUF\3\0\0\0" == read(f)[:8]]
    if not others:
        missing("corpus", "no files")
    for file in files + others[:12] + others[-4:]:
        want, name = read(file), os.path.basename(file)
        there, back, keys = path("there.gguf"), path("back.gguf"), path("keys.json")
        does("edit", file, "--set", "zz.new=str:something", "--rename", "general.name=zz.name", "-o", there) \
            if b"general.name" in want else does("edit", file, "--set", "zz.new=str:something", "-o", there)
        check(read(there) != want, name)
        undo = ["--remove", "zz.new"] + (["--rename", "zz.name=general.name"] if b"general.name" in want else [])
        does("edit", there, *undo, "-o", back)
        check(read(back) == want, name, "edit and back differs")
        does("export-metadata", file, "-o", keys)
        does("edit", file, "--set", "zz.new=u32:1", "-o", there)
        does("import-metadata", there, keys, "-o", back)
        check(read(back) == want, name, "import of an export differs")


def test_split_merge():
    file = write("whole.gguf", WHOLE)
    for n, options in enumerate([["--max-tensors", "3"], ["--max-size", "1K"], ["--max-tensors", "4", "--no-tensors-first"],
                                 ["--max-tensors", "1000"]]):
        prefix = path(f"parts-{n}")
        files = run_json("split", file, *options, "-o", prefix)["files"]
        total = sum(len(run_json("doctor", f)["problems"]) and 0 for f in files)
        equal(total, 0)
        for f in files:
            seen = run_json("inspect", f)
            equal(seen["file"]["n_tensors"], 14, f)
            equal(seen["file"]["size"], sum(os.path.getsize(p) for p in files), f)
            if n:
                break
        merged = path(f"merged-{n}.gguf")
        does("merge", files[-1], "-o", merged)
        check(read(merged) == WHOLE, options, "split and merged differs")
        equal(run_json("diff", file, files[0], "--error")["tensors"][0]["different"], 0)
        fails(1, "there already", "merge", files[0], "-o", merged)
        fails(1, "there already", "split", file, *options, "-o", prefix)
        if len(files) > 1:
            os.rename(files[1], path("elsewhere.bin"))
            fails(1, ["Part 2 of", "missing"], "inspect", files[0])
            # Another name is fine: the header says which part it is.
            os.rename(path("elsewhere.bin"), path("renamed.gguf"))
            equal(run_json("inspect", files[0])["file"]["n_tensors"], 14)
            os.unlink(path("renamed.gguf"))


def test_versions():
    """Versions 1 and 2 and big-endian files become version 3, little-endian, with the same content."""
    rows = tensors() + [("x", [32, 2], Q8_0, {"data": struct.pack("<H", 0x3c00) + bytes(range(32)) + struct.pack("<H", 0x4000) + bytes(32)})]
    want = build(model(more=PLAIN), rows)
    swapped = tensors() + [("x", [32, 2], Q8_0, {"data": struct.pack(">H", 0x3c00) + bytes(range(32)) + struct.pack(">H", 0x4000) + bytes(32)})]
    flat = [k for k in PLAIN if k[0] != "a.nest"]
    for name, data in [("v1", build(model(more=flat), rows, version=1)), ("v2", build(model(more=PLAIN), rows, version=2)),
                       ("be", build(model(more=flat), swapped, big=True))]:
        reference = want if name == "v2" else build(model(more=flat), rows)
        file, out = write(name + ".gguf", data), path(name + "-out.gguf")
        does("edit", file, "--set", "zz.x=u8:1", "-o", path("t.gguf"))
        does("edit", path("t.gguf"), "--remove", "zz.x", "-o", out)
        check(read(out) == reference, name, "is not the same as version 3")
        equal(run_json("diff", file, write("reference.gguf", reference), "--error")["equal"], True, name)


def test_values():
    file, out = write("values.gguf", WHOLE), path("values-out.gguf")
    settings = {"b.u8": "u8:255", "b.i8": "i8:-128", "b.u64": "u64:18446744073709551615", "b.f32": "f32:0.5", "b.bool": "bool:true",
                "b.str": "str:a=b:c", "b.list": "arr[u16]:[1, 2, 65535]", "b.texts": 'arr[str]:["x", "ü"]', "b.none": "arr[f32]:[]"}
    does("edit", *[w for k, v in settings.items() for w in ("--set", k + "=" + v)], "-o", out, file)
    seen = run_json("inspect", out)["metadata"]
    equal({k: seen[k]["value"] for k in settings},
          {"b.u8": 255, "b.i8": -128, "b.u64": 2 ** 64 - 1, "b.f32": 0.5, "b.bool": True, "b.str": "a=b:c", "b.list": [1, 2, 65535],
           "b.texts": ["x", "ü"], "b.none": []})
    for wrong in ["b=u8:256", "b=u8:-1", "b=what:1", "nothing", "b=arr[u8]:[256]", "b=arr[u8]:7", "b=arr[str]:[1]", "=u8:1",
                  "general.alignment=u32:13", "general.alignment=u64:32", "b=bool:2", "b=f32:x"]:
        before = read(out)
        result = run("edit", file, "--set", wrong, "-o", out)
        equal(result.returncode, 2, wrong, result.stderr)
        equal(read(out), before, wrong)
    fails(1, "no key", "edit", file, "--remove", "not.there", "-o", out)
    fails(2, "there, too", "edit", file, "--rename", "a.u8=a.u16", "-o", out)
    fails(2, "either", "edit", file, "--set", "a=u8:1")
    fails(2, "nothing to do", "edit", file, "-o", out)
    # Another alignment lays the tensors out anew.
    does("edit", file, "--set", "general.alignment=u32:256", "-o", out)
    seen = run_json("inspect", out)
    equal(seen["file"]["alignment"], 256)
    check(all(t["offset"] % 256 == 0 for t in seen["tensors"]))
    equal({t["different"] for t in run_json("diff", file, out, "--error")["tensors"]}, {0})
    does("edit", out, "--remove", "general.alignment", "-o", path("again.gguf"))
    check(read(path("again.gguf")) == WHOLE, "alignment and back")


def test_odd_keys():
    """What the doctor only warns of can be mended: empty and repeated keys."""
    file = write("odd.gguf", build(model(more=[("", U8, 1), ("k", U8, 2), ("k", U8, 3)]), tensors()))
    equal([p["severity"] for p in run_json("doctor", file)["problems"]], ["warning", "warning"])
    out = path("odd-out.gguf")
    does("edit", file, "--remove", "", "--remove", "k", "-o", out)
    check(read(out) == build(model(more=[("k", U8, 3)]), tensors()), "one of each is left")


def test_in_place():
    file = write("place.gguf", WHOLE)
    os.chmod(file, 0o640)
    inode = os.stat(file).st_ino
    seen = run_json("edit", file, "--in-place", "--set", "general.name=str:TINY")
    equal(seen["patched"], True)
    equal((os.stat(file).st_ino, stat.S_IMODE(os.stat(file).st_mode)), (inode, 0o640))
    equal(run_json("inspect", file)["metadata"]["general.name"]["value"], "TINY")
    seen = run_json("edit", file, "--in-place", "--set", "general.description=str:" + "x" * 500)
    equal(seen["patched"], False)
    equal(stat.S_IMODE(os.stat(file).st_mode), 0o640)
    does("edit", file, "--in-place", "--remove", "general.description", "--set", "general.name=str:tiny")
    check(read(file) == WHOLE, "in place and back")
    # A link stays one.
    link = path("link.gguf")
    os.symlink(file, link)
    does("edit", link, "--in-place", "--set", "general.description=str:" + "x" * 500)
    check(os.path.islink(link) and os.path.getsize(file) > len(WHOLE))
    equal([n for n in os.listdir(os.path.dirname(file)) if n.startswith(".")], [], "left over")
    os.unlink(link)


def test_journal():
    """A header that was half written when the machine stopped is put back by whoever opens the file."""
    file = write("torn.gguf", WHOLE)
    size = run_json("inspect", file)["file"]["data_offset"]
    journal = path(".torn.gguf.ember-journal")
    new = bytes(255 - b for b in WHOLE[:size])
    sums = siphash13(struct.pack("<QQ", 0x4A52554F4E414C31, 0), WHOLE[:size] + new)
    whole_journal = b"EMBERJ2\n" + struct.pack("<QQ", size, sums) + WHOLE[:size] + new
    for cut in (1, 100, size - 1, size):
        write("torn.gguf", new[:cut] + WHOLE[cut:])
        write(".torn.gguf.ember-journal", whole_journal)
        equal(run_json("inspect", file)["file"]["n_tensors"], 14)
        check(read(file) == WHOLE and not os.path.exists(journal), f"the old header is back after {cut} bytes")
    # A journal that was not finished means that the file was not touched.
    write(".torn.gguf.ember-journal", whole_journal[:-1])
    equal(run_json("inspect", file)["file"]["n_tensors"], 14)
    check(read(file) == WHOLE and not os.path.exists(journal), "an unfinished journal")
    # Another file by the same name stays as it is.
    other = WHOLE.replace(b"tiny", b"TINY")
    check(other != WHOLE, "the file has a name to change")
    write("torn.gguf", other)
    write(".torn.gguf.ember-journal", whole_journal)
    equal(run_json("inspect", file)["file"]["n_tensors"], 14)
    check(read(file) == other and not os.path.exists(journal), "another file is not mended")


def siphash13(key, data):
    mask = 2 ** 64 - 1
    k0, k1 = struct.unpack("<QQ", key)
    v = [k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573]

    def rotate(x, n):
        return (x << n | x >> (64 - n)) & mask

    def mix():
        v[0] = (v[0] + v[1]) & mask; v[1] = rotate(v[1], 13) ^ v[0]; v[0] = rotate(v[0], 32)
        v[2] = (v[2] + v[3]) & mask; v[3] = rotate(v[3], 16) ^ v[2]
        v[0] = (v[0] + v[3]) & mask; v[3] = rotate(v[3], 21) ^ v[0]
        v[2] = (v[2] + v[1]) & mask; v[1] = rotate(v[1], 17) ^ v[2]; v[2] = rotate(v[2], 32)

    whole = len(data) // 8 * 8
    for i in range(0, whole, 8):
        m = struct.unpack_from("<Q", data, i)[0]
        v[3] ^= m
        mix()
        v[0] ^= m
    m = int.from_bytes(data[whole:], "little") | (len(data) & 255) << 56
    v[3] ^= m
    mix()
    v[0] ^= m
    v[2] ^= 255
    for _ in range(3):
        mix()
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def big_file(name, n_bytes=24 << 20):
    return write(name, build(model(), tensors() + [("big", [n_bytes // 4], 0, {"data": noise(4096) * (n_bytes // 4096)})]))


def kill_often(file, command, *more):
    """50 kills at random moments of a command that changes the file: the old or the new one, by its bytes."""
    old = read(file)
    out = path("kill-out.gguf")
    shutil.copy(file, out)
    start = time.monotonic()
    does(command, out, *more)
    took = time.monotonic() - start
    new = read(out)
    check(new != old, "the command changes the file")
    dice = random.Random(6)
    counts = {"old": 0, "new": 0}
    for i in range(50):
        if read(file) != old:
            with open(file, "wb") as again:
                again.write(old)
        process = subprocess.Popen([EMBER, command, file, *more], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(dice.uniform(0, took))
        process.send_signal(signal.SIGKILL)
        process.wait()
        does("inspect", file, "--keys", "none")  # whoever opens it next mends it
        now = read(file)
        counts["old" if now == old else "new"] += 1
        check(now in (old, new), "kill", i, "left something else")
    for left in os.listdir(os.path.dirname(file)):
        if left.startswith("."):
            check(left.startswith(".kill"), left)
            os.unlink(path(left))
    print(f"{command}: killed 50 times, {counts['old']} times the old file, {counts['new']} times the new one")


def test_kills():
    """Killed at any moment, there is the old file or the new one."""
    kill_often(big_file("kill.gguf"), "edit", "--in-place", "--set", "general.description=str:" + "new " * 100)
    # A header of 2 MiB, all of it changed in place.
    long = build(model(more=[("a.long", ARR, (U8, b"\1" * (2 << 20)))]), tensors())
    file, keys = write("kill-2.gguf", long), path("kill-keys.json")
    with open(keys, "w") as out:
        json.dump({"a.long": {"type": "arr[u8]", "value": [2] * (2 << 20)}}, out)
    seen = run_json("import-metadata", file, keys, "--merge", "--in-place")
    equal(seen["patched"], True)
    kill_often(write("kill-2.gguf", long), "import-metadata", keys, "--merge", "--in-place")


def test_full_disk():
    file = big_file("full.gguf")
    old = read(file)

    def limit(n_bytes):
        def apply():
            resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))
        return apply
    change = ["--in-place", "--set", "general.description=str:" + "x" * 300]
    for n_bytes in (8 << 20, 0, 100):
        result = run("edit", file, *change, preexec_fn=limit(n_bytes))
        equal(result.returncode, 1)
        check(b"cannot be written" in result.stderr, result.stderr)
        check(read(file) == old, "a full disk changed the file")
    # A change in place that has no room for its journal.
    long = build(model(more=[("a.long", ARR, (U8, b"\1" * (1 << 20)))]), tensors())
    place = write("full-2.gguf", long)
    result = run("edit", place, "--in-place", "--set", "general.name=str:TINY", preexec_fn=limit(1 << 20))
    equal(result.returncode, 1)
    check(b"cannot be written" in result.stderr, result.stderr)
    check(read(place) == long, "no room for a journal, and the file has changed")
    equal([n for n in os.listdir(os.path.dirname(file)) if n.startswith(".")], [], "left over")
    # A disk of its own that is really full.
    disk = path("disk")
    os.mkdir(disk)
    script = ('mount -t tmpfs -o size=40m none "$1" && cp "$2" "$1/m.gguf" && "$3" edit "$1/m.gguf" --in-place --set '
              'a.b=str:' + "x" * 300 + '; echo $? >"$4"; cmp "$2" "$1/m.gguf" && ls -A "$1" >>"$4"')
    said = path("said.txt")
    for options in (["-m", "--propagation", "unchanged"], ["-rm"]):  # as root, as anybody
        result = subprocess.run(["unshare", *options, "sh", "-c", script, "sh", disk, file, EMBER, said], capture_output=True)
        if not result.returncode:
            break
    if result.returncode:
        skip("a full tmpfs", result.stderr)
    else:
        equal(open(said).read().split(), ["1", "m.gguf"], "status and what is on the disk", result.stderr)
        check(b"No space left" in result.stderr, result.stderr)


def test_diff():
    a = write("a.gguf", build(model(more=[("k.same", U32, 1), ("k.gone", U32, 2), ("k.list", ARR, (U32, [1, 2, 3, 4]))]),
                              tensors() + [("gone", [4], 0)]))
    b = write("b.gguf", build(model(more=[("k.same", U32, 1), ("k.list", ARR, (U32, [1, 9, 3])), ("k.new", STR, "x")],
                                    change={"general.name": (STR, "other")}),
                              tensors(change={"blk.0.attn_k.weight": ("blk.0.attn_k.weight", [8, 4], 1),
                                              "output_norm.weight": ("output_norm.weight", [8], 0, {"data": struct.pack("<8f", *[2.0] * 8)})}) +
                              [("new", [4], 0)]))
    seen = run_json("diff", a, b)
    equal(seen["equal"], False)
    keys = {k["key"]: k for k in seen["keys"]}
    equal({k: v["change"] for k, v in keys.items()},
          {"general.name": "changed", "k.gone": "removed", "k.list": "changed", "k.new": "added"})
    equal(keys["k.list"]["different"], 2)
    equal(keys["k.list"]["before"]["values"], [2, 3, 4])
    rows = {t["name"]: t for t in seen["tensors"]}
    equal({k: v["change"] for k, v in rows.items()}, {"gone": "removed", "new": "added", "blk.0.attn_k.weight": "changed"})
    rows = {t["name"]: t for t in run_json("diff", a, b, "--error")["tensors"]}
    floats = struct.unpack("<8f", noise(32, 2))
    norm = rows["output_norm.weight"]
    want = (sum((2 - x) ** 2 for x in floats) / sum(x * x for x in floats)) ** 0.5
    check(abs(norm["relative_rms"] - want) < 1e-6 * want, norm, want)
    check(abs(norm["maximum"] - max(abs(2 - x) for x in floats)) < 1e-6, norm)
    dot = sum(2 * x for x in floats) / (sum(x * x for x in floats) * 32) ** 0.5
    check(abs(norm["cosine"] - dot) < 1e-6, norm, dot)
    equal(rows["blk.0.attn_q.weight"]["relative_rms"], 0)
    for file in [a, *list(sound_files())[:6]]:
        equal(run_json("diff", file, file)["equal"], True, file)
    text = run("diff", a, b).stdout.decode()
    check("added    key k.new" in text and "removed  tensor gone" in text, text)


def keys_of(value):
    return list(value) if value is not None else None


def test_json():
    """The keys of every command's answer are those of engine/tools/README.md, on one file and on parts, wherever the
    options stand; exit statuses are 0, 1 and 2."""
    whole = write("json.gguf", WHOLE)
    parts = run_json("split", whole, "--max-tensors", "5", "-o", path("json-part"))["files"]
    equal(len(parts), 3)
    keys = path("json-keys.json")
    facts = ["version", "endian", "n_kv", "n_tensors", "architecture", "alignment", "data_offset", "size", "type"]
    for n, file in enumerate([whole, *parts]):
        seen = run_json("inspect", file)
        equal(keys_of(seen), ["file", "metadata", "tensors", "totals"])
        equal(keys_of(seen["file"]), facts)
        equal(keys_of(seen["tensors"][0]), ["name", "type", "shape", "offset", "bytes"])
        equal(keys_of(seen["totals"]), ["parameters", "bytes", "bits_per_weight", "by_type"])
        equal(len(seen["tensors"]), 14, file)
        result = run("doctor", "--json", file, "--deep")
        report = json.loads(result.stdout)
        equal((keys_of(report), keys_of(report["file"]), result.returncode), (["ok", "file", "problems"], facts, 0))
        equal(keys_of(report["problems"][0]), ["severity", "code", "where", "message", "advice"])
        seen = run_json("hash", file)
        equal(keys_of(seen), ["files", "tensors"])
        equal(len(seen["tensors"]), 14)
        equal(seen["files"], [{"file": f, "sha256": hashlib.sha256(read(f)).hexdigest()} for f in ([whole] if file == whole else parts)])
        equal(keys_of(seen["files"][0]), ["file", "sha256"])
        equal(run_json("hash", "--whole", file)["tensors"], [])
        seen = run_json("diff", "--error", whole, file)
        equal(keys_of(seen), ["equal", "keys", "tensors"])
        equal(keys_of(seen["tensors"][0]), ["name", "change", "before", "after", "relative_rms", "maximum", "cosine", "different"])
        equal({t["different"] for t in seen["tensors"]}, {0})
        equal([k["key"] for k in seen["keys"]], [] if file == whole else ["split.no", "split.count", "split.tensors.count"])
        does("export-metadata", file, "-o", keys)
        out = path(f"json-out-{n}.gguf")
        seen = run_json("import-metadata", "-o", out, file, keys)
        equal(keys_of(seen), ["file", "patched", "n_kv", "n_tensors"])
        equal((seen["file"], seen["patched"], seen["n_tensors"]), (out, False, 14))
        seen = run_json("edit", "--set", "zz.a=u8:1", "-o", out, file)
        equal(keys_of(seen), ["file", "patched", "n_kv", "n_tensors"])
        seen = run_json("merge", "-o", path(f"json-merged-{n}.gguf"), file)
        equal(keys_of(seen), ["file", "parts", "n_tensors"])
        equal((seen["parts"], seen["n_tensors"]), (1 if file == whole else 3, 14))
        check(read(path(f"json-merged-{n}.gguf")) == WHOLE, file, "merged")
        again = run_json("split", file, "-o", path(f"json-again-{n}"), "--max-tensors=7")
        equal(keys_of(again), ["files"])
        equal(len(again["files"]), 2)
    # In place the first part is changed, whichever is named; the set stays one.
    seen = run_json("edit", parts[2], "--in-place", "--set", "general.name=str:TINY")
    equal((seen["file"], seen["patched"]), (parts[0], True))
    equal(run_json("inspect", parts[1])["metadata"]["general.name"]["value"], "TINY")
    equal([p for p in run_json("doctor", parts[1])["problems"] if p["severity"] != "info"], [])
    # A part stays one, whatever keys it is given.
    does("export-metadata", whole, "-o", keys)
    does("import-metadata", parts[1], keys, "--in-place")
    equal(run_json("inspect", parts[0])["metadata"]["general.name"]["value"], "tiny")
    check(read(parts[0])[:24] != WHOLE[:24])
    # Every command takes --set, and none ignores it.
    name = ["--set", "general.name=str:NEW"]
    equal(run_json("inspect", whole, *name)["metadata"]["general.name"]["value"], "NEW")
    equal(run_json("export-metadata", *name, whole)["general.name"]["value"], "NEW")
    equal(run_json("diff", whole, whole, *name)["equal"], True)
    other = path("json-other.gguf")
    does("edit", whole, "--set", "general.name=str:OTHER", "-o", other)
    equal((run_json("diff", whole, other)["equal"], run_json("diff", whole, other, *name)["equal"]), (False, True))
    for command, more in (("merge", ["-o", path("json-set.gguf")]), ("import-metadata", [keys, "-o", path("json-set-2.gguf")])):
        made = run_json(command, whole, *more, *name)["file"]
        equal(run_json("inspect", made)["metadata"]["general.name"]["value"], "NEW", command)
    made = run_json("split", whole, "-o", path("json-set-3"), *name)["files"]
    equal(run_json("inspect", made[0])["metadata"]["general.name"]["value"], "NEW")
    report = json.loads(run("doctor", whole, "--json", "--set", "llama.context_length=u32:0").stdout)
    equal([p["code"] for p in report["problems"] if p["severity"] == "warning" and "context" in p["message"]], ["range"])
    for command, more in (("doctor", []), ("inspect", []), ("diff", [whole]), ("hash", []), ("split", ["-o", path("no")]),
                          ("merge", ["-o", path("no")]), ("export-metadata", []), ("edit", ["-o", path("no")]),
                          ("import-metadata", [keys, "-o", path("no")])):
        for wrong in ("nothing", "a=u8:256", "a=what:1"):
            result = run(command, whole, *more, "--json", "--set", wrong)
            equal((result.returncode, result.stdout), (2, b""), command, wrong, result.stderr)
            equal(len(result.stderr.decode().splitlines()), 1, command, result.stderr)
    check(not os.path.exists(path("no")), "something was written")
    # A difference is no failure; a file that cannot be read is, and a missing one on the line is another.
    equal([run("diff", whole, f).returncode for f in (whole, other)], [0, 0])
    equal(run("diff", whole, path("none.gguf")).returncode, 1)
    equal(run("diff", whole).returncode, 2)
    equal(run("diff", whole, other, other).returncode, 2)


def test_odd_paths():
    """Names with spaces, line ends, quotes, dashes, of 250 bytes and not in UTF-8; folders that are links; a missing part."""
    here = os.getcwd()
    folder = path("f \n'\"$(x)")
    os.mkdir(folder)
    os.symlink(folder, path("link"))
    os.chdir(folder)
    try:
        for name in ["a b.gguf", "-o", "--json", "n\nl.gguf", "'q\".gguf", "x" * 245 + ".gguf", b"\xff\xfe.gguf", "no-end", ".gguf", "ü.GGUF"]:
            with open(name, "wb") as out:
                out.write(WHOLE)
            for place in (name, os.path.join(os.fsencode(path("link")), os.fsencode(name))):
                result = run("edit", "--in-place", "--set", "general.name=str:TINY", "--json", "--", place)
                equal(result.returncode, 0, place, result.stderr)
                check(json.loads(result.stdout)["patched"], place)
                result = run("edit", "--in-place", "--set", "general.description=str:" + "x" * 300, "--json", "--", place)
                equal(result.returncode, 0, place, result.stderr)
                check(not json.loads(result.stdout)["patched"], place)
                for command in ("inspect", "doctor", "hash"):
                    result = run(command, "--json", "--", place)
                    equal(result.returncode, 0, command, place, result.stderr)
                    json.loads(result.stdout.decode())
                with open(name, "wb") as out:
                    out.write(WHOLE)
            os.unlink(name)
        equal(os.listdir("."), [], "left over")
        for command in ("inspect", "edit", "diff", "split", "merge", "hash", "doctor", "export-metadata"):
            more = {"edit": ["--set", "a=u8:1", "-o", "o"], "diff": ["none"], "split": ["-o", "o"], "merge": ["-o", "o"]}.get(command, [])
            for file in ("none", ".", "/dev/null", "/dev/zero", "none/none"):
                result = run(command, file, *more)
                equal(result.returncode, 1, command, file, result.stderr)
    finally:
        os.chdir(here)
    # What cannot be written.
    file = write("w.gguf", WHOLE)
    for out in (path("none/x.gguf"), path("w.gguf/x"), "/dev/full", "/proc/x.gguf", folder):
        fails(1, "", "edit", file, "--set", "a=u8:1", "-o", out)
    check(read(file) == WHOLE)


def test_inspect():
    file = write("inspect.gguf", WHOLE)
    seen = run_json("inspect", file, "--keys", "llama.a*")
    equal(list(seen["metadata"]), ["llama.attention.head_count", "llama.attention.head_count_kv", "llama.attention.layer_norm_rms_epsilon"])
    equal((seen["tensors"], seen["file"]["n_tensors"]), ([], 14))
    seen = run_json("inspect", "--tensors", file)
    equal((seen["metadata"], len(seen["tensors"])), ({}, 14))
    text = run("inspect", "--tensors", file).stdout.decode()
    check("ffn_down" in text and "general.name" not in text, text)
    text = run("inspect", "--keys=*.name", file).stdout.decode()
    check("ffn_down" not in text and "general.name" in text and "a.u8" not in text, text)


def test_hash():
    file = write("hash.gguf", WHOLE)
    seen = run_json("hash", file)
    equal(seen["files"], [{"file": file, "sha256": hashlib.sha256(WHOLE).hexdigest()}])
    where = run_json("inspect", file)
    start = where["file"]["data_offset"]
    equal(run_json("hash", file, env={"EMBER_CPU": "scalar"}), seen, "by the plain code")
    for t, h in zip(where["tensors"], seen["tensors"]):
        data = WHOLE[start + t["offset"]:start + t["offset"] + t["bytes"]]
        equal(h, {"name": t["name"], "sha256": hashlib.sha256(data).hexdigest()})
    for n in (0, 1, 55, 56, 63, 64, 65, 119, 120, 1000):
        name = write("n.gguf", build([("a", STR, "x" * n)], []))
        equal(run_json("hash", name)["files"][0]["sha256"], hashlib.sha256(read(name)).hexdigest())


if __name__ == "__main__":
    main(test_identity, test_split_merge, test_versions, test_values, test_odd_keys, test_in_place, test_journal, test_kills, test_full_disk,
         test_diff, test_hash, test_json, test_odd_paths, test_inspect)
