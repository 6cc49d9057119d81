/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a model must have: architecture, its keys within reason, its tensors, and tensor types that
 * fit what the file says of itself. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "doctor/doctor.h"
#include "forward/forward.h"
#include "quant/types.h"

static const char convert[] = "Convert the model again with a current converter.";

/* The name of a key of the architecture, for a sentence. */
struct key_name {
    char text[120];
};

static struct key_name key_name(const struct doctor *d, const char *suffix)
{
    struct key_name name;
    snprintf(name.text, sizeof name.text, "%s.%s", doctor_name(d->architecture).text, suffix);
    return name;
}

static struct key_name key_place(const struct doctor *d, const char *suffix)
{
    struct key_name name;
    snprintf(name.text, sizeof name.text, "key \"%s.%s\"", doctor_name(d->architecture).text,
             suffix);
    return name;
}

static void check_architecture(struct doctor *d)
{
    if (!d->architecture.data) {
        int64_t index = ember_gguf_find(d->gguf, "general.architecture");
        bool is_model = d->kind == DOCTOR_MODEL && d->info->n_keys;
        if (index < 0 && d->info->n_keys && d->kind != DOCTOR_IMATRIX && d->kind != DOCTOR_PART)
            doctor_say(d, is_model ? EMBER_SEVERITY_ERROR : EMBER_SEVERITY_WARNING,
                       "architecture-missing", "key \"general.architecture\"", convert,
                       "The key general.architecture is missing; it must name the kind of model.");
        return;
    }
    if (!d->known)
        doctor_say(
            d, EMBER_SEVERITY_WARNING, "architecture-unknown", "key \"general.architecture\"",
            "A newer version may know it; check the spelling if you made the file.",
            "The architecture \"%s\" in general.architecture is unknown; the name of a known "
            "one is expected.",
            doctor_name(d->architecture).text);
    else if (d->kind == DOCTOR_MODEL && !arch_find(d->architecture))
        doctor_say(d, EMBER_SEVERITY_INFO, "architecture-not-runnable",
                   "key \"general.architecture\"", "The file can be inspected, but not run yet.",
                   "The architecture \"%s\" is known, but Ember cannot run it yet.",
                   doctor_name(d->architecture).text);
}

static void check_required(struct doctor *d)
{
    static const char *const required[] = { "context_length", "embedding_length", "block_count" };

    for (size_t i = 0; d->known && i < sizeof required / sizeof *required; i++) {
        if (doctor_find(d, required[i]) >= 0)
            continue;
        doctor_say(d, EMBER_SEVERITY_ERROR, "key-missing", key_place(d, required[i]).text, convert,
                   "The key %s is missing; a model of this architecture needs it.",
                   key_name(d, required[i]).text);
    }
}

static void out_of_range(struct doctor *d, const char *suffix, const char *found,
                         const char *expected)
{
    d->odd_shape = true;
    doctor_say(d, EMBER_SEVERITY_WARNING, "range", key_place(d, suffix).text, convert,
               "The key %s is %s; %s is expected.", key_name(d, suffix).text, found, expected);
}

/* A count that cannot be 0, negative or huge. */
static void check_count(struct doctor *d, const char *suffix, uint64_t most, bool zero_is_fine)
{
    int64_t index = doctor_find(d, suffix);
    char found[40], expected[64];
    uint64_t value;

    if (index < 0 || ember_gguf_key_type(d->gguf, (uint64_t)index) == EMBER_GGUF_ARRAY)
        return;
    if (ember_gguf_u64(d->gguf, index, 0, &value)) {
        if (value <= most && (value || zero_is_fine))
            return;
        snprintf(found, sizeof found, "%" PRIu64, value);
    } else {
        return; /* negative or of another type, which is said of every key */
    }
    snprintf(expected, sizeof expected, "a number from %d to %" PRIu64, zero_is_fine ? 0 : 1, most);
    out_of_range(d, suffix, found, expected);
}

/* A number above `low`, at most `high`. */
static void check_real(struct doctor *d, const char *suffix, double low, double high)
{
    char found[40], expected[80];
    double value;

    if (!doctor_f64(d, suffix, &value) || !isfinite(value) || (value > low && value <= high))
        return;
    snprintf(found, sizeof found, "%g", value);
    snprintf(expected, sizeof expected, "a number above %g and up to %g", low, high);
    out_of_range(d, suffix, found, expected);
}

static void check_enum(struct doctor *d, const char *suffix, uint64_t most)
{
    char found[40], expected[40];
    uint64_t value;

    if (!doctor_u64(d, suffix, &value) || value <= most)
        return;
    snprintf(found, sizeof found, "%" PRIu64, value);
    snprintf(expected, sizeof expected, "a number from 0 to %" PRIu64, most);
    out_of_range(d, suffix, found, expected);
}

/* Heads of one layer, from a scalar or an array. */
static bool layer_value(const struct doctor *d, const char *suffix, uint64_t layer, uint64_t *out)
{
    int64_t index = doctor_find(d, suffix);
    if (index < 0)
        return false;
    bool array = ember_gguf_key_type(d->gguf, (uint64_t)index) == EMBER_GGUF_ARRAY;
    return ember_gguf_u64(d->gguf, index, array ? layer : 0, out);
}

static void check_heads(struct doctor *d)
{
    uint64_t n_embd, n_heads, n_kv, d_head = 0, n_rot;

    if (!layer_value(d, "attention.head_count", 0, &n_heads) || !n_heads)
        return;
    if (!doctor_u64(d, "attention.key_length", &d_head) &&
        doctor_u64(d, "embedding_length", &n_embd)) {
        if (n_embd % n_heads) {
            d->odd_shape = true;
            doctor_say(d, EMBER_SEVERITY_WARNING, "heads",
                       key_place(d, "attention.head_count").text, convert,
                       "The key %s is %" PRIu64
                       ", which does not divide the embedding length %" PRIu64 ".",
                       key_name(d, "attention.head_count").text, n_heads, n_embd);
        }
        d_head = n_embd / n_heads;
    }
    uint64_t layers = 1;
    doctor_u64(d, "block_count", &layers);
    for (uint64_t i = 0; i < layers && i < 4096; i++) {
        if (layer_value(d, "attention.head_count", i, &n_heads) &&
            layer_value(d, "attention.head_count_kv", i, &n_kv) && n_kv && n_heads % n_kv) {
            d->odd_shape = true;
            doctor_say(d, EMBER_SEVERITY_WARNING, "heads",
                       key_place(d, "attention.head_count_kv").text, convert,
                       "The key %s is %" PRIu64 ", which does not divide the %" PRIu64
                       " attention heads (head_count).",
                       key_name(d, "attention.head_count_kv").text, n_kv, n_heads);
            break;
        }
    }
    if (d_head && doctor_u64(d, "rope.dimension_count", &n_rot) && n_rot > d_head) {
        d->odd_shape = true;
        doctor_say(d, EMBER_SEVERITY_WARNING, "rope", key_place(d, "rope.dimension_count").text,
                   convert, "The key %s is %" PRIu64 ", more than the head size of %" PRIu64 ".",
                   key_name(d, "rope.dimension_count").text, n_rot, d_head);
    }
}

static void check_ranges(struct doctor *d)
{
    uint64_t experts = 0, used = 0;

    check_count(d, "context_length", (uint64_t)1 << 31, false);
    check_count(d, "embedding_length", (uint64_t)1 << 24, false);
    check_count(d, "block_count", 65535, false);
    check_count(d, "feed_forward_length", (uint64_t)1 << 26, true);
    check_count(d, "vocab_size", (uint64_t)1 << 26, false);
    check_count(d, "attention.head_count", 65535, true);
    check_count(d, "attention.head_count_kv", 65535, true);
    check_count(d, "attention.key_length", 65535, false);
    check_count(d, "attention.value_length", 65535, false);
    check_count(d, "attention.sliding_window", (uint64_t)1 << 31, true);
    check_count(d, "rope.dimension_count", 65535, true);
    check_count(d, "expert_count", 65535, true);
    check_count(d, "expert_used_count", 65535, true);
    /* Attention with no heads, where the architecture is one that Ember runs. */
    if (arch_find(d->architecture) && doctor_u64(d, "attention.head_count", &used) && !used)
        out_of_range(d, "attention.head_count", "0", "a number from 1 to 65535");
    check_real(d, "attention.layer_norm_rms_epsilon", 0, 0.1);
    check_real(d, "attention.layer_norm_epsilon", 0, 0.1);
    check_real(d, "rope.freq_base", 1e-3, 1e12);
    check_real(d, "rope.freq_base_swa", 1e-3, 1e12);
    /* 0 is how some files say that there is none. */
    check_real(d, "rope.scaling.factor", -1e-9, 1e6);
    check_real(d, "rope.scale_linear", -1e-9, 1e6);
    check_real(d, "attn_logit_softcapping", -1e-9, 1e6);
    check_real(d, "final_logit_softcapping", -1e-9, 1e6);
    check_enum(d, "pooling_type", 4);
    check_enum(d, "expert_gating_func", 4);
    if (doctor_u64(d, "expert_count", &experts) && doctor_u64(d, "expert_used_count", &used) &&
        used > experts) {
        d->odd_shape = true;
        doctor_say(d, EMBER_SEVERITY_WARNING, "experts", key_place(d, "expert_used_count").text,
                   convert, "The key %s is %" PRIu64 ", but there are only %s (expert_count).",
                   key_name(d, "expert_used_count").text, used,
                   doctor_amount(experts, "expert").text);
    }
    int64_t index = doctor_find(d, "rope.scaling.type");
    struct ember_text scaling;
    if (index >= 0 && ember_gguf_text(d->gguf, index, 0, &scaling) && !doctor_is(scaling, "none") &&
        !doctor_is(scaling, "linear") && !doctor_is(scaling, "yarn") &&
        !doctor_is(scaling, "longrope"))
        doctor_say(d, EMBER_SEVERITY_WARNING, "rope", key_place(d, "rope.scaling.type").text,
                   convert, "The key %s is \"%s\"; none, linear, yarn or longrope is expected.",
                   key_name(d, "rope.scaling.type").text, doctor_name(scaling).text);
    check_heads(d);
}

/* Each layer must have tensors, and only the layers there are. */
static void check_layers(struct doctor *d)
{
    const struct ember_gguf *whole = doctor_whole(d);
    uint64_t n_layers, extra = UINT64_MAX;
    bool any = false;

    if (!doctor_u64(d, "block_count", &n_layers) || !n_layers || n_layers > 65535)
        return;
    bool *seen = calloc((size_t)n_layers + 1, sizeof *seen);
    if (!seen) {
        d->report->failed = true;
        return;
    }
    for (uint64_t i = 0; i < ember_gguf_info(whole)->n_tensors; i++) {
        struct ember_text name = ember_gguf_tensor(whole, i)->name;
        uint64_t layer = 0;
        size_t at = 4;
        if (!doctor_begins_with(name, "blk."))
            continue;
        for (; at < name.size && at < 12 && name.data[at] >= '0' && name.data[at] <= '9'; at++)
            layer = layer * 10 + (uint64_t)(name.data[at] - '0');
        if (at == 4 || at >= name.size || name.data[at] != '.')
            continue;
        any = true;
        if (layer < n_layers) {
            seen[layer] = true;
        } else if (layer != extra) { /* one tensor of each layer says enough */
            extra = layer;
            doctor_say(d, EMBER_SEVERITY_WARNING, "layer-extra", doctor_place("tensor", name).text,
                       convert,
                       "Tensor \"%s\" is of layer %" PRIu64 ", but the model has %s (block_count).",
                       doctor_name(name).text, layer, doctor_amount(n_layers, "layer").text);
        }
    }
    for (uint64_t i = 0; any && i < n_layers; i++) {
        if (!seen[i])
            doctor_say(d, EMBER_SEVERITY_ERROR, "layer-missing", "the tensor table", convert,
                       "Layer %" PRIu64 " has no tensors, but the model has %s (block_count).", i,
                       doctor_amount(n_layers, "layer").text);
    }
    free(seen);
}

/* Tensors that are there, but not as a model has them: whoever made the file tried something, and
 * that the model cannot run with them is no damage. */
static bool has_odd_tensors(const struct ember_gguf *gguf)
{
    for (uint64_t i = 0; i < ember_gguf_info(gguf)->n_tensors; i++) {
        const struct ember_gguf_tensor *t = ember_gguf_tensor(gguf, i);
        if (!t->n_elements || !t->n_dims || !t->name.size || t->name.size > 62 ||
            (t->type >= QUANT_I8 && t->type <= QUANT_F64))
            return true;
    }
    return false;
}

/* The pass itself knows which tensors it needs. */
static void check_tensors(struct doctor *d)
{
    struct ember_error why = { 0 };
    struct arch_shape shape = { 0 };
    const struct ember_gguf *whole = doctor_whole(d);

    if (d->n_parts > 1 && !d->whole)
        return; /* tensors are spread over parts that are not all there */
    if (d->known && ember_gguf_info(whole)->n_tensors &&
        !doctor_is(d->architecture, "wavtokenizer-dec") &&
        !ember_gguf_find_tensor(whole, "token_embd.weight")) {
        doctor_say(d, EMBER_SEVERITY_ERROR, "tensor-missing", "tensor \"token_embd.weight\"",
                   convert, "The tensor \"token_embd.weight\" is missing; a model needs it.");
        return;
    }
    check_layers(d);
    if (!arch_find(d->architecture) || d->report->has_error)
        return;
    enum ember_status st = arch_shape_read(&shape, whole, &why);
    if (st == EMBER_OK) {
        struct forward_params params = { .n_ctx = 1, .n_batch = 1, .n_logits = 1 };
        struct graph graph;
        graph_init(&graph);
        st = forward_build(&graph, &shape, whole, &params, &why);
        graph_finish(&graph);
        arch_shape_finish(&shape);
        bool missing = st == EMBER_FORMAT && strstr(why.message, "missing");
        if (st == EMBER_FORMAT && (missing || !d->odd_shape))
            doctor_say(d,
                       missing && !has_odd_tensors(whole) ? EMBER_SEVERITY_ERROR
                                                          : EMBER_SEVERITY_WARNING,
                       missing ? "tensor-missing" : "tensor-shape", "the tensor table", convert,
                       "%s", doctor_sentence(d, why.message).text);
    } else if (st == EMBER_FORMAT && !d->odd_shape) { /* else it was said of the key */
        doctor_say(d, EMBER_SEVERITY_WARNING, "shape", "the keys", convert, "%s",
                   doctor_sentence(d, why.message).text);
    }
    if (st == EMBER_UNSUPPORTED)
        doctor_say(d, EMBER_SEVERITY_INFO, "not-runnable", "the file",
                   "The file can be inspected, but not run yet.", "%s",
                   doctor_sentence(d, why.message).text);
    if (st == EMBER_NO_MEMORY)
        d->report->failed = true;
}

static bool is_quantized(uint32_t type)
{
    const struct quant_info *info = quant_info(type);
    return info && info->block_length > 1;
}

static void check_types(struct doctor *d)
{
    int64_t index = ember_gguf_find(d->gguf, "general.file_type");
    uint64_t file_type, matrices = 0, fitting = 0, others = 0;
    bool quantized = false;

    for (uint64_t i = 0; i < d->info->n_tensors; i++)
        quantized |= is_quantized(ember_gguf_tensor(d->gguf, i)->type);
    if (quantized && ember_gguf_find(d->gguf, "general.quantization_version") < 0 &&
        d->kind == DOCTOR_MODEL)
        doctor_say(
            d, EMBER_SEVERITY_INFO, "quantization-version", "key \"general.quantization_version\"",
            "Other programs assume version 2.",
            "The key general.quantization_version is missing, though tensors are quantized.");
    if (index < 0 || !ember_gguf_u64(d->gguf, index, 0, &file_type))
        return;
    const struct doctor_recipe *recipe = doctor_recipe(file_type & ~(uint64_t)1024);
    if (!recipe) {
        doctor_say(d, EMBER_SEVERITY_WARNING, "file-type", "key \"general.file_type\"",
                   "It only says how the file was made; set it with \"ember edit\".",
                   "The key general.file_type is %" PRIu64 ", which stands for no mix of types.",
                   file_type);
        return;
    }
    for (uint64_t i = 0; i < d->info->n_tensors; i++) {
        const struct ember_gguf_tensor *t = ember_gguf_tensor(d->gguf, i);
        bool fits = false;
        if (t->ne[1] == 1 && t->ne[2] == 1)
            continue;
        matrices++;
        for (size_t k = 0; recipe->types[k] != UINT32_MAX; k++)
            fits |= recipe->types[k] == t->type;
        fitting += fits;
        others += t->type != QUANT_F32;
    }
    if ((matrices && !fitting) || (file_type == 0 && others))
        doctor_say(d, EMBER_SEVERITY_WARNING, "file-type", "key \"general.file_type\"",
                   "It only says how the file was made; set it with \"ember edit\".",
                   "The key general.file_type says %" PRIu64 " (%s), but the tensors are of other "
                   "types.",
                   file_type, recipe->name);
}

void doctor_check_model(struct doctor *d)
{
    check_architecture(d);
    if (d->kind != DOCTOR_MODEL && d->kind != DOCTOR_VOCABULARY)
        return;
    if (d->architecture.data) {
        /* A vocabulary alone needs no shape. */
        if (d->kind == DOCTOR_MODEL)
            check_required(d);
        check_ranges(d);
        if (d->kind == DOCTOR_MODEL)
            check_tensors(d);
    }
    if (d->kind != DOCTOR_MODEL)
        return;
    if (d->info->n_keys && !d->info->n_tensors && d->n_parts == 1)
        doctor_say(d, EMBER_SEVERITY_WARNING, "no-tensors", "the file",
                   "Nothing can be run with it; look for the file with the weights.",
                   "The file has keys but no tensors, and no vocabulary either.");
    check_types(d);
}
