/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-template-view.h - a chat template tried out: a small conversation on one side, the prompt
 * that the template makes of it on the other, with the borders of its tokens. Rendered on another
 * thread while one types; nothing of the weights is read. */
#pragma once

#include "hearth-model-view.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TEMPLATE_VIEW (hearth_template_view_get_type ())
G_DECLARE_FINAL_TYPE (HearthTemplateView, hearth_template_view, HEARTH, TEMPLATE_VIEW, GtkWidget)

G_END_DECLS
