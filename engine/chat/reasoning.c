/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include <ember/reasoning.h>

/* Marks are ordinary words of a template, so they are known by name. The end decides: templates
 * that cut the thoughts out of earlier answers may never write the beginning. */
static const struct ember_reasoning known[] = {
    { "<think>", "</think>" },
    { "<thinking>", "</thinking>" },
    { "<thought>", "</thought>" },
    { "<reasoning>", "</reasoning>" },
    { "<seed:think>", "</seed:think>" },
    { "[THINK]", "[/THINK]" },
    { "<|START_THINKING|>", "<|END_THINKING|>" },
};

/* The last place of `word` in the text; NULL: nowhere. */
static const char *find_last(struct ember_text text, const char *word)
{
    size_t n = strlen(word);
    for (size_t at = text.size < n ? 0 : text.size - n + 1; at > 0; at--)
        if (memcmp(text.data + at - 1, word, n) == 0)
            return text.data + at - 1;
    return NULL;
}

bool ember_reasoning_find(struct ember_text source, struct ember_reasoning *out)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (find_last(source, known[i].end)) {
            *out = known[i];
            return true;
        }
    return false;
}

bool ember_reasoning_is_open(const struct ember_reasoning *reasoning, struct ember_text prompt)
{
    const char *begin = find_last(prompt, reasoning->begin);
    if (!begin)
        return false;
    /* Nothing but white space may follow: a mark in what somebody wrote opens nothing. */
    for (const char *p = begin + strlen(reasoning->begin); p < prompt.data + prompt.size; p++)
        if (!strchr(" \t\r\n", *p))
            return false;
    return true;
}
