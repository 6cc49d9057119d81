/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-fit-memory.h - where every byte of the memory goes: one bar, and its figures in a list;
 * for a model that is loaded, what was predicted beside what it is. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-engine.h"
#include "hearth-fit.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_FIT_MEMORY (hearth_fit_memory_get_type ())
G_DECLARE_FINAL_TYPE (HearthFitMemory, hearth_fit_memory, HEARTH, FIT_MEMORY, GtkWidget)

void hearth_fit_memory_show (HearthFitMemory *self, const HearthFitPlan *plan);
/* `actual` NULL: the model is not loaded by this plan. */
void hearth_fit_memory_compare (HearthFitMemory *self, const HearthFitPlan *plan,
                                const HearthEngineMemory *actual);

G_END_DECLS
