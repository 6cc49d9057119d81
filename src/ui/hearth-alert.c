/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-alert.h"

static GtkWidget *
new_label (const char *text, const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_justify (GTK_LABEL (label), GTK_JUSTIFY_CENTER);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  return label;
}

AdwDialog *
hearth_alert_new (const char *heading, const char *body)
{
  AdwDialog *dialog = adw_alert_dialog_new (NULL, NULL);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 10);
  GtkWidget *title = new_label (heading, "title-2");

  gtk_box_append (GTK_BOX (box), title);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (dialog), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                  title, NULL, -1);
  if (body != NULL)
    {
      GtkWidget *text = new_label (body, NULL);

      gtk_box_append (GTK_BOX (box), text);
      gtk_accessible_update_relation (GTK_ACCESSIBLE (dialog), GTK_ACCESSIBLE_RELATION_DESCRIBED_BY,
                                      text, NULL, -1);
    }
  adw_alert_dialog_set_extra_child (ADW_ALERT_DIALOG (dialog), box);
  return dialog;
}
