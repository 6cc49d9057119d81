/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_cpu.c - what the processor offers and which level of it the kernels use. */
#include <stdio.h>
#include <string.h>

#include <ember/ember.h>

#include "commands.h"
#include "options.h"
#include "output.h"

enum {
    MOST_LEVELS = sizeof((struct ember_hardware *)0)->cpu_levels / sizeof(struct ember_cpu_level)
};

static int text_write(const struct ember_hardware *hardware)
{
    printf("Processor  ");
    text_print(stdout, text_of(*hardware->cpu_name ? hardware->cpu_name : "unknown"), TEXT_PLAIN,
               0);
    printf("\nFound      %s\n",
           *hardware->cpu_features ? hardware->cpu_features : "nothing special");
    printf("Levels     ");
    for (size_t i = 0; i < MOST_LEVELS && *hardware->cpu_levels[i].name; i++)
        printf("%s%s %s", i ? ", " : "", hardware->cpu_levels[i].name,
               hardware->cpu_levels[i].here ? "yes" : "no");
    printf("\nUsed       %s", hardware->cpu_level);
    if (*hardware->cpu_cap)
        printf(" (EMBER_CPU=%s)", hardware->cpu_cap);
    printf("\nCores      %u, threads %u\n", hardware->n_cores, hardware->n_threads);
    printf("Memory     %s, available %s\n", bytes_text(hardware->memory_total).text,
           bytes_text(hardware->memory_available).text);
    return output_end();
}

/* The space-separated list as an array. */
static void features_write(struct ember_json_writer *json, const char *features)
{
    ember_json_begin_array(json);
    while (*features) {
        size_t size = strcspn(features, " ");
        if (size)
            ember_json_write_text(json, (struct ember_text){ features, size });
        features += size + (features[size] == ' ');
    }
    ember_json_end_array(json);
}

static int json_write(const struct ember_hardware *hardware)
{
    struct ember_json_writer *json = output_json_new();
    if (!json)
        return STATUS_FAILED;
    ember_json_begin_object(json);
    ember_json_name(json, "name");
    ember_json_write_string(json, hardware->cpu_name);
    ember_json_name(json, "features");
    features_write(json, hardware->cpu_features);
    ember_json_name(json, "levels");
    ember_json_begin_object(json);
    for (size_t i = 0; i < MOST_LEVELS && *hardware->cpu_levels[i].name; i++) {
        ember_json_name(json, hardware->cpu_levels[i].name);
        ember_json_write_bool(json, hardware->cpu_levels[i].here);
    }
    ember_json_end_object(json);
    ember_json_name(json, "level");
    ember_json_write_string(json, hardware->cpu_level);
    ember_json_name(json, "cap");
    if (*hardware->cpu_cap)
        ember_json_write_string(json, hardware->cpu_cap);
    else
        ember_json_write_null(json);
    ember_json_name(json, "cores");
    ember_json_write_u64(json, hardware->n_cores);
    ember_json_name(json, "threads");
    ember_json_write_u64(json, hardware->n_threads);
    ember_json_name(json, "memory_total");
    ember_json_write_u64(json, hardware->memory_total);
    ember_json_name(json, "memory_available");
    ember_json_write_u64(json, hardware->memory_available);
    ember_json_end_object(json);
    return output_json(json);
}

int cmd_cpu(int argc, char **argv)
{
    struct options options = {
        .command = "cpu",
        .summary = "Prints what this processor offers and which level the kernels use.",
        .notes = "EMBER_CPU=LEVEL in the environment caps the level.",
    };
    struct ember_hardware hardware;
    struct ember_error err = { 0 };
    int status;

    if (!options_read(&options, argc, argv, &status))
        return status;
    if (ember_hardware_read(&hardware, &err) != EMBER_OK)
        status = fail_with(&err);
    else
        status = options.json ? json_write(&hardware) : text_write(&hardware);
    options_finish(&options);
    return status;
}
