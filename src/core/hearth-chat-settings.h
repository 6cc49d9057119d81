/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-chat-settings.h - what the next answers of one chat are made with: system prompt,
 * sampling in layers, context and the form of its memory. Main thread.
 *
 * A sampling value comes from the topmost layer that has one:
 *
 *   yours ▶ preset ▶ the model's file ▶ the engine's default */
#pragma once

#include <glib-object.h>

#include "hearth-kv-type.h"
#include "hearth-sampling.h"

G_BEGIN_DECLS

/* Where a value comes from. */
typedef enum
{
  HEARTH_SOURCE_ENGINE,
  HEARTH_SOURCE_FILE,
  HEARTH_SOURCE_PRESET,
  HEARTH_SOURCE_YOURS,
} HearthSource;

#define HEARTH_TYPE_CHAT_SETTINGS (hearth_chat_settings_get_type ())
G_DECLARE_FINAL_TYPE (HearthChatSettings, hearth_chat_settings, HEARTH, CHAT_SETTINGS, GObject)

/* Signal "changed": something in here is different now. Properties: n-ctx, kv-type. */

/* Returns: (transfer full) */
HearthChatSettings *hearth_chat_settings_new (void);
/* Takes over all values of another one. */
void hearth_chat_settings_assign (HearthChatSettings *self, HearthChatSettings *from);

/* "" for none. */
const char *hearth_chat_settings_get_system_prompt (HearthChatSettings *self);
void hearth_chat_settings_set_system_prompt (HearthChatSettings *self, const char *text);

/* The preset's values are kept too, so that a chat stays as it is when a preset is changed or
 * deleted. "" stands for what the model's file says. */
const char *hearth_chat_settings_get_preset (HearthChatSettings *self);
void hearth_chat_settings_set_preset (HearthChatSettings *self, const char *id,
                                      const HearthSampling *values);

/* The person's own values alone. */
void hearth_chat_settings_get_own (HearthChatSettings *self, HearthSampling *sampling);
void hearth_chat_settings_set_own (HearthChatSettings *self, const HearthSampling *sampling);
/* NAN: no value of one's own any more. */
void hearth_chat_settings_set_value (HearthChatSettings *self, HearthParameter parameter,
                                     double value);
/* Preset and own values together: what the engine is asked for. */
void hearth_chat_settings_get_sampling (HearthChatSettings *self, HearthSampling *sampling);
/* The value in force and where it comes from. `file` is what the model's file recommends and
 * `defaults` what the engine takes otherwise; either may be NULL. NAN when nobody knows. */
double hearth_chat_settings_resolve (HearthChatSettings *self, HearthParameter parameter,
                                     const HearthSampling *file, const HearthSampling *defaults,
                                     HearthSource *source);

/* Whether a model that can think before it answers does so. */
gboolean hearth_chat_settings_get_thinking (HearthChatSettings *self);
void hearth_chat_settings_set_thinking (HearthChatSettings *self, gboolean thinking);

/* Tokens; 0: the smaller of trained, 8,192 and what fits. */
guint hearth_chat_settings_get_n_ctx (HearthChatSettings *self);
void hearth_chat_settings_set_n_ctx (HearthChatSettings *self, guint n_ctx);
HearthKvType hearth_chat_settings_get_kv_type (HearthChatSettings *self);
void hearth_chat_settings_set_kv_type (HearthChatSettings *self, HearthKvType kv_type);
/* 0: one per physical core. Not kept with the chat: it belongs to this computer. */
guint hearth_chat_settings_get_n_threads (HearthChatSettings *self);
void hearth_chat_settings_set_n_threads (HearthChatSettings *self, guint n_threads);

/* Whether the oldest turns are left out when the conversation is longer than the context. */
gboolean hearth_chat_settings_get_leave_out (HearthChatSettings *self);
void hearth_chat_settings_set_leave_out (HearthChatSettings *self, gboolean leave_out);

/* All of it as one line of text, to be kept with the chat. Returns: (transfer full) */
char *hearth_chat_settings_to_text (HearthChatSettings *self);
/* FALSE when the text makes no sense; nothing is changed then. */
gboolean hearth_chat_settings_from_text (HearthChatSettings *self, const char *text);

G_END_DECLS
