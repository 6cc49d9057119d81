/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-weak.h - an object that waits for a task without being kept by it: what is given to a
 * thread must not hold what belongs to the main thread. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/* For the callback, as its `user_data`. Returns: (transfer full) */
GWeakRef *hearth_weak_new (gpointer object);
/* Takes `weak`. Returns: (transfer full) (nullable): NULL when nobody keeps the object any more */
gpointer hearth_weak_take (GWeakRef *weak);

G_END_DECLS
