/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decoders by instruction set against the scalar ones: the same bits for random blocks, for
 * every scale there is, for every length, with source and destination ending at an unreadable page.
 * Sums over many values against plain loops. --bench times them instead. */
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "quant/fast.h"
#include "quant/survey.h"
#include "test.h"

enum { ROOM = 1 << 20 };

/* The end of `room` bytes, behind which nothing can be touched. */
static uint8_t *guarded(size_t room)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (room + page - 1) / page * page;
    uint8_t *p =
        mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED || mprotect(p + size, page, PROT_NONE))
        return NULL;
    return p + size;
}

static uint8_t *source_end, *got_end;
static float want[ROOM / 4];

static uint64_t dice_state = 88172645463325252u;

static uint64_t dice(void)
{
    dice_state ^= dice_state << 13;
    dice_state ^= dice_state >> 7;
    dice_state ^= dice_state << 17;
    return dice_state;
}

/* Two NaNs are the same. */
static bool same_bits(const float *a, const float *b, size_t n, size_t *at)
{
    for (size_t i = 0; i < n; i++) {
        if (memcmp(&a[i], &b[i], sizeof *a) != 0 && !(a[i] != a[i] && b[i] != b[i])) {
            *at = i;
            return false;
        }
    }
    return true;
}

/* Decodes the last n values before the source's end by both and compares. */
static void compare(enum quant_level level, uint32_t type, size_t n, const char *what)
{
    const struct quant_info *info = quant_info(type);
    const uint8_t *source = source_end - n / info->block_length * info->block_bytes;
    float *got = (float *)(void *)got_end - n;
    size_t at = 0;

    memset(got, 0xA5, n * sizeof *got);
    quant_decoder(type)(source, n, want);
    quant_decoder_at(level, type)(source, n, got);
    bool same = same_bits(got, want, n, &at);
    float found = same ? 0 : got[at], expected = same ? 0 : want[at];
    CHECK_MSG(same, "%s at level %s, %s, %zu values: value %zu is %.9g, expected %.9g", info->name,
              quant_level_name(level), what, n, at, (double)found, (double)expected);
}

static void check_type(enum quant_level level, uint32_t type)
{
    const struct quant_info *info = quant_info(type);
    size_t n_blocks = 65536 / info->block_length;
    size_t n_bytes = n_blocks * info->block_bytes;

    for (size_t i = 1; i <= n_bytes; i++)
        source_end[-(ptrdiff_t)i] = (uint8_t)(dice() >> 24);
    compare(level, type, n_blocks * info->block_length, "random");
    for (size_t n = 0; n <= 67; n++)
        compare(level, type, n * info->block_length, "random");
    /* All codes the same, every code there is. */
    for (unsigned byte = 0; byte < 256; byte++) {
        memset(source_end - 4 * info->block_bytes, (int)byte, 4 * (size_t)info->block_bytes);
        compare(level, type, 4 * (size_t)info->block_length, "one byte");
    }
}

/* Every half in every place where a scale can lie (of long blocks one in thirteen), and in halves
 * themselves. */
static void check_halves(enum quant_level level, uint32_t type)
{
    const struct quant_info *info = quant_info(type);
    static const unsigned places[] = { 0, 2, 48, 52, 64, 80, 82, 108, 208 };

    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        unsigned place = places[p];
        if (place + 2 > info->block_bytes)
            break;
        size_t step = info->block_length > 32 ? 13 : 1;
        size_t n_blocks = 65536 / step, most = ROOM / 4 / info->block_length;
        for (size_t from = 0; from < n_blocks; from += most) {
            size_t n = n_blocks - from < most ? n_blocks - from : most;
            uint8_t *at = source_end - n * info->block_bytes;
            for (size_t i = 0; i < n * info->block_bytes; i++)
                at[i] = (uint8_t)(i * 37 + 11) & 0x3B; /* other scales stay finite */
            for (size_t i = 0; i < n; i++) {
                at[i * info->block_bytes + place] = (uint8_t)((from + i) * step);
                at[i * info->block_bytes + place + 1] = (uint8_t)((from + i) * step >> 8);
            }
            compare(level, type, n * info->block_length, "every scale");
        }
    }
}

static void test_decoders(void)
{
    CHECK(quant_level_runs(quant_level()));
    CHECK(!quant_decoder_at(QUANT_LEVEL_PLAIN, 31) && !quant_decoder_at(QUANT_LEVEL_PLAIN, 4711));
    for (enum quant_level level = QUANT_LEVEL_PLAIN; level < QUANT_LEVEL_COUNT; level++) {
        unsigned n_fast = 0;
        if (!quant_level_runs(level)) {
            test_skip(quant_level_name(level), "this processor lacks it");
            continue;
        }
        for (uint32_t type = 0; type < QUANT_TYPE_COUNT; type++) {
            quant_decode_fn fast = quant_decoder_at(level, type);
            CHECK(!fast == !quant_decoder(type));
            if (!fast || fast == quant_decoder(type))
                continue; /* the same function: nothing to prove */
            n_fast++;
            check_type(level, type);
            check_halves(level, type);
        }
        CHECK_MSG(n_fast >= 20, "level %s has %u decoders of its own", quant_level_name(level),
                  n_fast);
    }
    setenv("EMBER_CPU", "scalar", 1);
    CHECK(quant_level() == QUANT_LEVEL_SCALAR);
    unsetenv("EMBER_CPU");
    CHECK(quant_decoder_at(QUANT_LEVEL_SCALAR, QUANT_Q4_K) == quant_decoder(QUANT_Q4_K));
}

static void test_bad(const struct quant_survey *survey)
{
    static float x[70000];
    bool any;

    for (size_t n = 0; n <= 70; n++) {
        memset(x, 0, sizeof x);
        CHECK(survey->count_bad(x, n, &any) == 0 && !any);
        for (size_t i = 0; i < n; i++) {
            x[i] = 1e-45f; /* the smallest there is */
            CHECK(survey->count_bad(x, n, &any) == 0 && any);
            x[i] = i % 3 ? NAN : i % 2 ? INFINITY : -INFINITY;
            CHECK(survey->count_bad(x, n, &any) == 1 && any);
            x[i] = -0.0f;
            CHECK(survey->count_bad(x, n, &any) == 0 && !any);
        }
    }
    for (size_t i = 0; i < 70000; i++)
        x[i] = NAN;
    CHECK_UINT(survey->count_bad(x, 70000, &any), 70000);
}

static struct quant_distance distance_of(const struct quant_survey *survey, const float *a,
                                         const float *b, size_t n)
{
    struct quant_distance d = { 0 };
    survey->add_distance(&d, a, b, n);
    return d;
}

static void test_distance(const struct quant_survey *survey)
{
    static float a[1000], b[1000];

    for (size_t i = 0; i < 1000; i++) {
        a[i] = (float)((int64_t)(dice() >> 40) - (1 << 23)) / (1 << 20);
        b[i] = i % 3 ? a[i] : a[i] + (float)(i % 7) / 8;
    }
    for (size_t n = 0; n <= 1000; n += n < 40 ? 1 : 37) {
        struct quant_distance d = distance_of(survey, a, b, n), other = { 0 };
        struct quant_distance plain = distance_of(&quant_survey_plain, a, b, n);
        for (size_t i = 0; i < n; i++) {
            double x = a[i], y = b[i];
            other.aa += x * x;
            other.bb += y * y;
            other.ab += x * y;
            other.dd += (y - x) * (y - x);
            other.most = fmax(other.most, fabs(y - x));
            other.n_different += a[i] != b[i];
        }
        CHECK_NEAR(d.aa, other.aa, 1e-12 * other.aa, "aa of %zu", n);
        CHECK_NEAR(d.bb, other.bb, 1e-12 * other.bb, "bb of %zu", n);
        CHECK_NEAR(d.ab, other.ab, 1e-12 * other.bb, "ab of %zu", n);
        CHECK_NEAR(d.dd, other.dd, 1e-12 * other.dd, "dd of %zu", n);
        CHECK(d.most == other.most && d.n_different == other.n_different);
        CHECK_MSG(!memcmp(&d, &plain, sizeof d), "%zu values: not the same at every level", n);
    }
    /* Signs of zero and payloads of NaNs differ, and a NaN stays the largest distance. */
    for (size_t at = 0; at < 9; at++) {
        float x[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, y[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
        y[at] = NAN;
        struct quant_distance d = distance_of(survey, x, y, 9);
        CHECK(d.most != d.most && d.n_different == 1);
        y[at] = INFINITY;
        d = distance_of(survey, x, y, 9);
        CHECK(d.most == INFINITY && d.n_different == 1);
        x[at] = 0.0f;
        y[at] = -0.0f;
        d = distance_of(survey, x, y, 9);
        CHECK(d.most == 0 && d.dd == 0 && d.n_different == 1);
        x[at] = y[at] = NAN;
        CHECK(distance_of(survey, x, y, 9).n_different == 0);
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Values per second, of the best of some rounds over what stays in the cache. */
static void bench(void)
{
    enum { N = 65536, ROUNDS = 50 };

    for (uint32_t type = 0; type < QUANT_TYPE_COUNT; type++) {
        if (!quant_decoder(type))
            continue;
        printf("%-8s", quant_info(type)->name);
        for (enum quant_level level = 0; level < QUANT_LEVEL_COUNT; level++) {
            const struct quant_info *info = quant_info(type);
            double best = 1e9;
            for (int i = 0; quant_level_runs(level) && i < ROUNDS; i++) {
                double start = seconds();
                quant_decoder_at(level, type)(
                    source_end - N / info->block_length * info->block_bytes, N, want);
                double took = seconds() - start;
                best = took < best ? took : best;
            }
            if (best < 1e9)
                printf("  %s %6.2f G/s", quant_level_name(level), N / best * 1e-9);
        }
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    source_end = guarded(8 * ROOM);
    got_end = guarded(ROOM);
    if (!CHECK(source_end && got_end))
        return test_end();
    if (argc > 1 && !strcmp(argv[1], "--bench")) {
        bench();
        return 0;
    }
    test_decoders();
    for (enum quant_level level = 0; level < QUANT_LEVEL_COUNT; level++) {
        if (quant_level_runs(level)) {
            test_bad(quant_survey(level));
            test_distance(quant_survey(level));
        }
    }
    return test_end();
}
