/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/cores.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/fail.h"
#include "base/text.h"

/* As many processors as Linux can be built for, and as EMBER_CORES may say. */
enum { CPUS_MAX = 8192, CORES_MAX = 1024 };

/* The first processor of the core that this one belongs to; its siblings are hardware threads. */
static size_t first_of_core(size_t cpu, const char *root)
{
    static const char *const names[] = { "core_cpus_list", "thread_siblings_list" }; /* new, old */

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[1024], text[64];
        unsigned first;
        snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%zu/topology/%s", root, cpu,
                 names[i]);
        text_slurp(path, text, sizeof text);
        if (sscanf(text, "%u", &first) == 1 && first < CPUS_MAX)
            return first;
    }
    return cpu;
}

void cores_count(struct cores *out, const uint8_t *allowed, size_t n, const char *root)
{
    bool seen[CPUS_MAX] = { false };
    struct cgroup_limits limits;
    uint32_t n_threads = 0, n_cores = 0;

    for (size_t cpu = 0; cpu < n && cpu < CPUS_MAX; cpu++) {
        if (!allowed[cpu])
            continue;
        size_t first = first_of_core(cpu, root);
        n_threads++;
        n_cores += !seen[first];
        seen[first] = true;
    }
    cgroup_limits_read(&limits, root);
    if (limits.n_cpus < n_threads)
        n_threads = (uint32_t)limits.n_cpus;
    n_threads = n_threads ? n_threads : 1;
    n_cores = n_cores ? n_cores : 1;
    *out = (struct cores){ .n_cores = n_cores < n_threads ? n_cores : n_threads,
                           .n_threads = n_threads };
}

static size_t affinity(uint8_t allowed[CPUS_MAX])
{
    cpu_set_t sets[CPUS_MAX / CPU_SETSIZE];

    memset(sets, 0, sizeof sets);
    if (sched_getaffinity(0, sizeof sets, sets) == 0) {
        for (size_t i = 0; i < CPUS_MAX; i++)
            allowed[i] = CPU_ISSET_S(i, sizeof sets, sets) != 0;
        return CPUS_MAX;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = online < 1 ? 1 : online > CPUS_MAX ? CPUS_MAX : (size_t)online;
    memset(allowed, 1, n);
    return n;
}

enum ember_status cores_read(struct cores *out, struct ember_error *err)
{
    const char *wish = getenv("EMBER_CORES");
    uint8_t allowed[CPUS_MAX];

    if (wish && *wish) {
        char *end;
        unsigned long n = strtoul(wish, &end, 10);
        if (*wish >= '0' && *wish <= '9' && !*end && n >= 1 && n <= CORES_MAX) {
            *out = (struct cores){ .n_cores = (uint32_t)n, .n_threads = (uint32_t)n };
            return EMBER_OK;
        }
    }
    cores_count(out, allowed, affinity(allowed), "");
    if (!wish || !*wish)
        return EMBER_OK;
    return ember_fail(err, EMBER_INVALID, "EMBER_CORES is \"%.40s\"; it must be from 1 to %d.",
                      wish, CORES_MAX);
}
