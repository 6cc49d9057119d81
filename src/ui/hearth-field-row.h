/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-field-row.h - a row around a field (its activatable widget): Tab goes to the field and
 * what else can be used in the row, not to the row as well. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_FIELD_ROW (hearth_field_row_get_type ())
G_DECLARE_DERIVABLE_TYPE (HearthFieldRow, hearth_field_row, HEARTH, FIELD_ROW, AdwActionRow)

struct _HearthFieldRowClass
{
  AdwActionRowClass parent_class;
};

G_END_DECLS
