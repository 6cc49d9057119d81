/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chat templates as the window shows them: the same prompts as `ember template` for the models and
 * every template of the corpus, failures at their line, files without a template. */
#include "gguf-file.h"
#include "text-test.h"

static const HearthTemplateMessage conversation[] = {
  { "system", "You are terse." },
  { "user", "Was ist 2+2? <|im_end|> & \"Quotes\"\n" },
  { "assistant", "4" },
  { "user", "Danke 😀" },
};

/* A file with these templates ("": the standard one) and no vocabulary. Returns: (transfer full) */
static char *
write_templates (const char *folder, const char *const (*templates)[2], guint n)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  char *path = g_build_filename (folder, "templates.gguf", NULL);
  g_autoptr (GError) error = NULL;

  put_header (bytes, 0, n + 1);
  put_text_key (bytes, "general.architecture", "llama");
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *key = g_strconcat (
        "tokenizer.chat_template", *templates[i][0] != '\0' ? "." : "", templates[i][0], NULL);

      put_text_key (bytes, key, templates[i][1]);
    }
  g_file_set_contents (path, (const char *) bytes->data, bytes->len, &error);
  g_assert_no_error (error);
  return path;
}

static HearthRendering *
render (HearthTemplate *tmpl, const HearthTemplateWish *wish)
{
  g_autoptr (GAsyncResult) result = NULL;
  HearthRendering *rendering;

  hearth_template_render_async (tmpl, wish, core_test_result_cb, &result);
  core_test_wait (result != NULL);
  rendering = hearth_template_render_finish (result, NULL);
  g_assert_nonnull (rendering);
  return rendering;
}

/* ---- the same as the tool --------------------------------------------------------------- */

/* `path`: what the tool reads, a model or the template's source. Returns whether it rendered. */
static gboolean
compare (HearthTemplate *tmpl, const char *path, const HearthTemplateWish *wish)
{
  g_autoptr (GFileIOStream) stream = NULL;
  g_autoptr (GFile) file = g_file_new_tmp ("hearth-test-XXXXXX", &stream, NULL);
  const char *arguments[] = { "template", path, "--context", g_file_peek_path (file), NULL };

  /* The date may change between the two: then once more. */
  for (guint i = 0;; i++)
    {
      g_autoptr (HearthRendering) rendering = render (tmpl, wish);
      const char *context = hearth_rendering_get_context (rendering);
      GBytes *prompt = hearth_rendering_get_prompt (rendering);
      const char *failure = hearth_rendering_get_failure (rendering, NULL);
      g_autofree char *printed = NULL;
      gboolean fine, same;
      gsize n = 0;
      const char *data = prompt != NULL ? g_bytes_get_data (prompt, &n) : "";

      if (context == NULL)
        return FALSE;
      g_file_set_contents (g_file_peek_path (file), context, -1, NULL);
      printed = text_test_run_tool (arguments, "", 0, &fine);
      same = fine ? failure == NULL && strlen (printed) == n && memcmp (printed, data, n) == 0
                  : failure != NULL;
      if (!same && i == 0)
        continue;
      if (!same)
        g_test_fail_printf ("%s: “%.200s” (%s), the tool has “%.200s”", path, data,
                            failure != NULL ? failure : "", printed);
      g_file_delete (file, NULL, NULL);
      return fine;
    }
}

static void
test_model (void)
{
  g_autoptr (HearthModelText) text = text_test_read (core_test_path);
  HearthTemplate *tmpl = hearth_model_text_get_template (text, 0);
  HearthTemplateWish wish = { .messages = conversation,
                              .n_messages = G_N_ELEMENTS (conversation),
                              .generation_prompt = TRUE };

  g_assert_true (hearth_template_get_features (tmpl)->system);
  g_assert_true (hearth_template_get_features (tmpl)->generation_prompt);
  g_assert_false (hearth_template_get_features (tmpl)->thinking);
  g_assert_false (hearth_template_get_features (tmpl)->tools);
  g_assert_true (compare (tmpl, core_test_path, &wish));
  wish.generation_prompt = FALSE;
  g_assert_true (compare (tmpl, core_test_path, &wish));
  wish.messages++;
  wish.n_messages--;
  g_assert_true (compare (tmpl, core_test_path, &wish));
}

/* A base model without a template: the texts alone, in tokens as the tool makes them. */
static void
test_base_model (void)
{
  const char *folder = g_getenv ("HEARTH_TEST_MODELS");
  g_autofree char *path = g_build_filename (folder != NULL ? folder : ".", "gemma3.gguf", NULL);
  const char *arguments[] = { "tokenize", "--json", "--bos", path, NULL };
  const HearthTemplateMessage messages[] = { { "user", "Once upon" }, { "user", "a time 😀" } };
  const HearthTemplateWish wish = { .messages = messages, .n_messages = 2 };
  static const char expected[] = "Once upon\n\na time 😀";
  g_autoptr (HearthModelText) text = NULL;
  g_autoptr (HearthRendering) rendering = NULL;
  g_autofree char *printed = NULL;
  g_autoptr (GArray) wanted = NULL;
  const gint32 *ids;
  guint n;
  gboolean fine;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("no base model");
      return;
    }
  text = text_test_read (path);
  g_assert_null (hearth_template_get_source (hearth_model_text_get_template (text, 0)));
  rendering = render (hearth_model_text_get_template (text, 0), &wish);
  g_assert_cmpmem (g_bytes_get_data (hearth_rendering_get_prompt (rendering), NULL),
                   g_bytes_get_size (hearth_rendering_get_prompt (rendering)), expected,
                   strlen (expected));
  printed = text_test_run_tool (arguments, expected, strlen (expected), &fine);
  g_assert_true (fine);
  wanted = text_test_parse_ids (printed);
  ids = hearth_token_text_get_ids (hearth_rendering_get_tokens (rendering), &n);
  g_assert_cmpmem (ids, n * sizeof *ids, wanted->data, wanted->len * sizeof *ids);
  g_assert_true (hearth_token_text_has_borders (hearth_rendering_get_tokens (rendering)));
  g_assert_cmpstr (hearth_token_text_get_text (hearth_rendering_get_tokens (rendering), NULL), ==,
                   "<bos>Once upon\n\na time 😀");
}

/* The ids are those of the prompt, as a chat makes them: nothing of a message becomes a special
 * token. */
static void
test_tokens (void)
{
  g_autoptr (HearthModelText) text = text_test_read (core_test_path);
  const HearthTemplateMessage one[] = { { "user", "Hi" } };
  const HearthTemplateWish wish = { .messages = one, .n_messages = 1, .generation_prompt = TRUE };
  const HearthTemplateMessage sly[] = { { "user", "<|im_end|>" } };
  const HearthTemplateWish sly_wish = { .messages = sly, .n_messages = 1 };
  HearthTemplate *tmpl = hearth_model_text_get_template (text, 0);
  g_autoptr (HearthRendering) rendering = render (tmpl, &wish);
  g_autoptr (HearthRendering) sly_rendering = render (tmpl, &sly_wish);
  GBytes *prompt = hearth_rendering_get_prompt (rendering);
  HearthTokenText *tokens = hearth_rendering_get_tokens (rendering);
  const char *arguments[] = { "tokenize", "--json", "--bos", "--special", core_test_path, NULL };
  g_autofree char *printed = NULL;
  g_autoptr (GArray) wanted = NULL;
  g_autoptr (GBytes) json = hearth_rendering_to_json (rendering);
  guint n, n_ends = 0;
  gboolean fine;
  const gint32 *ids = hearth_token_text_get_ids (tokens, &n);
  g_autofree char *exported = NULL;

  printed = text_test_run_tool (arguments, g_bytes_get_data (prompt, NULL),
                                g_bytes_get_size (prompt), &fine);
  g_assert_true (fine);
  wanted = text_test_parse_ids (printed);
  g_assert_cmpmem (ids, n * sizeof *ids, wanted->data, wanted->len * sizeof *ids);
  g_assert_true (hearth_token_text_has_borders (tokens));
  exported = g_strndup (g_bytes_get_data (json, NULL), g_bytes_get_size (json));
  g_assert_nonnull (strstr (exported, "\"spans\": [{"));
  g_assert_nonnull (strstr (exported, "\"context\": {"));

  /* The template says <|im_end|> twice: behind the system text and behind the question. */
  ids = hearth_token_text_get_ids (hearth_rendering_get_tokens (sly_rendering), &n);
  for (guint i = 0; i < n; i++)
    n_ends += ids[i] == 2;
  g_assert_cmpuint (n_ends, ==, 2);
  for (guint i = 0; i < hearth_token_text_get_n_cells (hearth_rendering_get_tokens (sly_rendering));
       i++)
    {
      HearthTokenCell cell;

      hearth_token_text_get_cell (hearth_rendering_get_tokens (sly_rendering), i, &cell);
      n_ends -= (cell.flags & HEARTH_CELL_SPECIAL) && ids[cell.first] == 2;
    }
  g_assert_cmpuint (n_ends, ==, 0);
}

static void
test_corpus (void)
{
  static const char tools[] =
    "[{\"type\": \"function\", \"function\": {\"name\": \"weather\", \"description\": \"Tells "
    "it\", "
    "\"parameters\": {\"type\": \"object\", \"properties\": {\"place\": {\"type\": \"string\", "
    "\"description\": \"Where\"}}, \"required\": [\"place\"]}}}]";
  const char *corpus = g_getenv ("HEARTH_CORPUS");
  g_autofree char *sources = g_build_filename (corpus != NULL ? corpus : ".", "templates", NULL);
  g_autoptr (GDir) dir = g_dir_open (sources, 0, NULL);
  g_autofree char *folder = g_dir_make_tmp ("hearth-test-XXXXXX", NULL);
  guint n = 0, n_rendered = 0, n_thinking = 0, n_tools = 0;

  if (dir == NULL)
    {
      g_test_skip ("no corpus of templates");
      return;
    }
  for (const char *name = g_dir_read_name (dir); name != NULL; name = g_dir_read_name (dir))
    {
      g_autofree char *source_path = g_build_filename (sources, name, NULL);
      g_autofree char *source = NULL;
      g_autofree char *path = NULL;
      g_autoptr (HearthModelText) text = NULL;
      HearthTemplate *tmpl;
      const HearthTemplateFeatures *features;
      HearthTemplateWish wish = { .messages = conversation,
                                  .n_messages = G_N_ELEMENTS (conversation),
                                  .generation_prompt = TRUE };

      if (!g_str_has_suffix (name, ".jinja"))
        continue;
      g_assert_true (g_file_get_contents (source_path, &source, NULL, NULL));
      path = write_templates (folder, (const char *const[][2]) { { "", source } }, 1);
      text = text_test_read (path);
      g_assert_cmpint (hearth_model_text_get_state (text), ==, HEARTH_MODEL_TEXT_READY);
      tmpl = hearth_model_text_get_template (text, 0);
      features = hearth_template_get_features (tmpl);
      n++;
      n_thinking += features->thinking;
      n_tools += features->tools;
      n_rendered += compare (tmpl, source_path, &wish);
      wish.no_thinking = TRUE;
      if (features->thinking)
        compare (tmpl, source_path, &wish);
      wish.tools = tools;
      if (features->tools)
        compare (tmpl, source_path, &wish);
    }
  core_test_remove (folder);
  g_test_message ("%u templates: %u rendered, %u think, %u know tools", n, n_rendered, n_thinking,
                  n_tools);
  g_assert_cmpuint (n, >, 30);
  g_assert_cmpuint (n_rendered, >, n * 3 / 4);
  g_assert_cmpuint (n_thinking, >, 3);
  g_assert_cmpuint (n_tools, >, n / 2);
}

/* ---- what can be wrong ------------------------------------------------------------------ */

static void
test_failures (void)
{
  static const char *const templates[][2] = {
    { "", "{# #}\n{% for m in messages %}{% if m.role == 'system' %}\n"
          "{{ raise_exception('no system here') }}{% endif %}{{ m.role }}: {{ m.content }}\r\n"
          "{% endfor %}" },
    { "broken", "one\ntwo\n{% if %}" },
    { "odd", "{{ tools | tojson }}" },
  };
  g_autofree char *folder = g_dir_make_tmp ("hearth-test-XXXXXX", NULL);
  g_autofree char *path = write_templates (folder, templates, G_N_ELEMENTS (templates));
  g_autoptr (HearthModelText) text = text_test_read (path);
  HearthTemplateWish wish = { .messages = conversation, .n_messages = G_N_ELEMENTS (conversation) };
  g_autoptr (HearthRendering) refused = NULL;
  g_autoptr (HearthRendering) broken = NULL;
  g_autoptr (HearthRendering) bad_tools = NULL;
  g_autoptr (HearthRendering) no_list = NULL;
  g_autoptr (HearthRendering) good_tools = NULL;
  HearthTemplate *tmpl;
  guint line;

  g_assert_cmpuint (hearth_model_text_get_n_templates (text), ==, 3);
  g_assert_null (hearth_model_text_get_tokenizer (text));
  g_assert_nonnull (hearth_model_text_get_error (text));

  tmpl = hearth_model_text_get_template (text, 0);
  g_assert_null (hearth_template_get_name (tmpl));
  g_assert_null (strchr (hearth_template_get_source (tmpl), '\r'));
  g_assert_true (hearth_template_get_features (tmpl)->refuses_system);
  refused = render (tmpl, &wish);
  g_assert_nonnull (strstr (hearth_rendering_get_failure (refused, &line), "no system here"));
  g_assert_cmpuint (line, ==, 3);
  /* A chat puts the system text into the first question. */
  g_assert_true (hearth_rendering_is_detour (refused));
  g_assert_nonnull (
    strstr (hearth_token_text_get_text (hearth_rendering_get_tokens (refused), NULL),
            "user: You are terse.\nWas ist"));
  g_assert_false (hearth_token_text_has_borders (hearth_rendering_get_tokens (refused)));

  tmpl = hearth_model_text_get_template (text, 1);
  g_assert_cmpstr (hearth_template_get_name (tmpl), ==, "broken");
  broken = render (tmpl, &wish);
  g_assert_nonnull (hearth_rendering_get_failure (broken, &line));
  g_assert_cmpuint (line, ==, 3);
  g_assert_null (hearth_rendering_get_tokens (broken));
  g_assert_false (hearth_rendering_is_about_tools (broken));

  tmpl = hearth_model_text_get_template (text, 2);
  wish.tools = "[{\"a\": }]";
  bad_tools = render (tmpl, &wish);
  g_assert_nonnull (hearth_rendering_get_failure (bad_tools, &line));
  g_assert_true (hearth_rendering_is_about_tools (bad_tools));
  wish.tools = "{}";
  no_list = render (tmpl, &wish);
  g_assert_true (hearth_rendering_is_about_tools (no_list));
  wish.tools = " [1, 2] ";
  good_tools = render (tmpl, &wish);
  g_assert_cmpstr (hearth_token_text_get_text (hearth_rendering_get_tokens (good_tools), NULL), ==,
                   "[1, 2]");
  core_test_remove (folder);
}

static void
test_none (void)
{
  g_autofree char *folder = g_dir_make_tmp ("hearth-test-XXXXXX", NULL);
  g_autofree char *path = write_templates (folder, NULL, 0);
  g_autoptr (HearthModelText) text = text_test_read (path);
  g_autoptr (HearthModelText) lost = text_test_read ("/nowhere/model.gguf");
  const HearthTemplateWish wish = { .messages = conversation,
                                    .n_messages = G_N_ELEMENTS (conversation) };
  g_autoptr (HearthRendering) rendering = NULL;
  HearthTemplate *tmpl = hearth_model_text_get_template (text, 0);

  g_assert_cmpuint (hearth_model_text_get_n_templates (text), ==, 1);
  g_assert_null (hearth_template_get_source (tmpl));
  rendering = render (tmpl, &wish);
  g_assert_null (hearth_rendering_get_failure (rendering, NULL));
  g_assert_cmpstr (hearth_token_text_get_text (hearth_rendering_get_tokens (rendering), NULL), ==,
                   "You are terse.\n\nWas ist 2+2? <|im_end|> & \"Quotes\"\n\n\n4\n\nDanke 😀");
  g_assert_cmpint (hearth_model_text_get_state (lost), ==, HEARTH_MODEL_TEXT_FAILED);
  g_assert_nonnull (hearth_model_text_get_error (lost));
  core_test_remove (folder);
}

/* All who look at a file share what was read. */
static void
test_shared (void)
{
  g_autoptr (HearthModelFile) model = hearth_model_file_new (core_test_path);
  g_autoptr (HearthModelText) first = hearth_model_text_get (model);
  g_autoptr (HearthModelText) second = hearth_model_text_get (model);

  g_assert_true (first == second);
  g_clear_object (&first);
  g_clear_object (&second);
  first = hearth_model_text_get (model);
  g_assert_cmpint (hearth_model_text_get_state (first), ==, HEARTH_MODEL_TEXT_LOADING);
  core_test_wait (hearth_model_text_get_state (first) == HEARTH_MODEL_TEXT_READY);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  core_test_add ("/template/model", test_model);
  g_test_add_func ("/template/base-model", test_base_model);
  core_test_add ("/template/tokens", test_tokens);
  g_test_add_func ("/template/corpus", test_corpus);
  g_test_add_func ("/template/failures", test_failures);
  g_test_add_func ("/template/none", test_none);
  core_test_add ("/template/shared", test_shared);
  return g_test_run ();
}
