/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-token-flow-private.h - what the parts of the flow share: hearth-token-flow.c (places,
 * keys, pointer), -draw.c (lines as they are drawn), -accessible.c (voice output). */
#pragma once

#include "hearth-token-flow.h"
#include "hearth-token-lines.h"

G_BEGIN_DECLS

/* Around the lines, and between them. */
#define HEARTH_FLOW_MARGIN 12
#define HEARTH_FLOW_GAP 4
/* On both sides of a pill's text. */
#define HEARTH_FLOW_PILL_PADDING 4

/* Colours, as those of hidden children with these style classes. */
enum hearth_flow_color
{
  HEARTH_FLOW_ODD,
  HEARTH_FLOW_EVEN,
  HEARTH_FLOW_PILL,
  HEARTH_FLOW_ESCAPE,
  HEARTH_FLOW_BORDER, /* transparent but with high contrast */
  HEARTH_FLOW_FOCUS,
  HEARTH_FLOW_N_COLORS
};

/* A part of a line: a cell, or what of it is in the line. */
struct hearth_flow_part
{
  guint cell;
  HearthCellFlags flags;
  float x, width; /* from the line's begin, pills with their padding */
  PangoLayout *layout;
};

/* A line that has been laid out. */
struct hearth_flow_line
{
  GArray *parts;
};

struct _HearthTokenFlow
{
  GtkWidget parent_instance;

  HearthTokenText *text;
  HearthTokenLines *lines; /* of `text`; NULL: not known yet */
  guint n_columns;         /* that `lines` are for */
  gboolean breaking;       /* on another thread */
  gboolean stale;          /* text or columns have changed since */
  GHashTable *realized;    /* line → struct hearth_flow_line */
  guint font_serial;
  float char_width;
  float line_height; /* with the gap */
  gboolean shaded;
  gboolean show_spaces;
  int focus_cell; /* -1: none yet */
  int hover_cell;
  double pointer_x, pointer_y; /* where the pointer was last */
  gboolean focus_hidden;       /* moved to before its line was known */
  GtkWidget *colors[HEARTH_FLOW_N_COLORS];

  GtkAdjustment *adjustments[2]; /* horizontal, vertical */
  guint policies[2];
};

/* ---- hearth-token-flow-draw.c ---- */

void _hearth_token_flow_measure_font (HearthTokenFlow *self);
/* Lays it out if need be. Returns: (transfer none) */
struct hearth_flow_line *_hearth_token_flow_get_line (HearthTokenFlow *self, guint line);
/* Forgets lines outside; `from` > `to`: all. */
void _hearth_token_flow_forget (HearthTokenFlow *self, guint from, guint to);
void _hearth_token_flow_snapshot (GtkWidget *widget, GtkSnapshot *snapshot);
void _hearth_flow_line_free (gpointer data);

/* ---- hearth-token-flow-accessible.c ---- */

void _hearth_token_flow_accessible_init (GtkAccessibleTextInterface *iface);
/* What voice output says of the token that is looked at. Returns: (transfer full) */
char *_hearth_token_flow_describe (HearthTokenFlow *self);

/* ---- hearth-token-flow.c ---- */

/* Where the upper edge of what is seen is, in the whole. */
double _hearth_token_flow_get_top (HearthTokenFlow *self);

G_END_DECLS
