/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rope.c - frequencies of rotary positions, with linear and YaRN scaling. */
#include <math.h>

#include "forward/forward.h"

double forward_yarn_magnitude(double scale, double log_multiplier)
{
    if (scale <= 1.0)
        return 1.0;
    double one = 1.0 + 0.1 * log(scale);
    return log_multiplier != 0.0 ? one / (1.0 + 0.1 * log_multiplier * log(scale)) : one;
}

/* The pair whose wavelength fits `rotations` times into the original context. */
static double yarn_pair(const struct graph_rope *rope, double rotations)
{
    const double two_pi = 6.283185307179586;
    return rope->n_rot * log(rope->n_ctx_orig / (two_pi * rotations)) / (2.0 * log(rope->base));
}

void forward_rope_frequencies(const struct graph_rope *rope, const float *factors, double *out)
{
    double low = 0.0, high = 0.0;
    if (rope->yarn) {
        low = fmax(0.0, floor(yarn_pair(rope, rope->beta_fast)));
        high = fmin(rope->n_rot - 1.0, ceil(yarn_pair(rope, rope->beta_slow)));
    }
    for (uint32_t i = 0; i < rope->n_rot / 2; i++) {
        double f = pow(rope->base, -2.0 * i / rope->n_rot);
        if (factors)
            f /= (double)factors[i];
        if (rope->yarn) {
            /* Fast pairs keep their frequency, slow ones are stretched, between them a ramp. */
            double y = (i - low) / fmax(0.001, high - low);
            double keep = 1.0 - fmin(1.0, fmax(0.0, y));
            f = rope->freq_scale * f * (1.0 - keep) + f * keep;
        } else {
            f *= rope->freq_scale;
        }
        out[i] = f;
    }
}
