/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-list-private.h - for hearth-model-list*.c only. */
#pragma once

#include <adwaita.h>

#include "hearth-model-list.h"
#include "hearth-model-order.h"
#include "hearth-model-row.h"

struct _HearthModelList
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkSearchBar *search_bar;
  GtkEditable *search_entry;
  GtkWidget *filters;
  GtkWidget *footer;
  GtkLabel *total_label;
  GtkWidget *spinner;
  GtkStack *stack;
  GtkScrolledWindow *scroller;
  GtkListView *view;
  GtkFilterListModel *found;
  GtkSortListModel *sorted;
  GtkSingleSelection *selection;

  HearthLibrary *library;
  HearthSettings *settings;
  GtkFilter *filter;
  GtkSorter *sorter;
  GtkSorter *sections;
  GtkListItemFactory *heads; /* of groups */
  HearthModelFile *present;  /* weak */
  HearthModelWish wish;
  HearthModelOrder order;
  GHashTable *headers; /* set of GtkListHeader that are shown */
  GHashTable *totals;  /* group key → bytes on disk */
  guint refresh_id;
  gboolean touched;      /* somebody has moved in the list, which now stays where it is */
  char *wanted_position; /* the path that is to be the topmost; NULL: where it is */
};

/* hearth-model-list-state.c */
/* How it was left. */
void _hearth_model_list_restore (HearthModelList *self);
/* What is filtered, sorted and grouped by, as the settings keep it. */
void _hearth_model_list_keep (HearthModelList *self);
/* Scrolls to where it was left, once that row is there. */
void _hearth_model_list_restore_position (HearthModelList *self);
const char *_hearth_model_list_sort_id (HearthModelSort sort);
HearthModelSort _hearth_model_list_sort_from_id (const char *id);
const char *_hearth_model_list_group_id (HearthModelGroup group);
HearthModelGroup _hearth_model_list_group_from_id (const char *id);
/* Copies the list that is shown as text, or asks where to write it to. */
void _hearth_model_list_copy (HearthModelList *self);
void _hearth_model_list_export (HearthModelList *self);
