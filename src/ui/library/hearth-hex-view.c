/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-hex-view.h"

#include <string.h>

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-focus.h"
#include "hearth-hex-grid.h"
#include "hearth-tensor-export.h"
#include "hearth-tensor-rows.h"
#include "hearth-words.h"

/* What a clipboard is asked to hold. */
#define MOST_COPIED ((guint64) 1024 * 1024)

struct _HearthHexView
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkEntry *offset_entry;
  HearthHexGrid *grid;
  GtkLabel *detail;

  HearthFileBytes *bytes;
  HearthFileLayout *layout;
};

G_DEFINE_FINAL_TYPE (HearthHexView, hearth_hex_view, GTK_TYPE_WIDGET)

/* ---- what is at the cursor -------------------------------------------------------------- */

static guint64
little_endian (const guint8 *data, gsize n)
{
  guint64 value = 0;

  for (gsize i = n; i > 0; i--)
    value = value << 8 | data[i - 1];
  return value;
}

static void
append_values (GString *out, const guint8 *data, gsize n)
{
  if (n >= 1)
    g_string_append_printf (out, " · u8 %u", data[0]);
  if (n >= 2)
    g_string_append_printf (out, " · u16 %u", (guint) little_endian (data, 2));
  if (n >= 4)
    {
      guint32 bits = (guint32) little_endian (data, 4);
      char text[HEARTH_VALUE_TEXT_SIZE];
      float value;

      memcpy (&value, &bits, sizeof value);
      hearth_tensor_rows_format (value, text);
      g_string_append_printf (out, " · u32 %" G_GUINT32_FORMAT " · f32 %s", bits, text);
    }
  if (n >= 8)
    g_string_append_printf (out, " · u64 %" G_GUINT64_FORMAT, little_endian (data, 8));
}

static void
append_owner (HearthHexView *self, GString *out, guint64 offset)
{
  HearthFileRegion *region;
  const char *name;
  guint position;

  if (self->layout == NULL || !hearth_file_layout_find (self->layout, offset, &position))
    return;
  region = hearth_file_layout_get (self->layout, position);
  name = hearth_file_region_get_name (region);
  g_string_append_printf (out, " · %s",
                          _ (hearth_region_kind_get_name (hearth_file_region_get_kind (region))));
  if (*name != '\0')
    g_string_append_printf (out, " %s", name);
}

static void
moved_cb (HearthHexView *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *decimal = NULL;
  guint64 offset, size;
  guint8 data[8];

  if (self->detail == NULL || self->bytes == NULL)
    return;
  offset = hearth_hex_grid_get_offset (self->grid);
  decimal = hearth_words_for_number (offset);
  g_string_append_printf (text, "0x%" G_GINT64_MODIFIER "X · %s", offset, decimal);
  append_owner (self, text, offset);
  hearth_hex_grid_get_range (self->grid, &offset, &size);
  if (size > 1)
    {
      g_autofree char *selected = hearth_words_for_number (size);

      /* Translators: how many bytes are selected */
      g_string_append_printf (text, ngettext (" · %s byte selected", " · %s bytes selected", size),
                              selected);
    }
  else
    append_values (text, data,
                   hearth_file_bytes_peek (self->bytes, hearth_hex_grid_get_offset (self->grid),
                                           data, sizeof data));
  gtk_label_set_text (self->detail, text->str);
}

/* ---- jumping ---------------------------------------------------------------------------- */

/* "4096", "4,096", "0x1000" */
static gboolean
parse_offset (const char *text, guint64 *offset)
{
  g_autoptr (GString) digits = g_string_new (NULL);
  guint base = 10;

  while (g_ascii_isspace (*text))
    text++;
  if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
    {
      base = 16;
      text += 2;
    }
  for (; *text != '\0'; text++)
    {
      if (g_ascii_isxdigit (*text))
        g_string_append_c (digits, *text);
      else if (!g_ascii_isspace (*text) && *text != ',' && *text != '.' && *text != '\'')
        return FALSE;
    }
  return g_ascii_string_to_unsigned (digits->str, base, 0, G_MAXUINT64, offset, NULL);
}

static void
edited_cb (HearthHexView *self)
{
  gtk_widget_remove_css_class (GTK_WIDGET (self->offset_entry), "error");
}

static void
jump_cb (HearthHexView *self)
{
  guint64 offset;

  if (parse_offset (gtk_editable_get_text (GTK_EDITABLE (self->offset_entry)), &offset) &&
      offset < hearth_file_bytes_get_size (self->bytes))
    {
      hearth_hex_grid_go_to (self->grid, offset, 1);
      gtk_widget_grab_focus (GTK_WIDGET (self->grid));
    }
  else
    {
      g_autofree char *size = hearth_words_for_number (hearth_file_bytes_get_size (self->bytes));
      g_autofree char *sentence =
        /* Translators: how many bytes the file has */
        g_strdup_printf (_ ("Enter a number below %s"), size);

      gtk_widget_add_css_class (GTK_WIDGET (self->offset_entry), "error");
      gtk_label_set_text (self->detail, sentence);
      gtk_accessible_announce (GTK_ACCESSIBLE (self), sentence,
                               GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
    }
}

/* ---- copying ---------------------------------------------------------------------------- */

struct copy
{
  HearthHexView *self;
  gboolean as_text;
};

static char *
dup_hex (const guint8 *data, gsize n)
{
  GString *out = g_string_sized_new (n * 3);

  for (gsize i = 0; i < n; i++)
    g_string_append_printf (out, "%02X%c", data[i],
                            i + 1 == n                     ? '\0'
                            : i % HEARTH_HEX_COLUMNS == 15 ? '\n'
                                                           : ' ');
  return g_string_free_and_steal (out);
}

/* A clipboard's text ends at a NUL. */
static char *
dup_text (const guint8 *data, gsize n)
{
  g_autofree char *copy = g_memdup2 (data, n);

  for (gsize i = 0; i < n; i++)
    {
      if (copy[i] == '\0')
        copy[i] = '.';
    }
  return g_utf8_make_valid (copy, (gssize) n);
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  struct copy *copy = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = hearth_file_bytes_read_finish (result, &error);
  g_autofree char *text = NULL;
  gsize n;

  if (bytes == NULL)
    gtk_widget_activate_action (GTK_WIDGET (copy->self), "win.toast", "s", error->message);
  else
    {
      const guint8 *data = g_bytes_get_data (bytes, &n);
      g_autofree char *count = hearth_words_for_number (n);
      g_autofree char *sentence =
        g_strdup_printf (ngettext ("%s byte copied", "%s bytes copied", n), count);

      text = copy->as_text ? dup_text (data, n) : dup_hex (data, n);
      gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (copy->self)), text);
      gtk_widget_activate_action (GTK_WIDGET (copy->self), "win.toast", "s", sentence);
    }
  g_object_unref (copy->self);
  g_free (copy);
}

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthHexView *self = HEARTH_HEX_VIEW (widget);
  struct copy *copy;
  guint64 offset, size;

  hearth_hex_grid_get_range (self->grid, &offset, &size);
  copy = g_new (struct copy, 1);
  *copy = (struct copy) { g_object_ref (self),
                          g_str_equal (g_variant_get_string (parameter, NULL), "text") };
  hearth_file_bytes_read_async (self->bytes, offset, (gsize) MIN (size, MOST_COPIED), read_cb,
                                copy);
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_hex_view_dispose (GObject *object)
{
  HearthHexView *self = HEARTH_HEX_VIEW (object);

  g_clear_object (&self->layout);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_HEX_VIEW);
  g_clear_object (&self->bytes);
  G_OBJECT_CLASS (hearth_hex_view_parent_class)->dispose (object);
}

static void
hearth_hex_view_class_init (HearthHexViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_hex_view_dispose;
  g_type_ensure (HEARTH_TYPE_HEX_GRID);
  gtk_widget_class_install_action (widget_class, "hex.copy", "s", copy_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_c, GDK_CONTROL_MASK, "hex.copy", "s",
                                       "hex");
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-hex-view.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthHexView, root);
  gtk_widget_class_bind_template_child (widget_class, HearthHexView, offset_entry);
  gtk_widget_class_bind_template_child (widget_class, HearthHexView, grid);
  gtk_widget_class_bind_template_child (widget_class, HearthHexView, detail);
  gtk_widget_class_bind_template_callback (widget_class, jump_cb);
  gtk_widget_class_bind_template_callback (widget_class, edited_cb);
  gtk_widget_class_bind_template_callback (widget_class, moved_cb);
}

static void
hearth_hex_view_init (HearthHexView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
hearth_hex_view_new (const char *path, guint64 size, HearthFileLayout *layout)
{
  HearthHexView *self = g_object_new (HEARTH_TYPE_HEX_VIEW, NULL);

  self->bytes = hearth_file_bytes_new (path, size);
  g_set_object (&self->layout, layout);
  g_signal_connect_object (self->bytes, "changed", G_CALLBACK (moved_cb), self, G_CONNECT_SWAPPED);
  hearth_hex_grid_set_bytes (self->grid, self->bytes);
  moved_cb (self);
  return GTK_WIDGET (self);
}

void
hearth_hex_view_go_to (HearthHexView *self, guint64 offset, guint64 size)
{
  g_return_if_fail (HEARTH_IS_HEX_VIEW (self));

  hearth_hex_grid_go_to (self->grid, offset, size);
}

void
hearth_hex_view_focus_bytes (HearthHexView *self)
{
  g_return_if_fail (HEARTH_IS_HEX_VIEW (self));

  gtk_widget_grab_focus (GTK_WIDGET (self->grid));
}

void
hearth_hex_view_set_layout (HearthHexView *self, HearthFileLayout *layout)
{
  g_return_if_fail (HEARTH_IS_HEX_VIEW (self));

  g_set_object (&self->layout, layout);
  moved_cb (self);
}
