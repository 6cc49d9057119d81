/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replay FOLDER…: feeds every file of the folders to a fuzz target, without a fuzzer. */
#include "fuzz.h"

#include <dirent.h>

#include "test.h"

static void replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = file && !fseek(file, 0, SEEK_END) ? ftell(file) : -1;
    /* Exactly as large as the input, so that a sanitizer sees the first byte past it. */
    uint8_t *data = size >= 0 ? malloc(size ? (size_t)size : 1) : NULL;

    if (CHECK_MSG(data && !fseek(file, 0, SEEK_SET) &&
                      fread(data, 1, (size_t)size, file) == (size_t)size,
                  "%s: cannot be read", path)) {
        printf("%s\n", path); /* a crash is then the last one named */
        fflush(stdout);
        CHECK(LLVMFuzzerTestOneInput(data, (size_t)size) == 0);
    }
    free(data);
    if (file)
        fclose(file);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        if (!folder) {
            test_missing(argv[i], "no such folder");
            continue;
        }
        for (struct dirent *entry; (entry = readdir(folder));) {
            char path[4096];
            if (entry->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            replay(path);
        }
        closedir(folder);
    }
    return test_end();
}
