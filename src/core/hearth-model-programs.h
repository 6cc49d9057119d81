/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-programs.h - other programs that keep model files, and where. Their files are read
 * in place and never changed. Any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Whose a place of a file is. Kept in settings and exports by id: new ones are added at the end. */
typedef enum
{
  HEARTH_PROGRAM_FOLDER, /* a folder that the person has added */
  HEARTH_PROGRAM_OPENED, /* nobody's that is known: a file that was opened */
  HEARTH_PROGRAM_HUGGING_FACE,
  HEARTH_PROGRAM_LM_STUDIO,
  HEARTH_PROGRAM_OLLAMA,
  HEARTH_PROGRAM_LLAMA_CPP,
  HEARTH_PROGRAM_JAN,
  HEARTH_PROGRAM_GPT4ALL,
  HEARTH_N_PROGRAMS
} HearthProgram;

typedef struct
{
  HearthProgram program;
  char *path; /* absolute */
} HearthModelRoot;

HearthModelRoot *hearth_model_root_new (HearthProgram program, const char *path);
void hearth_model_root_free (HearthModelRoot *root);

/* "LM Studio"; "" for the first two, which are no program's. Static storage. */
const char *hearth_program_get_name (HearthProgram program);

/* The folders of all programs, whether they exist or not, as `environment` moves them (as
 * g_get_environ() gives it). Reads the small settings files that name others.
 * Returns: (transfer full): of HearthModelRoot */
GPtrArray *hearth_model_programs_list_roots (char **environment);

/* Jan's data folder, which paths in its model.yml start from. Returns: (transfer full) */
char *hearth_model_programs_dup_jan_folder (char **environment);

/* A small text file of somebody else's; NULL when it cannot be read or is larger than it should be.
 * Returns: (transfer full) (nullable) */
char *hearth_model_programs_read_text (const char *path);
/* The string member `name` of the JSON object in a file. Returns: (transfer full) (nullable) */
char *hearth_model_programs_read_member (const char *path, const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthModelRoot, hearth_model_root_free)

G_END_DECLS
