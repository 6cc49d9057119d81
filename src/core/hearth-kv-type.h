/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-kv-type.h - how the numbers of a context are kept in memory. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

typedef enum
{
  HEARTH_KV_F16, /*< nick=f16 >*/
  HEARTH_KV_F32, /*< nick=f32 >*/
} HearthKvType;

G_END_DECLS
