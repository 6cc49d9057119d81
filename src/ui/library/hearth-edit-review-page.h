/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-edit-review-page.h - what a copy would have otherwise, and saving it. */
#pragma once

#include <adwaita.h>

#include "hearth-model-edit.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_EDIT_REVIEW_PAGE (hearth_edit_review_page_get_type ())
G_DECLARE_FINAL_TYPE (HearthEditReviewPage, hearth_edit_review_page, HEARTH, EDIT_REVIEW_PAGE,
                      AdwNavigationPage)

/* Signals: saving (gboolean: it begins, or has ended without a copy), saved (path).
 * Returns: (transfer floating) */
AdwNavigationPage *hearth_edit_review_page_new (HearthModelEdit *edit);
/* Stops writing, if it is going on. */
void hearth_edit_review_page_stop (HearthEditReviewPage *self);

G_END_DECLS
