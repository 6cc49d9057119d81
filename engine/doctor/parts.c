/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Split models: the keys of this part, and whether the others are there and belong to it. */
#include "doctor/doctor.h"

void doctor_check_parts(struct doctor *d)
{
    (void)d;
}
