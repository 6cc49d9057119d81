/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cgroup.h - what the control groups of this process allow: of both hierarchies, version 1 with a
 * tree for each controller and version 2 with one for all, the tightest limit from the process's
 * own group up to the highest that can be seen. Any thread. */
#pragma once

#include <stdint.h>

struct cgroup_limits {
    uint64_t memory_left; /* bytes; UINT64_MAX without a limit */
    uint64_t n_cpus;      /* a quota of processor time, rounded up; UINT64_MAX without one */
};

/* Reads /proc and the file systems named there, all below the folder `root` ("" for the system's
 * own root). What cannot be read limits nothing. */
void cgroup_limits_read(struct cgroup_limits *out, const char *root);
