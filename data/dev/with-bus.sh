#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# with-bus.sh COMMAND…: runs COMMAND on a D-Bus session of its own. The bus and what it starts talk to
# the file BUS_LOG or to nobody, the command to our own output.
set -eu

# shellcheck disable=SC2016 # expanded by the shell inside
exec dbus-run-session -- sh -c 'exec "$@" >&4 2>&5 4>&- 5>&-' sh "$@" \
    4>&1 5>&2 >>"${BUS_LOG:-/dev/null}" 2>&1
