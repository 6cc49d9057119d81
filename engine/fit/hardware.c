/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hardware.c - cores and memory that this process may use. Figures come from /proc, /sys and the
 * affinity mask; a container's limits count. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ember/hardware.h>

#include "base/fail.h"
#include "cpu/cpu.h"

/* Reads a small file whole; "" when it cannot be read. */
static void slurp(const char *path, char *out, size_t size)
{
    size_t n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    while (fd >= 0 && n + 1 < size) {
        ssize_t got = read(fd, out + n, size - 1 - n);
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    if (fd >= 0)
        close(fd);
    out[n] = '\0';
}

/* A line "Name:   123 kB" of /proc/meminfo, in bytes. */
static uint64_t meminfo(const char *text, const char *name)
{
    uint64_t kib;
    const char *at = strstr(text, name);
    return at && sscanf(at + strlen(name), " %" SCNu64, &kib) == 1 ? kib * 1024 : 0;
}

/* This process's group in the unified hierarchy, or "/" . */
static void cgroup_path(char *out, size_t size)
{
    char text[4096];
    slurp("/proc/self/cgroup", text, sizeof text);
    const char *at = strstr(text, "0::");
    snprintf(out, size, "/");
    if (at && (at == text || at[-1] == '\n')) {
        const char *end = strchr(at, '\n');
        snprintf(out, size, "%.*s", (int)(end ? end - at - 3 : (long)strlen(at + 3)), at + 3);
    }
}

static bool cgroup_u64(const char *group, const char *file, uint64_t *out)
{
    char path[512], text[64];
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", strcmp(group, "/") ? group : "", file);
    slurp(path, text, sizeof text);
    return sscanf(text, "%" SCNu64, out) == 1;
}

/* Walks from this process's group to the root: the tightest limit counts. */
static uint64_t cgroup_memory_left(void)
{
    char group[256];
    uint64_t left = UINT64_MAX;

    cgroup_path(group, sizeof group);
    for (;;) {
        uint64_t limit, used;
        if (cgroup_u64(group, "memory.max", &limit) && cgroup_u64(group, "memory.current", &used)) {
            /* Pages of files can be dropped, so they do not count as used. */
            char path[512], text[8192];
            uint64_t cached = 0;
            snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.stat",
                     strcmp(group, "/") ? group : "");
            slurp(path, text, sizeof text);
            const char *at = strstr(text, "\nfile ");
            if (at && sscanf(at + 6, "%" SCNu64, &cached) != 1)
                cached = 0;
            used = used > cached ? used - cached : 0;
            uint64_t here = limit > used ? limit - used : 0;
            left = here < left ? here : left;
        }
        char *slash = strrchr(group, '/');
        if (!slash || !strcmp(group, "/"))
            break;
        if (slash == group)
            slash[1] = '\0';
        else
            *slash = '\0';
    }
    return left;
}

/* Whole processors' worth of time that the group's quota allows, or `most`. */
static uint32_t cgroup_cpus(uint32_t most)
{
    char group[256];

    cgroup_path(group, sizeof group);
    for (;;) {
        char path[512], text[64];
        uint64_t quota, period;
        snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", strcmp(group, "/") ? group : "");
        slurp(path, text, sizeof text);
        if (sscanf(text, "%" SCNu64 " %" SCNu64, &quota, &period) == 2 && period) {
            uint64_t cpus = (quota + period - 1) / period;
            if (cpus < 1)
                cpus = 1;
            most = cpus < most ? (uint32_t)cpus : most;
        }
        char *slash = strrchr(group, '/');
        if (!slash || !strcmp(group, "/"))
            break;
        if (slash == group)
            slash[1] = '\0';
        else
            *slash = '\0';
    }
    return most;
}

/* Counts processors of the affinity mask, and of those the ones that are the first of their core.
 */
static void count_cpus(uint32_t *threads, uint32_t *cores)
{
    cpu_set_t set;

    *threads = *cores = 0;
    if (sched_getaffinity(0, sizeof set, &set) < 0) {
        long n = sysconf(_SC_NPROCESSORS_ONLN);
        *threads = *cores = n > 0 ? (uint32_t)n : 1;
        return;
    }
    bool seen[CPU_SETSIZE] = { false };
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        char path[96], text[64];
        unsigned first;
        if (!CPU_ISSET(cpu, &set))
            continue;
        ++*threads;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list",
                 cpu);
        slurp(path, text, sizeof text);
        if (sscanf(text, "%u", &first) != 1 || first >= CPU_SETSIZE)
            first = cpu;
        if (!seen[first]) {
            seen[first] = true;
            ++*cores;
        }
    }
}

enum ember_status ember_hardware_read(struct ember_hardware *out, struct ember_error *err)
{
    char text[8192];
    unsigned features;
    enum ember_status st = cpu_features_capped(&features, err);

    *out = (struct ember_hardware){ 0 };
    cpu_name(out->cpu_name);
    cpu_feature_names(cpu_features(), out->cpu_features, sizeof out->cpu_features);
    snprintf(out->cpu_level, sizeof out->cpu_level, "%s", cpu_level_name(features));
    if (st == EMBER_OK && features != cpu_features())
        snprintf(out->cpu_cap, sizeof out->cpu_cap, "%s", out->cpu_level);

    count_cpus(&out->n_threads, &out->n_cores);
    out->n_threads = cgroup_cpus(out->n_threads);
    out->n_cores = out->n_cores < out->n_threads ? out->n_cores : out->n_threads;

    slurp("/proc/meminfo", text, sizeof text);
    out->memory_total = meminfo(text, "MemTotal:");
    out->memory_available = meminfo(text, "MemAvailable:");
    uint64_t left = cgroup_memory_left();
    if (left < out->memory_available)
        out->memory_available = left;
    return st;
}
