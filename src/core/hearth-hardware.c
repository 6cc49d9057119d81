/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-hardware.h"

#include <ember/hardware.h>
#include <ember/version.h>

char *
hearth_hardware_dup_report (void)
{
  struct ember_hardware hardware = { 0 };
  g_autofree char *total = NULL;
  g_autofree char *available = NULL;

  ember_hardware_read (&hardware, NULL);
  total = g_format_size (hardware.memory_total);
  available = g_format_size (hardware.memory_available);
  return g_strdup_printf ("Processor: %s\nFeatures: %s\nKernels: %s%s%s\n"
                          "Cores: %u, hardware threads: %u\nMemory: %s, of which free: %s\n",
                          hardware.cpu_name, hardware.cpu_features, hardware.cpu_level,
                          *hardware.cpu_cap != '\0' ? ", capped by EMBER_CPU=" : "",
                          hardware.cpu_cap, hardware.n_cores, hardware.n_threads, total, available);
}

const char *
hearth_hardware_get_engine_version (void)
{
  return ember_version ();
}

guint64
hearth_hardware_get_memory (void)
{
  struct ember_hardware hardware = { 0 };

  ember_hardware_read (&hardware, NULL);
  return hardware.memory_total;
}

guint
hearth_hardware_get_n_cores (void)
{
  struct ember_hardware hardware = { 0 };

  ember_hardware_read (&hardware, NULL);
  return MAX (hardware.n_cores, 1);
}
