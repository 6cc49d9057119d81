/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How each family of pre-tokenizers cuts a text into words; long runs of everything. */
#include "support.h"

#include "tokens/pretokenize.h"
#include "tokens/work.h"

static struct ember_text text(const char *s)
{
    return (struct ember_text){ s, strlen(s) };
}

static const struct tok_family *family(const char *name)
{
    const struct tok_pre_name *found = tok_pre_find(text(name));
    return CHECK_MSG(found != NULL, "%s is unknown", name) ? found->family : NULL;
}

/* `want` has the words with '|' between them. */
static void check_cuts(const char *name, const char *input, const char *want, int line)
{
    struct tok_pretokenizer *pre = NULL;
    struct tok_work work = { 0 };
    struct ember_error err = { 0 };
    char got[512];
    size_t n = 0;

    if (!family(name))
        return;
    enum ember_status st = tok_pretokenizer_new(&pre, family(name), &err);
    if (st == EMBER_OK)
        st = tok_pretokenize(pre, input, (uint32_t)strlen(input), &work, &err);
    if (CHECK_MSG(st == EMBER_OK, "%s: %s", name, err.message)) {
        for (size_t i = 0; i < work.cuts.n; i++) {
            uint32_t from = i ? work.cuts.ends[i - 1] : 0, to = work.cuts.ends[i];
            if (i)
                got[n++] = '|';
            memcpy(got + n, input + from, to - from);
            n += to - from;
        }
        got[n] = '\0';
        test_check(strcmp(got, want) == 0, __FILE__, line, "%s: \"%s\", expected \"%s\"", name, got,
                   want);
    }
    tok_pretokenizer_free(pre);
    tok_work_finish(&work);
}

#define CUTS(name, input, want) check_cuts((name), (input), (want), __LINE__)

static void test_families(void)
{
    CUTS("gpt-2", "", "");
    CUTS("gpt-2", "I'm 12 days  old.\n\nOK", "I|'m| 12| days| | old|.|\n|\n|OK");
    CUTS("gpt-2", "I'M  ", "I|'|M|  ");
    CUTS("gpt-2",
         "a\xFF"
         "b \xE2\x82",
         "a|\xFF|b| \xE2\x82"); /* bad bytes are not letters */
    CUTS("llama-bpe", "I'M 1234  x.\n\n y", "I|'M| |123|4| | x|.\n\n| y");
    CUTS("llama-bpe", " \r\n  \n  x", " \r\n  \n| | x");
    CUTS("llama-bpe", "x\u00a0y\u3000\u3000z\u180ew", "x|\u00a0y|\u3000|\u3000z|\u180ew");
    CUTS("jais-2", "       x", "    |  | x");
    CUTS("jais-2", "!\n  \n   x", "!\n|  \n|  | x");
    CUTS("qwen2", "ab 123 e\u0301a", "ab| |1|2|3| e|\u0301a");
    CUTS("qwen35", "ab 123 e\u0301a \u0301!", "ab| |1|2|3| e\u0301a| \u0301|!");
    CUTS("gpt-4o", "camelCaseHTTPServer's x/\n1234", "camel|Case|HTTPServer's| x|/\n|123|4");
    CUTS("gpt-4o", "ABC ÄÖü", "ABC| ÄÖü");
    CUTS("granite-embed-multi-97m", "e\u0301BA", "e\u0301|BA");
    CUTS("tekken", "camelCase's 12", "camel|Case|'s| |1|2");
    CUTS("deepseek-v3", "1234今日abc foo!bar ?!\n", "123|4|今日|abc| foo|!bar| ?!\n");
    CUTS("deepseek-coder", "ab 12,cd\nx", "ab| |1|2|,|cd|\n|x");
    CUTS("deepseek-llm", "ab 12,cd  \nx  1", "ab| |12|,|cd|  |\n|x|  |1");
    CUTS("deepseek-llm", "ab שלום", "ab| שלום");
    CUTS("smollm", "a1b 22", "a|1|b| |2|2");
    CUTS("falcon", "x=12345!`a", "x|=|123|45|!`|a");
    CUTS("default", "x=12345!`a", "x|=|123|45|!|`|a");
    CUTS("default", "a 1234", "a| |123|4");
    CUTS("kimi-k2", "中文abcDef's 1234", "中文|abcDef's| |123|4");
    CUTS("bloom", " hello, world(a)", " hello|,| world|(|a|)");
    CUTS("viking", "a1b", "a|1|b");
    CUTS("seed-coder", "a!\n b", "a|!|\n| b");
    CUTS("bailingmoe", "a!\n\n\n x", "a|!\n\n\n| x");
    CUTS("exaone-moe", "ab cd  ef1", "ab cd| | ef|1");
    CUTS("afmoe", "1234567 ລາວ 12", "1|234|567| |ລາວ| |12");
    CUTS("superbpe", "ab 12345 cd", "ab |12|345| cd");
    CUTS("superbpe", "½123 ½1234 ½12", "½|123| |½1|234| |½12");
    CUTS("laguna", "a \n\n b", "a| |\n\n| b");
    CUTS("minicpm5", "a1234", "a|123|4");
    CUTS("tiny_aya", "1234 Abc's", "1|234| Abc's");
    CUTS("youtu", "가나다!12 x", "가나다|!|1|2| x");
    CUTS("chameleon", "a  1.", "a|  |1|.");
    CUTS("gemma4", "a\n\nb c", "a|\n\n|b c");
}

static void test_table(void)
{
    size_t families = 0;
    for (size_t i = 0; i < tok_n_pre_names; i++) {
        const struct tok_pre_name *name = &tok_pre_names[i];
        struct tok_pretokenizer *pre = NULL;
        struct ember_error err = { 0 };
        CHECK_MSG(tok_pre_find(text(name->name)) == name, "%s stands there twice", name->name);
        CHECK_MSG(family(name->family->name) == name->family, "%s: no name means its family alone",
                  name->name);
        families += strcmp(name->name, name->family->name) == 0;
        CHECK_MSG(tok_pretokenizer_new(&pre, name->family, &err) == EMBER_OK, "%s: %s", name->name,
                  err.message);
        tok_pretokenizer_free(pre);
    }
    CHECK(families >= 28);
    CHECK(!tok_pre_find(text("llama")));
    CHECK(!tok_pre_find(text("")));
}

/* The pieces of a long run are all there; a pattern that backtracks badly would not come back. */
static void check_run(const char *name, const char *unit, const char *end)
{
    enum { SIZE = 200000 };
    static char run[SIZE + 8];
    struct tok_pretokenizer *pre = NULL;
    struct tok_work work = { 0 };
    struct ember_error err = { 0 };
    size_t length = strlen(unit), size = SIZE - SIZE % length;

    for (size_t i = 0; i < size; i++)
        run[i] = unit[i % length];
    memcpy(run + size, end, strlen(end));
    size += strlen(end);
    enum ember_status st = tok_pretokenizer_new(&pre, family(name), &err);
    if (st == EMBER_OK)
        st = tok_pretokenize(pre, run, (uint32_t)size, &work, &err);
    if (CHECK_MSG(st == EMBER_OK, "%s: a run of \"%s\": %s", name, unit, err.message)) {
        bool ascending = work.cuts.n > 0 && work.cuts.ends[work.cuts.n - 1] == size;
        for (size_t i = 1; i < work.cuts.n; i++)
            ascending = ascending && work.cuts.ends[i] > work.cuts.ends[i - 1];
        CHECK_MSG(ascending, "%s: a run of \"%s\" is cut wrongly", name, unit);
    }
    tok_pretokenizer_free(pre);
    tok_work_finish(&work);
}

static void test_runs(void)
{
    static const char *const units[] = { " ", "a",  "A",    "1",      "\n",      " \n",
                                         "'", "a ", "aA",   "\u0301", "a\u0301", "中",
                                         "½", "<",  "\xFF", "IMGIMG" };
    for (size_t i = 0; i < tok_n_pre_names; i++) {
        if (strcmp(tok_pre_names[i].name, tok_pre_names[i].family->name) != 0)
            continue;
        for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
            check_run(tok_pre_names[i].name, units[k], "");
            check_run(tok_pre_names[i].name, units[k], "x");
        }
    }
}

int main(void)
{
    test_families();
    test_table();
    test_runs();
    return test_end();
}
