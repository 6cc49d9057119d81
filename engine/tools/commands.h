/* SPDX-License-Identifier: GPL-3.0-or-later */
/* commands.h - the commands of the tool. Each gets the words behind its name and returns the exit
 * status: STATUS_FINE, STATUS_FAILED or STATUS_USAGE. */
#pragma once

int cmd_inspect(int argc, char **argv);
int cmd_fit(int argc, char **argv);
int cmd_tokenize(int argc, char **argv);
int cmd_template(int argc, char **argv);
int cmd_eval(int argc, char **argv);
int cmd_complete(int argc, char **argv);
int cmd_chat(int argc, char **argv);
int cmd_sample(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_cpu(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_edit(int argc, char **argv);
int cmd_export_metadata(int argc, char **argv);
int cmd_hash(int argc, char **argv);
int cmd_import_metadata(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_split(int argc, char **argv);
