/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are not GGUF, named by how they begin. */
#include <string.h>
#include <strings.h>

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
    { "PK\5\6", 4, "an empty ZIP archive" },
    { "\x80\2", 2, "a Python pickle (an old PyTorch file)" },
    { "\x80\3", 2, "a Python pickle (an old PyTorch file)" },
    { "\x80\4", 2, "a Python pickle (an old PyTorch file)" },
    { "\x80\5", 2, "a Python pickle (an old PyTorch file)" },
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
};

static bool blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* A ZIP archive says the name of its first file near its beginning. */
static const char *zip_of(const uint8_t *head, size_t size)
{
    enum { NAME_SIZE = 26, NAME = 30 };

    if (size < 4 || memcmp(head, "PK\3\4", 4) != 0)
        return NULL;
    size_t n = size > NAME ? load_uint(head + NAME_SIZE, 2, false) : 0;
    if (n > size - (size < NAME ? size : NAME))
        n = size - (size < NAME ? size : NAME);
    if (n >= 5 && memmem(head + NAME, n, ".gguf", 5))
        return "a ZIP archive of a GGUF file";
    if (n >= 8 && memmem(head + NAME, n, "data.pkl", 8))
        return "a ZIP archive of a PyTorch model";
    return "a ZIP archive (a PyTorch file is one, too)";
}

/* ONNX is a protocol buffer that begins with its version (field 1) and producer (field 2). */
static bool is_onnx(const uint8_t *head, size_t size)
{
    return size > 8 && head[0] == 0x08 && head[1] && head[1] < 32 && head[2] == 0x12 && head[3] &&
           head[3] < 64 && head[4] > ' ' && head[4] < 0x7F;
}

static bool is_html(const uint8_t *head, size_t size)
{
    static const char *const starts[] = { "<!doctype html", "<html", "<head", "<?xml" };

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        size_t n = strlen(starts[i]);
        if (size >= n && !strncasecmp((const char *)head, starts[i], n))
            return true;
    }
    return false;
}

const char *gguf_foreign_advice(const char *what)
{
    static const struct {
        const char *part, *advice;
    } advices[] = {
        { "gzip", "Unpack it first, for example with gunzip." },
        { "Zstandard", "Unpack it first, for example with unzstd." },
        { "xz", "Unpack it first, for example with unxz." },
        { "ZIP archive of a PyTorch",
          "Look for a GGUF file of this model, or convert it to GGUF." },
        { "pickle", "Look for a GGUF file of this model, or convert it to GGUF." },
        { "ZIP", "If a GGUF file is in it, unpack it first." },
        { "archive", "Unpack it first." },
        { "Git LFS", "Fetch the file itself, for example with \"git lfs pull\"." },
        { "web page", "The server sent a page instead of the file: open the address in a browser, "
                      "and log in if it asks for it." },
        { "empty", "Download the file again." },
        { "zero bytes", "Download the file again." },
        { "LoRA", "Convert the adapter to GGUF with a current converter." },
        { "old", "The format was replaced in 2023: look for a GGUF file of this model." },
        { "saved", "It belongs to the program that wrote it and is no model." },
        { "lower case", "The file is damaged; download it again." },
        { "reversed", "The file is damaged; download it again." },
    };
    for (size_t i = 0; what && i < sizeof advices / sizeof *advices; i++) {
        if (strstr(what, advices[i].part))
            return advices[i].advice;
    }
    return "Look for a file of this model that ends in .gguf, or convert it to GGUF.";
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

    const char *zip = zip_of(head, size);
    if (zip)
        return zip;
    if (is_onnx(head, size))
        return "an ONNX file";
    size_t i = 0;
    while (i < size && !head[i])
        i++;
    if (i == size)
        return "a file of zero bytes, as an unfinished download leaves it";
    i = 0;
    while (i < size && blank(head[i]))
        i++;
    if (is_html(head + i, size - i))
        return "a web page";
    if (i < size && (head[i] == '{' || head[i] == '['))
        return "a JSON text";
    i = 0;
    while (i < size && (blank(head[i]) || (head[i] >= 0x20 && head[i] < 0x7F)))
        i++;
    return i == size ? "a text file" : NULL;
}
