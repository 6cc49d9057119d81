/* SPDX-License-Identifier: GPL-3.0-or-later */
/* support.h - what the chat test programs share: contexts from text, renderings as text. */
#pragma once

#include <ember/chat.h>
#include <ember/json.h>

#include "chat/jinja_run.h"
#include "test.h"

/* A whole file, allocated and terminated, or NULL. */
static inline char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    long length;
    if (file && fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0 && (data = malloc((size_t)length + 1))) {
        *size = fread(data, 1, (size_t)length, file);
        data[*size] = '\0';
    }
    if (file)
        fclose(file);
    return data;
}

static const struct ember_time test_now = { 2026, 7, 26, 12, 34, 56 };
static const struct ember_text no_text = { NULL, 0 };

/* Renders source with a JSON text as its context. *prompt is the caller's if EMBER_OK. */
static inline enum ember_status render_limited(const char *source, const char *context,
                                               const struct template_limits *limits,
                                               struct ember_prompt *prompt, struct ember_error *err)
{
    struct ember_json_document *document = NULL;
    struct ember_template *tmpl = NULL;
    enum ember_status st = ember_json_parse(&document, context, strlen(context), err);
    CHECK_MSG(st == EMBER_OK, "%s: %s", context, err->message);
    if (st == EMBER_OK)
        st = ember_template_new(&tmpl, source, strlen(source), "test.jinja", err);
    if (st == EMBER_OK)
        st = template_render_limited(tmpl, ember_json_root(document), no_text, no_text, test_now,
                                     limits, false, prompt, err);
    ember_template_free(tmpl);
    ember_json_free(document);
    return st;
}

/* Spans must be the text, in order, each of another trust than its neighbour. */
static inline bool spans_fit(const struct ember_prompt *prompt)
{
    size_t at = 0;
    for (size_t i = 0; i < prompt->n_spans; i++) {
        const struct ember_span *span = &prompt->spans[i];
        if (span->text.data != prompt->text + at || !span->text.size ||
            (i && span->parse_special == span[-1].parse_special))
            return false;
        at += span->text.size;
    }
    return at == prompt->size;
}

/* The prompt with what came from outside in [brackets]; allocated. */
static inline char *marked(const struct ember_prompt *prompt)
{
    char *out = malloc(prompt->size + 2 * prompt->n_spans + 1), *at = out;
    if (!out)
        abort();
    for (size_t i = 0; i < prompt->n_spans; i++) {
        const struct ember_span *span = &prompt->spans[i];
        if (!span->parse_special)
            *at++ = '[';
        memcpy(at, span->text.data, span->text.size);
        at += span->text.size;
        if (!span->parse_special)
            *at++ = ']';
    }
    *at = '\0';
    return out;
}
