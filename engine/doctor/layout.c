/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the file is laid out: version and byte order, alignment, names, where tensors lie, what is
 * between them, and how the file ends. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/text.h"
#include "doctor/doctor.h"

enum { WINDOW = 1 << 20, LONGEST_NAME = 63 };

static const char refused[] = "Ember reads it; other programs refuse such a file.";
static const char odd_padding[] =
    "Harmless for reading; the file may have been written by a faulty program.";
static const char again[] = "Download the file again, and compare its size with the one on the "
                            "server.";

static void check_version(struct doctor *d)
{
    const struct ember_gguf_info *info = d->info;

    if (info->big_endian && info->version < 3)
        doctor_say(d, EMBER_SEVERITY_WARNING, "endian-version", "the header", refused,
                   "The file is big-endian with GGUF version %u, but only version 3 knows "
                   "big-endian files.",
                   (unsigned)info->version);
    else if (info->big_endian)
        doctor_say(d, EMBER_SEVERITY_INFO, "endian", "the header",
                   "Ember converts values on reading; other programs refuse such a file.",
                   "The file is big-endian; nearly all files are little-endian.");
    if (info->version == 1)
        doctor_say(d, EMBER_SEVERITY_INFO, "version-old", "the header",
                   "Other programs refuse it; \"ember edit\" writes version 3.",
                   "The file has GGUF version 1; the current version is 3.");
    if (!info->n_keys && !info->n_tensors)
        doctor_say(d, EMBER_SEVERITY_WARNING, "empty", "the file", again,
                   "The file is an empty GGUF container: it has neither keys nor tensors.");
    else if (!info->n_keys)
        doctor_say(d, EMBER_SEVERITY_WARNING, "no-metadata", "the file",
                   "Nothing says what the tensors are; convert the model again.",
                   "The file has %s but no metadata keys.",
                   doctor_amount(info->n_tensors, "tensor").text);
}

static void check_alignment(struct doctor *d)
{
    uint32_t alignment = d->info->alignment;

    if (alignment & (alignment - 1))
        doctor_say(
            d, EMBER_SEVERITY_WARNING, "alignment-odd", "key \"general.alignment\"", refused,
            "The alignment in general.alignment is %u, a multiple of 8 but no power of two; other "
            "programs refuse the file.",
            (unsigned)alignment);
    else if (alignment < 32)
        doctor_say(d, EMBER_SEVERITY_WARNING, "alignment-small", "key \"general.alignment\"",
                   refused,
                   "The alignment in general.alignment is %u; other programs need 32 or more and "
                   "refuse the file.",
                   (unsigned)alignment);
}

static bool has_control(struct ember_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c < 0x20 || c == 0x7F)
            return true;
    }
    return false;
}

static void check_tensor(struct doctor *d, const struct ember_gguf_tensor *t)
{
    struct doctor_place where = doctor_place("tensor", t->name);
    struct doctor_name name = doctor_name(t->name);
    const char *place = where.text;

    if (!t->name.size)
        doctor_say(d, EMBER_SEVERITY_WARNING, "tensor-name-empty", place,
                   "Convert the model again; nothing can refer to this tensor.",
                   "A tensor has an empty name.");
    else if (t->name.size > LONGEST_NAME)
        doctor_say(d, EMBER_SEVERITY_WARNING, "tensor-name-long", place, refused,
                   "Tensor \"%s\" has a name of %zu bytes; it must be at most %d bytes long.",
                   name.text, t->name.size, LONGEST_NAME);
    if (!utf8_valid(t->name.data, t->name.size))
        doctor_say(d, EMBER_SEVERITY_WARNING, "tensor-name-utf8", place, refused,
                   "The name of tensor \"%s\" is not valid UTF-8; its encoding is broken.",
                   name.text);
    else if (has_control(t->name))
        doctor_say(d, EMBER_SEVERITY_WARNING, "tensor-name-control", place, refused,
                   "The name of tensor \"%s\" holds a NUL or another control character.",
                   name.text);
    for (uint32_t i = 0; i < EMBER_MAX_DIMS; i++) {
        if (!t->ne[i]) {
            doctor_say(
                d, EMBER_SEVERITY_WARNING, "tensor-zero", place,
                "The tensor is empty; some programs fail on it.",
                "Tensor \"%s\" has a dimension of zero elements (dimension %u); 1 or more are "
                "expected.",
                name.text, (unsigned)i);
            break;
        }
    }
}

static uint64_t padded(uint64_t size, uint32_t alignment)
{
    uint64_t over = size % alignment;
    return over ? size + (alignment - over) : size;
}

static int by_offset(const void *a, const void *b)
{
    const struct ember_gguf_tensor *x = *(const struct ember_gguf_tensor *const *)a,
                                   *y = *(const struct ember_gguf_tensor *const *)b;
    if (x->file_offset != y->file_offset)
        return x->file_offset < y->file_offset ? -1 : 1;
    return x->n_bytes < y->n_bytes ? -1 : x->n_bytes > y->n_bytes;
}

/* Whether a range of the file holds nothing but zeros; what cannot be read counts as zero, since
 * that it is missing is said elsewhere. At most one window is looked at. */
static bool zeros(const struct doctor *d, uint64_t offset, uint64_t size, uint8_t *window)
{
    if (offset >= d->info->file_size)
        return true;
    if (size > d->info->file_size - offset)
        size = d->info->file_size - offset;
    if (size > WINDOW)
        size = WINDOW;
    if (gguf_read(d->gguf, offset, window, (size_t)size, NULL))
        return true;
    for (size_t i = 0; i < size; i++) {
        if (window[i])
            return false;
    }
    return true;
}

static void say_padding(struct doctor *d, const struct ember_gguf_tensor *t)
{
    doctor_say(d, EMBER_SEVERITY_WARNING, "padding", doctor_place("tensor", t->name).text,
               odd_padding, "The padding after tensor \"%s\" is not zero; zero bytes are expected.",
               doctor_name(t->name).text);
}

/* `known`: all sizes are, so that a gap is one. */
static void check_neighbours(struct doctor *d, const struct ember_gguf_tensor *a,
                             const struct ember_gguf_tensor *b, bool known, uint8_t *window)
{
    uint64_t end = a->file_offset + a->n_bytes;
    uint64_t expected =
        d->info->data_offset + padded(end - d->info->data_offset, d->info->alignment);
    struct doctor_place place = doctor_place("tensor", b->name);

    if (end > b->file_offset) {
        doctor_say(d, EMBER_SEVERITY_ERROR, "tensor-overlap", place.text,
                   "Download or convert the file again.",
                   "Tensor \"%s\" begins at offset %" PRIu64
                   ", but tensor \"%s\" before it ends at "
                   "%" PRIu64 ": they overlap.",
                   doctor_name(b->name).text, b->offset, doctor_name(a->name).text,
                   end - d->info->data_offset);
        return;
    }
    if (b->file_offset > expected && known)
        doctor_say(d, EMBER_SEVERITY_WARNING, "tensor-gap", place.text, refused,
                   "There is a gap of %s before tensor \"%s\", which other programs refuse: offset "
                   "%" PRIu64 " was expected, %" PRIu64 " was found.",
                   doctor_amount(b->file_offset - expected, "byte").text, doctor_name(b->name).text,
                   expected - d->info->data_offset, b->offset);
    uint64_t pad_end = b->file_offset < expected ? b->file_offset : expected;
    if (pad_end > end && !zeros(d, end, pad_end - end, window))
        say_padding(d, a);
}

/* The end of the file: cut off, or filled with zeros by a download that did not finish. */
static void check_end(struct doctor *d, const struct ember_gguf_tensor *const *sorted, size_t n,
                      uint8_t *window)
{
    uint64_t size = d->info->file_size, end = 0;
    const struct ember_gguf_tensor *last = NULL;

    for (size_t i = 0; i < n; i++) {
        if (sorted[i]->file_offset + sorted[i]->n_bytes > end) {
            last = sorted[i];
            end = last->file_offset + last->n_bytes;
        }
    }
    if (!last)
        return;
    if (end > size) {
        d->incomplete = true;
        doctor_say(
            d, EMBER_SEVERITY_ERROR, "data-truncated", doctor_place("tensor", last->name).text,
            "The download did not finish, or the disk was full; get the file again.",
            "The file is incomplete: %" PRIu64 " of %" PRIu64 " bytes are there, %s %s missing "
            "(tensor \"%s\" ends past the end of the file).",
            size, end, doctor_amount(end - size, "byte").text, end - size == 1 ? "is" : "are",
            doctor_name(last->name).text);
        return;
    }
    uint64_t whole = d->info->data_offset + padded(end - d->info->data_offset, d->info->alignment);
    if (size > whole)
        doctor_say(d, EMBER_SEVERITY_INFO, "trailing", "the file", "They are ignored.",
                   "After the last tensor the file goes on for %s.",
                   doctor_amount(size - whole, "byte").text);
    else if (size < whole)
        doctor_say(d, EMBER_SEVERITY_INFO, "padding-missing", "the file",
                   "Harmless here; some programs want it.",
                   "The padding after the last tensor is missing (%s).",
                   doctor_amount(whole - size, "byte").text);

    if (whole > end && size > end && !zeros(d, end, whole - end, window))
        say_padding(d, last);

    /* Backwards from the end, as long as there are zeros. */
    uint64_t from = end, most = (uint64_t)64 * WINDOW;
    while (from > d->info->data_offset && end - from < most) {
        uint64_t step = from - d->info->data_offset < WINDOW ? from - d->info->data_offset : WINDOW;
        if (gguf_read(d->gguf, from - step, window, (size_t)step, NULL))
            return;
        size_t left = (size_t)step;
        while (left && !window[left - 1])
            left--;
        from -= step - left;
        if (left)
            break;
    }
    bool whole_matrix = false;
    for (size_t i = 0; i < n; i++)
        whole_matrix |=
            sorted[i]->file_offset >= from && sorted[i]->n_dims >= 2 && sorted[i]->n_bytes >= 1024;
    if (whole_matrix || end - from >= WINDOW) {
        d->incomplete = true;
        doctor_say(d, EMBER_SEVERITY_WARNING, "data-zeros", doctor_place("tensor", last->name).text,
                   again,
                   "The last %" PRIu64 " bytes of tensor data are all zero, as an unfinished "
                   "download leaves them.",
                   end - from);
    }
}

static void check_data(struct doctor *d, uint8_t *window)
{
    uint64_t n = d->info->n_tensors, last = 0;
    bool known = !d->report->has_error;
    size_t n_sorted = 0;
    const struct ember_gguf_tensor **sorted = malloc((size_t)n * sizeof(const void *));

    if (!sorted) {
        d->report->failed = true;
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        const struct ember_gguf_tensor *t = ember_gguf_tensor(d->gguf, i);
        check_tensor(d, t);
        if (!t->n_bytes)
            continue;
        if (t->file_offset < last)
            doctor_say(
                d, EMBER_SEVERITY_WARNING, "tensor-order", doctor_place("tensor", t->name).text,
                refused,
                "Tensor \"%s\" has offset %" PRIu64 ", lower than that of the tensor listed "
                "before it; other programs expect the order of the table and refuse the file.",
                doctor_name(t->name).text, t->offset);
        last = t->file_offset;
        sorted[n_sorted++] = t;
    }
    qsort(sorted, n_sorted, sizeof *sorted, by_offset);
    if (n_sorted && sorted[0]->offset && known)
        doctor_say(d, EMBER_SEVERITY_WARNING, "tensor-gap",
                   doctor_place("tensor", sorted[0]->name).text, refused,
                   "The first tensor, \"%s\", has offset %" PRIu64
                   "; 0 was expected. Other programs refuse such a gap before it.",
                   doctor_name(sorted[0]->name).text, sorted[0]->offset);
    for (size_t i = 0; i + 1 < n_sorted; i++)
        check_neighbours(d, sorted[i], sorted[i + 1], known, window);
    check_end(d, sorted, n_sorted, window);
    free(sorted);
}

void doctor_check_layout(struct doctor *d)
{
    uint64_t header_end = gguf_header_end(d->gguf);
    uint8_t *window = malloc(WINDOW);

    if (!window) {
        d->report->failed = true;
        return;
    }
    check_version(d);
    check_alignment(d);
    if (d->info->n_tensors) {
        if (d->info->data_offset > header_end &&
            !zeros(d, header_end, d->info->data_offset - header_end, window))
            doctor_say(d, EMBER_SEVERITY_WARNING, "padding", "the header", odd_padding,
                       "The padding between the header and the tensor data is not zero; zero bytes "
                       "are expected.");
        check_data(d, window);
    }
    free(window);
}
