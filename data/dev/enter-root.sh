#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# enter-root.sh ROOT WORKDIR COMMAND [ARGUMENT…]: runs COMMAND inside ROOT, in WORKDIR.
# BIND and BIND_RO name paths, one a line, that appear inside at their own place. Must run in a
# mount namespace of its own, as its root; ./dev sees to that. AS_USER=UID:GID changes back to the
# person who called, so that files, D-Bus and the display see one and the same user.
set -eu

root=$1
workdir=$2
shift 2

place()
{
    if [ -d "$1" ]; then
        mkdir -p "$root$1"
    else
        mkdir -p "$root${1%/*}"
        [ -e "$root$1" ] || : > "$root$1"
    fi
}

for fs in /proc /sys /dev; do
    mount --rbind "$fs" "$root$fs"
done
cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true

saved_ifs=$IFS
IFS='
'
for path in ${BIND-}; do
    [ -e "$path" ] || continue
    place "$path"
    mount --bind "$path" "$root$path"
done
for path in ${BIND_RO-}; do
    [ -e "$path" ] || continue
    place "$path"
    mount --bind "$path" "$root$path"
    mount -o remount,bind,ro "$root$path" 2>/dev/null ||
        mount -o remount,bind,ro,nosuid,nodev "$root$path"
done
IFS=$saved_ifs
unset BIND BIND_RO

# shellcheck disable=SC2016 # expanded by the shell inside
inside='cd "$0" && exec "$@"'
if [ -n "${AS_USER-}" ]; then
    exec chroot "$root" unshare --user --map-user="${AS_USER%:*}" --map-group="${AS_USER#*:}" \
        sh -c "$inside" "$workdir" "$@"
fi
exec chroot "$root" sh -c "$inside" "$workdir" "$@"
