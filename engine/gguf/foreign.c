/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are not GGUF, named by how they begin. */
#include <string.h>

#include "gguf/private.h"

static const struct {
    const char *head;
    unsigned size;
    const char *what;
} heads[] = {
    { "lmgg", 4, "an old, unversioned GGML file" },
    { "fmgg", 4, "an old GGML file (ggmf)" },
    { "tjgg", 4, "an old GGML file (ggjt)" },
    { "algg", 4, "an old LoRA adapter (ggla)" },
    { "nsgg", 4, "a saved llama.cpp session (ggsn)" },
    { "qsgg", 4, "a saved llama.cpp sequence (ggsq)" },
    { "FUGG", 4, "a file with the reversed magic of GGUF, valid in neither byte order" },
    { "gguf", 4, "a file with the magic \"gguf\" in lower case" },
    { "PK\3\4", 4, "a ZIP archive (or a PyTorch file)" },
    { "PK\5\6", 4, "an empty ZIP archive" },
    { "\x80\2", 2, "a Python pickle (an old PyTorch file)" },
    { "version https://git-lfs", 23, "a Git LFS pointer, which only stands for the file" },
    { "\x1F\x8B", 2, "a gzip archive" },
    { "7z\xBC\xAF\x27\x1C", 6, "a 7-Zip archive" },
    { "\xFD"
      "7zXZ",
      5, "an xz archive" },
    { "(\xB5/\xFD", 4, "a Zstandard archive" },
    { "Rar!", 4, "a RAR archive" },
    { "\x89HDF", 4, "an HDF5 file" },
    { "\x89PNG", 4, "a PNG picture" },
    { "\xFF\xD8\xFF", 3, "a JPEG picture" },
    { "%PDF", 4, "a PDF document" },
    { "\x7F"
      "ELF",
      4, "a program" },
    { "<!DOCTYPE", 9, "a web page" },
    { "<!doctype", 9, "a web page" },
    { "<html", 5, "a web page" },
};

static bool blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

const char *gguf_foreign(const uint8_t *head, size_t size)
{
    if (!size)
        return "empty";
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        if (size >= heads[i].size && !memcmp(head, heads[i].head, heads[i].size))
            return heads[i].what;
    }
    /* safetensors: a 64-bit length, then JSON. */
    if (size > 9 && head[8] == '{' && load_uint(head, 8, false) < (uint64_t)1 << 32)
        return "a safetensors file";

    size_t i = 0;
    while (i < size && !head[i])
        i++;
    if (i == size)
        return "a file of zero bytes, as an unfinished download leaves it";
    i = 0;
    while (i < size && blank(head[i]))
        i++;
    if (i < size && (head[i] == '{' || head[i] == '['))
        return "a JSON text";
    i = 0;
    while (i < size && (blank(head[i]) || (head[i] >= 0x20 && head[i] < 0x7F)))
        i++;
    return i == size ? "a text file" : NULL;
}
