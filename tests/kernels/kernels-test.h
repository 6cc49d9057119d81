/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels-test.h - what the kernel checks share: buffers that end at an unreadable page, a random
 * source, and the levels of this processor. */
#pragma once

#include <float.h>
#include <sys/mman.h>

#include "cpu/kernels.h"
#include "quant/blocks.h"
#include "test.h"

/* ---- random numbers: the same in every run ---- */

static uint64_t test_random_state = 0x9E3779B97F4A7C15;

static inline uint32_t random_u32(void)
{
    uint64_t x = test_random_state += 0x9E3779B97F4A7C15;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return (uint32_t)(x >> 32);
}

/* −1 … 1 */
static inline float random_float(void)
{
    return (float)((double)random_u32() / 2147483648.0 - 1);
}

/* ---- guarded buffers ---- */

enum { TEST_GUARDS = 96 };

static struct {
    uint8_t *base;
    size_t n_bytes;
} test_guards[128];

/* n bytes that end where an unreadable page begins, filled with 0xA5. Given back all at once. */
static inline void *guarded(size_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), body = (n + page - 1) / page * page;
    for (int i = 0; i < TEST_GUARDS; i++) {
        if (test_guards[i].base)
            continue;
        uint8_t *base =
            mmap(NULL, body + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (base == MAP_FAILED || mprotect(base + body, page, PROT_NONE) != 0) {
            printf("no memory for a guarded buffer of %zu bytes\n", n);
            exit(1);
        }
        memset(base, 0xA5, body);
        test_guards[i].base = base;
        test_guards[i].n_bytes = body + page;
        return base + body - n;
    }
    printf("too many guarded buffers\n");
    exit(1);
}

static inline void guarded_free_all(void)
{
    for (int i = 0; i < TEST_GUARDS; i++) {
        if (test_guards[i].base)
            munmap(test_guards[i].base, test_guards[i].n_bytes);
        test_guards[i].base = NULL;
    }
}

static inline bool same_bits(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* ---- levels ---- */

#if defined(__x86_64__)
#include "cpu/x86/levels.h"

/* AVX-VNNI's kernels, with the same instruction under EVEX (meson.build). */
static inline bool init_without_vex(struct kern *kern, const char *level, const char **shown)
{
    const unsigned needs = CPU_AVX2 | CPU_AVX512 | CPU_AVX512VNNI;
    if (strcmp(level, "avxvnni") != 0 || (cpu_features() & needs) != needs)
        return false;
    kern_init(kern, CPU_AVX2);
    kern_init_code_rows_avxvnni_evex(kern);
    kern_init_quant_avxvnni_evex(kern);
    kern_init_panel_avxvnni_evex(kern);
    *shown = "avxvnni (EVEX)";
    return true;
}
#else
static inline bool init_without_vex(struct kern *kern, const char *level, const char **shown)
{
    (void)kern;
    (void)level;
    (void)shown;
    return false;
}
#endif

/* Calls `check` with the table of every level that this processor has; others count as skipped. */
static inline void for_each_level(void (*check)(const struct kern *ref, const struct kern *kern,
                                                const char *level))
{
    struct kern ref, kern;
    kern_init(&ref, 0);
    for (const char *const *name = cpu_level_names(); *name; name++) {
        unsigned features = cpu_features();
        if (!CHECK_MSG(cpu_cap(&features, *name), "level %s is unknown", *name))
            continue;
        if (strcmp(cpu_level_name(features), *name) != 0) {
            const char *shown;
            if (init_without_vex(&kern, *name, &shown)) {
                check(&ref, &kern, shown);
                continue;
            }
            test_skip(*name, "this processor or this build has no kernels of that level");
            continue;
        }
        kern_init(&kern, features);
        CHECK_UINT(kern.features, features);
        check(&ref, &kern, *name);
    }
}

/* Element i of a row of F32, F16 or BF16. */
static inline void put_float(enum quant_type type, uint8_t *at, size_t i, float x)
{
    uint16_t half = type == QUANT_F16 ? quant_f32_to_f16(x) : quant_f32_to_bf16(x);
    if (type == QUANT_F32)
        memcpy(at + 4 * i, &x, 4);
    else
        memcpy(at + 2 * i, &half, 2);
}
