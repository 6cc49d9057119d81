/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-conversation-private.h - for hearth-conversation*.c only. */
#pragma once

#include "hearth-conversation.h"
#include "hearth-message-tree.h"

struct _HearthConversation
{
  GObject parent_instance;

  HearthEngine *engine;
  HearthConversationStore *store; /* NULL: it is not kept */
  gint64 id;
  HearthMessageTree *tree;
  HearthModelFile *model;
  char *model_path;
  char *model_title;
  char *title;          /* given by somebody; NULL: the question's */
  char *question_title; /* NULL: nothing asked yet */
  HearthChatSettings *settings;
  char *draft;
  gint64 created;
  gint64 updated;
  GError *load_error;
  guint place_id;
  double place_offset;
  HearthConversationState state;
  char *first_settings; /* what it began with, as text */
  GHashTable *edited;   /* of HearthMessage: what is written in their place is to be saved */
  gboolean pinned;
  gboolean restoring;
  gboolean unread; /* its messages are in the store alone */
  gboolean kept;   /* the store knows it */
  gboolean untouched;
  guint save_id;
  struct conversation_request *request; /* what is going on; NULL when idle */
};

enum conversation_prop
{
  PROP_0,
  PROP_TITLE,
  PROP_MODEL,
  PROP_MODEL_TITLE,
  PROP_PINNED,
  PROP_UPDATED,
  PROP_UNTOUCHED,
  PROP_RESTORING,
  PROP_STATE,
  PROP_LOAD_ERROR,
  PROP_CAN_ASK,
  PROP_CAN_REGENERATE,
  PROP_CAN_BRANCH,
  PROP_CAN_CONTINUE,
  N_PROPS
};

void _hearth_conversation_notify (HearthConversation *self, enum conversation_prop prop);
/* Sets it, and tells what follows from it and from the request. */
void _hearth_conversation_set_state (HearthConversation *self, HearthConversationState state);
void _hearth_conversation_set_load_error (HearthConversation *self, const GError *error);
/* Something was asked just now. */
void _hearth_conversation_touch (HearthConversation *self);
/* Titles the conversation by its first question. */
void _hearth_conversation_update_title (HearthConversation *self);
/* Something that decides whether it is untouched may have changed. */
void _hearth_conversation_update_untouched (HearthConversation *self);
/* The path was `n_before` messages long and is another one from `position` on. */
void _hearth_conversation_path_changed (HearthConversation *self, guint position, guint n_before);

/* hearth-conversation-answer.c: gives up on what is going on. */
void _hearth_conversation_drop_request (HearthConversation *self);
/* Whether an answer is on its way, or waits for the load. */
gboolean _hearth_conversation_is_answering (HearthConversation *self);

/* hearth-conversation-record.c. Something that is kept changed; saved with what changes next. */
void _hearth_conversation_changed (HearthConversation *self);
/* A message was added. An answer is followed from then on. */
void _hearth_conversation_record_message (HearthConversation *self, HearthMessage *message);
/* Saves what is added to this answer: call before hearth_message_resume(). */
void _hearth_conversation_follow (HearthConversation *self, HearthMessage *message);
void _hearth_conversation_record_choice (HearthConversation *self, HearthMessage *message);
