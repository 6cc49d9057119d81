/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-template-source.h - the source of a chat template, with numbers of lines and the line that
 * failed. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_TEMPLATE_SOURCE (hearth_template_source_get_type ())
G_DECLARE_FINAL_TYPE (HearthTemplateSource, hearth_template_source, HEARTH, TEMPLATE_SOURCE,
                      GtkWidget)

/* NULL: there is none. */
void hearth_template_source_set_text (HearthTemplateSource *self, const char *text);
/* Marks it; 0: none. */
void hearth_template_source_set_failed_line (HearthTemplateSource *self, guint line);
/* Goes to the line that failed. */
void hearth_template_source_show_failed_line (HearthTemplateSource *self);

G_END_DECLS
