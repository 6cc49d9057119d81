/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-view.h"

G_DEFINE_INTERFACE (HearthModelView, hearth_model_view, GTK_TYPE_WIDGET)

static void
hearth_model_view_default_init (HearthModelViewInterface *iface)
{
}

void
hearth_model_view_set_sources (HearthModelView *self, HearthEngine *engine,
                               HearthSettings *settings)
{
  HearthModelViewInterface *iface = HEARTH_MODEL_VIEW_GET_IFACE (self);

  if (iface->set_sources != NULL)
    iface->set_sources (self, engine, settings);
}

void
hearth_model_view_show_model (HearthModelView *self, HearthModelFile *model)
{
  HearthModelViewInterface *iface = HEARTH_MODEL_VIEW_GET_IFACE (self);

  if (iface->show_model != NULL)
    iface->show_model (self, model);
}

void
hearth_model_view_show_contents (HearthModelView *self, HearthModelContents *contents)
{
  HearthModelViewInterface *iface = HEARTH_MODEL_VIEW_GET_IFACE (self);

  if (iface->show_contents != NULL)
    iface->show_contents (self, contents);
}

gboolean
hearth_model_view_find (HearthModelView *self)
{
  HearthModelViewInterface *iface = HEARTH_MODEL_VIEW_GET_IFACE (self);

  return iface->find != NULL && iface->find (self);
}

void
hearth_model_view_reveal (HearthModelView *self, const char *what)
{
  HearthModelViewInterface *iface = HEARTH_MODEL_VIEW_GET_IFACE (self);

  if (iface->reveal != NULL)
    iface->reveal (self, what);
}

gboolean
hearth_model_view_go_back (HearthModelView *self)
{
  HearthModelViewInterface *iface = HEARTH_MODEL_VIEW_GET_IFACE (self);

  return iface->go_back != NULL && iface->go_back (self);
}

void
hearth_model_view_left (HearthModelView *self)
{
  HearthModelViewInterface *iface = HEARTH_MODEL_VIEW_GET_IFACE (self);

  if (iface->left != NULL)
    iface->left (self);
}
