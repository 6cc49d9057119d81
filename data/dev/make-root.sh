#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# make-root.sh DIR PACKAGES: a Debian 13 root in DIR with the packages of the file PACKAGES.
# Runs as root (or as root of a user namespace) and, where that is allowed, in a mount namespace of
# its own, so nothing it mounts outlives it. ./dev calls it and renames DIR when it is whole.
set -eu

dir=$1
packages=$2


in_root()
{
    LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$dir" "$@"
}

# In a user namespace devices cannot be made; debootstrap then binds those of the host, which it does
# only where it is told that it is in a container.
mkdir -p "$dir"
if mknod "$dir/null" c 1 3 2>/dev/null; then
    rm "$dir/null"
else
    export container=lxc
fi

# shellcheck disable=SC2086 # no word when unset: debootstrap has its own mirror
debootstrap --variant=minbase --include=ca-certificates trixie "$dir" ${HEARTH_MIRROR-}

# debootstrap has taken its mounts away again; what follows wants them, where they are allowed.
for fs in proc sys dev; do
    mount --rbind "/$fs" "$dir/$fs" 2>/dev/null || true
done

# Nobody reads manual pages in here, and nothing starts services or needs a disk flush per file.
cat > "$dir/etc/dpkg/dpkg.cfg.d/hearth" <<END
force-unsafe-io
path-exclude=/usr/share/doc/*
path-exclude=/usr/share/man/*
path-exclude=/usr/share/info/*
END
printf '#!/bin/sh\nexit 101\n' > "$dir/usr/sbin/policy-rc.d"
chmod +x "$dir/usr/sbin/policy-rc.d"
cat > "$dir/etc/apt/apt.conf.d/90hearth" <<END
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "3";
END

# The host's way to reach packages, where it has a proxy or a certificate list of its own.
apt-config dump 2>/dev/null | grep -i '^Acquire::https\?::Proxy' \
    >> "$dir/etc/apt/apt.conf.d/90hearth" || true
cp -L /etc/resolv.conf "$dir/etc/resolv.conf" 2>/dev/null || true

grep -q ':arm64$' "$packages" && in_root dpkg --add-architecture arm64
in_root apt-get update -q
# shellcheck disable=SC2046 # one word per package
in_root apt-get install -q -y $(cat "$packages")
in_root apt-get clean
rm -rf "$dir"/var/lib/apt/lists/*
in_root fc-cache -s 2>/dev/null || true
