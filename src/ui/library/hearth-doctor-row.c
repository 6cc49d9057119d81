/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-doctor-row.h"

#include <string.h>

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-doctor-words.h"

const char *
hearth_doctor_row_icon (HearthSeverity severity)
{
  static const char *const icons[] = {
    [HEARTH_SEVERITY_INFO] = "dialog-information-symbolic",
    [HEARTH_SEVERITY_WARNING] = "dialog-warning-symbolic",
    [HEARTH_SEVERITY_ERROR] = "dialog-error-symbolic",
  };

  return icons[severity];
}

const char *
hearth_doctor_row_style (HearthSeverity severity)
{
  static const char *const styles[] = {
    [HEARTH_SEVERITY_INFO] = "dimmed",
    [HEARTH_SEVERITY_WARNING] = "warning",
    [HEARTH_SEVERITY_ERROR] = "error",
  };

  return styles[severity];
}

/* Whether it is about where something lies in the file: the map shows that. */
static gboolean
is_about_layout (HearthDiagnosis *diagnosis)
{
  static const char *const codes[] = {
    "tensor-overlap", "tensor-gap",     "tensor-order", "padding",  "padding-missing",
    "offset",         "data-truncated", "data-zeros",   "trailing",
  };

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      if (g_str_equal (hearth_diagnosis_get_code (diagnosis), codes[i]))
        return TRUE;
    }
  return FALSE;
}

/* Where the button leads: a view of the page and what to go to in it (transfer full); FALSE:
 * nowhere. */
static gboolean
find_target (HearthDiagnosis *diagnosis, const char **view, char **what)
{
  const char *item = hearth_diagnosis_get_item (diagnosis);

  *what = g_strdup (item != NULL ? item : "");
  if (g_str_has_suffix (*what, "…")) /* a long name is found by its beginning */
    (*what)[strlen (*what) - strlen ("…")] = '\0';
  if (hearth_diagnosis_get_file (diagnosis) != NULL)
    return FALSE; /* another file's keys and tensors are on another page */
  if (is_about_layout (diagnosis))
    {
      *view = "file";
      return TRUE;
    }
  switch (hearth_diagnosis_get_place (diagnosis))
    {
    case HEARTH_PLACE_KEY:
    case HEARTH_PLACE_KEYS:
      *view = "metadata";
      return TRUE;
    case HEARTH_PLACE_TENSOR:
    case HEARTH_PLACE_TENSORS:
      *view = "tensors";
      return TRUE;
    case HEARTH_PLACE_HEADER:
    case HEARTH_PLACE_DATA:
      *view = "file";
      return TRUE;
    case HEARTH_PLACE_FILE:
    case HEARTH_PLACE_PARTS:
    default:
      return FALSE;
    }
}

static GtkWidget *
create_button (HearthDiagnosis *diagnosis, const char *sentence)
{
  GtkWidget *button;
  g_autofree char *what = NULL;
  const char *view;

  /* A missing key or tensor has no row to go to. */
  if (!find_target (diagnosis, &view, &what) ||
      g_str_has_suffix (hearth_diagnosis_get_code (diagnosis), "-missing"))
    return NULL;
  button = gtk_button_new_with_mnemonic (_ ("_Show"));
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "model.show-view");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "(ss)", view, what);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  sentence, -1);
  return button;
}

static void
add_detail (GtkWidget *row, const char *title, const char *text)
{
  GtkWidget *detail;

  if (*text == '\0')
    return;
  detail = adw_action_row_new ();
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (detail), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (detail), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (detail), text);
  adw_action_row_set_subtitle_selectable (ADW_ACTION_ROW (detail), TRUE);
  gtk_widget_add_css_class (detail, "property");
  adw_expander_row_add_row (ADW_EXPANDER_ROW (row), detail);
}

GtkWidget *
hearth_doctor_row_new (HearthDiagnosis *diagnosis)
{
  HearthSeverity severity = hearth_diagnosis_get_severity (diagnosis);
  GtkWidget *row = adw_expander_row_new ();
  GtkWidget *icon = gtk_image_new_from_icon_name (hearth_doctor_row_icon (severity));
  g_autofree char *sentence = hearth_doctor_words_for_diagnosis (diagnosis);
  g_autofree char *place = hearth_doctor_words_for_place (diagnosis);
  const char *advice = hearth_doctor_words_for_advice (diagnosis);
  g_autofree char *subtitle = *place != '\0' && *advice != '\0'
                                ? g_strdup_printf ("%s\n%s", place, advice)
                                : g_strdup (*place != '\0' ? place : advice);
  GtkWidget *button = create_button (diagnosis, sentence);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), sentence);
  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (row), subtitle);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, sentence,
                                  -1); /* its header has the name, the row itself has none */
  gtk_widget_add_css_class (icon, hearth_doctor_row_style (severity));
  gtk_accessible_update_property (GTK_ACCESSIBLE (icon), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  hearth_doctor_words_for_severity (severity), -1);
  adw_expander_row_add_prefix (ADW_EXPANDER_ROW (row), icon);
  if (button != NULL)
    adw_expander_row_add_suffix (ADW_EXPANDER_ROW (row), button);
  add_detail (row, _ ("Details"), hearth_diagnosis_get_message (diagnosis));
  add_detail (row, _ ("Code"), hearth_diagnosis_get_code (diagnosis));
  return row;
}
