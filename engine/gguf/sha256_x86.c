/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256 with the instructions made for it: two rounds at once, four words of the schedule at
 * once. The state is two vectors, from the top down a b e f and c d g h. */
#include "gguf/sha256.h"

#include <immintrin.h>

static __m128i words(const uint8_t *p)
{
    const __m128i order = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)p), order);
}

void sha256_mix_sha(uint32_t state[8], const uint8_t *data, size_t n_blocks)
{
    __m128i abef = _mm_set_epi32((int)state[0], (int)state[1], (int)state[4], (int)state[5]);
    __m128i cdgh = _mm_set_epi32((int)state[2], (int)state[3], (int)state[6], (int)state[7]);

    for (; n_blocks; n_blocks--, data += 64) {
        __m128i first = abef, second = cdgh, w[16];

        for (unsigned i = 0; i < 16; i++) {
            if (i < 4) {
                w[i] = words(data + 16 * i);
            } else {
                __m128i seven_back = _mm_alignr_epi8(w[i - 1], w[i - 2], 4);
                __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w[i - 4], w[i - 3]), seven_back);
                w[i] = _mm_sha256msg2_epu32(sum, w[i - 1]);
            }
            __m128i in =
                _mm_add_epi32(w[i], _mm_loadu_si128((const __m128i *)(sha256_constants + 4 * i)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, in);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(in, 0x0E));
        }
        abef = _mm_add_epi32(abef, first);
        cdgh = _mm_add_epi32(cdgh, second);
    }
    state[0] = (uint32_t)_mm_extract_epi32(abef, 3);
    state[1] = (uint32_t)_mm_extract_epi32(abef, 2);
    state[2] = (uint32_t)_mm_extract_epi32(cdgh, 3);
    state[3] = (uint32_t)_mm_extract_epi32(cdgh, 2);
    state[4] = (uint32_t)_mm_extract_epi32(abef, 1);
    state[5] = (uint32_t)_mm_extract_epi32(abef, 0);
    state[6] = (uint32_t)_mm_extract_epi32(cdgh, 1);
    state[7] = (uint32_t)_mm_extract_epi32(cdgh, 0);
}
