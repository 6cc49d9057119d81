/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-share-group.h - what a whole is made of: a bar of its parts, and a list that has their
 * figures. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_SHARE_GROUP (hearth_share_group_get_type ())
G_DECLARE_FINAL_TYPE (HearthShareGroup, hearth_share_group, HEARTH, SHARE_GROUP,
                      AdwPreferencesGroup)

/* Properties, to be set alone, for voice output: bar-label, list-label. */

/* One part, in the next colour. `words`: the amount as people say it; `exact`: for the tooltip. */
struct hearth_share
{
  const char *title, *subtitle, *words, *exact;
  guint64 amount;
  double share; /* of the whole */
};

void hearth_share_group_clear (HearthShareGroup *self);
void hearth_share_group_add (HearthShareGroup *self, const struct hearth_share *share);
/* A row of another kind under the others. */
void hearth_share_group_add_row (HearthShareGroup *self, GtkWidget *row);

G_END_DECLS
