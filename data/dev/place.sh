# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# place.sh - read by ./dev: where the work is done, and how to get there. The host, when it meets the
# floor; otherwise a Debian 13 root in the cache folder, entered by the first way that is allowed:
# as root a mount namespace and chroot; as an ordinary user bubblewrap or a user namespace; where
# mounts are forbidden, chroot and a copy of the project.

: "${project:?}" "${shared:?}" "${parts:?}" "${build:?}" "${cache:?}"

packages() # the one list, for this machine
{
    machine=$(uname -m)
    sed -e 's/#.*//' "$parts/packages.list" | while read -r package; do
        case $package in
        amd64:*) [ "$machine" != x86_64 ] || echo "${package#amd64:}" ;;
        ?*) echo "$package" ;;
        esac
    done
}

# The floor is GTK 4.18 and libadwaita 1.7: installed already, or what this release offers.
host_meets_floor()
{
    [ -z "${HEARTH_ROOT-}" ] || return 1
    if pkg-config --atleast-version=4.18 gtk4 2>/dev/null &&
        pkg-config --atleast-version=1.7 libadwaita-1 2>/dev/null; then
        return 0
    fi
    case $(os_release ID) in
    debian) [ "$(os_release VERSION_ID)" -ge 13 ] 2>/dev/null ;;
    ubuntu) [ "$(os_release VERSION_ID | cut -d. -f1)" -ge 26 ] 2>/dev/null ;;
    *) false ;;
    esac
}

os_release()
{
    sed -n "s/^$1=\"\{0,1\}\([^\"]*\).*/\1/p" /etc/os-release 2>/dev/null
}

as_root()
{
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        command -v sudo >/dev/null || die "root is needed, and there is no sudo, for: $*"
        sudo "$@"
    fi
}

apt_install()
{
    command -v apt-get >/dev/null || die "please install with your package manager: $*"
    say "installing with apt: $*"
    as_root apt-get update -qq || say "some package lists could not be read; going on without"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" \
        </dev/null >/dev/null
}

prepare_host()
{
    command -v dpkg-query >/dev/null || return 0 # not a Debian: the build names what it misses
    # shellcheck disable=SC2016 # dpkg-query's own variables
    show='${db:Status-Abbrev}${Package}\n${db:Status-Abbrev}${Package}:${Architecture}\n'
    missing=$(packages | grep -vxF "$(dpkg-query -W -f="$show" | sed -n 's/^ii //p')") || return 0
    if [ "$(os_release ID)" != debian ]; then
        # Ubuntu keeps arm64 elsewhere; the arm tests then say what they miss.
        missing=$(echo "$missing" | grep -v ':arm64$') || return 0
    fi
    case $missing in
    *:arm64*) as_root dpkg --add-architecture arm64 ;;
    esac
    # shellcheck disable=SC2086 # a list of words
    apt_install $missing
}

# A mount namespace; root of a user namespace stands in for root where the person is not root.
namespace()
{
    if [ "$(id -u)" = 0 ]; then
        unshare --mount --propagation private "$@"
    else
        unshare --user --map-root-user --map-auto --mount --propagation private --pid --fork \
            --mount-proc "$@"
    fi
}

# Sets `root`, and makes it when it is not there: under another name, renamed when whole.
prepare_root()
{
    root=$cache/root-$(packages | sha256sum | cut -c1-12)
    [ ! -d "$root" ] || return 0
    mkdir -p "$cache"
    exec 9> "$cache/root.lock"
    flock 9 # a second ./dev waits here for the first one's root
    [ ! -d "$root" ] || return 0
    command -v debootstrap >/dev/null || apt_install debootstrap
    run=namespace
    if ! namespace true 2>/dev/null; then
        [ "$(id -u)" = 0 ] || {
            say "an ordinary user needs user namespaces with newuidmap to make a Debian 13 root:"
            die "sudo apt-get install uidmap, and an entry for $(id -un) in /etc/subuid and /etc/subgid"
        }
        run="env" # debootstrap can do without mounts
    fi
    for old in "$cache"/root-*.part; do
        [ ! -d "$old" ] || { say "removing a half-made root"; $run rm -rf "$old"; }
    done
    say "making a Debian 13 root, once, some minutes (log: $cache/root.log)"
    packages > "$cache/packages.list"
    if ! into_log "$cache/root.log" $run sh "$parts/make-root.sh" "$root.part" \
        "$cache/packages.list"; then
        tail -n 20 "$cache/root.log" >&2
        $run rm -rf "$root.part"
        die "could not make the root; the whole log is $cache/root.log"
    fi
    mv "$root.part" "$root"
    exec 9>&-
}

# enter_root COMMAND…: in the root, with the project, ../shared, the cache, the model file, the
# display, D-Bus and the devices at the places they have outside.
enter_root()
{
    mkdir -p "$cache/home" "$cache/models" "$build"
    BIND="/tmp
$project
$cache
${XDG_RUNTIME_DIR-}"
    BIND_RO="$shared
${model-}
${against-}
${XAUTHORITY-}"
    export BIND BIND_RO
    # Programs inside keep their own settings and data; the person's stay untouched.
    unset XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_DATA_DIRS XDG_CONFIG_DIRS
    export HEARTH_INSIDE=root HOME="$cache/home" LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin
    unset LANGUAGE LC_ALL LD_LIBRARY_PATH LD_PRELOAD PYTHONPATH PYTHONHOME
    enter="$parts/enter-root.sh"
    if [ "$(id -u)" = 0 ]; then
        if unshare --mount true 2>/dev/null; then
            exec unshare --mount --propagation private sh "$enter" mount "$root" "$project" "$@"
        fi
        say "mounts are forbidden here: working in a copy, without display, D-Bus, GPU and /proc"
        exec sh "$enter" copy "$root" "$project" "$@"
    fi
    # D-Bus wants to know who is asking.
    grep -q "^$(id -un):" "$root/etc/passwd" ||
        echo "$(id -un):x:$(id -u):$(id -g)::$HOME:/bin/sh" >> "$root/etc/passwd"
    if bwrap --bind / / true 2>/dev/null; then
        exec sh "$enter" bwrap "$root" "$project" "$@"
    fi
    if unshare --user --map-root-user --mount true 2>/dev/null; then
        AS_USER=$(id -u):$(id -g)
        export AS_USER
        exec unshare --user --map-root-user --mount --propagation private \
            sh "$enter" mount "$root" "$project" "$@"
    fi
    die "neither bubblewrap nor user namespaces work for $(id -un): sudo apt-get install bubblewrap"
}
