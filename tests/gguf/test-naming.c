/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names that follow the convention, and those that people really upload. */
#include <ember/naming.h>

#include "image.h"
#include "test.h"

static const struct {
    const char *path;
    bool valid;
    const char *sidecar, *base, *size, *tune, *version, *encoding, *mark, *type;
    unsigned part, n_parts;
} names[] = {
    { "Mixtral-8x7B-v0.1-KQ2.gguf", false, "", "Mixtral", "8x7B", "v0.1-KQ2", "", "", "", "", 0,
      0 },
    { "/m/Mixtral-8x7B-v0.1-Q2_K.gguf", true, "", "Mixtral", "8x7B", "", "v0.1", "Q2_K", "", "", 0,
      0 },
    { "Grok-100B-v1.0-Q4_0-00003-of-00009.gguf", true, "", "Grok", "100B", "", "v1.0", "Q4_0", "",
      "", 2, 9 },
    { "Phi-3-mini-3.8B-instruct-v1.0.gguf", true, "", "Phi-3-mini", "3.8B", "instruct", "v1.0", "",
      "", "", 0, 0 },
    { "Llama-7B-style-v2-F16-LoRA.gguf", true, "", "Llama", "7B", "style", "v2", "F16", "", "LoRA",
      0, 0 },
    { "mmproj-Qwen-2B-v1-F16.gguf", true, "mmproj", "Qwen", "2B", "", "v1", "F16", "", "", 0, 0 },
    { "mmproj-7B-v1.gguf", true, "", "mmproj", "7B", "", "v1", "", "", "", 0, 0 },
    { "Hermes-2-Pro-Llama-3-8B-F16.gguf", false, "", "Hermes-2-Pro-Llama-3", "8B", "", "", "F16",
      "", "", 0, 0 },
    { "Qwen2.5-7B-v1.gguf", false, "", "Qwen2.5", "7B", "", "v1", "", "", "", 0, 0 },
    { "foo_bar-7B-v1.gguf", false, "", "foo_bar", "7B", "", "v1", "", "", "", 0, 0 },
    { "otter-7b.Q4_K_M.gguf", false, "", "otter", "7b", "", "", "Q4_K_M", "", "", 0, 0 },
    { "otter-7B-UD-Q4_K_XL.gguf", false, "", "otter", "7B", "", "", "Q4_K_XL", "UD", "", 0, 0 },
    { "otter-7B.i1-Q4_K_M.gguf", false, "", "otter", "7B", "", "", "Q4_K_M", "i1", "", 0, 0 },
    { "otter-7B-Q4_0_4_4.gguf", false, "", "otter", "7B", "", "", "Q4_0_4_4", "", "", 0, 0 },
    { "otter-70B.Q2_K.gguf-00001-of-00009.gguf", false, "", "otter", "70B", "", "", "Q2_K", "", "",
      0, 9 },
    { "otter-bf16.gguf", false, "", "otter", "", "", "", "bf16", "", "", 0, 0 },
    { "model.gguf", false, "", "model", "", "", "", "", "", "", 0, 0 },
    { ".gguf", false, "", "", "", "", "", "", "", "", 0, 0 },
};

static void check_text(struct ember_text got, const char *want, const char *path, const char *what)
{
    CHECK_MSG(got.size == strlen(want) && (!got.size || !memcmp(got.data, want, got.size)),
              "%s: %s is \"%.*s\", expected \"%s\"", path, what, (int)got.size,
              got.data ? got.data : "", want);
}

static void test_parse(void)
{
    struct ember_file_name name;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = names[i].path;
        if (!CHECK_MSG(ember_file_name_parse(path, &name), "%s", path))
            continue;
        CHECK_MSG(name.valid == names[i].valid, "%s: valid", path);
        check_text(name.sidecar, names[i].sidecar, path, "sidecar");
        check_text(name.base, names[i].base, path, "base");
        check_text(name.size, names[i].size, path, "size");
        check_text(name.tune, names[i].tune, path, "tune");
        check_text(name.version, names[i].version, path, "version");
        check_text(name.encoding, names[i].encoding, path, "encoding");
        check_text(name.mark, names[i].mark, path, "mark");
        check_text(name.type, names[i].type, path, "type");
        CHECK_MSG(name.part == names[i].part && name.n_parts == names[i].n_parts, "%s: part", path);
    }
    CHECK(!ember_file_name_parse("model.bin", &name) && !ember_file_name_parse("", &name));
    CHECK(ember_is_encoding((struct ember_text){ "iq2_xxs", 7 }));
    CHECK(!ember_is_encoding((struct ember_text){ "F1", 2 }));
}

static void test_build(void)
{
    struct image im = { 0 };
    struct ember_gguf *g = NULL;
    char out[128];

    image_begin(&im, 3, 1, 6);
    image_key_string(&im, "general.basename", "Otter Pup");
    image_key_string(&im, "general.size_label", "7B");
    image_key_string(&im, "general.finetune", "Instruct");
    image_key_string(&im, "general.version", "v1.2");
    image_key_u32(&im, "general.file_type", 15);
    image_key_string(&im, "general.type", "adapter");
    image_tensor_2d(&im, "x", 8, 1, 24, 0);
    image_pad(&im, 32);
    image_zeros(&im, 8);
    if (CHECK(!ember_gguf_open_memory(&g, im.data, im.size, "x", true, NULL))) {
        size_t size = ember_file_name_build(g, out, sizeof out);
        CHECK_STR(out, "Otter-Pup-7B-Instruct-v1.2-Q4_K_M-LoRA.gguf");
        CHECK_UINT(size, strlen(out));
        for (size_t n = 0; n <= size; n++)
            CHECK(!ember_file_name_build(g, out, n));
        struct ember_file_name name;
        ember_file_name_build(g, out, sizeof out);
        CHECK(ember_file_name_parse(out, &name) && name.valid);
    }
    ember_gguf_close(g);
    free(im.data);
}

int main(void)
{
    test_parse();
    test_build();
    return test_end();
}
