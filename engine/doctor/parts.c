/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Split models: the keys of this part, and whether the others are there and belong to it. */
#include <inttypes.h>

#include "doctor/doctor.h"

static const char advice[] =
    "Put all parts of the model into one folder; download a wrong one again.";

/* The other parts' data, against their sizes; this one's was looked at before. */
static void check_sizes(struct doctor *d, uint64_t own)
{
    const struct ember_gguf_info *info = ember_gguf_info(d->whole);

    for (uint64_t i = 0; i < info->n_tensors; i++) {
        const struct ember_gguf_tensor *t = ember_gguf_tensor(d->whole, i);
        uint64_t size = ember_gguf_part_size(d->whole, t->part);
        if (t->part == own || t->file_offset + t->n_bytes <= size)
            continue;
        doctor_say(d, EMBER_SEVERITY_ERROR, "part-damaged", doctor_place("tensor", t->name).text,
                   advice,
                   "Part %u of %" PRIu64 " is incomplete: tensor \"%s\" ends at byte %" PRIu64
                   ", but the file has %s.",
                   (unsigned)t->part + 1, d->n_parts, doctor_name(t->name).text,
                   t->file_offset + t->n_bytes, doctor_amount(size, "byte").text);
        return;
    }
}

/* Other programs go by the name. */
static void check_name(struct doctor *d, uint64_t no)
{
    size_t prefix;
    uint32_t named, count;

    if (ember_gguf_part_parse(d->path, &prefix, &named, &count) && named == no &&
        count == d->n_parts)
        return;
    doctor_say(d, EMBER_SEVERITY_WARNING, "part-name", "the file's name",
               "Rename it; Ember goes by the header, other programs by the name.",
               "The file is part %" PRIu64 " of %" PRIu64
               " of a split model, but its name does not end in -%05" PRIu64 "-of-%05" PRIu64
               ".gguf.",
               no + 1, d->n_parts, no + 1, d->n_parts);
}

void doctor_check_parts(struct doctor *d)
{
    uint64_t count = ember_gguf_get_u64(d->gguf, "split.count", 0);
    struct ember_error why = { 0 };
    const char *code;

    if (count < 2)
        return;
    uint64_t no = ember_gguf_get_u64(d->gguf, "split.no", 0);
    d->n_parts = count;
    if (no < count)
        check_name(d, no);
    if (d->report->has_error)
        return; /* this part must be mended first */
    enum ember_status st = doctor_open_whole(d, &code, &why);
    if (st == EMBER_NO_MEMORY)
        d->report->failed = true;
    else if (!st)
        check_sizes(d, ember_gguf_get_u64(d->gguf, "split.no", 0));
    else if (code) /* else a repeated or empty key keeps a strict reader away; that was said */
        doctor_say(d, EMBER_SEVERITY_ERROR, code, "the parts", advice, "%s", why.message);
}
