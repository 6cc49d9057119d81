/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON into values: the context of a rendering, and text that a template reads itself. */
#include <string.h>

#include "chat/jinja_run.h"

static bool text_value(struct render *r, struct ember_text text, bool untrusted, bool copy,
                       struct value *out)
{
    const char *data = text.data;
    if (copy && text.size) {
        char *own = jinja_alloc(r, text.size, 1);
        if (!own)
            return false;
        memcpy(own, text.data, text.size);
        data = own;
    }
    *out = value_str(str_constant(r, data, text.size, untrusted));
    return r->status == EMBER_OK;
}

/* `copy`: the document dies before the rendering. Documents bound their own depth. */
static bool json_value(struct render *r, const struct ember_json *json, bool untrusted, bool copy,
                       struct value *out)
{
    struct value item;
    if (!jinja_spend(r, 1))
        return false;
    switch (json->kind) {
    case EMBER_JSON_NULL:
        *out = value_none();
        break;
    case EMBER_JSON_BOOL:
        *out = value_bool(json->boolean);
        break;
    case EMBER_JSON_INT:
        *out = value_int(json->integer);
        break;
    case EMBER_JSON_FLOAT:
        *out = value_float(json->number);
        break;
    case EMBER_JSON_STRING:
        return text_value(r, json->text, untrusted, copy, out);
    case EMBER_JSON_ARRAY: {
        struct list *list = list_new(r, 0);
        for (size_t i = 0; list && i < json->list.count; i++) {
            if (!json_value(r, &json->list.items[i], untrusted, copy, &item) ||
                !list_push(r, list, &item))
                return false;
        }
        if (!list)
            return false;
        *out = value_list(list);
        break;
    }
    case EMBER_JSON_OBJECT: {
        struct dict *dict = dict_new(r);
        for (size_t i = 0; dict && i < json->list.count; i++) {
            struct value name;
            if (!text_value(r, json->list.names[i], untrusted, copy, &name) ||
                !json_value(r, &json->list.items[i], untrusted, copy, &item) ||
                !dict_set(r, dict, &name, &item))
                return false;
        }
        if (!dict)
            return false;
        *out = value_dict(dict);
        break;
    }
    }
    if (untrusted)
        out->flags |= VALUE_UNTRUSTED;
    return true;
}

bool jinja_json_value(struct render *r, const struct ember_json *json, bool untrusted,
                      struct value *out)
{
    return json_value(r, json, untrusted, false, out);
}

bool jinja_from_json(struct render *r, struct str text, struct value *out)
{
    struct ember_json_document *document;
    struct ember_error err;
    if (!jinja_spend(r, text.size >> 3))
        return false;
    if (ember_json_parse(&document, str_data(text), text.size, &err) != EMBER_OK)
        return jinja_fail(r, "from_json: %s", err.message);
    bool ok = json_value(r, ember_json_root(document), str_any_untrusted(text), true, out);
    ember_json_free(document);
    return ok;
}
