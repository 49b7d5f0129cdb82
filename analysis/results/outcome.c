// SPDX-License-Identifier: GPL-3.0-or-later
#include "outcome.h"

#include "csv.h"

#include <errno.h>

void rl_outcome_unsupported(rl_outcome *outcome, uint32_t missing) {
  outcome->status = "unsupported";
  snprintf(outcome->reason, sizeof outcome->reason, "the solver cannot do: %s",
           rl_capability_name(missing & -missing));
}

void rl_outcome_ended(rl_outcome *outcome, bool late, double limit) {
  outcome->status = late ? "timeout" : "failed";
  snprintf(outcome->reason, sizeof outcome->reason, "its process ended early");
  if (late) {
    rl_describe_limit(limit, outcome->reason, sizeof outcome->reason);
  }
}

static bool write_manifest(const rl_outcome_facts *f, const rl_outcome *outcome) {
  const rl_schedule *own = outcome->schedule;
  const rl_run_facts facts = {.scenario = f->scenario,
                              .solver = outcome->solver,
                              .command = f->command,
                              .comparison = f->command,
                              .step = own ? own->dt : f->step,
                              .duration = own ? own->dt * (double)own->steps : f->duration,
                              .steps = own ? own->steps : f->steps};
  char folder[RL_PATH_MAX];
  if (snprintf(folder, sizeof folder, "%s/%s/%s", f->folder, f->scenario->name,
               outcome->solver->label) >= (int)sizeof folder) {
    errno = ENAMETOOLONG;
    return false;
  }
  json_t *manifest = rl_manifest_create(&facts);
  rl_manifest_finish(manifest, outcome->status, outcome->reason, NULL, 0);
  json_t *summary = json_object();
  for (size_t i = 0; i < outcome->entry_count; i++) {
    const rl_named_number *e = &outcome->entries[i];
    json_object_set_new(summary, e->name, isfinite(e->value) ? json_real(e->value) : json_null());
  }
  json_object_set_new(manifest, "summary", summary);
  json_object_set_new(manifest, "seconds",
                      isfinite(outcome->seconds) ? json_real(outcome->seconds) : json_null());
  json_object_set_new(manifest, f->kind, json_deep_copy(f->described));
  const bool written = rl_make_results_folder(folder) && rl_manifest_write(manifest, folder);
  json_decref(manifest);
  return written;
}

static void write_line(FILE *out, const rl_outcome_facts *f, const rl_outcome *outcome,
                       bool timed) {
  rl_csv_text(out, f->scenario->name);
  fprintf(out, ",%s,%s,", outcome->solver->label, outcome->solver->type->name);
  rl_csv_parameters(out, outcome->solver);
  rl_csv_number(out, outcome->schedule ? outcome->schedule->dt : f->step);
  fprintf(out, ",%s,", outcome->status);
  rl_csv_text(out, outcome->reason);
  for (size_t i = 0; i < outcome->entry_count; i++) {
    rl_csv_number(out, outcome->entries[i].value);
  }
  rl_csv_number(out, timed ? outcome->seconds : NAN);
  fputc('\n', out);
}

static bool write_timing(const rl_outcome_facts *facts, const rl_outcome *outcomes, size_t count) {
  char path[RL_PATH_MAX];
  rl_new_file file;
  if (!rl_path_join(path, facts->folder, "timing.csv") || !rl_new_file_open(&file, path)) {
    return false;
  }
  fputs("# ropelab timing, format 1: wall-clock time in the steps of each solver\n"
        "scenario,label,seconds\n",
        file.out);
  for (size_t i = 0; i < count; i++) {
    rl_csv_text(file.out, facts->scenario->name);
    fprintf(file.out, ",%s", outcomes[i].solver->label);
    rl_csv_number(file.out, outcomes[i].seconds);
    fputc('\n', file.out);
  }
  return rl_new_file_close(&file);
}

bool rl_outcomes_write(const rl_outcome_facts *facts, const rl_outcome *outcomes, size_t count,
                       bool timed) {
  char path[RL_PATH_MAX];
  rl_new_file file;
  for (size_t i = 0; i < count; i++) {
    if (!write_manifest(facts, &outcomes[i])) {
      return false;
    }
  }
  if (!rl_path_join(path, facts->folder, "summary.csv") || !rl_new_file_open(&file, path)) {
    return false;
  }
  fprintf(file.out,
          "# ropelab summary of %s, format 1: one row a solver\n"
          "scenario,label,solver,parameters,step,status,reason",
          facts->kind);
  for (size_t i = 0; count > 0 && i < outcomes[0].entry_count; i++) {
    fprintf(file.out, ",%s", outcomes[0].entries[i].name);
  }
  fputs(",seconds\n", file.out);
  for (size_t i = 0; i < count; i++) {
    write_line(file.out, facts, &outcomes[i], timed);
  }
  return rl_new_file_close(&file) && (timed || write_timing(facts, outcomes, count));
}
