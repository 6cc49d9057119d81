#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# shots.sh HEARTH MODEL FOLDER: pictures of the window, taken by the program itself on a virtual
# display: wide, 360 pixels narrow, dark, and with large text. Prints their paths.
set -eu

hearth=$1
model=$2
folder=$3
here=$(dirname "$0")
question='What is gravity? Answer in one paragraph.'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
mkdir -p "$folder"
# Settings of the pictures' own: the window's size is one of them.
export GSETTINGS_BACKEND=keyfile XDG_CONFIG_HOME="$work/config" XDG_DATA_HOME="$work/data" \
    XDG_CACHE_HOME="$work/cache"
# No desktop is there to say which font it uses: the one of GNOME.
mkdir -p "$XDG_CONFIG_HOME/gtk-4.0"
printf '[Settings]\ngtk-font-name=Cantarell 11\n' > "$XDG_CONFIG_HOME/gtk-4.0/settings.ini"

shot() # shot NAME WIDTH HEIGHT [NAME=VALUE…]
{
    picture=$folder/$1.png
    settings=$XDG_CONFIG_HOME/glib-2.0/settings
    mkdir -p "$settings"
    printf '[io/github/hearth_app/Hearth]\nwindow-width=%s\nwindow-height=%s\n' "$2" "$3" \
        > "$settings/keyfile"
    shift 3
    rm -f "$picture"
    env "$@" sh "$here/with-display.sh" "$hearth" "$model" --ask "$question" \
        --screenshot "$picture" >/dev/null
    echo "$picture"
}

shot wide 1120 760 SCREEN=1280x900
shot narrow 360 720 SCREEN=1280x900
shot dark 1120 760 SCREEN=1280x900 ADW_DEBUG_COLOR_SCHEME=prefer-dark
shot narrow-dark 360 720 SCREEN=1280x900 ADW_DEBUG_COLOR_SCHEME=prefer-dark
shot large-text 1120 760 SCREEN=1280x900 GDK_DPI_SCALE=1.5
