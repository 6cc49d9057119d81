/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From messages to a prompt: plain files, templates that refuse, open answers, doubled BOS. */
#include "support.h"
#include "tokens/vocab.h"

static const struct entry tokens[] = {
    { "<s>", CONTROL, 0 },        { "</s>", CONTROL, 0 }, { "<|im_start|>", CONTROL, 0 },
    { "<|im_end|>", CONTROL, 0 }, { NULL, 0, 0 },
};
static const char *const no_merges[] = { NULL };

/* A vocabulary that adds BOS, or not, and a template, or none. */
struct file {
    struct image image;
    struct ember_gguf *gguf;
    struct ember_tokenizer *tokenizer;
    struct ember_chat *chat;
};

static bool file_open(struct file *f, const char *source, bool adds_bos)
{
    struct recipe recipe = {
        .model = "gpt2", .pre = "gpt-2", .bytes = true, .tokens = tokens, .merges = no_merges
    };
    struct ember_error err = { 0 };
    char *set = NULL;
    *f = (struct file){ 0 };
    vocab_write(&f->image, &recipe);
    bool ok = CHECK_MSG(ember_gguf_open_memory(&f->gguf, f->image.data, f->image.size, "file", true,
                                               &err) == EMBER_OK,
                        "%s", err.message);
    if (!ok)
        return false;
    CHECK(ember_gguf_set(f->gguf, "tokenizer.ggml.bos_token_id=u32:256", &err) == EMBER_OK);
    CHECK(ember_gguf_set(f->gguf, "tokenizer.ggml.eos_token_id=u32:257", &err) == EMBER_OK);
    CHECK(ember_gguf_set(f->gguf,
                         adds_bos ? "tokenizer.ggml.add_bos_token=bool:true"
                                  : "tokenizer.ggml.add_bos_token=bool:false",
                         &err) == EMBER_OK);
    if (source && asprintf(&set, "tokenizer.chat_template=str:%s", source) > 0)
        CHECK_MSG(ember_gguf_set(f->gguf, set, &err) == EMBER_OK, "%s", err.message);
    free(set);
    return CHECK_MSG(ember_tokenizer_new(&f->tokenizer, f->gguf, &err) == EMBER_OK, "%s",
                     err.message) &&
           CHECK_MSG(ember_chat_new(&f->chat, f->gguf, f->tokenizer, &err) == EMBER_OK, "%s",
                     err.message);
}

static void file_close(struct file *f)
{
    ember_chat_free(f->chat);
    ember_tokenizer_free(f->tokenizer);
    ember_gguf_close(f->gguf);
    free(f->image.data);
}

/* The marked prompt, or the sentence. */
static void check_prompt(const char *source, bool adds_bos, const struct ember_message *messages,
                         size_t n, bool generate, const char *expected)
{
    struct file f;
    struct ember_prompt prompt = { 0 };
    struct ember_error err = { 0 };
    if (file_open(&f, source, adds_bos)) {
        char *text = NULL;
        if (ember_chat_prompt(f.chat, messages, n, generate, test_now, &prompt, &err) == EMBER_OK) {
            text = marked(&prompt);
            CHECK_MSG(spans_fit(&prompt), "%s: spans that do not fit", source);
        }
        CHECK_MSG(strcmp(text ? text : err.message, expected) == 0, "%s: \"%s\", expected \"%s\"",
                  source ? source : "plain", text ? text : err.message, expected);
        free(text);
        ember_prompt_finish(&prompt);
    }
    file_close(&f);
}

#define CHATML                                                                                     \
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content|trim }}<|im_end|>\n"            \
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
#define REFUSES_SYSTEM                                                                             \
    "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}"      \
    "{% endif %}" CHATML
#define ALTERNATES                                                                                 \
    "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"                 \
    "{{ raise_exception('Roles must alternate') }}{% endif %}{{ m.role }}:{{ m.content }};"        \
    "{% endfor %}{% if add_generation_prompt %}assistant:{% endif %}"

static const struct ember_message hello[] = { { "user", " <|im_end|>hi " } };
static const struct ember_message with_system[] = {
    { "system", "Be kind." }, { "user", "hi" }, { "assistant", "yes?" }, { "user", "go" }
};
static const struct ember_message two_users[] = { { "system", "S" },
                                                  { "user", "a" },
                                                  { "user", "b" } };
static const struct ember_message begun[] = { { "user", "q" }, { "assistant", " The answer " } };

static void test_plain(void)
{
    struct file f;
    if (file_open(&f, NULL, true)) {
        CHECK(ember_chat_is_plain(f.chat));
        struct ember_prompt prompt = { 0 };
        CHECK(ember_chat_prompt(f.chat, NULL, 0, true, test_now, &prompt, NULL) == EMBER_OK);
        CHECK(prompt.text && prompt.size == 0 && prompt.n_spans == 0);
        ember_prompt_finish(&prompt);
    }
    file_close(&f);
    check_prompt(NULL, true, hello, 1, true, "[ <|im_end|>hi ]");
    check_prompt(NULL, false, with_system, 4, true, "[Be kind.\n\nhi\n\nyes?\n\ngo]");
}

static void test_template(void)
{
    check_prompt(CHATML, false, hello, 1, true,
                 "<|im_start|>user\n[<|im_end|>hi]<|im_end|>\n<|im_start|>assistant\n");
    check_prompt(CHATML, false, hello, 1, false, "<|im_start|>user\n[<|im_end|>hi]<|im_end|>\n");
    check_prompt(CHATML, false, with_system, 2, true,
                 "<|im_start|>system\n[Be kind.]<|im_end|>\n<|im_start|>user\n[hi]<|im_end|>\n"
                 "<|im_start|>assistant\n");
    check_prompt("{{ date_string }}|{{ datetime }}|{{ strftime_now('%Y') }}|{{ tools is defined }}"
                 "|{{ enable_thinking }}|{{ messages|length }}",
                 false, hello, 1, true, "26 Jul 2026|Jul 26 2026|2026|False|True|1");
    check_prompt("{{ bos_token }}{{ messages[0].content }}{{ eos_token }}", false, hello, 1, true,
                 "<s>[ <|im_end|>hi ]</s>");
    /* Content as a list of parts, for templates that show nothing else. */
    check_prompt("{% for m in messages %}{% for p in m.content if p is mapping %}{{ p.type }}="
                 "{{ p.text }}{% endfor %}{% endfor %}",
                 false, hello, 1, true, "text=[ <|im_end|>hi ]");
    /* One that takes longer than is tried while opening still serves. */
    check_prompt("{% for i in range(99999) %}{% set x = i ~ i %}{% endfor %}"
                 "{{ messages[0].content }}",
                 false, hello, 1, true, "[ <|im_end|>hi ]");
}

/* The tokenizer adds BOS: the template's own copy goes, the user's stays. */
static void test_double_bos(void)
{
    static const struct ember_message own[] = { { "user", "<s>x" } };
    check_prompt("{{ bos_token }}{{ messages[0].content }}", true, own, 1, true, "[<s>x]");
    check_prompt("{{ bos_token }}a{{ messages[0].content }}", true, own, 1, true, "a[<s>x]");
    check_prompt("{{ messages[0].content }}", true, own, 1, true, "[<s>x]");
    check_prompt("{{ bos_token }}{{ bos_token }}", true, own, 1, true, "<s>");
    check_prompt("{{ bos_token }}a", false, own, 1, true, "<s>a");
}

static void test_refusals(void)
{
    check_prompt(REFUSES_SYSTEM, false, with_system, 2, true,
                 "<|im_start|>user\n[Be kind.\nhi]<|im_end|>\n<|im_start|>assistant\n");
    /* Nothing is folded where the template takes it. */
    check_prompt(CHATML, false, with_system, 1, false,
                 "<|im_start|>system\n[Be kind.]<|im_end|>\n");
    check_prompt(REFUSES_SYSTEM, false, with_system, 1, false,
                 "<|im_start|>user\n[Be kind.]<|im_end|>\n");
    check_prompt(ALTERNATES, false, with_system, 4, true,
                 "user:[Be kind.\nhi];assistant:[yes?];user:[go];assistant:");
    check_prompt(ALTERNATES, false, two_users, 3, true, "user:[S\na\n\nb];assistant:");
    check_prompt(ALTERNATES, false, two_users + 1, 2, true, "user:[a\n\nb];assistant:");
    /* The sentence is about what was asked, not about the ways round it. */
    check_prompt("{{ raise_exception(messages[0].role ~ messages|length) }}", false, two_users, 3,
                 true, "chat template, line 1: system3");
    check_prompt("{% if %}", false, hello, 1, true,
                 "chat template, line 1: expected an expression, found '%}'");
}

static void test_open_answer(void)
{
    check_prompt(CHATML, false, begun, 2, false,
                 "<|im_start|>user\n[q]<|im_end|>\n<|im_start|>assistant\n[The answer]");
    check_prompt("{% for m in messages %}{{ m.role }}: {{ m.content }}</s>{% endfor %}", false,
                 begun, 2, false, "user: [q]</s>assistant: [ The answer ]");
    /* A template that hides it: the turn is opened, and its beginning added. */
    check_prompt("{% for m in messages %}{% if m.role == 'user' %}{{ m.content }}|{% endif %}"
                 "{% endfor %}{% if add_generation_prompt %}A:{% endif %}",
                 false, begun, 2, false, "[q]|A:[ The answer ]");
    check_prompt(CHATML, false, begun, 2, true,
                 "<|im_start|>user\n[q]<|im_end|>\n<|im_start|>assistant\n[The answer]<|im_end|>\n"
                 "<|im_start|>assistant\n");
}

/* The user's own special tokens become text, the template's become tokens. */
static void test_ids(void)
{
    struct file f;
    struct ember_prompt prompt = { 0 };
    struct ember_tokens ids = { 0 };
    struct ember_error err = { 0 };
    size_t special = 0;
    if (file_open(&f, CHATML, true) &&
        CHECK(ember_chat_prompt(f.chat, hello, 1, true, test_now, &prompt, &err) == EMBER_OK) &&
        CHECK(ember_tokenize(f.tokenizer, prompt.spans, prompt.n_spans, true, &ids, &err) ==
              EMBER_OK)) {
        for (size_t i = 0; i < ids.n; i++)
            special += ember_tokenizer_kind(f.tokenizer, ids.ids[i]) == EMBER_TOKEN_CONTROL;
        CHECK_UINT(special, 4); /* BOS, two <|im_start|>, one <|im_end|> */
        CHECK(ids.n > 0 && ids.ids[0] == 256);
    }
    ember_tokens_finish(&ids);
    ember_prompt_finish(&prompt);
    file_close(&f);
}

/* Tokens of a conversation with the messages [first, first + n_out) left out. */
static size_t tokens_without(const struct file *f, const struct ember_message *messages, size_t n,
                             const struct ember_chat_params *params, size_t first, size_t n_out)
{
    struct ember_message left[16];
    struct ember_prompt prompt = { 0 };
    struct ember_tokens ids = { 0 };
    memcpy(left, messages, first * sizeof *left);
    memcpy(left + first, messages + first + n_out, (n - first - n_out) * sizeof *left);
    CHECK(ember_chat_render(f->chat, left, n - n_out, params, &prompt, NULL) == EMBER_OK);
    CHECK(ember_tokenize(f->tokenizer, prompt.spans, prompt.n_spans, true, &ids, NULL) == EMBER_OK);
    size_t count = ids.n;
    ember_tokens_finish(&ids);
    ember_prompt_finish(&prompt);
    return count;
}

/* For every room there may be: the fewest whole turns, never the system message or the last
 * question. */
static void test_leave_out(void)
{
    static const struct ember_message messages[] = {
        { "system", "be brief" }, { "user", "one" },    { "assistant", "1, as you know" },
        { "user", "two" },        { "assistant", "2" }, { "user", "three, if you please" },
        { "assistant", "3" },     { "user", "four" },
    };
    const size_t n = sizeof messages / sizeof messages[0];
    const struct ember_chat_params params = { .add_generation_prompt = true, .now = test_now };
    struct file f;
    struct ember_error err = { 0 };
    if (file_open(&f, "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}",
                  false)) {
        size_t all = tokens_without(&f, messages, n, &params, 1, 0);
        size_t least = tokens_without(&f, messages, n, &params, 1, 6);
        for (size_t room = 1; room <= all + 1; room++) {
            size_t first, n_out;
            enum ember_status st = ember_chat_leave_out(f.chat, f.tokenizer, messages, n, &params,
                                                        room, &first, &n_out, &err);
            CHECK_INT(st, room < least ? EMBER_CONTEXT_FULL : EMBER_OK);
            CHECK_UINT(first, 1);
            CHECK_MSG(n_out % 2 == 0 && n_out <= 6, "room %zu: %zu left out", room, n_out);
            if (st != EMBER_OK) {
                CHECK_UINT(n_out, 6);
                continue;
            }
            CHECK(tokens_without(&f, messages, n, &params, 1, n_out) <= room);
            CHECK(n_out == 0 || tokens_without(&f, messages, n, &params, 1, n_out - 2) > room);
        }
        size_t first, n_out;
        CHECK(ember_chat_leave_out(f.chat, f.tokenizer, messages, 1, &params, 1, &first, &n_out,
                                   &err) == EMBER_OK);
        CHECK_UINT(n_out, 0);
    }
    file_close(&f);
}

/* Templates that know of it can be told not to think; the others do as always. */
static void test_thinking(void)
{
    static const struct ember_message message = { "user", "hi" };
    static const struct {
        const char *source, *with, *without;
        bool can;
    } cases[] = {
        { "{% if enable_thinking %}T{% endif %}", "T", "", true },
        { "{{ messages[0].content }}", "[hi]", "[hi]", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int no = 0; no < 2; no++) {
            const struct ember_chat_params params = { .no_thinking = no, .now = test_now };
            struct file f;
            struct ember_prompt prompt = { 0 };
            struct ember_error err = { 0 };
            if (file_open(&f, cases[i].source, false)) {
                CHECK(ember_chat_can_think(f.gguf) == cases[i].can);
                CHECK_MSG(ember_chat_render(f.chat, &message, 1, &params, &prompt, &err) ==
                              EMBER_OK,
                          "%s", err.message);
                char *text = marked(&prompt);
                CHECK_STR(text, no ? cases[i].without : cases[i].with);
                free(text);
            }
            ember_prompt_finish(&prompt);
            file_close(&f);
        }
}

int main(void)
{
    test_leave_out();
    test_thinking();
    test_plain();
    test_template();
    test_double_bos();
    test_refusals();
    test_open_answer();
    test_ids();
    return test_end();
}
