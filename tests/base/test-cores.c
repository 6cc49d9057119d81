/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cores and control groups, read from made-up /proc and /sys: hardware threads, affinity, both
 * versions of control groups with limits at every height, containers that see an inner group as the
 * top; and the wish in EMBER_CORES. */
#include "base/cores.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/cgroup.h"
#include "test.h"

static char root[64];

/* Writes root/path, with the folders it lies in. */
static void put(const char *path, const char *text)
{
    char name[1024];
    snprintf(name, sizeof name, "%s%s", root, path);
    for (char *at = name + strlen(root) + 1; (at = strchr(at, '/')); *at++ = '/') {
        *at = '\0';
        if (mkdir(name, 0700) != 0 && errno != EEXIST)
            CHECK_MSG(false, "%s: %s", name, strerror(errno));
    }
    FILE *file = fopen(name, "w");
    if (!CHECK_MSG(file && fputs(text, file) >= 0, "%s: %s", name, strerror(errno)))
        return;
    fclose(file);
}

/* A fresh, empty root. */
static void begin(void)
{
    snprintf(root, sizeof root, "/tmp/test-cores-XXXXXX");
    if (!CHECK(mkdtemp(root) != NULL))
        exit(test_end());
}

static void end(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    CHECK_INT(system(command), 0);
}

/* Processors [first, first + n) with n_smt threads to a core, named as Linux numbers them: the
 * second thread of every core after the first of all. */
static void put_topology(unsigned n_cores, unsigned n_smt, const char *file)
{
    for (unsigned cpu = 0; cpu < n_cores * n_smt; cpu++) {
        char path[128], text[128] = "";
        for (unsigned t = 0; t < n_smt; t++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", t ? "," : "",
                     cpu % n_cores + t * n_cores);
        strcat(text, "\n");
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/%s", cpu, file);
        put(path, text);
    }
}

static struct cores count(size_t first, size_t end_, size_t step)
{
    uint8_t allowed[256] = { 0 };
    struct cores cores;
    for (size_t i = first; i < end_; i += step)
        allowed[i] = 1;
    cores_count(&cores, allowed, sizeof allowed, root);
    return cores;
}

#define CHECK_CORES(got, cores_, threads_) check_cores((got), cores_, threads_, __LINE__)

static void check_cores(struct cores got, uint32_t n_cores, uint32_t n_threads, int line)
{
    CHECK_MSG(got.n_cores == n_cores && got.n_threads == n_threads,
              "line %d: %u cores and %u threads, not %u and %u", line, got.n_cores, got.n_threads,
              n_cores, n_threads);
}

static void test_topology(void)
{
    begin();
    put_topology(8, 2, "core_cpus_list");
    CHECK_CORES(count(0, 16, 1), 8, 16);
    CHECK_CORES(count(0, 8, 1), 8, 8);  /* one thread of each core */
    CHECK_CORES(count(8, 16, 1), 8, 8); /* the other of each */
    CHECK_CORES(count(4, 12, 1), 8, 8); /* halves of all */
    CHECK_CORES(count(0, 16, 4), 2, 4); /* 0 and 8 are one core, 4 and 12 another */
    end();

    begin();
    put_topology(3, 4, "thread_siblings_list");
    CHECK_CORES(count(0, 12, 1), 3, 12);
    CHECK_CORES(count(2, 3, 1), 1, 1);
    end();

    begin();
    put("/sys/devices/system/cpu/cpu0/topology/core_cpus_list", "0-1\n");
    put("/sys/devices/system/cpu/cpu1/topology/core_cpus_list", "0-1\n");
    put("/sys/devices/system/cpu/cpu2/topology/core_cpus_list", "nonsense\n");
    CHECK_CORES(count(0, 4, 1), 3, 4); /* two threads, one unreadable, one unknown */
    CHECK_CORES(count(0, 0, 1), 1, 1); /* never none */
    end();
}

static struct cgroup_limits limits(void)
{
    struct cgroup_limits out;
    cgroup_limits_read(&out, root);
    return out;
}

static void test_version_2(void)
{
    begin();
    CHECK_UINT(limits().n_cpus, UINT64_MAX); /* nothing there */
    put("/proc/self/cgroup", "0::/user.slice/app.scope\n");
    put("/proc/self/mountinfo", "22 1 0:20 / /proc rw - proc proc rw\n"
                                "31 22 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n");
    CHECK_UINT(limits().n_cpus, UINT64_MAX);
    CHECK_UINT(limits().memory_left, UINT64_MAX);
    put("/sys/fs/cgroup/user.slice/app.scope/cpu.max", "max 100000\n");
    put("/sys/fs/cgroup/user.slice/app.scope/memory.max", "max\n");
    put("/sys/fs/cgroup/user.slice/app.scope/memory.current", "5000\n");
    CHECK_UINT(limits().n_cpus, UINT64_MAX);
    CHECK_UINT(limits().memory_left, UINT64_MAX);

    /* The tightest of all heights; time is rounded up, file pages do not count as used. */
    put("/sys/fs/cgroup/user.slice/app.scope/cpu.max", "650000 100000\n");
    put("/sys/fs/cgroup/user.slice/cpu.max", "250000 100000\n");
    put("/sys/fs/cgroup/user.slice/memory.max", "1000000\n");
    put("/sys/fs/cgroup/user.slice/memory.current", "700000\n");
    put("/sys/fs/cgroup/user.slice/memory.stat", "anon 1\nfile_mapped 9\nfile 300000\nfile 1\n");
    CHECK_UINT(limits().n_cpus, 3);
    CHECK_UINT(limits().memory_left, 600000);
    put("/sys/fs/cgroup/user.slice/app.scope/cpu.max", "1000 100000\n");
    put("/sys/fs/cgroup/memory.max", "400000\n");
    put("/sys/fs/cgroup/memory.current", "500000\n");
    CHECK_UINT(limits().n_cpus, 1);
    CHECK_UINT(limits().memory_left, 0);
    end();

    /* A container: the mount begins at the container's own group. */
    begin();
    put("/proc/self/cgroup", "0::/box/deep\n");
    put("/proc/self/mountinfo", "31 22 0:28 /box /sys/fs/cgroup ro shared:9 - cgroup2 cgroup rw\n");
    put("/sys/fs/cgroup/cpu.max", "400000 100000\n");
    put("/sys/fs/cgroup/deep/cpu.max", "max 100000\n");
    put_topology(8, 2, "core_cpus_list");
    CHECK_UINT(limits().n_cpus, 4);
    CHECK_CORES(count(0, 16, 1), 4, 4);
    put("/sys/fs/cgroup/cpu.max", "1200000 100000\n"); /* twelve threads' time for eight cores */
    CHECK_CORES(count(0, 16, 1), 8, 12);
    put("/proc/self/cgroup", "0::/../elsewhere\n"); /* not below the mount: its top is all we see */
    CHECK_UINT(limits().n_cpus, 12);
    put("/sys/fs/cgroup/cpu.max", "100000 0\n");
    CHECK_UINT(limits().n_cpus, UINT64_MAX);
    end();
}

static void test_version_1(void)
{
    begin();
    put("/proc/self/cgroup", "9:name=systemd:/\n4:memory:/docker/abc\n"
                             "2:cpuacct,cpu:/docker/abc\n3:cpuset:/x\n0::/\n");
    put("/proc/self/mountinfo",
        "30 23 0:26 /docker/abc /sys/fs/cgroup/cpuset ro - cgroup cgroup rw,cpuset\n"
        "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpuacct,cpu\n"
        "35 31 0:32 / /sys/fs/cgroup/memory rw master:3 - cgroup cgroup rw,memory\n"
        "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    CHECK_UINT(limits().n_cpus, UINT64_MAX);
    put("/sys/fs/cgroup/cpuset/cpu.cfs_quota_us", "100000\n"); /* not the place to look */
    put("/sys/fs/cgroup/cpuset/cpu.cfs_period_us", "100000\n");
    put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    CHECK_UINT(limits().n_cpus, UINT64_MAX);
    put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "150000\n");
    CHECK_UINT(limits().n_cpus, 2);

    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "123\n");
    CHECK(limits().memory_left > UINT64_C(1) << 60);
    put("/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "8000\n");
    put("/sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "7000\n");
    put("/sys/fs/cgroup/memory/docker/abc/memory.stat", "cache 1\nrss 2\ntotal_cache 3000\n");
    CHECK_UINT(limits().memory_left, 4000);
    end();
}

/* Files that are not what they should be limit nothing and break nothing. */
static void test_odd(void)
{
    char text[9000];

    begin();
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    put("/proc/self/cgroup", text);
    put("/proc/self/mountinfo", text);
    CHECK_UINT(limits().n_cpus, UINT64_MAX);
    memcpy(text, "0::/", 4);
    put("/proc/self/cgroup", text);
    put("/proc/self/mountinfo", "31 22 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    put("/sys/fs/cgroup/cpu.max", "200000 100000\n");
    CHECK_UINT(limits().n_cpus, 2);
    put("/proc/self/cgroup", "0:\n::\n:");
    put("/sys/fs/cgroup/cpu.max", "\xff\n");
    put("/sys/fs/cgroup/memory.max", "-5\n");
    CHECK_UINT(limits().n_cpus, UINT64_MAX);
    CHECK_UINT(limits().memory_left, UINT64_MAX);
    end();
}

static void test_wish(void)
{
    static const char *const wrong[] = {
        "0", "1025", "-1", "2x", " 2", "two", "18446744073709551617"
    };
    struct ember_error err;
    struct cores cores, own;

    unsetenv("EMBER_CORES");
    CHECK_INT(cores_read(&own, &err), EMBER_OK);
    CHECK(own.n_cores >= 1 && own.n_cores <= own.n_threads);
    setenv("EMBER_CORES", "37", 1);
    CHECK_INT(cores_read(&cores, &err), EMBER_OK);
    CHECK_CORES(cores, 37, 37);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        setenv("EMBER_CORES", wrong[i], 1);
        CHECK_INT(cores_read(&cores, &err), EMBER_INVALID);
        CHECK_MSG(strstr(err.message, wrong[i]) != NULL, "\"%s\"", err.message);
        CHECK_CORES(cores, own.n_cores, own.n_threads);
    }
    unsetenv("EMBER_CORES");
}

int main(void)
{
    test_topology();
    test_version_2();
    test_version_1();
    test_odd();
    test_wish();
    return test_end();
}
