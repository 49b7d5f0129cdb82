// SPDX-License-Identifier: GPL-3.0-or-later
#include "manifest.h"

#include "diagnostic.h"
#include "files.h"
#include "scenario_json.h"
#include "trajectory.h"
#include "version.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

// Returns a number, a boolean or the name of a choice.
static json_t *parameter_to_json(const rl_parameter *parameter, double value) {
  char name[64] = "";
  switch (parameter->kind) {
  case RL_REAL:
    return json_real(value);
  case RL_INTEGER:
    return json_integer((json_int_t)value);
  case RL_BOOLEAN:
    return json_boolean(value != 0.0);
  case RL_CHOICE:
    rl_parameter_format(parameter, value, name, sizeof name);
    return json_string(name);
  }
  return json_null();
}

static json_t *parameters_to_json(const rl_solver_spec *spec) {
  json_t *list = json_array();
  for (size_t i = 0; i < spec->type->parameter_count; i++) {
    const rl_parameter *p = &spec->type->parameters[i];
    json_array_append_new(list,
                          json_pack("{s:s, s:o, s:s, s:o, s:s}", "name", p->name, "value",
                                    parameter_to_json(p, spec->parameters[i]), "unit", p->unit,
                                    "default", parameter_to_json(p, p->initial), "help", p->help));
  }
  return list;
}

static json_t *solver_to_json(const rl_solver_spec *spec) {
  return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "label", spec->label, "name", spec->type->name,
                   "family", spec->type->family, "summary", spec->type->summary, "citation",
                   spec->type->citation, "parameters", parameters_to_json(spec));
}

// Finds the name of the processor in /proc/cpuinfo; "unknown" without one.
static void processor_name(char *name, size_t size) {
  char line[512];
  snprintf(name, size, "unknown");
  FILE *file = fopen("/proc/cpuinfo", "r");
  while (file && fgets(line, sizeof line, file)) {
    const char *colon = strchr(line, ':');
    if (colon && strncmp(line, "model name", 10) == 0) {
      snprintf(name, size, "%s", colon + 2);
      name[strcspn(name, "\n")] = '\0';
      break;
    }
  }
  if (file) {
    fclose(file);
  }
}

static json_t *host_to_json(void) {
  struct utsname system;
  char processor[256];
  processor_name(processor, sizeof processor);
  if (uname(&system) != 0) {
    return json_object();
  }
  char os[256];
  snprintf(os, sizeof os, "%.100s %.100s", system.sysname, system.release);
  return json_pack("{s:s, s:s, s:I, s:s}", "machine", system.machine, "cpu", processor, "cores",
                   (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "os", os);
}

json_t *rl_manifest_create(const rl_run_facts *facts) {
  char started[64];
  char file[RL_PATH_MAX]; // printable form: JSON holds UTF-8 only, a file name any bytes
  rl_printable(file, sizeof file, facts->scenario->file, strlen(facts->scenario->file));
  const time_t now = time(NULL);
  struct tm utc;
  strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  return json_pack(
      "{s:i, s:o, s:s, s:o, s:f, s:I, s:f, s:I, s:I, s:I, s:o, s:s, s:s, s:s, s:s, s:o, "
      "s:i, s:s, s:s, s:s, s:s, s:s?}",
      "format", 1, "scenario", rl_scenario_to_json(facts->scenario), "scenario_file", file,
      "solver", solver_to_json(facts->solver), "step_s", facts->step, "steps",
      (json_int_t)facts->steps, "duration_s", facts->duration, "every", (json_int_t)facts->every,
      "frames_every", (json_int_t)facts->frames_every, "trace", (json_int_t)facts->trace, "limit_s",
      number(facts->limit), "version", ROPELAB_VERSION, "commit", ROPELAB_COMMIT, "compiler",
      ROPELAB_COMPILER, "flags", ROPELAB_FLAGS, "host", host_to_json(), "seed", 0, "command",
      facts->command, "started", started, "status", "running", "reason", "running", "comparison",
      facts->comparison);
}

json_t *rl_manifest_identity(const json_t *manifest) {
  static const char *const keys[] = {"format",   "scenario",     "solver",     "step_s",  "steps",
                                     "every",    "frames_every", "trace",      "version", "commit",
                                     "compiler", "flags",        "duration_s", "kept"};
  json_t *identity = json_object();
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    json_object_set(identity, keys[i], json_object_get(manifest, keys[i]));
  }
  return identity;
}

static json_t *summary_to_json(const rl_summary *s) {
  json_t *out = json_object();
  const struct {
    const char *key;
    double value;
  } numbers[] = {
      {"energy_error_J", s->energy_error},
      {"energy_error_max_J", s->energy_error_max},
      {"energy_error_relative",
       s->energy_scale > 0.0 ? s->energy_error_max / s->energy_scale : NAN},
      {"stretch_max", s->stretch_max},
      {"stretch_end", s->stretch_end},
      {"length_error_max_m", s->length_error_max},
      {"penetration_max_m", s->penetration_max},
      {"tension_max_N", s->tension_max},
      {"momentum_drift", s->momentum_drift},
      {"residual_m", s->residual},
      {"exact_error_max", s->exact_error_max},
      {"error_estimate_m", s->error_estimate},
  };
  json_object_set_new(out, "steps_done", json_integer((json_int_t)s->steps_done));
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    json_object_set_new(out, numbers[i].key, number(numbers[i].value));
  }
  json_object_set_new(out, "iterations", json_integer((json_int_t)s->iterations));
  json_object_set_new(out, "slipped_off", json_integer((json_int_t)s->slipped_off));
  json_object_set_new(out, "parted", json_integer((json_int_t)s->parted));
  json_object_set_new(out, "unparted", json_integer((json_int_t)s->unparted));
  json_object_set_new(out, "unsettled", json_integer((json_int_t)s->unsettled));
  json_object_set_new(out, "row_evals", json_integer((json_int_t)s->row_evaluations));
  return out;
}

void rl_manifest_finish(json_t *manifest, const char *status, const char *reason,
                        const rl_summary *summary, uint64_t state_hash) {
  json_object_set_new(manifest, "status", json_string(status));
  json_object_set_new(manifest, "reason", json_string(reason));
  if (summary) {
    char hash[32];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)state_hash);
    json_object_set_new(manifest, "summary", summary_to_json(summary));
    json_object_set_new(manifest, "seconds", number(summary->seconds));
    json_object_set_new(manifest, "state_hash", json_string(hash));
  }
}

static bool write_beside(const json_t *manifest, const char *path, const char *beside,
                         size_t layout) {
  FILE *file = fopen(beside, "w");
  if (!file) {
    return false;
  }
  const bool dumped =
      json_dumpf(manifest, file, layout | JSON_REAL_PRECISION(17)) == 0 && fputc('\n', file) != EOF;
  const bool closed = fclose(file) == 0;
  if (!dumped || !closed || rename(beside, path) != 0) {
    const int error = errno;
    unlink(beside);
    errno = error;
    return false;
  }
  return true;
}

static json_t *file_sizes(const char *folder) {
  static const char *const names[] = {"series.csv", "iterations.csv", "snapshots.csv",
                                      RL_TRAJECTORY_NAME, RL_KEPT_NAME}; // .xmf can be made again
  json_t *sizes = json_object();
  char path[RL_PATH_MAX];
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const long long size = rl_path_join(path, folder, names[i]) ? rl_file_size(path) : -1;
    if (size >= 0) {
      json_object_set_new(sizes, names[i], json_integer(size));
    }
  }
  return sizes;
}

void rl_manifest_enter_files(json_t *manifest, const char *folder) {
  json_object_set_new(manifest, "file_bytes", file_sizes(folder));
}

bool rl_manifest_is_whole(const json_t *manifest, const char *folder) {
  json_t *sizes = file_sizes(folder);
  const json_t *known = json_object_get(manifest, "file_bytes");
  const bool whole = known ? json_equal(known, sizes) : json_object_size(sizes) == 0;
  json_decref(sizes);
  return whole;
}

bool rl_manifest_write(const json_t *manifest, const char *folder) {
  char path[RL_PATH_MAX];
  char beside[RL_PATH_MAX];
  if (!rl_path_join(path, folder, "run.json") || !rl_path_join(beside, folder, "run.json.new")) {
    return false;
  }
  // On a full disk the old file, which says that the run goes on, is removed to make room.
  return write_beside(manifest, path, beside, JSON_INDENT(2)) ||
         (rl_remove_file(path) && write_beside(manifest, path, beside, JSON_COMPACT));
}
