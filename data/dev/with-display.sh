#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# with-display.sh COMMAND…: runs COMMAND on a virtual display and a D-Bus session of its own. The
# server picks a free display number itself, so that several can run at once. SCREEN=WxH.
set -eu

work=$(mktemp -d)
Xvfb -displayfd 3 -screen 0 "${SCREEN:-1280x900}x24" -nolisten tcp -noreset \
    3>"$work/display" 2>"$work/log" &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
tries=0
until [ -s "$work/display" ]; do
    tries=$((tries + 1))
    if [ $tries -gt 300 ] || ! kill -0 $server 2>/dev/null; then
        echo "with-display: no virtual display" >&2
        cat "$work/log" >&2
        exit 1
    fi
    sleep 0.1
done
DISPLAY=:$(cat "$work/display")
GDK_BACKEND=x11
export DISPLAY GDK_BACKEND
unset WAYLAND_DISPLAY XAUTHORITY
BUS_LOG=$work/log sh "$(dirname "$0")/with-bus.sh" "$@"
