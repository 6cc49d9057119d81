/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A group is found in two steps: /proc/self/cgroup names it per hierarchy, /proc/self/mountinfo
 * says where that hierarchy can be seen. In a container the mount may begin at an inner group (its
 * "root" column), whose name then leads the group's own. */
#include "base/cgroup.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { LINE = 4096, GROUP = 1024 };

/* One hierarchy as this process sees it. */
struct hierarchy {
    const char *controller; /* NULL: version 2 */
    char group[GROUP];      /* as named in /proc/self/cgroup, then below the mount; "" is its top */
    char mount[GROUP];      /* "" if there is none */
};

/* Whether a list with commas has this item. */
static bool listed(const char *list, const char *item)
{
    size_t size = strlen(item);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (!strncmp(at, item, size) && (at[size] == ',' || !at[size]))
            return true;
    }
    return false;
}

static bool copied(char *to, const char *from)
{
    size_t size = strlen(from);
    if (size >= GROUP)
        return false;
    memcpy(to, from, size + 1);
    return true;
}

/* A line "4:cpu,cpuacct:/user.slice", or "0::/user.slice" of version 2. */
static void note_group(struct hierarchy *h, char *line)
{
    char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;

    if (!group)
        return;
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    if (h->controller ? listed(list + 1, h->controller) : !list[1])
        copied(h->group, group);
}

/* A line "31 23 0:28 ROOT MOUNT options [fields] - TYPE source SUPEROPTIONS". */
static void note_mount(struct hierarchy *h, char *line)
{
    char root[GROUP], mount[GROUP], type[32], options[GROUP];
    char *dash = strstr(line, " - ");

    if (!dash || sscanf(line, "%*s %*s %*s %1023s %1023s", root, mount) != 2 ||
        sscanf(dash, " - %31s %*s %1023s", type, options) != 2)
        return;
    if (strcmp(type, h->controller ? "cgroup" : "cgroup2") != 0 ||
        (h->controller && !listed(options, h->controller)))
        return;
    if (!copied(h->mount, mount))
        return;
    /* The group below the mount: its name without the mount's own. */
    size_t size = strcmp(root, "/") ? strlen(root) : 0;
    bool inside = !strncmp(h->group, root, size) && (h->group[size] == '/' || !h->group[size]);
    memmove(h->group, inside ? h->group + size : "", inside ? strlen(h->group + size) + 1 : 1);
    if (!strcmp(h->group, "/") || strstr(h->group, "/.."))
        h->group[0] = '\0'; /* above what can be seen */
}

static void each_line(const char *root, const char *path, struct hierarchy *h,
                      void (*note)(struct hierarchy *h, char *line))
{
    char line[LINE], name[LINE];

    snprintf(name, sizeof name, "%s%s", root, path);
    FILE *file = fopen(name, "re");
    while (file && fgets(line, sizeof line, file))
        note(h, line);
    if (file)
        fclose(file);
}

static bool find(struct hierarchy *h, const char *root)
{
    each_line(root, "/proc/self/cgroup", h, note_group);
    each_line(root, "/proc/self/mountinfo", h, note_mount);
    return h->mount[0];
}

/* From one group to the one that holds it; false at the top. */
static bool to_parent(struct hierarchy *h)
{
    char *slash = strrchr(h->group, '/');
    if (slash)
        *slash = '\0';
    return slash;
}

/* The first number of a group's file, or the one after `name` at the start of a line. */
static bool number(const struct hierarchy *h, const char *root, const char *file, const char *name,
                   uint64_t *out)
{
    char path[LINE], text[8192];

    snprintf(path, sizeof path, "%s%s%s/%s", root, h->mount, h->group, file);
    text_slurp(path, text, sizeof text);
    const char *at = text;
    while (name) {
        at = strstr(at, name);
        if (!at)
            return false;
        bool whole = at == text || at[-1] == '\n';
        at += strlen(name);
        if (whole && *at == ' ')
            break;
    }
    at += strspn(at, " ");
    /* Version 1 says −1 for no limit, version 2 "max". */
    return *at >= '0' && *at <= '9' && sscanf(at, "%" SCNu64, out) == 1;
}

/* Bytes that a group still allows. Pages of files can be dropped, so they do not count as used. */
static uint64_t memory_left(const struct hierarchy *h, const char *root)
{
    bool old = h->controller;
    uint64_t limit, used, cached;

    if (!number(h, root, old ? "memory.limit_in_bytes" : "memory.max", NULL, &limit) ||
        !number(h, root, old ? "memory.usage_in_bytes" : "memory.current", NULL, &used))
        return UINT64_MAX;
    if (!number(h, root, "memory.stat", old ? "total_cache" : "file", &cached))
        cached = 0;
    used = used > cached ? used - cached : 0;
    return limit > used ? limit - used : 0;
}

/* Whole processors' worth of time that a group's quota allows, at least 1. */
static uint64_t cpus(const struct hierarchy *h, const char *root)
{
    uint64_t quota, period;

    if (h->controller) {
        if (!number(h, root, "cpu.cfs_quota_us", NULL, &quota) ||
            !number(h, root, "cpu.cfs_period_us", NULL, &period))
            return UINT64_MAX;
    } else {
        char path[LINE], text[64];
        snprintf(path, sizeof path, "%s%s%s/cpu.max", root, h->mount, h->group);
        text_slurp(path, text, sizeof text);
        if (sscanf(text, "%" SCNu64 " %" SCNu64, &quota, &period) != 2)
            return UINT64_MAX;
    }
    if (!period)
        return UINT64_MAX;
    uint64_t whole = quota / period + (quota % period != 0);
    return whole ? whole : 1;
}

static void tighten(uint64_t *limit, uint64_t found)
{
    *limit = found < *limit ? found : *limit;
}

void cgroup_limits_read(struct cgroup_limits *out, const char *root)
{
    *out = (struct cgroup_limits){ .memory_left = UINT64_MAX, .n_cpus = UINT64_MAX };
    struct hierarchy h = { .controller = NULL };
    if (find(&h, root)) {
        do {
            tighten(&out->memory_left, memory_left(&h, root));
            tighten(&out->n_cpus, cpus(&h, root));
        } while (to_parent(&h));
    }
    h = (struct hierarchy){ .controller = "memory" };
    if (find(&h, root)) {
        do
            tighten(&out->memory_left, memory_left(&h, root));
        while (to_parent(&h));
    }
    h = (struct hierarchy){ .controller = "cpu" };
    if (find(&h, root)) {
        do
            tighten(&out->n_cpus, cpus(&h, root));
        while (to_parent(&h));
    }
}
