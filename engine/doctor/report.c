/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report: problems as they are said, each sentence printable and short, and no more of one kind
 * than a person reads. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "doctor/doctor.h"

enum {
    MESSAGE_BYTES = 300,
    LISTED = 8,      /* problems of one code that are listed one by one */
    LISTED_ALL = 400 /* problems in all */
};

const char *ember_severity_name(enum ember_severity severity)
{
    static const char *const names[] = { "info", "warning", "error" };
    return (unsigned)severity < 3 ? names[severity] : "unknown";
}

struct doctor_name doctor_name(struct ember_text text)
{
    enum { SHOWN = sizeof((struct doctor_name *)0)->text - 4 };
    struct doctor_name name = { "" };
    size_t n = text.size < SHOWN ? text.size : SHOWN;

    n -= n && n < text.size ? utf8_unfinished(text.data, n) : 0;
    for (size_t i = 0; i < n; i++)
        name.text[i] = text.data[i] ? text.data[i] : '?'; /* a NUL would end the sentence */
    strcpy(name.text + n, n < text.size ? "…" : "");
    return name;
}

struct doctor_name doctor_key_name(const struct doctor *d, uint64_t index)
{
    return doctor_name(ember_gguf_key_name(d->gguf, index));
}

struct doctor_amount doctor_amount(uint64_t n, const char *one)
{
    struct doctor_amount amount;
    bool ends_in_y = one[strlen(one) - 1] == 'y';

    snprintf(amount.text, sizeof amount.text, "%" PRIu64 " %.*s%s", n,
             (int)(strlen(one) - (ends_in_y && n != 1)), one,
             n == 1      ? ""
             : ends_in_y ? "ies"
                         : "s");
    return amount;
}

struct doctor_place doctor_place(const char *item, struct ember_text name)
{
    struct doctor_place place;
    snprintf(place.text, sizeof place.text, "%.8s \"%s\"", item, doctor_name(name).text);
    return place;
}

/* Control characters and bad UTF-8 out, at most `limit` bytes, a copy that the report owns. */
static const char *keep(struct ember_doctor_report *report, const char *text, size_t limit,
                        bool sentence)
{
    struct ember_error clean;
    ember_fail(&clean, EMBER_OK, "%s", text);
    size_t size = strlen(clean.message);
    /* Sentences of other parts may come without their point. */
    if (sentence && size && size < sizeof clean.message - 1 &&
        !strchr(".)!?", clean.message[size - 1]))
        strcpy(clean.message + size++, ".");
    if (size > limit) {
        size = limit - strlen("….");
        size -= utf8_unfinished(clean.message, size);
        memcpy(clean.message + size, "….", sizeof "….");
        size = strlen(clean.message);
    }
    const char *copy = arena_copy(&report->arena, clean.message, size);
    if (!copy)
        report->failed = true;
    return copy ? copy : "";
}

struct doctor_sentence doctor_sentence(const struct doctor *d, const char *message)
{
    struct doctor_sentence sentence;
    size_t n = strlen(d->path);
    bool named = !strncmp(message, d->path, n);
    const char *rest = named ? message + n : message;

    if (named && rest[0] == ':' && rest[1] == ' ') {
        snprintf(sentence.text, sizeof sentence.text, "%s", rest + 2);
        sentence.text[0] = (char)toupper((unsigned char)sentence.text[0]);
    } else {
        snprintf(sentence.text, sizeof sentence.text, "%s%s", named ? "The file" : "", rest);
    }
    return sentence;
}

/* `where` is made for people; what it says is kept for programs, too. */
static void set_place(struct ember_doctor_report *report, struct ember_problem *problem)
{
    static const struct {
        const char *start;
        enum ember_place place;
    } places[] = {
        { "key \"", EMBER_PLACE_KEY },
        { "tensor \"", EMBER_PLACE_TENSOR },
        { "key ", EMBER_PLACE_KEYS },
        { "the keys", EMBER_PLACE_KEYS },
        { "tensor ", EMBER_PLACE_TENSORS },
        { "the tensor table", EMBER_PLACE_TENSORS },
        { "the tensor data", EMBER_PLACE_DATA },
        { "the header", EMBER_PLACE_HEADER },
        { "the parts", EMBER_PLACE_PARTS },
    };

    problem->place = EMBER_PLACE_FILE;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        size_t n = strlen(places[i].start), size = strlen(problem->where);
        if (strncmp(problem->where, places[i].start, n))
            continue;
        problem->place = places[i].place;
        if (places[i].start[n - 1] == '"' && size > n) {
            problem->item = arena_copy(&report->arena, problem->where + n, size - n - 1);
            report->failed |= !problem->item;
        }
        return;
    }
}

static struct code_count *count_of(struct ember_doctor_report *report, const char *code,
                                   enum ember_severity severity)
{
    for (size_t i = 0; i < report->n_counts; i++) {
        if (report->counts[i].severity == severity && !strcmp(report->counts[i].code, code))
            return &report->counts[i];
    }
    if (report->n_counts == sizeof report->counts / sizeof *report->counts)
        return NULL;
    report->counts[report->n_counts] = (struct code_count){ code, severity, 0 };
    return &report->counts[report->n_counts++];
}

static void add(struct ember_doctor_report *report, const struct ember_problem *problem)
{
    if (report->n_problems == report->capacity) {
        size_t capacity = report->capacity ? report->capacity * 2 : 16;
        struct ember_problem *grown = realloc(report->problems, capacity * sizeof *grown);
        if (!grown) {
            report->failed = true;
            return;
        }
        report->problems = grown;
        report->capacity = capacity;
    }
    report->problems[report->n_problems++] = *problem;
}

void doctor_say(struct doctor *d, enum ember_severity severity, const char *code, const char *where,
                const char *advice, const char *format, ...)
{
    struct ember_doctor_report *report = d->report;
    struct code_count *count = count_of(report, code, severity);
    char message[480];
    va_list args;

    if (severity == EMBER_SEVERITY_ERROR)
        report->has_error = true;
    if (!count || ++count->n > LISTED ||
        (report->n_problems >= LISTED_ALL && severity != EMBER_SEVERITY_ERROR))
        return;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    struct ember_problem problem = {
        .severity = severity,
        .code = code,
        .where = keep(report, where, 120, false),
        .message = keep(report, message, MESSAGE_BYTES, true),
        .advice = advice ? advice : "",
    };
    set_place(report, &problem);
    add(report, &problem);
}

void doctor_say_rest(struct doctor *d)
{
    struct ember_doctor_report *report = d->report;

    for (size_t i = 0; i < report->n_counts; i++) {
        const struct code_count *count = &report->counts[i];
        char message[160];
        if (count->n <= LISTED)
            continue;
        snprintf(message, sizeof message,
                 "The file has %s more of the kind \"%s\" like the %d listed.",
                 doctor_amount(count->n - LISTED, "problem").text, count->code, LISTED);
        struct ember_problem problem = { .severity = count->severity,
                                         .code = count->code,
                                         .where = "the file",
                                         .message = keep(report, message, MESSAGE_BYTES, true),
                                         .advice = "",
                                         .n_more = count->n - LISTED };
        add(report, &problem);
    }
}

void ember_doctor_free(struct ember_doctor_report *report)
{
    if (!report)
        return;
    free(report->problems);
    arena_finish(&report->arena);
    free(report);
}

bool ember_doctor_ok(const struct ember_doctor_report *report)
{
    return !report->has_error;
}

const struct ember_doctor_file *ember_doctor_file(const struct ember_doctor_report *report)
{
    return &report->file;
}

size_t ember_doctor_n_problems(const struct ember_doctor_report *report)
{
    return report->n_problems;
}

const struct ember_problem *ember_doctor_problem(const struct ember_doctor_report *report,
                                                 size_t index)
{
    return index < report->n_problems ? &report->problems[index] : NULL;
}
