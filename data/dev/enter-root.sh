#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# enter-root.sh mount|bwrap|copy ROOT PROJECT COMMAND [ARGUMENT…]: runs COMMAND in PROJECT inside ROOT.
# BIND and BIND_RO name paths, one a line, that are to be found inside at their own place.
#   mount  needs a mount namespace of its own; AS_USER=UID:GID is who to be inside
#   bwrap  makes its own
#   copy   mounts nothing: the project is copied in, and its build folder back out
set -eu

way=$1
root=$2
project=$3
shift 3

each_line() # each_line FUNCTION LINES
{
    echo "$2" | while IFS= read -r path; do
        [ -z "$path" ] || [ ! -e "$path" ] || "$1" "$path"
    done
}

make_place()
{
    if [ -d "$1" ]; then
        mkdir -p "$root$1"
    else
        mkdir -p "$root${1%/*}"
        [ -e "$root$1" ] || : > "$root$1"
    fi
}

bind()
{
    make_place "$1"
    mount --bind "$1" "$root$1"
}

bind_read_only()
{
    bind "$1"
    # A user namespace may not drop flags that the outer mount has.
    mount -o remount,bind,ro "$root$1" 2>/dev/null ||
        mount -o remount,bind,ro,nosuid,nodev "$root$1"
}

copy_in()
{
    make_place "$1"
    cp -a "$1/." "$root$1/" 2>/dev/null || cp -a "$1" "$root$1"
}

# shellcheck disable=SC2016 # expanded by the shell inside
inside='cd "$0" && exec "$@"'
cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true

case $way in
mount)
    [ -z "${AS_USER-}" ] || mount --rbind "$root" "$root" # so that it can become the root directory
    for fs in /proc /sys /dev; do
        mount --rbind "$fs" "$root$fs"
    done
    each_line bind "$BIND"
    each_line bind_read_only "$BIND_RO"
    unset BIND BIND_RO
    if [ -n "${AS_USER-}" ]; then
        # Not chroot: a process in one may not make the user namespace that changes the user back.
        cd "$root"
        pivot_root . .
        umount -l .
        cd /
        exec unshare --user --map-user="${AS_USER%:*}" \
            --map-group="${AS_USER#*:}" sh -c "$inside" "$project" "$@"
    fi
    exec chroot "$root" sh -c "$inside" "$project" "$@"
    ;;
bwrap)
    option=--bind
    add() { printf '%s\n%s\n%s\n' "$option" "$1" "$1"; }
    list=$(
        each_line add "$BIND"
        option=--ro-bind
        each_line add "$BIND_RO"
    )
    unset BIND BIND_RO
    saved_ifs=$IFS
    IFS='
'
    # shellcheck disable=SC2086 # one word a line
    set -- $list --chdir "$project" "$@"
    IFS=$saved_ifs
    exec bwrap --bind "$root" / --dev-bind /dev /dev --ro-bind /proc /proc --ro-bind /sys /sys "$@"
    ;;
copy)
    # The cache holds this root, so of it only the models go in.
    each_line copy_in "$project
$HEARTH_CACHE/models
$BIND_RO"
    mkdir -p "$root$HOME"
    unset BIND BIND_RO
    status=0
    chroot "$root" sh -c "$inside" "$project" "$@" || status=$?
    mkdir -p "$project/build"
    cp -a "$root$project/build/." "$project/build/"
    exit "$status"
    ;;
esac
