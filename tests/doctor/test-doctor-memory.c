/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The doctor and the comparison with every allocation refused in turn: the same report, or that
 * memory was refused; never a sound file called broken, no leak, no crash. */
#include <unistd.h>

#include <ember/diff.h>
#include <ember/doctor.h>
#include <ember/writer.h>

#include "refuse.h"
#include "test.h"

#define TEXT(s) ((struct ember_text){ s, sizeof(s) - 1 })

enum { N_TOKENS = 262, WIDTH = 8 };

static char folder[] = "/tmp/test-doctor-memory-XXXXXX";
static float weights[N_TOKENS * WIDTH];

static void set(struct ember_writer *w, const char *assignment)
{
    struct ember_error err = { 0 };
    CHECK_MSG(!ember_writer_set(w, assignment, &err), "%s", err.message);
}

static void set_vocabulary(struct ember_writer *w)
{
    static char names[N_TOKENS][12];
    struct ember_text texts[N_TOKENS];
    float scores[N_TOKENS] = { 0 };
    int32_t types[N_TOKENS];

    for (int i = 0; i < N_TOKENS; i++) {
        types[i] = i == 0 ? 2 : i < 3 ? 3 : i < 259 ? 6 : 1;
        if (i < 3)
            strcpy(names[i], (const char *[]){ "<unk>", "<s>", "</s>" }[i]);
        else if (i < 259)
            snprintf(names[i], sizeof names[i], "<0x%02X>", (unsigned)(i - 3));
        else
            strcpy(names[i], (const char *[]){ "a", "b", "ab" }[i - 259]);
        texts[i] = (struct ember_text){ names[i], strlen(names[i]) };
    }
    set(w, "tokenizer.ggml.model=str:llama");
    CHECK(!ember_writer_set_texts(w, TEXT("tokenizer.ggml.tokens"), texts, N_TOKENS, NULL));
    CHECK(!ember_writer_set_array(w, TEXT("tokenizer.ggml.scores"), EMBER_GGUF_F32, scores,
                                  N_TOKENS, NULL));
    CHECK(!ember_writer_set_array(w, TEXT("tokenizer.ggml.token_type"), EMBER_GGUF_I32, types,
                                  N_TOKENS, NULL));
    set(w, "tokenizer.ggml.bos_token_id=u32:1");
    set(w, "tokenizer.ggml.eos_token_id=u32:2");
    set(w, "tokenizer.chat_template=str:{% for m in messages %}[{{ m.role }}]{{ m.content }}"
           "{{ eos_token }}{% endfor %}");
}

static void set_keys(struct ember_writer *w)
{
    static const char *const keys[] = {
        "general.architecture=str:llama",
        "general.name=str:tiny",
        "llama.vocab_size=u32:262",
        "llama.context_length=u32:128",
        "llama.embedding_length=u32:8",
        "llama.block_count=u32:1",
        "llama.feed_forward_length=u32:8",
        "llama.attention.head_count=u32:2",
        "llama.attention.head_count_kv=u32:1",
        "llama.rope.dimension_count=u32:4",
        "llama.attention.layer_norm_rms_epsilon=f32:0.00001",
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        set(w, keys[i]);
    set_vocabulary(w);
}

static const struct {
    const char *name;
    uint64_t rows; /* 0: a vector */
} tensors[] = {
    { "token_embd.weight", N_TOKENS }, { "output_norm.weight", 0 },
    { "blk.0.attn_norm.weight", 0 },   { "blk.0.attn_q.weight", 8 },
    { "blk.0.attn_k.weight", 4 },      { "blk.0.attn_v.weight", 4 },
    { "blk.0.attn_output.weight", 8 }, { "blk.0.ffn_norm.weight", 0 },
    { "blk.0.ffn_gate.weight", 8 },    { "blk.0.ffn_up.weight", 8 },
    { "blk.0.ffn_down.weight", 8 },
};
enum { N_TENSORS = sizeof tensors / sizeof *tensors };

/* Writes a model, or a part of one. */
static void make(const char *path, unsigned from, unsigned to, const char *const split[3])
{
    struct ember_writer *w = NULL;
    struct ember_error err = { 0 };

    CHECK(!ember_writer_new(&w, NULL));
    if (!from)
        set_keys(w);
    for (int i = 0; split && i < 3; i++)
        set(w, split[i]);
    for (unsigned i = from; i < to; i++) {
        struct ember_writer_tensor t = {
            .name = { tensors[i].name, strlen(tensors[i].name) },
            .n_dims = tensors[i].rows ? 2 : 1,
            .ne = { WIDTH, tensors[i].rows },
            .data = weights,
        };
        CHECK(!ember_writer_add_tensor(w, &t, NULL));
    }
    CHECK_MSG(!ember_writer_save(w, path, EMBER_SAVE_REPLACE, NULL, &err), "%s", err.message);
    ember_writer_free(w);
}

/* The codes of all problems, one behind the other. */
static void codes_of(const struct ember_doctor_report *report, char *out, size_t size)
{
    out[0] = '\0';
    for (size_t i = 0; i < ember_doctor_n_problems(report); i++)
        snprintf(out + strlen(out), size - strlen(out), "%s ",
                 ember_doctor_problem(report, i)->code);
}

static void test_doctor(const char *path, bool deep)
{
    static const char *const overrides[] = { "general.name=str:other", "a.b=u32:5" };
    const struct ember_doctor_params params = { .deep = deep,
                                                .overrides = overrides,
                                                .n_overrides = 2 };
    char want[1000] = "", got[1000];
    long n_refused = 0;

    for (long i = -1; i < 100000; i++) {
        struct ember_doctor_report *report = NULL;
        struct ember_error err = { 0 };
        long before = live;
        calls = 0;
        fail_at = i;
        enum ember_status st = ember_doctor_examine(&report, path, &params, &err);
        fail_at = -1;
        bool done = i >= 0 && calls <= i;
        if (st) {
            CHECK_MSG(st == EMBER_NO_MEMORY && !report && err.message[0] && !done,
                      "allocation %ld refused: %s, \"%s\"", i, ember_status_name(st), err.message);
            n_refused++;
        } else {
            codes_of(report, got, sizeof got);
            if (i < 0)
                strcpy(want, got);
            CHECK_MSG(ember_doctor_ok(report), "allocation %ld refused: %s", i, got);
            CHECK_MSG(!strcmp(want, got), "allocation %ld refused: \"%s\", not \"%s\"", i, got,
                      want);
        }
        ember_doctor_free(report);
        CHECK_MSG(live == before, "allocation %ld refused: %ld are not freed", i, live - before);
        if (done)
            break;
    }
    CHECK_MSG(n_refused >= 30, "only %ld allocations were refused", n_refused);
}

static void test_diff(const char *first, const char *second)
{
    const struct ember_diff_params params = { .values = true };
    struct ember_gguf *a = NULL, *b = NULL;
    long n_refused = 0;

    CHECK(!ember_gguf_open(&a, first, true, NULL) && !ember_gguf_open(&b, second, true, NULL));
    for (long i = 0; a && b && i < 10000; i++) {
        struct ember_diff *diff = NULL;
        struct ember_error err = { 0 };
        long before = live;
        calls = 0;
        fail_at = i;
        enum ember_status st = ember_diff_new(&diff, a, b, &params, &err);
        fail_at = -1;
        bool done = calls <= i;
        if (st)
            CHECK_MSG(st == EMBER_NO_MEMORY && !diff && err.message[0] && !done,
                      "allocation %ld refused: %s, \"%s\"", i, ember_status_name(st), err.message);
        else
            CHECK_MSG(ember_diff_equal(diff), "allocation %ld refused: a difference", i);
        n_refused += st != EMBER_OK;
        ember_diff_free(diff);
        CHECK(live == before);
        if (done)
            break;
    }
    CHECK(n_refused >= 4);
    ember_gguf_close(a);
    ember_gguf_close(b);
}

int main(void)
{
    static const char *const first[] = { "split.no=u16:0", "split.count=u16:2",
                                         "split.tensors.count=i32:11" };
    static const char *const second[] = { "split.no=u16:1", "split.count=u16:2",
                                          "split.tensors.count=i32:11" };
    char whole[80], parts[2][80], misnamed[80];

    if (!CHECK(mkdtemp(folder)))
        return test_end();
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        weights[i] = (float)(i % 13) / 8 - 0.7f;
    snprintf(whole, sizeof whole, "%s/whole.gguf", folder);
    snprintf(parts[0], sizeof parts[0], "%s/m-00001-of-00002.gguf", folder);
    snprintf(parts[1], sizeof parts[1], "%s/m-00002-of-00002.gguf", folder);
    snprintf(misnamed, sizeof misnamed, "%s/other.gguf", folder);
    make(whole, 0, N_TENSORS, NULL);
    make(parts[0], 0, 5, first);
    make(parts[1], 5, N_TENSORS, second);
    test_doctor(whole, false);
    test_doctor(whole, true);
    test_doctor(parts[0], false);
    test_doctor(parts[1], true);
    /* The second part has to be looked for in the folder. */
    CHECK(!rename(parts[1], misnamed));
    test_doctor(parts[0], false);
    test_diff(whole, whole);
    unlink(misnamed);
    unlink(whole);
    unlink(parts[0]);
    rmdir(folder);
    return test_end();
}
