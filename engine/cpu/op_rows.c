/* SPDX-License-Identifier: GPL-3.0-or-later */
/* op_rows.c - operations on whole rows: each token's row is one thread's work from end to end. */
#include <string.h>

#include "cpu/run.h"

void cpu_norm(const struct cpu_run *r, const struct graph_norm *norm, const float *x, size_t n,
              float *y)
{
    const float *w = cpu_vector(r, norm->weight), *b = cpu_vector(r, norm->bias);

    switch (norm->kind) {
    case GRAPH_NORM_NONE:
        if (y != x)
            memcpy(y, x, n * sizeof *y);
        break;
    case GRAPH_NORM_RMS:
        r->kern->rms_norm(x, w, n, norm->eps, y);
        if (b)
            r->kern->add_scaled(b, n, 1.0f, y);
        break;
    case GRAPH_NORM_LAYER:
        r->kern->layer_norm(x, w, b, n, norm->eps, y);
        break;
    }
}

void cpu_op_rope_table(const struct cpu_run *r, struct pool_team *team, uint32_t rope)
{
    const struct graph_rope *p = &r->graph->ropes[rope];
    size_t at = SIZE_MAX, end;

    while (pool_next(team, r->run->n_tokens, 16, &at, &end))
        for (size_t t = at; t < end; t++) {
            float *row = cpu_value(r, p->table, t);
            double position = (double)(r->run->position + t);
            for (uint32_t i = 0; i < p->n_rot / 2; i++) {
                double angle = position * p->frequency[i];
                row[2 * i] = (float)(cos(angle) * p->magnitude);
                row[2 * i + 1] = (float)(sin(angle) * p->magnitude);
            }
        }
}

void cpu_op_embed(const struct cpu_run *r, struct pool_team *team, const struct graph_embed *op)
{
    const struct graph_weight *w = &r->graph->weights[op->weight];
    quant_decode_fn decode = quant_decoder(w->type);
    size_t at = SIZE_MAX, end;

    while (pool_next(team, r->run->n_tokens, 4, &at, &end))
        for (size_t t = at; t < end; t++) {
            float *row = cpu_value(r, op->out, t);
            decode((const uint8_t *)w->data + (uint64_t)r->run->ids[t] * w->row_bytes, w->n_cols,
                   row);
            if (op->scale != 1.0f)
                for (uint64_t i = 0; i < w->n_cols; i++)
                    row[i] *= op->scale;
        }
}

void cpu_op_add(const struct cpu_run *r, struct pool_team *team, const struct graph_add *op)
{
    size_t n = r->graph->values[op->in].width, at = SIZE_MAX, end;
    float *row = cpu_thread_part(r, team, r->plan->t_row);

    while (pool_next(team, r->run->n_tokens, 4, &at, &end))
        for (size_t t = at; t < end; t++) {
            cpu_norm(r, &op->norm, cpu_value(r, op->in, t), n, row);
            r->kern->add_scaled(row, n, op->scale, cpu_value(r, op->out, t));
        }
}
