/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One examination from beginning to end: read leniently, find out what the file is, run the rules.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <ember/writer.h>

#include "base/fail.h"
#include "doctor/doctor.h"
#include "gguf/parts.h"

bool doctor_is(struct ember_text text, const char *name)
{
    return text.size == strlen(name) && !memcmp(text.data, name, text.size);
}

bool doctor_begins_with(struct ember_text text, const char *start)
{
    size_t n = strlen(start);
    return text.size >= n && !memcmp(text.data, start, n);
}

bool doctor_ends_with(struct ember_text text, const char *end)
{
    size_t n = strlen(end);
    return text.size >= n && !memcmp(text.data + text.size - n, end, n);
}

int64_t doctor_find(const struct doctor *d, const char *suffix)
{
    char name[160];
    if (!d->architecture.size || d->architecture.size > 64)
        return -1;
    snprintf(name, sizeof name, "%.*s.%s", (int)d->architecture.size, d->architecture.data, suffix);
    return ember_gguf_find(d->gguf, name);
}

static bool is_scalar(const struct doctor *d, int64_t index)
{
    return index >= 0 && ember_gguf_key_type(d->gguf, (uint64_t)index) != EMBER_GGUF_ARRAY;
}

bool doctor_u64(const struct doctor *d, const char *suffix, uint64_t *out)
{
    int64_t index = doctor_find(d, suffix);
    return is_scalar(d, index) && ember_gguf_u64(d->gguf, index, 0, out);
}

bool doctor_f64(const struct doctor *d, const char *suffix, double *out)
{
    int64_t index = doctor_find(d, suffix);
    return is_scalar(d, index) && ember_gguf_f64(d->gguf, index, 0, out);
}

bool doctor_progress(const struct doctor *d, double done)
{
    return !d->params->progress || d->params->progress(done, d->params->user_data);
}

/* What the lenient reader meets; only repeated and empty names are mere warnings. */
static void on_notice(void *user_data, const char *code, const char *where, const char *what)
{
    struct doctor *d = user_data;
    bool warning = !strcmp(code, "key-empty") || !strcmp(code, "key-duplicate");
    static const struct {
        const char *code, *advice;
    } advices[] = {
        { "key-empty", "Remove the key with \"ember edit\"; other programs refuse the file." },
        { "key-duplicate", "The first one counts here; other programs refuse the file." },
        { "tensor-duplicate", "Convert the model again; only one of the two can be meant." },
        { "tensor-type", "Look for another quantization of this model." },
        { "alignment", "Set it to 32 only if the tensors are laid out so; else convert again." },
        { "alignment-type", "Convert the model again with a current converter." },
        { "row-length", "Quantize the model again with a type that fits its rows." },
        { "offset", "The file was laid out with another alignment than its key says; convert it "
                    "again." },
    };
    const char *advice = "Download or convert the file again.";

    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++) {
        if (!strcmp(advices[i].code, code))
            advice = advices[i].advice;
    }
    doctor_say(d, warning ? EMBER_SEVERITY_WARNING : EMBER_SEVERITY_ERROR, code, where, advice,
               "%c%s %s", toupper((unsigned char)where[0]), where + 1, what);
}

static const char *advice_for(const char *code)
{
    static const struct {
        const char *code, *advice;
    } advices[] = {
        { "version", "Convert the model with a current converter." },
        { "cannot-open", "Check the path and the permissions." },
        { "io", "Check the disk, and whether there is enough memory." },
        { "nesting", "Remove the key with the program that wrote it." },
        { "value-type", "The file is damaged or from a newer format; download it again." },
    };
    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++) {
        if (!strcmp(advices[i].code, code))
            return advices[i].advice;
    }
    return "Download the file again, and compare its size with the one on the server.";
}

static bool looks_like_model(const struct doctor *d)
{
    for (uint64_t i = 0; i < d->info->n_tensors; i++) {
        struct ember_text name = ember_gguf_tensor(d->gguf, i)->name;
        if (doctor_is(name, "token_embd.weight") || doctor_begins_with(name, "blk."))
            return true;
    }
    return false;
}

static enum doctor_kind kind_of(const struct doctor *d)
{
    struct ember_text type = ember_gguf_get_text(d->gguf, "general.type");

    if (doctor_is(type, "adapter"))
        return DOCTOR_ADAPTER;
    if (doctor_is(type, "imatrix") || ember_gguf_find(d->gguf, "imatrix.chunk_count") >= 0)
        return DOCTOR_IMATRIX;
    if (doctor_is(type, "mmproj") || doctor_is(d->architecture, "clip"))
        return DOCTOR_PROJECTOR;
    if (doctor_is(d->architecture, "controlvector"))
        return DOCTOR_CONTROL_VECTOR;
    if (ember_gguf_get_u64(d->gguf, "split.no", 0) > 0)
        return DOCTOR_PART;
    if (!d->info->n_tensors && ember_gguf_find(d->gguf, "tokenizer.ggml.tokens") >= 0)
        return DOCTOR_VOCABULARY;
    if (!d->architecture.data && !looks_like_model(d))
        return DOCTOR_OTHER;
    return DOCTOR_MODEL;
}

static const char *copy_name(struct doctor *d, struct ember_text text)
{
    char *copy = arena_copy(&d->report->arena, text.data, text.size);
    if (!copy)
        d->report->failed = true;
    return copy;
}

static void describe(struct doctor *d, const struct gguf_scan *scan)
{
    struct ember_doctor_file *file = &d->report->file;
    struct ember_text type = ember_gguf_get_text(d->gguf, "general.type");

    file->info = *d->info;
    file->is_gguf = d->info->version != 0;
    file->n_keys = scan->n_keys;
    file->n_tensors = scan->n_tensors;
    file->architecture = d->architecture.data ? copy_name(d, d->architecture) : NULL;
    file->type = type.data ? copy_name(d, type) : "model";
}

static enum ember_status override(const struct doctor *d, struct ember_gguf *gguf,
                                  struct ember_error *err)
{
    enum ember_status st = EMBER_OK;
    for (size_t i = 0; !st && i < d->params->n_overrides; i++)
        st = ember_gguf_set(gguf, d->params->overrides[i], err);
    return st;
}

enum ember_status doctor_open_whole(struct doctor *d, const char **code, struct ember_error *err)
{
    enum ember_status st = gguf_open_one(&d->whole, d->path, true, err);

    *code = NULL;
    if (!st)
        st = gguf_join_parts(&d->whole, true, code, err);
    if (!st)
        st = override(d, d->whole, err);
    if (st) {
        ember_gguf_close(d->whole);
        d->whole = NULL;
    }
    return st;
}

static enum ember_status examine(struct doctor *d, struct ember_error *err)
{
    struct gguf_scan scan = { .notice = on_notice, .user_data = d };
    struct ember_error why = { 0 };
    struct stat sb;

    ember_writer_recover(d->path, NULL);
    if (!stat(d->path, &sb) && S_ISREG(sb.st_mode))
        d->report->file.size = (uint64_t)sb.st_size;
    enum ember_status st = gguf_scan(&d->gguf, d->path, &scan, &why);
    if (st == EMBER_NO_MEMORY)
        return ember_fail(err, st, "%s", why.message);
    if (!st && (st = override(d, d->gguf, err)))
        return st;
    if (d->gguf) {
        d->info = ember_gguf_info(d->gguf);
        d->architecture = ember_gguf_get_text(d->gguf, "general.architecture");
        d->known = doctor_known_architecture(d->architecture);
        describe(d, &scan);
    }
    if (st) {
        doctor_say(d, EMBER_SEVERITY_ERROR, scan.code ? scan.code : "io",
                   scan.where[0] ? scan.where : "the file",
                   scan.advice ? scan.advice : advice_for(scan.code ? scan.code : ""), "%s",
                   why.message);
        return EMBER_OK;
    }
    d->report->file.is_read = true;
    d->kind = kind_of(d);
    doctor_check_layout(d);
    doctor_check_keys(d);
    doctor_check_parts(d);
    doctor_check_model(d);
    doctor_check_companions(d);
    doctor_check_vocabulary(d);
    doctor_check_templates(d);
    if (d->params->deep)
        return doctor_check_data(d, err);
    return EMBER_OK;
}

enum ember_status ember_doctor_examine(struct ember_doctor_report **out, const char *path,
                                       const struct ember_doctor_params *params,
                                       struct ember_error *err)
{
    static const struct ember_doctor_params defaults = { 0 };
    struct doctor d = { .params = params ? params : &defaults, .path = path, .n_parts = 1 };

    d.report = calloc(1, sizeof *d.report);
    if (!d.report)
        return ember_fail(err, EMBER_NO_MEMORY, "\"%s\": no memory left for a report.", path);
    d.report->file.type = "model";
    enum ember_status st = examine(&d, err);
    ember_gguf_close(d.whole);
    ember_gguf_close(d.gguf);
    doctor_say_rest(&d);
    if (!st && d.report->failed)
        st = ember_fail(err, EMBER_NO_MEMORY, "\"%s\": no memory left for a report.", path);
    if (st) {
        ember_doctor_free(d.report);
        return st;
    }
    *out = d.report;
    return EMBER_OK;
}
