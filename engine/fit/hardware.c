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

/* From one group to the one that holds it; false at the root. */
static bool cgroup_parent(char *group)
{
    char *slash = strrchr(group, '/');
    if (!slash || !strcmp(group, "/"))
        return false;
    slash[slash == group] = '\0';
    return true;
}

static void cgroup_file(const char *group, const char *file, char *out, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", strcmp(group, "/") ? group : "", file);
    slurp(path, out, size);
}

/* Bytes that one group still allows. Pages of files can be dropped, so they do not count as used.
 */
static uint64_t group_memory_left(const char *group)
{
    char text[8192];
    uint64_t limit, used, cached = 0;

    cgroup_file(group, "memory.max", text, sizeof text);
    if (sscanf(text, "%" SCNu64, &limit) != 1)
        return UINT64_MAX;
    cgroup_file(group, "memory.current", text, sizeof text);
    if (sscanf(text, "%" SCNu64, &used) != 1)
        return UINT64_MAX;
    cgroup_file(group, "memory.stat", text, sizeof text);
    const char *at = strstr(text, "\nfile ");
    if (at && sscanf(at + 6, "%" SCNu64, &cached) != 1)
        cached = 0;
    used = used > cached ? used - cached : 0;
    return limit > used ? limit - used : 0;
}

/* Whole processors' worth of time that one group's quota allows, at least 1. */
static uint64_t group_cpus(const char *group)
{
    char text[64];
    uint64_t quota, period;

    cgroup_file(group, "cpu.max", text, sizeof text);
    if (sscanf(text, "%" SCNu64 " %" SCNu64, &quota, &period) != 2 || !period)
        return UINT64_MAX;
    uint64_t cpus = (quota + period - 1) / period;
    return cpus < 1 ? 1 : cpus;
}

/* The tightest limits from this process's group up to the root. */
static void cgroup_limits(uint64_t *memory, uint64_t *cpus)
{
    char group[256];

    *memory = *cpus = UINT64_MAX;
    cgroup_path(group, sizeof group);
    do {
        uint64_t m = group_memory_left(group), c = group_cpus(group);
        *memory = m < *memory ? m : *memory;
        *cpus = c < *cpus ? c : *cpus;
    } while (cgroup_parent(group));
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
    uint64_t left, cpus;
    enum ember_status st = cpu_features_capped(&features, err);

    *out = (struct ember_hardware){ 0 };
    cpu_name(out->cpu_name);
    cpu_feature_names(cpu_features(), out->cpu_features, sizeof out->cpu_features);
    snprintf(out->cpu_level, sizeof out->cpu_level, "%s", cpu_level_name(features));
    if (st == EMBER_OK && features != cpu_features())
        snprintf(out->cpu_cap, sizeof out->cpu_cap, "%s", out->cpu_level);

    count_cpus(&out->n_threads, &out->n_cores);
    cgroup_limits(&left, &cpus);
    if (cpus < out->n_threads)
        out->n_threads = (uint32_t)cpus;
    out->n_cores = out->n_cores < out->n_threads ? out->n_cores : out->n_threads;

    slurp("/proc/meminfo", text, sizeof text);
    out->memory_total = meminfo(text, "MemTotal:");
    out->memory_available = meminfo(text, "MemAvailable:");
    if (left < out->memory_available)
        out->memory_available = left;
    return st;
}
