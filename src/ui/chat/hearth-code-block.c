/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-code-block.h"

#include <string.h>

#include <adwaita.h>
#include <glib/gi18n.h>
#include <gtksourceview/gtksource.h>

#include "hearth-export.h"
#include "hearth-focus.h"
#include "hearth-message-list.h"
#include "hearth-side-scroller.h"
#include "hearth-text-block.h"

/* A page is laid out as one; only the last one can change. */
#define PAGE_LINES 48
#define PAGE_BYTES 8192
/* Without colours beyond: finding them in data somebody pasted takes long and helps nobody. */
#define MOST_COLOURED (512 * 1024)

struct _HearthCodeBlock
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkLabel *language_label;
  GtkWidget *scroller;
  GtkBox *pages;

  GString *code;
  char *language_name;
  GtkSourceLanguage *language;
  GtkSourceBuffer *buffer; /* has the code, while there are colours */
  gboolean dark;           /* the colours are for that */
  gboolean wraps;
  GBinding *wrapping; /* to the preference, while it is in a list of messages */
};

G_DEFINE_FINAL_TYPE (HearthCodeBlock, hearth_code_block, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_WRAPS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

/* ---- languages -------------------------------------------------------------------------- */

/* What models call languages that GtkSourceView calls otherwise. */
static const struct
{
  const char *name;
  const char *id;
} aliases[] = {
  { "bash", "sh" },       { "c#", "c-sharp" },
  { "c++", "cpp" },       { "console", "sh" },
  { "cs", "c-sharp" },    { "csharp", "c-sharp" },
  { "docker", "docker" }, { "dockerfile", "docker" },
  { "f#", "fsharp" },     { "golang", "go" },
  { "h", "chdr" },        { "hs", "haskell" },
  { "javascript", "js" }, { "jsx", "jsx" },
  { "kt", "kotlin" },     { "make", "makefile" },
  { "md", "markdown" },   { "objectivec", "objc" },
  { "pl", "perl" },       { "ps1", "powershell" },
  { "py", "python3" },    { "python", "python3" },
  { "rb", "ruby" },       { "rs", "rust" },
  { "shell", "sh" },      { "tex", "latex" },
  { "ts", "typescript" }, { "viml", "vim" },
  { "yml", "yaml" },      { "zsh", "sh" },
};

static GtkSourceLanguage *
find_language (const char *name)
{
  GtkSourceLanguageManager *manager = gtk_source_language_manager_get_default ();
  g_autofree char *lower = name != NULL ? g_ascii_strdown (name, -1) : NULL;
  g_autofree char *file = NULL;
  GtkSourceLanguage *language;

  if (lower == NULL)
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (aliases); i++)
    {
      if (g_str_equal (aliases[i].name, lower))
        return gtk_source_language_manager_get_language (manager, aliases[i].id);
    }
  language = gtk_source_language_manager_get_language (manager, lower);
  if (language != NULL)
    return language;
  file = g_strconcat ("code.", lower, NULL);
  return gtk_source_language_manager_guess_language (manager, file, NULL);
}

/* "code.py": what Save As… begins with. */
static char *
file_name (HearthCodeBlock *self)
{
  g_auto (GStrv) globs =
    self->language != NULL ? gtk_source_language_get_globs (self->language) : NULL;

  for (guint i = 0; globs != NULL && globs[i] != NULL; i++)
    {
      if (g_str_has_prefix (globs[i], "*.") && strpbrk (globs[i] + 2, "*?[") == NULL)
        return g_strconcat (_ ("code"), globs[i] + 1, NULL);
    }
  return g_strconcat (_ ("code"), ".txt", NULL);
}

/* ---- colours ---------------------------------------------------------------------------- */

static void
add_attribute (PangoAttrList *list, PangoAttribute *attribute, guint start, guint end)
{
  attribute->start_index = start;
  attribute->end_index = end;
  pango_attr_list_insert (list, attribute);
}

static void
add_tag (PangoAttrList *list, GtkTextTag *tag, guint start, guint end)
{
  g_autoptr (GdkRGBA) color = NULL;
  gboolean color_set, weight_set, style_set, underline_set;
  int weight;
  PangoStyle style;
  PangoUnderline underline;

  g_object_get (tag, "foreground-set", &color_set, "foreground-rgba", &color, "weight-set",
                &weight_set, "weight", &weight, "style-set", &style_set, "style", &style,
                "underline-set", &underline_set, "underline", &underline, NULL);
  if (color_set && color != NULL)
    add_attribute (list,
                   pango_attr_foreground_new ((guint16) (color->red * 65535),
                                              (guint16) (color->green * 65535),
                                              (guint16) (color->blue * 65535)),
                   start, end);
  if (weight_set)
    add_attribute (list, pango_attr_weight_new ((PangoWeight) weight), start, end);
  if (style_set)
    add_attribute (list, pango_attr_style_new (style), start, end);
  if (underline_set)
    add_attribute (list, pango_attr_underline_new (underline), start, end);
}

/* How a part of the code looks. Returns: (transfer full) */
static PangoAttrList *
colours_of (HearthCodeBlock *self, gsize from, gsize to)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  PangoAttrList *list = pango_attr_list_new ();
  GtkTextIter at, end;

  /* A wrapped line has nothing in it that is not in the code. */
  pango_attr_list_insert (list, pango_attr_insert_hyphens_new (FALSE));
  if (buffer == NULL)
    return list;
  gtk_text_buffer_get_iter_at_offset (
    buffer, &at, (int) g_utf8_pointer_to_offset (self->code->str, self->code->str + from));
  end = at;
  gtk_text_iter_forward_chars (
    &end, (int) g_utf8_pointer_to_offset (self->code->str + from, self->code->str + to));
  gtk_source_buffer_ensure_highlight (self->buffer, &at, &end);
  for (const char *start = self->code->str + from; gtk_text_iter_compare (&at, &end) < 0;)
    {
      GtkTextIter next = at;
      g_autoptr (GSList) tags = gtk_text_iter_get_tags (&at);
      const char *stop;

      if (!gtk_text_iter_forward_to_tag_toggle (&next, NULL) ||
          gtk_text_iter_compare (&next, &end) > 0)
        next = end;
      stop = g_utf8_offset_to_pointer (start, gtk_text_iter_get_offset (&next) -
                                                gtk_text_iter_get_offset (&at));
      for (GSList *tag = tags; tag != NULL; tag = tag->next)
        add_tag (list, tag->data, (guint) (start - self->code->str - (gssize) from),
                 (guint) (stop - self->code->str - (gssize) from));
      start = stop;
      at = next;
    }
  return list;
}

/* Brings the buffer up to the code, of which the first `same` bytes are in it. */
static void
fill_buffer (HearthCodeBlock *self, gsize same)
{
  GtkSourceStyleSchemeManager *schemes = gtk_source_style_scheme_manager_get_default ();
  GtkTextBuffer *buffer;
  GtkTextIter start, end;

  if (self->language == NULL || self->code->len > MOST_COLOURED)
    {
      g_clear_object (&self->buffer);
      return;
    }
  if (self->buffer == NULL)
    {
      self->buffer = gtk_source_buffer_new_with_language (self->language);
      gtk_source_buffer_set_highlight_matching_brackets (self->buffer, FALSE);
      gtk_text_buffer_set_enable_undo (GTK_TEXT_BUFFER (self->buffer), FALSE);
      same = 0;
    }
  buffer = GTK_TEXT_BUFFER (self->buffer);
  gtk_source_buffer_set_style_scheme (
    self->buffer,
    gtk_source_style_scheme_manager_get_scheme (schemes, self->dark ? "Adwaita-dark" : "Adwaita"));
  gtk_text_buffer_get_iter_at_offset (
    buffer, &start, (int) g_utf8_pointer_to_offset (self->code->str, self->code->str + same));
  gtk_text_buffer_get_end_iter (buffer, &end);
  gtk_text_buffer_delete (buffer, &start, &end);
  gtk_text_buffer_insert (buffer, &end, self->code->str + same, (int) (self->code->len - same));
}

/* ---- pages ------------------------------------------------------------------------------ */

/* Where the page that begins at `from` ends: behind a line break, which is not shown. */
static gsize
page_end (const GString *code, gsize from)
{
  gsize at = from;

  for (int line = 0; line < PAGE_LINES && at < code->len && at - from < PAGE_BYTES; line++)
    {
      const char *end = memchr (code->str + at, '\n', code->len - at);

      if (end == NULL || (gsize) (end - code->str) - from > 2 * PAGE_BYTES)
        {
          at = MIN (code->len, MAX (at, from + PAGE_BYTES));
          while (at < code->len && ((guchar) code->str[at] & 0xc0) == 0x80)
            at++;
          break;
        }
      at = (gsize) (end - code->str) + 1;
    }
  return at;
}

/* Pages whose text is the same are left alone. */
static void
show_pages (HearthCodeBlock *self, gsize same, gboolean recolour)
{
  GtkWidget *page = gtk_widget_get_first_child (GTK_WIDGET (self->pages));
  gsize from = 0;

  do
    {
      gsize to = page_end (self->code, from);
      gsize shown =
        to > from && to < self->code->len && self->code->str[to - 1] == '\n' ? to - 1 : to;

      if (page == NULL)
        {
          page = hearth_text_block_new (GTK_ACCESSIBLE_ROLE_PARAGRAPH,
                                        self->wraps ? HEARTH_TEXT_FILL : HEARTH_TEXT_LINES);
          gtk_widget_add_css_class (page, "monospace");
          gtk_widget_set_direction (page, GTK_TEXT_DIR_LTR);
          gtk_box_append (self->pages, page);
        }
      if (to > same || recolour ||
          hearth_text_block_get_size (HEARTH_TEXT_BLOCK (page)) != shown - from)
        {
          g_autoptr (PangoAttrList) colours = colours_of (self, from, shown);

          hearth_text_block_set_code (HEARTH_TEXT_BLOCK (page), self->code->str + from,
                                      shown - from, colours);
        }
      from = to;
      page = gtk_widget_get_next_sibling (page);
    }
  while (from < self->code->len);
  while (page != NULL)
    {
      GtkWidget *next = gtk_widget_get_next_sibling (page);

      gtk_box_remove (self->pages, page);
      page = next;
    }
}

static void
dark_cb (HearthCodeBlock *self, GParamSpec *pspec, AdwStyleManager *manager)
{
  gboolean dark = adw_style_manager_get_dark (manager);

  if (self->dark == dark || self->pages == NULL)
    return;
  self->dark = dark;
  fill_buffer (self, self->code->len);
  show_pages (self, self->code->len, TRUE);
}

void
hearth_code_block_set_code (HearthCodeBlock *self, const char *code, gsize size,
                            const char *language)
{
  gsize same = 0;

  g_return_if_fail (HEARTH_IS_CODE_BLOCK (self));

  if (g_strcmp0 (language, self->language_name) != 0 || self->code->len == 0)
    {
      g_autofree char *label = NULL;
      const char *shown = language != NULL ? language : _ ("Code");

      g_set_str (&self->language_name, language);
      self->language = find_language (language);
      g_clear_object (&self->buffer);
      if (self->language != NULL)
        shown = gtk_source_language_get_name (self->language);
      gtk_label_set_text (self->language_label, shown);
      /* Translators: the name of a programming language */
      label = g_strdup_printf (_ ("Code: %s"), shown);
      gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                      -1);
    }
  while (same < size && same < self->code->len && code[same] == self->code->str[same])
    same++;
  if (same == size && same == self->code->len && size > 0)
    return;
  while (same > 0 && same < self->code->len && ((guchar) self->code->str[same] & 0xc0) == 0x80)
    same--;
  g_string_truncate (self->code, same);
  g_string_append_len (self->code, code + same, (gssize) (size - same));
  fill_buffer (self, same);
  show_pages (self, same, FALSE);
}

/* ---- actions ---------------------------------------------------------------------------- */

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthCodeBlock *self = HEARTH_CODE_BLOCK (widget);

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), self->code->str);
  gtk_widget_activate_action (widget, "win.toast", "s", _ ("Code copied"));
}

static void
place_chosen_cb (GtkWidget *widget, GFile *file, gpointer data)
{
  const GString *code = HEARTH_CODE_BLOCK (widget)->code;
  GString *text = g_string_new_len (code->str, (gssize) code->len);
  g_autoptr (GBytes) contents = NULL;

  if (!g_str_has_suffix (text->str, "\n"))
    g_string_append_c (text, '\n');
  contents = g_string_free_to_bytes (text);
  hearth_export_write (widget, file, contents);
}

static void
save_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autofree char *suggestion = file_name (HEARTH_CODE_BLOCK (widget));

  hearth_export_ask (widget, _ ("Save Code"), suggestion, NULL, place_chosen_cb, NULL, NULL);
}

/* ---- long lines ------------------------------------------------------------------------- */

static void
set_wraps (HearthCodeBlock *self, gboolean wraps)
{
  if (self->wraps == wraps || self->pages == NULL)
    return;
  self->wraps = wraps;
  for (GtkWidget *page = gtk_widget_get_first_child (GTK_WIDGET (self->pages)); page != NULL;
       page = gtk_widget_get_next_sibling (page))
    hearth_text_block_set_shape (HEARTH_TEXT_BLOCK (page),
                                 wraps ? HEARTH_TEXT_FILL : HEARTH_TEXT_LINES);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_WRAPS]);
}

static void
hearth_code_block_root (GtkWidget *widget)
{
  HearthCodeBlock *self = HEARTH_CODE_BLOCK (widget);
  GtkWidget *list = gtk_widget_get_ancestor (widget, HEARTH_TYPE_MESSAGE_LIST);

  GTK_WIDGET_CLASS (hearth_code_block_parent_class)->root (widget);
  if (list != NULL)
    self->wrapping =
      g_object_bind_property (list, "wrap-code", self, "wraps", G_BINDING_SYNC_CREATE);
}

static void
hearth_code_block_unroot (GtkWidget *widget)
{
  HearthCodeBlock *self = HEARTH_CODE_BLOCK (widget);

  if (self->wrapping != NULL)
    g_binding_unbind (self->wrapping); /* which frees it */
  self->wrapping = NULL;
  GTK_WIDGET_CLASS (hearth_code_block_parent_class)->unroot (widget);
}

/* ---- object ----------------------------------------------------------------------------- */

static void
hearth_code_block_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_WRAPS)
    g_value_set_boolean (value, HEARTH_CODE_BLOCK (object)->wraps);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_code_block_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_WRAPS)
    set_wraps (HEARTH_CODE_BLOCK (object), g_value_get_boolean (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_code_block_dispose (GObject *object)
{
  HearthCodeBlock *self = HEARTH_CODE_BLOCK (object);

  g_clear_object (&self->buffer);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_CODE_BLOCK);
  G_OBJECT_CLASS (hearth_code_block_parent_class)->dispose (object);
}

static void
hearth_code_block_finalize (GObject *object)
{
  HearthCodeBlock *self = HEARTH_CODE_BLOCK (object);

  g_string_free (self->code, TRUE);
  g_free (self->language_name);
  G_OBJECT_CLASS (hearth_code_block_parent_class)->finalize (object);
}

static void
hearth_code_block_class_init (HearthCodeBlockClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  object_class->dispose = hearth_code_block_dispose;
  object_class->finalize = hearth_code_block_finalize;
  object_class->get_property = hearth_code_block_get_property;
  object_class->set_property = hearth_code_block_set_property;
  widget_class->root = hearth_code_block_root;
  widget_class->unroot = hearth_code_block_unroot;

  properties[PROP_WRAPS] =
    g_param_spec_boolean ("wraps", NULL, NULL, FALSE,
                          G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  gtk_widget_class_set_css_name (widget_class, "codeblock");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_install_action (widget_class, "code.copy", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "code.save", NULL, save_action);
  g_type_ensure (HEARTH_TYPE_SIDE_SCROLLER);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/chat/hearth-code-block.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthCodeBlock, root);
  gtk_widget_class_bind_template_child (widget_class, HearthCodeBlock, language_label);
  gtk_widget_class_bind_template_child (widget_class, HearthCodeBlock, scroller);
  gtk_widget_class_bind_template_child (widget_class, HearthCodeBlock, pages);
}

static void
hearth_code_block_init (HearthCodeBlock *self)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();

  gtk_widget_init_template (GTK_WIDGET (self));
  /* Code reads from left to right wherever the reader is. */
  gtk_widget_set_direction (self->scroller, GTK_TEXT_DIR_LTR);
  gtk_widget_set_direction (GTK_WIDGET (self->pages), GTK_TEXT_DIR_LTR);
  self->code = g_string_new (NULL);
  self->dark = adw_style_manager_get_dark (manager);
  g_signal_connect_object (manager, "notify::dark", G_CALLBACK (dark_cb), self, G_CONNECT_SWAPPED);
}

GtkWidget *
hearth_code_block_new (void)
{
  return g_object_new (HEARTH_TYPE_CODE_BLOCK, NULL);
}
