# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# log.sh - read by ./dev: a long command's output in a file, and on a terminal the line it is at.

# The last line of a log, as far as it fits into one of the terminal.
show_last()
{
    columns=$(stty size <&2 2>/dev/null | cut -d' ' -f2)
    [ "${columns:-0}" -gt 20 ] || columns=80
    line=$(tail -c 4096 "$1" 2>/dev/null | tr -d '\r' | grep -a '[^[:space:]]' | tail -n 1 |
        tr -cd '[:print:]' | cut -c "1-$((columns - 6))")
    printf '\r\033[K  %s' "$line" >&2
}

# into_log LOG COMMAND…: its output goes to LOG. Returns what COMMAND returns.
into_log()
{
    log=$1
    shift
    if [ ! -t 2 ]; then
        "$@" >"$log" 2>&1 </dev/null
        return
    fi
    : >"$log"
    (while sleep 1; do show_last "$log"; done) &
    watcher=$!
    # shellcheck disable=SC2064 # this one, not the one of another call
    trap "kill $watcher 2>/dev/null" EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    result=0
    "$@" >"$log" 2>&1 </dev/null || result=$?
    kill "$watcher" 2>/dev/null || true
    wait "$watcher" 2>/dev/null || true
    trap - EXIT INT TERM
    printf '\r\033[K' >&2
    return "$result"
}
