/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-store-banner.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-alert.h"

struct _HearthStoreBanner
{
  GtkWidget parent_instance;

  AdwBanner *banner;
  HearthConversationStore *store;
};

G_DEFINE_FINAL_TYPE (HearthStoreBanner, hearth_store_banner, GTK_TYPE_WIDGET)

/* Returns: (transfer full) (nullable): NULL when all is well */
static char *
dup_sentence (HearthConversationStore *store)
{
  const char *aside = hearth_conversation_store_get_set_aside (store);
  g_autofree char *name = aside != NULL ? g_path_get_basename (aside) : NULL;
  guint n = hearth_conversation_store_get_n_recovered (store);

  switch (hearth_conversation_store_get_condition (store))
    {
    case HEARTH_STORE_FINE:
      return NULL;
    case HEARTH_STORE_READ_ONLY:
      return g_strdup (_ ("Chats cannot be saved, because their folder cannot be written to."));
    case HEARTH_STORE_IN_USE:
      return g_strdup (_ ("Another Hearth is using the chats. What you write here is not saved."));
    case HEARTH_STORE_FULL:
      return g_strdup (_ ("Chats cannot be saved, because the disk is full. They are kept until "
                          "Hearth ends."));
    case HEARTH_STORE_DAMAGED:
      /* Translators: the file name at the end is the one it has now */
      return g_strdup_printf (
        ngettext ("The file of your chats was damaged. %u chat could be read. The old file is now "
                  "“%s”.",
                  "The file of your chats was damaged. %u chats could be read. The old file is now "
                  "“%s”.",
                  n),
        n, name != NULL ? name : "");
    case HEARTH_STORE_NEWER:
      return g_strdup_printf (
        _ ("Your chats were saved by a newer version of Hearth. Their file is "
           "now “%s”, and a new one was begun."),
        name != NULL ? name : "");
    case HEARTH_STORE_FAILED:
    default:
      return g_strdup (_ ("Chats cannot be saved. They are kept until Hearth ends."));
    }
}

static const char *
button_label (HearthStoreCondition condition)
{
  switch (condition)
    {
    case HEARTH_STORE_DAMAGED:
    case HEARTH_STORE_NEWER:
      return _ ("_Dismiss");
    case HEARTH_STORE_FULL:
    case HEARTH_STORE_FAILED:
      return _ ("_Try Again");
    case HEARTH_STORE_FINE:
    case HEARTH_STORE_READ_ONLY:
    case HEARTH_STORE_IN_USE:
    default:
      return _ ("_Details");
    }
}

static void
update (HearthStoreBanner *self)
{
  g_autofree char *sentence = dup_sentence (self->store);

  if (self->banner == NULL)
    return; /* being disposed */
  if (sentence != NULL)
    {
      adw_banner_set_title (self->banner, sentence);
      adw_banner_set_button_label (
        self->banner, button_label (hearth_conversation_store_get_condition (self->store)));
      gtk_widget_set_tooltip_text (GTK_WIDGET (self->banner),
                                   hearth_conversation_store_get_detail (self->store));
      gtk_accessible_announce (GTK_ACCESSIBLE (self), sentence,
                               GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_HIGH);
    }
  adw_banner_set_revealed (self->banner, sentence != NULL);
}

static void
show_details (HearthStoreBanner *self)
{
  AdwDialog *dialog = hearth_alert_new (adw_banner_get_title (self->banner),
                                        hearth_conversation_store_get_detail (self->store));

  adw_alert_dialog_add_response (ADW_ALERT_DIALOG (dialog), "close", _ ("_Close"));
  adw_dialog_present (dialog, GTK_WIDGET (self));
}

static void
clicked_cb (HearthStoreBanner *self)
{
  switch (hearth_conversation_store_get_condition (self->store))
    {
    case HEARTH_STORE_DAMAGED:
    case HEARTH_STORE_NEWER:
      adw_banner_set_revealed (self->banner, FALSE);
      break;
    case HEARTH_STORE_FULL:
    case HEARTH_STORE_FAILED:
      hearth_conversation_store_retry (self->store);
      break;
    case HEARTH_STORE_FINE:
    case HEARTH_STORE_READ_ONLY:
    case HEARTH_STORE_IN_USE:
    default:
      show_details (self);
    }
}

static void
hearth_store_banner_dispose (GObject *object)
{
  HearthStoreBanner *self = HEARTH_STORE_BANNER (object);

  if (self->banner != NULL)
    gtk_widget_unparent (GTK_WIDGET (g_steal_pointer (&self->banner)));
  g_clear_object (&self->store);
  G_OBJECT_CLASS (hearth_store_banner_parent_class)->dispose (object);
}

static void
hearth_store_banner_class_init (HearthStoreBannerClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hearth_store_banner_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
hearth_store_banner_init (HearthStoreBanner *self)
{
  self->banner = ADW_BANNER (adw_banner_new (""));
  adw_banner_set_use_markup (self->banner, FALSE);
  gtk_widget_set_parent (GTK_WIDGET (self->banner), GTK_WIDGET (self));
  g_signal_connect_object (self->banner, "button-clicked", G_CALLBACK (clicked_cb), self,
                           G_CONNECT_SWAPPED);
}

GtkWidget *
hearth_store_banner_new (HearthConversationStore *store)
{
  HearthStoreBanner *self = g_object_new (HEARTH_TYPE_STORE_BANNER, NULL);

  self->store = g_object_ref (store);
  g_signal_connect_object (store, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
  return GTK_WIDGET (self);
}
