/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

/* Options of every command; the group is made anew for each run. */
static const struct option common_options[] = {
    { .name = "--json",
      .kind = OPTION_FLAG,
      .at = offsetof(struct options, json),
      .help = "one JSON value on standard output, nothing else" },
    { .name = "--set",
      .kind = OPTION_LIST,
      .at = offsetof(struct options, set),
      .value = "KEY=TYPE:VALUE",
      .help = "override a key of the file (u8 … f64, bool, str); again for more" },
    { .name = "--help", .kind = OPTION_FLAG, .at = SIZE_MAX, .help = "this text" },
};

/* State of one run over the command line. The first complaint is kept back, because a --help behind
 * the mistake answers it better. */
struct reader {
    struct options *options;
    struct option_group common;
    int argc;
    char **argv;
    int at;
    char complaint[256];
    bool help;
};

bool number_read(const char *text, double min, double max, double *out)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    /* strtod() also takes white space in front and hexadecimal digits; a typing error is likelier.
     */
    if (end == text || *end || strspn(text, "+-.0123456789eEinfINF") != strlen(text))
        return false;
    if (isnan(value) || value < min || value > max)
        return false;
    *out = value;
    return true;
}

bool integer_read(const char *text, int64_t min, int64_t max, int64_t *out)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end || errno || strspn(text, "+-0123456789") != strlen(text))
        return false;
    if (value < min || value > max)
        return false;
    *out = value;
    return true;
}

__attribute__((format(printf, 2, 3))) static void complain_later(struct reader *reader,
                                                                 const char *format, ...)
{
    va_list args;
    if (reader->complaint[0])
        return;
    va_start(args, format);
    vsnprintf(reader->complaint, sizeof reader->complaint, format, args);
    va_end(args);
}

int options_complain(const struct options *options, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    complain("%s: %s; \"ember %s --help\" says more", options->command, text, options->command);
    return STATUS_USAGE;
}

/* The number of alternatives in "f16|f32" that equal the value, as its index, or -1. */
static int choice_find(const char *choices, const char *value)
{
    size_t size = strlen(value);
    for (int index = 0;; index++) {
        size_t length = strcspn(choices, "|");
        if (length == size && memcmp(choices, value, size) == 0)
            return index;
        if (!choices[length])
            return -1;
        choices += length + 1;
    }
}

static bool list_add(struct option_list *list, const char *text)
{
    const char **items = realloc(list->items, (list->n + 1) * sizeof *items);
    if (!items)
        return false;
    items[list->n++] = text;
    list->items = items;
    return true;
}

static void value_store(struct reader *reader, const struct option_group *group,
                        const struct option *option, const char *value)
{
    char *field = (char *)group->base + option->at;
    bool bounded = option->min < option->max;
    int64_t integer;
    double number;

    switch (option->kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        break;
    case OPTION_TEXT:
        *(const char **)field = value;
        break;
    case OPTION_LIST:
        if (!list_add((struct option_list *)field, value))
            complain_later(reader, "out of memory");
        break;
    case OPTION_CHOICE:
        *(int *)field = choice_find(option->choices, value);
        if (*(int *)field < 0)
            complain_later(reader, "%s is %s, not \"%.60s\"", option->name, option->choices, value);
        break;
    case OPTION_U32:
        if (integer_read(value, bounded ? (int64_t)option->min : 0,
                         bounded ? (int64_t)option->max : UINT32_MAX, &integer))
            *(uint32_t *)field = (uint32_t)integer;
        else
            complain_later(reader, "%s wants a whole number from %.0f to %.0f, not \"%.60s\"",
                           option->name, bounded ? option->min : 0.0,
                           bounded ? option->max : (double)UINT32_MAX, value);
        break;
    case OPTION_I32:
        if (integer_read(value, bounded ? (int64_t)option->min : INT32_MIN,
                         bounded ? (int64_t)option->max : INT32_MAX, &integer))
            *(int32_t *)field = (int32_t)integer;
        else
            complain_later(reader, "%s wants a whole number from %.0f to %.0f, not \"%.60s\"",
                           option->name, bounded ? option->min : (double)INT32_MIN,
                           bounded ? option->max : (double)INT32_MAX, value);
        break;
    case OPTION_F32:
        if (number_read(value, bounded ? option->min : -3.4e38, bounded ? option->max : 3.4e38,
                        &number))
            *(float *)field = (float)number;
        else if (bounded)
            complain_later(reader, "%s wants a number from %g to %g, not \"%.60s\"", option->name,
                           option->min, option->max, value);
        else
            complain_later(reader, "%s wants a number, not \"%.60s\"", option->name, value);
        break;
    }
}

/* Looks in one table; true when the word was one of its options (and its value was taken). */
static bool option_take(struct reader *reader, struct option_group *group, const char *word,
                        size_t name_size)
{
    for (size_t i = 0; i < group->n; i++) {
        const struct option *option = &group->options[i];
        const char *value = word[name_size] == '=' ? word + name_size + 1 : NULL;
        if (strlen(option->name) != name_size || memcmp(option->name, word, name_size) != 0)
            continue;
        if (option->kind == OPTION_FLAG && value) {
            complain_later(reader, "%s takes no value", option->name);
            return true;
        }
        if (option->at == SIZE_MAX) {
            reader->help = true;
            return true;
        }
        if (option->kind != OPTION_FLAG && !value) {
            if (reader->at + 1 >= reader->argc) {
                complain_later(reader, "%s needs a value (%s)", option->name, option->value);
                return true;
            }
            value = reader->argv[++reader->at];
        }
        group->given |= UINT64_C(1) << i;
        value_store(reader, group, option, value);
        return true;
    }
    return false;
}

static void word_read(struct reader *reader, const char *word)
{
    struct options *options = reader->options;
    size_t name_size = strcspn(word, "=");

    if (option_take(reader, &reader->common, word, name_size))
        return;
    for (size_t i = 0; i < options->n_groups; i++) {
        if (option_take(reader, &options->groups[i], word, name_size))
            return;
    }
    if (strcmp(word, "-h") == 0)
        reader->help = true;
    else
        complain_later(reader, "unknown option %.*s", name_size > 60 ? 60 : (int)name_size, word);
}

static void operand_read(struct reader *reader, const char *word)
{
    struct options *options = reader->options;
    if (!options->operand)
        complain_later(reader, "takes no file, but got \"%.100s\"", word);
    else if (options->file && options->second && !options->other)
        options->other = word;
    else if (options->file && options->second)
        complain_later(reader, "takes two files, but got a third, \"%.100s\"", word);
    else if (options->file)
        complain_later(reader, "takes one file, but got \"%.80s\" and \"%.80s\"", options->file,
                       word);
    else
        options->file = word;
}

static void group_print(const struct option_group *group)
{
    enum { COLUMN = 26 };
    printf("\n%s:\n", group->title);
    for (size_t i = 0; i < group->n; i++) {
        const struct option *option = &group->options[i];
        int width = printf("  %s%s%s", option->name, option->value ? " " : "",
                           option->value ? option->value : "");
        /* A long name pushes its explanation to a line of its own. */
        if (width > COLUMN - 2) {
            putchar('\n');
            width = 0;
        }
        printf("%*s%s\n", COLUMN - width, "", option->help);
    }
}

static int help_print(const struct reader *reader)
{
    const struct options *options = reader->options;
    printf("Usage: ember %s [OPTION…]%s%s%s%s\n\n%s\n", options->command,
           options->operand ? " " : "", options->operand ? options->operand : "",
           options->second ? " " : "", options->second ? options->second : "", options->summary);
    if (options->notes)
        printf("%s\n", options->notes);
    for (size_t i = 0; i < options->n_groups; i++)
        group_print(&options->groups[i]);
    group_print(&reader->common);
    return output_end();
}

bool options_read(struct options *options, int argc, char **argv, int *status)
{
    struct reader reader = {
        .options = options,
        .common = { .title = "Every command",
                    .options = common_options,
                    .n = sizeof common_options / sizeof common_options[0],
                    .base = options },
        .argc = argc,
        .argv = argv,
    };
    bool ended = false;

    for (reader.at = 0; reader.at < argc; reader.at++) {
        const char *word = argv[reader.at];
        if (!ended && strcmp(word, "--") == 0)
            ended = true;
        else if (!ended && word[0] == '-' && word[1])
            word_read(&reader, word);
        else
            operand_read(&reader, word);
    }
    if (options->operand && !options->file)
        complain_later(&reader, "which file? %s is missing", options->operand);
    else if (options->second && !options->other)
        complain_later(&reader, "which second file? %s is missing", options->second);
    if (!reader.help && !reader.complaint[0])
        return true;
    *status = reader.help ? help_print(&reader) : options_complain(options, "%s", reader.complaint);
    options_finish(options);
    return false;
}

void options_finish(struct options *options)
{
    free(options->set.items);
    options->set = (struct option_list){ 0 };
    for (size_t i = 0; i < options->n_groups; i++) {
        const struct option_group *group = &options->groups[i];
        for (size_t j = 0; j < group->n; j++) {
            if (group->options[j].kind == OPTION_LIST) {
                struct option_list *list =
                    (struct option_list *)((char *)group->base + group->options[j].at);
                free(list->items);
                *list = (struct option_list){ 0 };
            }
        }
    }
}

bool options_given(const struct option_group *group, size_t at)
{
    for (size_t i = 0; i < group->n; i++) {
        if (group->options[i].at == at)
            return group->given >> i & 1;
    }
    return false;
}

void options_copy_given(const struct option_group *group, void *to)
{
    static const size_t sizes[] = {
        [OPTION_FLAG] = sizeof(bool),
        [OPTION_TEXT] = sizeof(char *),
        [OPTION_LIST] = sizeof(struct option_list),
        [OPTION_CHOICE] = sizeof(int),
        [OPTION_U32] = sizeof(uint32_t),
        [OPTION_I32] = sizeof(int32_t),
        [OPTION_F32] = sizeof(float),
    };
    for (size_t i = 0; i < group->n; i++) {
        if (group->given >> i & 1)
            memcpy((char *)to + group->options[i].at, (char *)group->base + group->options[i].at,
                   sizes[group->options[i].kind]);
    }
}
