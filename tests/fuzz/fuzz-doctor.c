/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a file for the doctor: always a report, whose sentences are what they promise to be.
 */
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include <ember/doctor.h>

#include "base/text.h"

static void check_problem(const struct ember_problem *p)
{
    const char *const texts[] = { p->code, p->where, p->message, p->advice };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        FUZZ_CHECK(texts[i] && utf8_valid(texts[i], strlen(texts[i])));
        for (const char *c = texts[i]; *c; c++)
            FUZZ_CHECK((unsigned char)*c >= 0x20 && *c != 0x7F);
    }
    FUZZ_CHECK(p->code[0] && p->where[0] && p->message[0] && strlen(p->message) <= 300);
    bool named = p->place == EMBER_PLACE_KEY || p->place == EMBER_PLACE_TENSOR;
    FUZZ_CHECK(named == (p->item != NULL) && (!named || strstr(p->where, p->item)));
    FUZZ_CHECK(!p->n_more || p->place == EMBER_PLACE_FILE);
    FUZZ_CHECK(p->severity >= EMBER_SEVERITY_INFO && p->severity <= EMBER_SEVERITY_ERROR);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ember_doctor_params params = { .deep = true };
    struct ember_doctor_report *report = NULL;
    struct ember_error err = { 0 };
    char path[64];
    int fd = memfd_create("input", MFD_CLOEXEC);

    FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    FUZZ_CHECK(ember_doctor_examine(&report, path, &params, &err) == EMBER_OK);
    size_t n_errors = 0;
    for (size_t i = 0; i < ember_doctor_n_problems(report); i++) {
        const struct ember_problem *p = ember_doctor_problem(report, i);
        check_problem(p);
        n_errors += p->severity == EMBER_SEVERITY_ERROR;
    }
    FUZZ_CHECK(!ember_doctor_problem(report, ember_doctor_n_problems(report)));
    FUZZ_CHECK(ember_doctor_ok(report) == !n_errors);
    FUZZ_CHECK(ember_doctor_file(report)->size == size);
    ember_doctor_free(report);
    close(fd);
    return 0;
}
