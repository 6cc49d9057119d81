/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-edit-key-page.h - name, type and value of one key, checked while they are typed. */
#pragma once

#include <adwaita.h>

#include "hearth-model-edit.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_EDIT_KEY_PAGE (hearth_edit_key_page_get_type ())
G_DECLARE_FINAL_TYPE (HearthEditKeyPage, hearth_edit_key_page, HEARTH, EDIT_KEY_PAGE,
                      AdwNavigationPage)

/* `key` NULL: a new one. Goes back by itself. Returns: (transfer floating) */
AdwNavigationPage *hearth_edit_key_page_new (HearthModelEdit *edit, HearthEditKey *key);

G_END_DECLS
