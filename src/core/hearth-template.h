/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-template.h - one chat template of a model file, and what it makes of a conversation.
 * Counted; nothing changes after making, so any thread may use it. */
#pragma once

#include <gio/gio.h>

#include "hearth-token-text.h"

G_BEGIN_DECLS

struct ember_gguf;
struct ember_text;

/* What a template knows, found by trying. */
typedef struct
{
  gboolean system;
  gboolean refuses_system;
  gboolean tools;
  gboolean thinking;
  gboolean generation_prompt;
} HearthTemplateFeatures;

typedef struct _HearthTemplate HearthTemplate;

/* For src/core. `name` NULL: the standard one. A source that cannot be parsed is no failure: the
 * template's error says why. `source` NULL: the file has none, and what a chat sends are the texts
 * of its messages. Returns: (transfer full) */
HearthTemplate *hearth_template_new (HearthGguf *gguf, HearthTokenizer *tokenizer, const char *name,
                                     const struct ember_text *source);
HearthTemplate *hearth_template_ref (HearthTemplate *self);
void hearth_template_unref (HearthTemplate *self);

/* Returns: (nullable) */
const char *hearth_template_get_name (HearthTemplate *self);
/* As valid UTF-8, with lines as the engine counts them. NULL: there is none.
 * Returns: (transfer none) (nullable) */
const char *hearth_template_get_source (HearthTemplate *self);
const HearthTemplateFeatures *hearth_template_get_features (HearthTemplate *self);

/* One message of a conversation. */
typedef struct
{
  const char *role; /* "system", "user", "assistant", "tool" */
  const char *text;
} HearthTemplateMessage;

/* What to render. */
typedef struct
{
  const HearthTemplateMessage *messages;
  gsize n_messages;
  const char *tools; /* a JSON array; NULL: none */
  gboolean no_thinking;
  gboolean generation_prompt;
} HearthTemplateWish;

typedef struct _HearthRendering HearthRendering;

/* On the thread of the caller, which may take seconds for a hostile template. Never fails: the
 * rendering says what went wrong. Returns: (transfer full) */
HearthRendering *hearth_template_render (HearthTemplate *self, const HearthTemplateWish *wish);
/* The same on another thread. `wish` is copied. */
void hearth_template_render_async (HearthTemplate *self, const HearthTemplateWish *wish,
                                   GAsyncReadyCallback callback, gpointer user_data);
/* Returns: (transfer full) (nullable) */
HearthRendering *hearth_template_render_finish (GAsyncResult *result, GError **error);

HearthRendering *hearth_rendering_ref (HearthRendering *self);
void hearth_rendering_unref (HearthRendering *self);
/* NULL when nothing could be rendered. Returns: (transfer none) (nullable) */
HearthTokenText *hearth_rendering_get_tokens (HearthRendering *self);
/* The prompt. Returns: (transfer none) (nullable) */
GBytes *hearth_rendering_get_prompt (HearthRendering *self);
/* The variables that the template was given, as JSON. Returns: (transfer none) (nullable) */
const char *hearth_rendering_get_context (HearthRendering *self);
/* The sentence, and the line of the template that it is about; 0: none.
 * Returns: (transfer none) (nullable) */
const char *hearth_rendering_get_failure (HearthRendering *self, guint *line);
/* Whether the failure is about the tools' JSON. */
gboolean hearth_rendering_is_about_tools (HearthRendering *self);
/* Whether the prompt is what a chat sends although the template failed as it is. */
gboolean hearth_rendering_is_detour (HearthRendering *self);
/* {"text", "spans", "ids", "pieces", "context"}. Returns: (transfer full) */
GBytes *hearth_rendering_to_json (HearthRendering *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthTemplate, hearth_template_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthRendering, hearth_rendering_unref)

G_END_DECLS
