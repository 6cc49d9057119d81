/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_edit.c - changes the keys of a model file. */
#include <string.h>

#include <ember/ember.h>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "save.h"

struct edit_options {
    struct option_list remove, rename;
};

static const struct option edit_table[] = {
    { .name = "--remove",
      .kind = OPTION_LIST,
      .at = offsetof(struct edit_options, remove),
      .value = "KEY",
      .help = "remove a key; again for more" },
    { .name = "--rename",
      .kind = OPTION_LIST,
      .at = offsetof(struct edit_options, rename),
      .value = "OLD=NEW",
      .help = "give a key another name; again for more" },
};

/* Removes, then renames, then sets. */
static int apply(const struct options *options, const struct edit_options *edit,
                 struct ember_writer *writer)
{
    struct ember_error err = { 0 };
    enum ember_status st = EMBER_OK;

    for (size_t i = 0; st == EMBER_OK && i < edit->remove.n; i++)
        st = ember_writer_remove(writer, text_of(edit->remove.items[i]), &err);
    for (size_t i = 0; st == EMBER_OK && i < edit->rename.n; i++) {
        const char *text = edit->rename.items[i], *equals = strchr(text, '=');
        if (!equals)
            return options_complain(options, "--rename wants OLD=NEW, not \"%.60s\"", text);
        struct ember_text old = { text, (size_t)(equals - text) };
        st = ember_writer_rename(writer, old, text_of(equals + 1), &err);
    }
    for (size_t i = 0; st == EMBER_OK && i < options->set.n; i++)
        st = ember_writer_set(writer, options->set.items[i], &err);
    return st == EMBER_OK ? STATUS_FINE : fail_with_values(&err);
}

int cmd_edit(int argc, char **argv)
{
    struct edit_options edit = { 0 };
    struct save_options save = { 0 };
    struct option_group groups[] = {
        { .title = "Editing",
          .options = edit_table,
          .n = sizeof edit_table / sizeof edit_table[0],
          .base = &edit },
        save_option_group(&save),
    };
    struct options options = {
        .command = "edit",
        .operand = "FILE.gguf",
        .summary = "Changes the keys of a model file: removes, renames, then sets.",
        .notes =
            "Here --set changes the file; its type may also be arr[TYPE], with a JSON array:\n"
            "  --set 'general.tags=arr[str]:[\"a\", \"b\"]'\n"
            "A split model becomes one file with -o; with --in-place its first part is changed.",
        .groups = groups,
        .n_groups = sizeof groups / sizeof groups[0],
    };
    struct ember_gguf *gguf = NULL;
    struct ember_writer *writer = NULL;
    struct ember_error err = { 0 };
    int status;

    if (!options_read(&options, argc, argv, &status))
        return status;
    status = save_check(&options, &save);
    if (status == STATUS_FINE && !edit.remove.n && !edit.rename.n && !options.set.n)
        status = options_complain(&options, "nothing to do: --set, --remove or --rename is needed");
    if (status == STATUS_FINE)
        status = save_open(&gguf, &options, &save);
    if (status == STATUS_FINE && ember_writer_from(&writer, gguf, &err) != EMBER_OK)
        status = fail_with(&err);
    if (status == STATUS_FINE)
        status = apply(&options, &edit, writer);
    if (status == STATUS_FINE)
        status = save_write(&options, &save, gguf, writer);
    ember_writer_free(writer);
    ember_gguf_close(gguf);
    options_finish(&options);
    return status;
}
