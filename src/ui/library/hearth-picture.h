/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-picture.h - what a view draws, with titles, labels and a legend, as a picture to be saved
 * or copied. It has four pixels where the screen has one, so that texts stay readable in a
 * document. What is added comes below what was added before. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct _HearthPicture HearthPicture;

/* As wide as `width` pixels of the screen, and a border; texts as those of `widget`, which outlives
 * it. Returns: (transfer full) */
HearthPicture *hearth_picture_new (GtkWidget *widget, int width);

void hearth_picture_add_title (HearthPicture *self, const char *text);
void hearth_picture_add_text (HearthPicture *self, const char *text);
/* A drawing of this height, `gutter` from the left; it takes over the node, which may be NULL. */
void hearth_picture_add_drawing (HearthPicture *self, GskRenderNode *node, float gutter,
                                 float height);
/* Beside the drawing that was added last, at its top and its bottom; how much room they take is
 * known before: it is the gutter. */
float hearth_picture_measure (HearthPicture *self, const char *text);
void hearth_picture_add_heights (HearthPicture *self, const char *top, const char *bottom);
/* Below the drawing that was added last, from its left to its right. */
void hearth_picture_add_labels (HearthPicture *self, const char *const *labels);
/* A swatch of HEARTH_PICTURE_SWATCH pixels and what it stands for; takes over the node. */
#define HEARTH_PICTURE_SWATCH 16
void hearth_picture_add_legend (HearthPicture *self, GskRenderNode *swatch, const char *text);

/* Takes over `self`. Returns: (transfer full) (nullable): NULL while the widget is in no window. */
GdkTexture *hearth_picture_end (HearthPicture *self, const GdkRGBA *background);

G_END_DECLS
