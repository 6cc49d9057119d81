/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the processor can do and the system lets us use. On x86 an instruction set needs two yeses:
 * CPUID's, and the system's, which saves its registers only if XCR0 says so. */
#include "cpu/kernels.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

/* Weakest first. A cap leaves what the level may use; a processor has the level when it has what
 * its kernels need. */
struct level {
    const char *name;
    unsigned may_use, needs;
};

enum {
    MAY_AVXVNNI = CPU_AVX2 | CPU_AVXVNNI,
    MAY_AVX512 =
        MAY_AVXVNNI | CPU_AVX512 | CPU_AVX512VNNI | CPU_AVX512VBMI | CPU_GFNI | CPU_AVX512BF16,
    NEED_AVX512 = CPU_AVX2 | CPU_AVX512 | CPU_AVX512VNNI,
    NEED_AMX = NEED_AVX512 | CPU_AVX512BF16 | CPU_AMX,
    NEED_DOTPROD = CPU_NEON | CPU_DOTPROD,
    NEED_I8MM = NEED_DOTPROD | CPU_I8MM
};

static const struct level levels[] = {
    { "scalar", 0, 0 },
#if defined(__x86_64__)
    { "avx2", CPU_AVX2, CPU_AVX2 },
    { "avxvnni", MAY_AVXVNNI, MAY_AVXVNNI },
    { "avx512vnni", MAY_AVX512, NEED_AVX512 },
    { "amx", MAY_AVX512 | CPU_AMX, NEED_AMX },
#elif defined(__aarch64__)
    { "neon", CPU_NEON, CPU_NEON },
    { "dotprod", NEED_DOTPROD, NEED_DOTPROD },
    { "i8mm", NEED_I8MM, NEED_I8MM },
#endif
};

enum { N_LEVELS = sizeof levels / sizeof levels[0] };

#if defined(__x86_64__)
static uint64_t read_xcr0(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

/* Tiles make a thread's saved state 8 KiB larger, so Linux wants to be asked, before the threads
 * that use them start. Asking again changes nothing. */
static bool tiles_granted(void)
{
#if defined(__linux__) && defined(SYS_arch_prctl)
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 }; /* asm/prctl.h; XCR0's bit */
    return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
#else
    return false;
#endif
}

unsigned cpu_features(void)
{
    /* XCR0: vector registers of 128 and 256 bits; then mask and 512-bit registers; then tiles. */
    enum { XCR0_AVX = 0x06, XCR0_AVX512 = 0xE6, XCR0_AMX = 0x60000 };
    uint32_t a, b, c, d, c1, b7, c7, d7, a71 = 0;
    unsigned found = 0;

    if (!__get_cpuid(1, &a, &b, &c1, &d) || !(c1 & bit_OSXSAVE) || !(c1 & bit_AVX))
        return 0;
    uint64_t xcr0 = read_xcr0();
    if ((xcr0 & XCR0_AVX) != XCR0_AVX || !__get_cpuid_count(7, 0, &a, &b7, &c7, &d7))
        return 0;
    if (a >= 1)
        __get_cpuid_count(7, 1, &a71, &b, &c, &d);

    if ((b7 & bit_AVX2) && (c1 & bit_FMA) && (c1 & bit_F16C))
        found |= CPU_AVX2;
    if (!(found & CPU_AVX2))
        return found;
    if (a71 & 1 << 4)
        found |= CPU_AVXVNNI;
    if (c7 & 1 << 8)
        found |= CPU_GFNI;
    if ((xcr0 & XCR0_AVX512) != XCR0_AVX512)
        return found;
    if ((b7 & bit_AVX512F) && (b7 & bit_AVX512BW) && (b7 & bit_AVX512VL) && (b7 & bit_AVX512DQ))
        found |= CPU_AVX512;
    if (!(found & CPU_AVX512))
        return found;
    if (c7 & 1 << 11)
        found |= CPU_AVX512VNNI;
    if (c7 & 1 << 1)
        found |= CPU_AVX512VBMI;
    if (a71 & 1 << 5)
        found |= CPU_AVX512BF16;
    /* Leaf 7 EDX: 22 bf16 tiles, 24 tiles. */
    if ((d7 & 1 << 22) && (d7 & 1 << 24) && (xcr0 & XCR0_AMX) == XCR0_AMX && tiles_granted())
        found |= CPU_AMX;
    return found;
}

void cpu_name(char out[96])
{
    uint32_t r[12];
    char brand[sizeof r + 1];

    out[0] = 0;
    for (unsigned i = 0; i < 3; i++) {
        if (!__get_cpuid(0x80000002 + i, &r[4 * i], &r[4 * i + 1], &r[4 * i + 2], &r[4 * i + 3]))
            return;
    }
    memcpy(brand, r, sizeof r);
    brand[sizeof r] = 0;
    /* Vendors pad with spaces, in front, behind and in between. */
    size_t n = 0;
    for (const char *s = brand; *s; s++) {
        if (*s == ' ' && (n == 0 || out[n - 1] == ' '))
            continue;
        out[n++] = *s >= 32 && *s < 127 ? *s : '?';
    }
    while (n && out[n - 1] == ' ')
        n--;
    out[n] = 0;
}
#else
/* The value of a "key : value" line of /proc/cpuinfo. */
static bool cpuinfo_value(const char *key, char *out, size_t size)
{
    char line[256];
    bool found = false;
    FILE *f = fopen("/proc/cpuinfo", "re");
    if (!f)
        return false;
    while (!found && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) || !colon)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        colon[strcspn(colon, "\n")] = 0;
        snprintf(out, size, "%s", colon);
        found = true;
    }
    fclose(f);
    return found;
}

unsigned cpu_features(void)
{
    unsigned found = 0;
#if defined(__aarch64__)
    /* Bits of the kernel's interface (asm/hwcap.h); older headers lack the names. */
    unsigned long caps = getauxval(AT_HWCAP), caps2 = getauxval(AT_HWCAP2);
    if (caps & 1ul << 1)
        found |= CPU_NEON;
    if ((found & CPU_NEON) && (caps & 1ul << 20))
        found |= CPU_DOTPROD;
    if ((found & CPU_DOTPROD) && (caps2 & 1ul << 13))
        found |= CPU_I8MM;
#endif
    return found;
}

void cpu_name(char out[96])
{
    out[0] = 0;
    if (!cpuinfo_value("model name", out, 96) && !cpuinfo_value("Model", out, 96))
        cpuinfo_value("Hardware", out, 96);
}
#endif

bool cpu_cap(unsigned *features, const char *level)
{
    /* Names of all architectures are understood everywhere, so that one setting can travel between
     * machines; another architecture's level takes nothing away here. */
    static const char *const all[] = { "scalar", "avx2", "avxvnni", "avx512vnni",
                                       "amx",    "neon", "dotprod", "i8mm" };
    for (int i = 0; i < N_LEVELS; i++) {
        if (!strcmp(levels[i].name, level)) {
            *features &= levels[i].may_use;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (!strcmp(all[i], level))
            return true;
    }
    return false;
}

bool cpu_has_level(unsigned features, const char *level)
{
    for (int i = 0; i < N_LEVELS; i++) {
        if (!strcmp(levels[i].name, level))
            return (features & levels[i].needs) == levels[i].needs;
    }
    return false;
}

const char *cpu_level_name(unsigned features)
{
    const char *best = levels[0].name;
    for (int i = 0; i < N_LEVELS; i++) {
        if ((features & levels[i].needs) == levels[i].needs)
            best = levels[i].name;
    }
    return best;
}

const char *const *cpu_level_names(void)
{
#if defined(__x86_64__)
    static const char *const names[] = { "scalar", "avx2", "avxvnni", "avx512vnni", "amx", NULL };
#elif defined(__aarch64__)
    static const char *const names[] = { "scalar", "neon", "dotprod", "i8mm", NULL };
#else
    static const char *const names[] = { "scalar", NULL };
#endif
    return names;
}

void cpu_feature_names(unsigned features, char *out, size_t size)
{
    static const struct {
        unsigned feature;
        const char *names;
    } names[] = {
        { CPU_AVX2, "avx2 fma f16c" },
        { CPU_AVXVNNI, "avxvnni" },
        { CPU_AVX512, "avx512f avx512bw avx512vl avx512dq" },
        { CPU_AVX512VNNI, "avx512vnni" },
        { CPU_AVX512VBMI, "avx512vbmi" },
        { CPU_GFNI, "gfni" },
        { CPU_AVX512BF16, "avx512bf16" },
        { CPU_AMX, "amx" },
        { CPU_NEON, "neon" },
        { CPU_DOTPROD, "dotprod" },
        { CPU_I8MM, "i8mm" },
    };
    size_t at = 0;

    if (size)
        out[0] = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!(features & names[i].feature) || at >= size)
            continue;
        int n = snprintf(out + at, size - at, "%s%s", at ? " " : "", names[i].names);
        at += n > 0 ? (size_t)n : 0;
    }
}
