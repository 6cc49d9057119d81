/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-fit-export.h"

static void
add (HearthTableText *table, const char *group, const char *name, guint64 number)
{
  hearth_table_text_add (table, group);
  hearth_table_text_add (table, name);
  hearth_table_text_add_number (table, number);
}

static void
add_text (HearthTableText *table, const char *name, const char *text)
{
  hearth_table_text_add (table, "plan");
  hearth_table_text_add (table, name);
  hearth_table_text_add (table, text);
}

GBytes *
hearth_fit_plan_export (const HearthFitPlan *plan, HearthTableFormat format)
{
  static const char *const names[] = { "group", "name", "value", NULL };
  HearthTableText *table = hearth_table_text_new (format, names);

  add_text (table, "fits", plan->fits ? "yes" : "no");
  add_text (table, "kv_type", plan->kv_type == HEARTH_KV_F32 ? "f32" : "f16");
  add (table, "plan", "context", plan->n_ctx);
  add (table, "plan", "context_trained", plan->n_ctx_trained);
  add (table, "plan", "longest_context", plan->longest);
  add (table, "plan", "batch", plan->n_batch);
  add (table, "plan", "threads", plan->n_threads);
  add (table, "bytes", "weights", plan->weights);
  add (table, "bytes", "kv", plan->kv);
  add (table, "bytes", "kv_full", plan->kv_full);
  add (table, "bytes", "kv_window", plan->kv_window);
  add (table, "bytes", "checkpoint", plan->checkpoint);
  add (table, "bytes", "compute", plan->compute);
  add (table, "bytes", "need", plan->need);
  add (table, "bytes", "budget", plan->budget);
  add (table, "bytes", "memory", plan->memory_total);
  for (guint i = 0; i < plan->types->len; i++)
    {
      const HearthFitType *type = &g_array_index (plan->types, HearthFitType, i);

      add (table, "bytes of type", type->type, type->n_bytes);
    }
  return hearth_table_text_end (table);
}
