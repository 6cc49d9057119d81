/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that go with a model: LoRA adapters, importance matrices, control vectors, projectors. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "doctor/doctor.h"

static const char again[] = "Convert the adapter again; half a pair cannot be applied.";

/* The tensor whose name has another ending. */
static const struct ember_gguf_tensor *partner(const struct doctor *d, struct ember_text name,
                                               const char *end, const char *other)
{
    char text[320];
    size_t size = name.size - strlen(end);

    if (size > 256 || memchr(name.data, '\0', size))
        return NULL;
    memcpy(text, name.data, size);
    strcpy(text + size, other);
    return ember_gguf_find_tensor(d->gguf, text);
}

static void check_lora_pair(struct doctor *d, const struct ember_gguf_tensor *t, const char *end,
                            const char *other)
{
    const struct ember_gguf_tensor *mate = partner(d, t->name, end, other);
    struct doctor_place place = doctor_place("tensor", t->name);

    if (!mate) {
        doctor_say(d, EMBER_SEVERITY_WARNING, "lora-pair", place.text, again,
                   "Half of a LoRA pair is missing: there is \"%s\", but no tensor with %s.",
                   doctor_name(t->name).text, other);
    } else if (!strcmp(end, ".lora_a") && t->ne[1] != mate->ne[0]) {
        doctor_say(d, EMBER_SEVERITY_WARNING, "lora-rank", place.text, again,
                   "The LoRA pair of \"%s\" does not fit together: ranks %" PRIu64 " and %" PRIu64
                   ".",
                   doctor_name(t->name).text, t->ne[1], mate->ne[0]);
    }
}

static void check_adapter(struct doctor *d)
{
    struct ember_text type = ember_gguf_get_text(d->gguf, "adapter.type");

    if (!doctor_is(type, "lora"))
        doctor_say(d, EMBER_SEVERITY_WARNING, "adapter-type", "key \"adapter.type\"",
                   "Other programs refuse the adapter.",
                   "The file is an adapter, but adapter.type is \"%s\"; \"lora\" is expected.",
                   doctor_name(type).text);
    if (ember_gguf_find(d->gguf, "adapter.lora.alpha") < 0)
        doctor_say(
            d, EMBER_SEVERITY_INFO, "adapter-alpha", "key \"adapter.lora.alpha\"",
            "It is applied as it is.",
            "The key adapter.lora.alpha is missing; the adapter has no strength of its own.");
    if (!d->info->n_tensors)
        doctor_say(d, EMBER_SEVERITY_WARNING, "no-tensors", "the file", again,
                   "The LoRA adapter holds no tensors.");
    for (uint64_t i = 0; i < d->info->n_tensors; i++) {
        const struct ember_gguf_tensor *t = ember_gguf_tensor(d->gguf, i);
        if (doctor_ends_with(t->name, ".lora_a"))
            check_lora_pair(d, t, ".lora_a", ".lora_b");
        else if (doctor_ends_with(t->name, ".lora_b"))
            check_lora_pair(d, t, ".lora_b", ".lora_a");
        else if (!doctor_ends_with(t->name, "_norm.weight"))
            doctor_say(d, EMBER_SEVERITY_WARNING, "lora-name", doctor_place("tensor", t->name).text,
                       "Other programs refuse the adapter.",
                       "Tensor \"%s\" of a LoRA adapter ends neither in .lora_a nor in .lora_b.",
                       doctor_name(t->name).text);
    }
}

static void check_imatrix(struct doctor *d)
{
    for (uint64_t i = 0; i < d->info->n_tensors; i++) {
        const struct ember_gguf_tensor *t = ember_gguf_tensor(d->gguf, i);
        bool sums = doctor_ends_with(t->name, ".in_sum2");
        bool counts = doctor_ends_with(t->name, ".counts");
        struct doctor_place place = doctor_place("tensor", t->name);
        if ((sums && !partner(d, t->name, ".in_sum2", ".counts")) ||
            (counts && !partner(d, t->name, ".counts", ".in_sum2")))
            doctor_say(
                d, EMBER_SEVERITY_WARNING, "imatrix-pair", place.text,
                "Measure the importance matrix again.",
                "Half of a pair is missing: tensor \"%s\" of an importance matrix has no %s.",
                doctor_name(t->name).text, sums ? ".counts" : ".in_sum2");
        else if (!sums && !counts)
            doctor_say(d, EMBER_SEVERITY_WARNING, "imatrix-name", place.text, "It is ignored.",
                       "Tensor \"%s\" of an importance matrix ends neither in .in_sum2 nor in "
                       ".counts.",
                       doctor_name(t->name).text);
    }
}

static void check_control_vector(struct doctor *d)
{
    for (uint64_t i = 0; i < d->info->n_tensors; i++) {
        const struct ember_gguf_tensor *t = ember_gguf_tensor(d->gguf, i);
        if (!doctor_begins_with(t->name, "direction."))
            doctor_say(d, EMBER_SEVERITY_WARNING, "vector-name",
                       doctor_place("tensor", t->name).text, "It is ignored.",
                       "Tensor \"%s\" of a control vector is not named direction.N.",
                       doctor_name(t->name).text);
    }
    if (ember_gguf_find(d->gguf, "controlvector.model_hint") < 0)
        doctor_say(d, EMBER_SEVERITY_INFO, "vector-hint", "key \"controlvector.model_hint\"", "",
                   "The key controlvector.model_hint is missing; it names the architecture.");
}

static void check_projector(struct doctor *d)
{
    static const char *const types[] = { "clip.projector_type", "clip.vision.projector_type",
                                         "clip.audio.projector_type" };
    bool any = false;

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        any |= ember_gguf_find(d->gguf, types[i]) >= 0;
    if (!any)
        doctor_say(d, EMBER_SEVERITY_INFO, "projector-type", "key \"clip.projector_type\"",
                   "Other programs take it for the oldest kind.",
                   "The key clip.projector_type is missing.");
}

void doctor_check_companions(struct doctor *d)
{
    switch (d->kind) {
    case DOCTOR_ADAPTER:
        check_adapter(d);
        break;
    case DOCTOR_IMATRIX:
        check_imatrix(d);
        break;
    case DOCTOR_CONTROL_VECTOR:
        check_control_vector(d);
        break;
    case DOCTOR_PROJECTOR:
        check_projector(d);
        break;
    default:
        break;
    }
}
