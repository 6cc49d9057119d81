/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-tensor-page.h - all about one tensor: what it is and where it lies, how its values are
 * spread, the values themselves, and its bytes. */
#pragma once

#include <adwaita.h>

#include "hearth-tensor.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TENSOR_PAGE (hearth_tensor_page_get_type ())
G_DECLARE_FINAL_TYPE (HearthTensorPage, hearth_tensor_page, HEARTH, TENSOR_PAGE, AdwNavigationPage)

AdwNavigationPage *hearth_tensor_page_new (HearthTensor *tensor);

G_END_DECLS
