/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-view-picker.h - chooses a page of a view stack: by tabs side by side where all of their
 * names fit, by a drop-down where they do not, whatever the language, the size of text and the
 * number of pages. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_VIEW_PICKER (hearth_view_picker_get_type ())
G_DECLARE_FINAL_TYPE (HearthViewPicker, hearth_view_picker, HEARTH, VIEW_PICKER, GtkWidget)

void hearth_view_picker_set_stack (HearthViewPicker *self, AdwViewStack *stack);

G_END_DECLS
