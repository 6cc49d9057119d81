/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-text-block-private.h - what hearth-text-block.c and its side for voice output share. */
#pragma once

#include "hearth-text-block.h"

struct _HearthTextBlock
{
  GtkWidget parent_instance;

  char *text;
  guint size;
  GArray *spans;             /* of HearthMarkdownSpan; NULL: none */
  GPtrArray *links;          /* of HearthTextLink, in the order of spans with a link */
  PangoAttrList *attributes; /* of code; else NULL */
  PangoLayout *layout;
  GdkRGBA link_color;
  HearthTextShape shape;
  HearthMarkdownAlign align;
  int width;   /* that the layout has, in pixels; -1: as wide as the text */
  int natural; /* width of the text without wrapping; -1: not known */
  int natural_height;
  gboolean stale;    /* the layout has changed since it was counted */
  guint font_serial; /* of the Pango context */
  guint n_layouts;
  guint selection_start, selection_end;
  int caret;
};

/* From bytes to characters. */
guint _hearth_text_block_to_offset (HearthTextBlock *self, guint position);
/* What the bytes from `start` to `end` cover. */
void _hearth_text_block_get_span_area (HearthTextBlock *self, guint start, guint end,
                                       graphene_rect_t *area);
void _hearth_text_block_accessible_init (GtkAccessibleTextInterface *iface);
