// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "command_line.h"
#include "csv.h"
#include "manifest.h"
#include "onestep.h"
#include "results_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const rl_usage rl_onestep_usage = {
    .name = "onestep",
    .positional = "SCENARIO",
    .doc = "Starts every solver for one step from the same stored states of a reference run, with "
           "1, 2, 4, ... iterations, and writes how far the end of the step is from the "
           "reference's: positions, velocities and tensions. DIR/onestep.csv has a row a step, "
           "DIR/summary.csv one a solver. Without --solver: all solvers."
           "\v"
           "Examples:\n"
           "  ropelab onestep hanging-chain --solver pbd --solver impulse --solver pbd-direct\n"
           "  ropelab onestep heavy-load --iterations 1,10,100,1000 --at 0.5,1\n"
           "  ropelab onestep atwood --reference rattle --reference-step 1e-5",
    .options = "shdSofIaRx",
    .least = 1,
    .most = 1,
};

enum {
  DEFAULT_ORIGINS = 8,
  DEFAULT_SUBSTEPS = 64,
  SUBSTEPS_MAX = 1000000000,
  DEFAULT_DOUBLINGS = 10, // iterations 1 ... 2^10
};

typedef struct onestep {
  rl_arguments *arguments;
  rl_scenario *scenario;
  const char *command;
  char folder[RL_PATH_MAX];
  rl_schedule schedule;
  rl_solver_spec reference;
  uint64_t substeps; // of the reference in a step
  uint64_t at[RL_LIST_MAX];
  size_t at_count;
  rl_origin origins[RL_LIST_MAX];
  rl_onestep_outcome outcomes[RL_LIST_MAX];
} onestep;

// Which steps the states are taken before: those nearest to the times, each once.
static bool choose_origins(onestep *o) {
  const rl_arguments *a = o->arguments;
  const uint64_t steps = o->schedule.steps;
  const size_t count = a->at_count > 0 ? a->at_count : DEFAULT_ORIGINS;
  for (size_t i = 0; i < count; i++) {
    const double share = (double)(i + 1) / (DEFAULT_ORIGINS + 1);
    const double step =
        a->at_count > 0 ? round(a->at[i] / o->schedule.dt) : floor((double)steps * share);
    if (!(step < (double)steps)) {
      fprintf(stderr,
              "ropelab onestep: --at %g: expected a time from 0 to %g s, a step before %s\n",
              a->at[i], (double)(steps - 1) * o->schedule.dt, "the end");
      return false;
    }
    if (o->at_count == 0 || (uint64_t)step > o->at[o->at_count - 1]) {
      o->at[o->at_count++] = (uint64_t)step;
    }
  }
  return true;
}

static bool choose_reference(onestep *o, int *status) {
  const rl_arguments *a = o->arguments;
  const double asked = a->reference_step;
  const double substeps = isnan(asked) ? DEFAULT_SUBSTEPS : round(o->schedule.dt / asked);
  o->substeps = (uint64_t)fmax(1.0, fmin(substeps, SUBSTEPS_MAX));
  return rl_reference_choose(o->scenario, a->reference, &o->reference, status);
}

static void choose_iterations(rl_arguments *a) {
  for (int i = 0; a->iteration_count == 0 || (i > 0 && i <= DEFAULT_DOUBLINGS); i++) {
    a->iterations[a->iteration_count++] = (double)(1U << i);
  }
}

static json_t *describe(const onestep *o) {
  const rl_arguments *a = o->arguments;
  json_t *times = json_array(), *iterations = json_array();
  for (size_t i = 0; i < o->at_count; i++) {
    json_array_append_new(times, json_real((double)o->at[i] * o->schedule.dt));
  }
  for (size_t i = 0; i < a->iteration_count; i++) {
    json_array_append_new(iterations, json_integer((json_int_t)a->iterations[i]));
  }
  return json_pack("{s:s, s:f, s:o, s:o}", "reference", o->reference.text, "reference_step_s",
                   o->schedule.dt / (double)o->substeps, "times_s", times, "iterations",
                   iterations);
}

// The numbers of an outcome, under the names of summary.csv.
typedef struct entry {
  const char *name;
  double value;
} entry;

enum { ENTRIES = 10 };

static void list_entries(const rl_onestep_outcome *outcome, entry entries[ENTRIES]) {
  const bool known = strcmp(outcome->status, "unsupported") != 0;
  const rl_distance_norms *e = &outcome->error;
  const entry all[ENTRIES] = {{"position_rms_m", e->position_rms},
                              {"position_max_m", e->position_max},
                              {"velocity_rms_m_s", e->velocity_rms},
                              {"velocity_max_m_s", e->velocity_max},
                              {"tension_rms_N", e->tension_rms},
                              {"tension_max_error_N", e->tension_max},
                              {"residual_m", outcome->residual},
                              {"iterations", outcome->iterations},
                              {"iterations_settled", outcome->iterations_settled},
                              {"row_evals", outcome->row_evaluations}};
  for (size_t i = 0; i < ENTRIES; i++) {
    entries[i] = (entry){all[i].name, known ? all[i].value : NAN};
  }
}

static void format_reason(const rl_onestep_outcome *outcome, char *text, size_t size) {
  const bool known = strcmp(outcome->status, "unsupported") != 0;
  snprintf(text, size, "%s%s", known ? "" : "the solver cannot do: ", outcome->reason);
}

// DIR/SCENARIO/LABEL/run.json, as a run has it.
static bool write_manifest(const onestep *o, size_t solver) {
  const rl_arguments *a = o->arguments;
  const rl_onestep_outcome *outcome = &o->outcomes[solver];
  const rl_run_facts facts = {.scenario = o->scenario,
                              .solver = &a->solvers[solver],
                              .command = o->command,
                              .comparison = o->command,
                              .step = o->schedule.dt,
                              .duration = o->schedule.dt * (double)o->schedule.steps,
                              .steps = o->schedule.steps};
  char folder[RL_PATH_MAX];
  char reason[256];
  if (snprintf(folder, sizeof folder, "%s/%s/%s", o->folder, o->scenario->name,
               a->solvers[solver].label) >= (int)sizeof folder) {
    errno = ENAMETOOLONG;
    return false;
  }
  json_t *manifest = rl_manifest_create(&facts);
  format_reason(outcome, reason, sizeof reason);
  rl_manifest_finish(manifest, outcome->status, reason, NULL, 0);
  entry entries[ENTRIES];
  list_entries(outcome, entries);
  json_t *summary = json_object();
  for (size_t i = 0; i < ENTRIES; i++) {
    json_object_set_new(summary, entries[i].name,
                        isfinite(entries[i].value) ? json_real(entries[i].value) : json_null());
  }
  json_object_set_new(manifest, "summary", summary);
  json_object_set_new(manifest, "seconds", json_real(outcome->seconds));
  json_object_set_new(manifest, "onestep", describe(o));
  const bool written = rl_make_folders(folder) && rl_manifest_write(manifest, folder);
  json_decref(manifest);
  return written;
}

static void write_summary_row(FILE *out, const onestep *o, size_t solver) {
  const rl_solver_spec *spec = &o->arguments->solvers[solver];
  const rl_onestep_outcome *outcome = &o->outcomes[solver];
  char reason[256];
  entry entries[ENTRIES];
  format_reason(outcome, reason, sizeof reason);
  list_entries(outcome, entries);
  rl_csv_text(out, o->scenario->name);
  fprintf(out, ",%s,%s,", spec->label, spec->type->name);
  rl_csv_parameters(out, spec);
  rl_csv_number(out, o->schedule.dt);
  fprintf(out, ",%s,", outcome->status);
  rl_csv_text(out, reason);
  for (size_t i = 0; i < ENTRIES; i++) {
    rl_csv_number(out, entries[i].value);
  }
  rl_csv_number(out, outcome->seconds);
  fputc('\n', out);
}

static bool write_summary(const onestep *o) {
  char path[RL_PATH_MAX];
  rl_new_file file;
  if (!rl_path_join(path, o->folder, "summary.csv") || !rl_new_file_open(&file, path)) {
    return false;
  }
  entry entries[ENTRIES];
  list_entries(&o->outcomes[0], entries);
  fputs("# ropelab summary of single steps, format 1: one row a solver, with its most iterations\n"
        "scenario,label,solver,parameters,step,status,reason",
        file.out);
  for (size_t i = 0; i < ENTRIES; i++) {
    fprintf(file.out, ",%s", entries[i].name);
  }
  fputs(",seconds\n", file.out);
  for (size_t i = 0; i < o->arguments->solver_count; i++) {
    write_summary_row(file.out, o, i);
  }
  return rl_new_file_close(&file);
}

static int fail(const onestep *o) {
  fprintf(stderr, "ropelab: %s: cannot write: %s\n", o->folder, strerror(errno));
  return RL_EXIT_FAILED;
}

// All steps, each a line of onestep.csv as it is done.
static int take_steps(onestep *o) {
  const rl_arguments *a = o->arguments;
  char path[RL_PATH_MAX];
  FILE *table = rl_path_join(path, o->folder, "onestep.csv") ? rl_lines_open(path, 1 << 12) : NULL;
  if (!table) {
    return fail(o);
  }
  const rl_onestep study = {.scenario = o->scenario,
                            .solvers = a->solvers,
                            .solver_count = a->solver_count,
                            .reference = &o->reference,
                            .step = o->schedule.dt,
                            .from = o->origins,
                            .from_count = o->at_count,
                            .iterations = a->iterations,
                            .iteration_count = a->iteration_count};
  int status = rl_onestep_run(&study, table, o->outcomes);
  status = status == RL_EXIT_FAILED ? fail(o) : status;
  return fclose(table) == 0 ? status : fail(o);
}

static int onestep_all(onestep *o) {
  const rl_arguments *a = o->arguments;
  rl_run_begin_writing();
  int status = rl_origins_make(o->scenario, &o->reference, o->schedule.dt, o->substeps, o->at,
                               o->at_count, o->origins);
  status = status == RL_EXIT_DONE ? take_steps(o) : status;
  for (size_t i = 0; i < a->solver_count && status == RL_EXIT_DONE; i++) {
    status = write_manifest(o, i) ? RL_EXIT_DONE : fail(o);
  }
  if (status == RL_EXIT_DONE) {
    status = write_summary(o) ? rl_report(o->folder) : fail(o);
  }
  return status;
}

// Everything that can be wrong is found before anything is run.
static bool prepare(onestep *o, int *status) {
  rl_arguments *a = o->arguments;
  rl_diagnostic diagnostic;
  *status = RL_EXIT_USAGE;
  if (!rl_solvers_complete(a, "onestep")) {
    return false;
  }
  o->scenario = rl_load_scenario(a->positional[0], a, &diagnostic, status);
  if (!o->scenario) {
    return false;
  }
  *status = RL_EXIT_USAGE;
  if (!rl_run_plan(o->scenario, &a->run, &o->schedule) || !choose_origins(o)) {
    return false;
  }
  choose_iterations(a);
  if (!choose_reference(o, status)) {
    return false;
  }
  *status = RL_EXIT_USAGE;
  return rl_claim_results(o->folder, a, "onestep", o->scenario->name);
}

int rl_command_onestep(int argc, char **argv) {
  static rl_arguments arguments;
  static onestep o;
  char *command = rl_command_line(argc, argv, "--force");
  int status = RL_EXIT_FAILED;
  if (!command || !rl_arguments_parse(&rl_onestep_usage, argc, argv, &arguments, &status)) {
    free(command);
    return status;
  }
  o.arguments = &arguments;
  o.command = command;
  if (prepare(&o, &status)) {
    status = onestep_all(&o);
  }
  rl_origins_free(o.origins, o.at_count);
  rl_scenario_free(o.scenario);
  free(command);
  return status;
}
