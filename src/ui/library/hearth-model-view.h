/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-view.h - what the views of a model's page have in common. A view is a widget with
 * this interface and a row in the table of hearth-model-page.c; every vfunc may be left out.
 *
 * The page has a view show the model when it is looked at for the first time, so that what nobody
 * opens costs nothing, and has it show NULL when another file takes the page. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-engine.h"
#include "hearth-model-contents.h"
#include "hearth-model-file.h"
#include "hearth-settings.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_MODEL_VIEW (hearth_model_view_get_type ())
G_DECLARE_INTERFACE (HearthModelView, hearth_model_view, HEARTH, MODEL_VIEW, GtkWidget)

struct _HearthModelViewInterface
{
  GTypeInterface parent_iface;

  /* Once, before all others. */
  void (*set_sources) (HearthModelView *self, HearthEngine *engine, HearthSettings *settings);
  /* A file whose header has been read; NULL: forget what was shown. */
  void (*show_model) (HearthModelView *self, HearthModelFile *model);
  /* The keys and tensors of the model shown; NULL while they are being read. */
  void (*show_contents) (HearthModelView *self, HearthModelContents *contents);
  /* Ctrl+F: to the view's search. FALSE: there is nothing to search. */
  gboolean (*find) (HearthModelView *self);
  /* Goes to one thing: a key, or a tensor, by its name. */
  void (*reveal) (HearthModelView *self, const char *what);
  /* From a page of one thing to what it was opened from. FALSE: there is no such page. */
  gboolean (*go_back) (HearthModelView *self);
  /* Somebody has gone elsewhere: what was asked for and is not there yet is not wanted any more. */
  void (*left) (HearthModelView *self);
};

void hearth_model_view_set_sources (HearthModelView *self, HearthEngine *engine,
                                    HearthSettings *settings);
void hearth_model_view_show_model (HearthModelView *self, HearthModelFile *model);
void hearth_model_view_show_contents (HearthModelView *self, HearthModelContents *contents);
gboolean hearth_model_view_find (HearthModelView *self);
void hearth_model_view_reveal (HearthModelView *self, const char *what);
gboolean hearth_model_view_go_back (HearthModelView *self);
void hearth_model_view_left (HearthModelView *self);

G_END_DECLS
