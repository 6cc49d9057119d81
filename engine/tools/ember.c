/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ember.c - the command line tool: which command. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <ember/ember.h>

#include "commands.h"
#include "options.h"
#include "output.h"

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} commands[] = {
    { "inspect", cmd_inspect, "what a model file holds: keys, tensors, totals" },
    { "doctor", cmd_doctor, "what is wrong with a model file" },
    { "diff", cmd_diff, "what differs between two model files" },
    { "edit", cmd_edit, "change the keys of a model file" },
    { "export-metadata", cmd_export_metadata, "the keys of a model file as JSON" },
    { "import-metadata", cmd_import_metadata, "the keys of a model file from JSON" },
    { "split", cmd_split, "cut a model file into parts" },
    { "merge", cmd_merge, "make one file of the parts of a model" },
    { "hash", cmd_hash, "checksums of a model file and its tensors" },
    { "fit", cmd_fit, "what running it takes, against the memory there is" },
    { "tokenize", cmd_tokenize, "text to token ids" },
    { "template", cmd_template, "the prompt that a chat template makes" },
    { "eval", cmd_eval, "logits of given token ids, to a file" },
    { "complete", cmd_complete, "continue a text" },
    { "chat", cmd_chat, "talk to a model" },
    { "sample", cmd_sample, "run sampler chains on given logits" },
    { "bench", cmd_bench, "speed and memory of a model on this machine" },
    { "cpu", cmd_cpu, "what the processor offers and what is used of it" },
};

enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static const struct command *command_find(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

static int help_print(void)
{
    printf("Usage: ember COMMAND [OPTION…] [FILE]\n\n"
           "Runs language models stored in GGUF files on this machine.\n\n");
    for (size_t i = 0; i < N_COMMANDS; i++)
        printf("  %-17s%s\n", commands[i].name, commands[i].help);
    printf(
        "\n\"ember COMMAND --help\" lists the options of a command; \"ember --version\" says which"
        " version this is.\n"
        "Exit status: 0 fine, 1 it failed, 2 the command line makes no sense.\n");
    return output_end();
}

/* A closed standard stream would lend its number to the next file opened, and what is printed would
 * land in there. Each gets a stand-in that refuses its use instead. */
static void standard_streams_hold(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
    }
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";

    standard_streams_hold();
    /* A reader that goes away and a file that may not grow are failed writes with a sentence, not a
     * silent death. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);

    if (strcmp(name, "--version") == 0) {
        printf("ember %s\n", ember_version());
        return output_end();
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        const struct command *about = argc > 2 ? command_find(argv[2]) : NULL;
        char *help[] = { (char[]){ "--help" } };
        return about ? about->run(1, help) : help_print();
    }
    const struct command *command = command_find(name);
    if (command)
        return command->run(argc - 2, argv + 2);
    if (!*name)
        complain("which command? \"ember --help\" lists them");
    else if (*name == '-')
        complain("the command comes first, \"%.60s\" is none; \"ember --help\" lists them", name);
    else
        complain("unknown command \"%.60s\"; \"ember --help\" lists them", name);
    return STATUS_USAGE;
}
