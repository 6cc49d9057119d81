/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-dialog.h - the dialog that asks for a model's file: those alone at first, all on
 * wish. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * hearth_model_dialog_new:
 * @title: what the file is for
 * @beside: (nullable): the path of a file; the dialog begins in its folder
 *
 * Returns: (transfer full): a dialog to open one model file with
 */
GtkFileDialog *hearth_model_dialog_new (const char *title, const char *beside);

G_END_DECLS
