#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# shots.sh HEARTH MODEL FOLDER: pictures of the window, taken by the program itself on a virtual
# display: as README.md shows it, wide, 360 pixels narrow, dark, with large text. Prints their paths.
set -eu

hearth=$1
model=$2
folder=$3
here=$(dirname "$0")
question='What is gravity?'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
mkdir -p "$folder"
# Settings of the pictures' own: the window's size is one of them.
export GSETTINGS_BACKEND=keyfile XDG_CONFIG_HOME="$work/config" XDG_DATA_HOME="$work/data" \
    XDG_CACHE_HOME="$work/cache"
shot() # shot NAME WIDTH HEIGHT FONT-SIZE [NAME=VALUE…]
{
    picture=$folder/$1.png
    mkdir -p "$XDG_CONFIG_HOME/glib-2.0/settings" "$XDG_CONFIG_HOME/gtk-4.0"
    printf '[io/github/hearth_app/Hearth]\nwindow-width=%s\nwindow-height=%s\n' "$2" "$3" \
        > "$XDG_CONFIG_HOME/glib-2.0/settings/keyfile"
    # No desktop is there to say which font it uses: the one of GNOME.
    printf '[Settings]\ngtk-font-name=Cantarell %s\n' "$4" \
        > "$XDG_CONFIG_HOME/gtk-4.0/settings.ini"
    shift 4
    rm -f "$picture"
    env "$@" sh "$here/with-display.sh" "$hearth" "$model" --ask "$question" \
        --screenshot "$picture" >/dev/null
    echo "$picture"
}

shot hearth 900 560 11
shot wide 1120 760 11
shot narrow 360 720 11
shot dark 1120 760 11 ADW_DEBUG_COLOR_SCHEME=prefer-dark
shot narrow-dark 360 720 11 ADW_DEBUG_COLOR_SCHEME=prefer-dark
shot large-text 1120 760 16
