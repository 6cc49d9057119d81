/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include <ember/reasoning.h>

#include "test.h"

static struct ember_text text(const char *s)
{
    return (struct ember_text){ s, strlen(s) };
}

static void test_find(void)
{
    struct ember_reasoning r = { "a", "b" };
    CHECK_MSG(!ember_reasoning_find(text("{{ messages[0].content }}"), &r), "no marks");
    CHECK_MSG(!ember_reasoning_find(text(""), &r), "an empty template");
    CHECK_MSG(!ember_reasoning_find((struct ember_text){ NULL, 0 }, &r), "no template");
    CHECK_MSG(strcmp(r.begin, "a") == 0, "left untouched");
    CHECK_MSG(ember_reasoning_find(text("{{ content.split('</think>')[-1] }}"), &r),
              "the end alone");
    CHECK_MSG(strcmp(r.begin, "<think>") == 0 && strcmp(r.end, "</think>") == 0, "think");
    CHECK_MSG(ember_reasoning_find(text("[THINK]{{ x }}[/THINK]"), &r), "brackets");
    CHECK_MSG(strcmp(r.begin, "[THINK]") == 0 && strcmp(r.end, "[/THINK]") == 0, "brackets' marks");
}

static void test_open(void)
{
    const struct ember_reasoning r = { "<think>", "</think>" };
    CHECK_MSG(ember_reasoning_is_open(&r, text("<|user|>Hi<|assistant|><think>\n")), "opened");
    CHECK_MSG(ember_reasoning_is_open(&r, text("<think>")), "at the end");
    CHECK_MSG(!ember_reasoning_is_open(&r, text("<|assistant|><think>\n\n</think>\n\n")), "closed");
    CHECK_MSG(!ember_reasoning_is_open(&r, text("say <think> please<|assistant|>")),
              "in the question");
    CHECK_MSG(!ember_reasoning_is_open(&r, text("<|assistant|>")), "none");
    CHECK_MSG(!ember_reasoning_is_open(&r, text("think>")), "shorter than the mark");
    CHECK_MSG(!ember_reasoning_is_open(&r, (struct ember_text){ NULL, 0 }), "an empty prompt");
}

int main(void)
{
    test_find();
    test_open();
    return test_end();
}
