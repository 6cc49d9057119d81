/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hardware.c - cores and memory that this process may use. Figures come from /proc, /sys and the
 * affinity mask; a container's limits count. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ember/hardware.h>

#include "base/cgroup.h"
#include "base/cores.h"
#include "base/fail.h"
#include "base/text.h"
#include "cpu/cpu.h"

/* A line "Name:   123 kB" of /proc/meminfo, in bytes. */
static uint64_t meminfo(const char *text, const char *name)
{
    uint64_t kib;
    const char *at = strstr(text, name);
    return at && sscanf(at + strlen(name), " %" SCNu64, &kib) == 1 ? kib * 1024 : 0;
}

enum ember_status ember_hardware_read(struct ember_hardware *out, struct ember_error *err)
{
    char text[8192];
    unsigned features;
    struct cgroup_limits limits;
    struct cores cores;
    enum ember_status st = cpu_features_capped(&features, err);

    *out = (struct ember_hardware){ 0 };
    cpu_name(out->cpu_name);
    cpu_feature_names(cpu_features(), out->cpu_features, sizeof out->cpu_features);
    const char *const *level = cpu_level_names();
    for (size_t i = 0; i < sizeof out->cpu_levels / sizeof out->cpu_levels[0] && level[i]; i++) {
        snprintf(out->cpu_levels[i].name, sizeof out->cpu_levels[i].name, "%s", level[i]);
        out->cpu_levels[i].here = cpu_has_level(cpu_features(), level[i]);
    }
    snprintf(out->cpu_level, sizeof out->cpu_level, "%s", cpu_level_name(features));
    if (st == EMBER_OK && features != cpu_features())
        snprintf(out->cpu_cap, sizeof out->cpu_cap, "%s", out->cpu_level);

    enum ember_status cores_st = cores_read(&cores, st == EMBER_OK ? err : NULL);
    out->n_cores = cores.n_cores;
    out->n_threads = cores.n_threads;

    text_slurp("/proc/meminfo", text, sizeof text);
    out->memory_total = meminfo(text, "MemTotal:");
    out->memory_available = meminfo(text, "MemAvailable:");
    cgroup_limits_read(&limits, "");
    if (limits.memory_left < out->memory_available)
        out->memory_available = limits.memory_left;
    return st != EMBER_OK ? st : cores_st;
}
