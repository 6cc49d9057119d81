/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-weak.h"

GWeakRef *
hearth_weak_new (gpointer object)
{
  GWeakRef *weak = g_new0 (GWeakRef, 1);

  g_weak_ref_init (weak, object);
  return weak;
}

gpointer
hearth_weak_take (GWeakRef *weak)
{
  gpointer object = g_weak_ref_get (weak);

  g_weak_ref_clear (weak);
  g_free (weak);
  return object;
}
