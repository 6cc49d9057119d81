/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hardware.h - what this computer has: processor level and memory. Any thread; nothing is cached
 * but the processor level, which does not change. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/error.h>

/* A level of the kernels; stronger ones use more of the processor's instructions. */
struct ember_cpu_level {
    char name[16];
    bool here; /* the processor has it and the system lets this process use it */
};

struct ember_hardware {
    char cpu_name[96];      /* as the system calls it, or "" */
    char cpu_features[256]; /* what was found, space separated: "avx2 fma f16c avx512f …" */
    struct ember_cpu_level cpu_levels[8]; /* all of this architecture, weakest first: scalar, avx2,
                                             avxvnni, avx512vnni, amx or neon, dotprod, i8mm; names
                                             beyond the last are "" */
    char cpu_level[16];                   /* the one that is used */
    char cpu_cap[16];                     /* EMBER_CPU if it is set and known, else "" */
    uint32_t n_cores;      /* physical cores this process may use (affinity, cgroup quota), or what
                              EMBER_CORES says */
    uint32_t n_threads;    /* hardware threads likewise */
    uint64_t memory_total; /* bytes */
    uint64_t memory_available; /* bytes: smaller of MemAvailable and what the cgroup still allows */
};

/* Fills `out`; unknown figures are 0. EMBER_INVALID when EMBER_CPU names no level (the sentence
 * lists them) or EMBER_CORES is no number of cores; `out` is filled even then, as if it were not
 * set. */
EMBER_API enum ember_status ember_hardware_read(struct ember_hardware *out,
                                                struct ember_error *err);
