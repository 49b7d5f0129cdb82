// SPDX-License-Identifier: GPL-3.0-or-later
#include "study.h"

#include "available_memory.h"
#include "commands.h"
#include "results/results_folder.h"
#include "runs/command_line.h"
#include "runs/run_cache.h"
#include "study_fault.h"
#include "study_numbers.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *const rl_norm_names[] = {"max", "l2", "end", NULL};

// A scenario with its overrides, or why it could not be loaded.
struct loaded {
  const char *name;
  rl_changes changes;
  rl_scenario *scenario;
  rl_diagnostic diagnostic;
  int status;
};

rl_study_definition rl_study_empty(const rl_study_kind *kind) {
  unsigned index = 0;
  while (rl_study_kinds[index] != kind) {
    index++;
  }
  return (rl_study_definition){.kind = index,
                               .title = "",
                               .about = "",
                               .step = NAN,
                               .duration = NAN,
                               .every = NAN,
                               .time_limit = NAN,
                               .law = RL_LAW_BY_VARIATION,
                               .reference = {.step = NAN}};
}

void rl_study_fill_solvers(rl_study_definition *d) {
  const rl_study_kind *kind = rl_study_kinds[d->kind];
  char message[256];
  for (size_t i = 0; rl_solvers[i]; i++) {
    if (!kind->takes || kind->takes(d, rl_solvers[i])) {
      rl_solver_spec_parse(rl_solvers[i]->name, &d->solvers[d->solver_count++], message,
                           sizeof message);
    }
  }
}

static int out_of_memory(void) {
  fprintf(stderr, "ropelab: out of memory\n");
  return RL_EXIT_FAILED;
}

void *rl_study_allocate(rl_study *study, size_t count, size_t size) {
  void *memory = rl_arena_allocate(study->arena, count, size);
  if (!memory) {
    out_of_memory();
  }
  return memory;
}

int rl_study_print_unwritten(const rl_study *study) {
  fprintf(stderr, "ropelab: %s: cannot write: %s\n", study->folder, strerror(errno));
  return RL_EXIT_FAILED;
}

const char *rl_study_text(rl_study *study, const char *format, ...) {
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  const char *copy = length >= 0 ? rl_arena_text(study->arena, text, (size_t)length) : NULL;
  if (length >= 0) {
    free(text);
  }
  if (!copy) {
    out_of_memory();
  }
  return copy;
}

// Returns `old` if it has room for one more object behind `count`, or a copy that is twice as
// large. NULL with a message when out of memory.
static void *grow(rl_study *study, void *old, size_t count, size_t size) {
  enum { LEAST = 16 };
  if (count > 0 && (count < LEAST || (count & (count - 1)) != 0)) {
    return old;
  }
  void *larger = rl_arena_grow(study->arena, old, count, count < LEAST ? LEAST : 2 * count, size);
  if (!larger) {
    out_of_memory();
  }
  return larger;
}

bool rl_study_add_probe(rl_study *study, const char *probe) {
  rl_words *probes = &study->definition.probes;
  for (size_t i = 0; i < probes->count; i++) {
    if (strcmp(probes->words[i], probe) == 0) {
      return true;
    }
  }
  const char **words =
      rl_arena_grow(study->arena, probes->words, probes->count, probes->count + 1, sizeof *words);
  if (!words) {
    return out_of_memory(), false;
  }
  words[probes->count] = probe;
  *probes = (rl_words){words, probes->count + 1};
  return true;
}

// ---------------------------------------------------------------------------------------------
// Scenarios

static bool are_equal(rl_changes a, rl_changes b) {
  if (a.count != b.count) {
    return false;
  }
  for (size_t i = 0; i < a.count; i++) {
    if (strcmp(a.list[i].path, b.list[i].path) != 0 ||
        strcmp(a.list[i].value, b.list[i].value) != 0) {
      return false;
    }
  }
  return true;
}

// Appends the overrides of a run to those of the study.
static bool join_changes(rl_study *study, rl_changes own, rl_changes *all) {
  const rl_changes common = study->definition.changes;
  *all = (rl_changes){rl_study_allocate(study, common.count + own.count, sizeof *all->list), 0};
  for (size_t i = 0; all->list && i < common.count + own.count; i++) {
    all->list[all->count++] = i < common.count ? common.list[i] : own.list[i - common.count];
  }
  return all->list != NULL;
}

// Prints a fault in a scenario at the line of the study that causes it; otherwise where it is in
// the scenario, with a note on where the study asks for the scenario.
static void print_refusal(const rl_study_definition *d, const struct loaded *l, const char *path,
                          bool own_changes) {
  const bool refused = l->status != RL_EXIT_UNSUPPORTED;
  if (refused && rl_study_print_cause(d, l->name, &l->diagnostic)) {
    return;
  }
  rl_diagnostic_print(stderr, path, &l->diagnostic);
  if (refused && !own_changes) {
    rl_study_print_note(
        d, "scenarios", rl_study_item(d->scenarios, l->name),
        "the study asks for this scenario, with its own 'set', 'probes' and 'quantity'");
  }
}

static struct loaded *load(rl_study *study, const char *name, rl_changes own) {
  rl_changes changes;
  if (!join_changes(study, own, &changes)) {
    return NULL;
  }
  for (size_t i = 0; i < study->loaded_count; i++) {
    struct loaded *l = &study->loaded[i];
    if (strcmp(l->name, name) == 0 && are_equal(l->changes, changes)) {
      return l;
    }
  }
  const size_t count = study->loaded_count;
  struct loaded *all = grow(study, study->loaded, count, sizeof *study->loaded);
  if (!all) {
    return NULL;
  }
  study->loaded = all;
  study->loaded_count++;
  struct loaded *l = &all[count];
  *l = (struct loaded){.name = name, .changes = changes, .status = RL_EXIT_DONE};
  const rl_words probes = study->definition.probes;
  char path[RL_PATH_MAX];
  l->scenario = rl_load_silently(name, changes.list, changes.count, probes.words, probes.count,
                                 path, &l->diagnostic, &l->status);
  if (!l->scenario && *path) {
    print_refusal(&study->definition, l, path, own.count > 0);
  }
  return l;
}

const rl_scenario *rl_study_scenario(rl_study *study, const char *name, rl_changes changes,
                                     int *status) {
  const struct loaded *l = load(study, name, changes);
  *status = l ? l->status : RL_EXIT_FAILED;
  return l ? l->scenario : NULL;
}

// ---------------------------------------------------------------------------------------------
// Solvers

// Returns "LABEL=NAME,parameter=value..." with the parameters that differ from their defaults.
static const char *spec_text(rl_study *study, const rl_solver_spec *solver) {
  const rl_solver_type *type = solver->type;
  const char *text = rl_study_text(study, "%s=%s", solver->label, type->name);
  for (size_t i = 0; text && i < type->parameter_count; i++) {
    char value[64];
    if (solver->parameters[i] != type->parameters[i].initial) {
      rl_parameter_format(&type->parameters[i], solver->parameters[i], value, sizeof value);
      text = rl_study_text(study, "%s,%s=%s", text, type->parameters[i].name, value);
    }
  }
  return text;
}

// Returns a copy of the solver with the suffix joined to its label.
static rl_solver_spec *relabel(rl_study *study, const rl_solver_spec *solver, const char *suffix) {
  rl_solver_spec *own = rl_study_allocate(study, 1, sizeof *own);
  if (!own) {
    return NULL;
  }
  *own = *solver;
  own->labelled = true;
  const int length = suffix
                         ? snprintf(own->label, sizeof own->label, "%s-%s", solver->label, suffix)
                         : (int)strlen(own->label);
  if (length >= RL_LABEL_MAX) {
    rl_study_refuse(&study->definition, "solvers", SIZE_MAX,
                    "the label %s-%s is too long; expected at most %d characters", solver->label,
                    suffix, RL_LABEL_MAX - 1);
    return NULL;
  }
  own->text = spec_text(study, own);
  return own->text ? own : NULL;
}

const rl_solver_spec *rl_study_set_parameter(rl_study *study, const rl_solver_spec *solver,
                                             const char *name, const char *value, const char *key,
                                             size_t item) {
  char message[512];
  rl_solver_spec parsed;
  const char *setting = rl_study_text(study, "%s,%s=%s", solver->type->name, name, value);
  if (!setting) {
    return NULL;
  }
  if (!rl_solver_spec_parse(setting, &parsed, message, sizeof message)) {
    rl_study_refuse(&study->definition, key, item, "%s", message);
    return NULL;
  }
  rl_solver_spec *own = relabel(study, solver, NULL);
  const int index = rl_parameter_find(solver->type, name);
  if (own && index >= 0) {
    own->parameters[index] = parsed.parameters[index];
    own->text = spec_text(study, own);
  }
  return own && own->text ? own : NULL;
}

// ---------------------------------------------------------------------------------------------
// Runs

static double first_number(double a, double b) { return isnan(a) ? b : a; }

// Whether a run goes through the run cache: a reference run, or in a study without timing any run
// of an adaptive solver.
static bool is_shared(const rl_study *study, const rl_study_run *run) {
  return run->keep || (!study->timed && run->solver->type->is_adaptive);
}

// Prints that a run has too many steps, at the key that causes it; returns false.
static bool refuse_schedule(const rl_study_definition *d, const rl_scenario *scenario,
                            const rl_run_options *run, const char *why) {
  char unused[256];
  rl_schedule schedule;
  rl_run_options own = *run;
  own.duration = NAN;
  const size_t value = rl_study_number_item(d->values, run->step);
  const char *key = "scenarios";
  size_t item = rl_study_item(d->scenarios, scenario->name);
  if (!isnan(d->duration) && rl_run_schedule(scenario, &own, &schedule, unused, sizeof unused)) {
    key = "duration";
  } else if (run->step == d->reference.step) {
    key = "reference";
  } else if (!isnan(d->step)) {
    key = "step";
  } else if (d->values.count > 0 && strtod(d->values.words[value], NULL) == run->step) {
    key = "values";
    item = value;
  }
  return rl_study_refuse(d, key, item, "%s: %s", scenario->name, why);
}

bool rl_study_schedule(const rl_study_definition *d, const rl_scenario *scenario,
                       const rl_run_options *run, rl_schedule *schedule) {
  char why[256];
  return rl_run_schedule(scenario, run, schedule, why, sizeof why) ||
         refuse_schedule(d, scenario, run, why);
}

// Fills in a cell for a run of a loaded scenario.
static bool fill_cell(rl_study *study, rl_cell *cell, const rl_study_run *run,
                      const struct loaded *l) {
  const rl_study_definition *d = &study->definition;
  const rl_words probes = d->probes;
  const char *slash = strrchr(run->scenario, '/');
  const char *name = slash ? slash + 1 : run->scenario;
  *cell = (rl_cell){.scenario = l->scenario,
                    .name = l->scenario ? l->scenario->name : name,
                    .fault = l->diagnostic.message,
                    .solver = relabel(study, run->solver, run->suffix),
                    .run = {.step = first_number(run->step, d->step),
                            .duration = d->duration,
                            .every = first_number(run->every, d->every),
                            .limit = d->time_limit,
                            .quiet = true,
                            .cache = is_shared(study, run) ? study->cache : NULL,
                            .force = study->force || study->resume || run->keep,
                            .resume = study->resume || run->keep}};
  if (!cell->solver) {
    return false;
  }
  rl_schedule schedule;
  if (l->scenario && !rl_study_schedule(d, l->scenario, &cell->run, &schedule)) {
    return false;
  }
  cell->cost = l->scenario ? rl_cell_cost(l->scenario, cell->solver, schedule.steps) : 0.0;
  if (snprintf(cell->folder, sizeof cell->folder, "%s/%s/%s", study->folder, cell->name,
               cell->solver->label) >= (int)sizeof cell->folder) {
    fprintf(stderr, "ropelab: the name of the folder is too long\n");
    return false;
  }
  cell->command = rl_run_command(run->scenario, cell->solver, &cell->run, l->changes.list,
                                 l->changes.count, probes.words, probes.count, cell->folder);
  cell->comparison = study->command;
  return cell->command || (out_of_memory(), false);
}

static void free_cell(rl_cell *cell) { free(cell->command); }

// Returns the index of an earlier cell with the folder of the last one; SIZE_MAX: none.
static size_t find_namesake(const rl_study *study) {
  const rl_cell *last = &study->cells[study->cell_count - 1];
  for (size_t i = 0; i + 1 < study->cell_count; i++) {
    if (strcmp(study->cells[i].folder, last->folder) == 0) {
      return i;
    }
  }
  return SIZE_MAX;
}

size_t rl_study_add(rl_study *study, const rl_study_run *run, int *status) {
  const struct loaded *l = load(study, run->scenario, run->changes);
  *status = l ? l->status : RL_EXIT_FAILED;
  if (!l || (!l->scenario && l->status != RL_EXIT_UNSUPPORTED)) {
    return SIZE_MAX;
  }
  const size_t count = study->cell_count;
  rl_cell *cells = grow(study, study->cells, count, sizeof *cells);
  if (!cells) {
    *status = RL_EXIT_FAILED;
    return SIZE_MAX;
  }
  study->cells = cells;
  *status = RL_EXIT_USAGE;
  if (!fill_cell(study, &cells[count], run, l)) {
    free_cell(&cells[count]);
    return SIZE_MAX;
  }
  study->cell_count++;
  const size_t there = find_namesake(study);
  if (there == SIZE_MAX) {
    *status = RL_EXIT_DONE;
    return count;
  }
  free_cell(&cells[--study->cell_count]);
  if (run->keep && cells[there].scenario == l->scenario && cells[there].run.resume) {
    *status = RL_EXIT_DONE;
    return there;
  }
  const rl_study_definition *d = &study->definition;
  if (cells[there].scenario != l->scenario) {
    rl_study_refuse(d, "scenarios", rl_study_item(d->scenarios, run->scenario),
                    "two scenarios are called '%s'; expected different names", cells[there].name);
  } else {
    rl_study_refuse(d, "solvers", SIZE_MAX,
                    "two runs of %s are called '%s'; expected different labels", cells[there].name,
                    cells[there].solver->label);
  }
  return SIZE_MAX;
}

// ---------------------------------------------------------------------------------------------
// The whole study

// Whether the folder has the file that a study writes first.
static bool has_begun(const rl_study *study) {
  char path[RL_PATH_MAX];
  return rl_path_join(path, study->folder, "study.json") && rl_file_exists(path);
}

// Writes study.json, the facts for the report.
static bool write_about(const rl_study *study, const rl_study_kind *kind) {
  const rl_study_definition *d = &study->definition;
  char path[RL_PATH_MAX];
  rl_new_file file;
  if (!rl_path_join(path, study->folder, "study.json") || !rl_new_file_open(&file, path)) {
    return false;
  }
  json_t *about = json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:s*}", "format", 1, "name", d->name,
                            "title", d->title, "about", d->about, "kind", kind->name, "command",
                            study->command, "axis", d->axis);
  const bool good = about && json_dumpf(about, file.out, JSON_INDENT(2)) == 0;
  fputc('\n', file.out);
  json_decref(about);
  if (!good) {
    rl_new_file_discard(&file);
    errno = errno ? errno : ENOMEM;
    return false;
  }
  return rl_new_file_close(&file);
}

static bool write_summary(const rl_study *study) {
  if (study->cell_count == 0) { // kinds without recorded runs write their own summary
    return true;
  }
  return rl_cells_summarise(study->cells, study->cell_count, study->folder, study->timed) &&
         (study->timed || rl_cells_write_timing(study->cells, study->cell_count, study->folder));
}

// Prints how many runs are copies, of earlier studies and of others in this one.
static void print_shared(const rl_study *study) {
  char begun[RL_PATH_MAX];
  size_t earlier = 0;
  const size_t shared = rl_path_join(begun, study->folder, "study.json")
                            ? rl_cells_shared(study->cells, study->cell_count, begun, &earlier)
                            : 0;
  if (earlier > 0) {
    printf("%zu of %zu runs were made before, in earlier studies, and are from %s\n", earlier,
           study->cell_count, study->cache);
  }
  if (shared > earlier) {
    printf("%zu of %zu runs are the same as others of this study, which are kept in %s\n",
           shared - earlier, study->cell_count, study->cache);
  }
}

// Plans, runs, gathers and reports. Returns an exit status.
static int carry_out(rl_study *study) {
  const rl_study_kind *kind = rl_study_kinds[study->definition.kind];
  const int planned = kind->plan(study);
  if (planned != RL_EXIT_DONE) {
    return planned;
  }
  for (size_t i = 0; i < study->loaded_count; i++) {
    if (study->loaded[i].scenario && !rl_results_allow_name(study->loaded[i].scenario->name)) {
      return RL_EXIT_USAGE;
    }
  }
  const bool begun = has_begun(study);
  const bool replace = study->force || (study->resume && begun);
  if (begun && !replace) {
    fprintf(stderr,
            "ropelab: %s already holds a study; --force replaces it, "
            "--resume goes on with what was stopped\n",
            study->folder);
    return RL_EXIT_USAGE;
  }
  if (!rl_results_claim(study->folder, "result of several runs", replace, study->resume) ||
      !rl_cells_are_free(study->cells, study->cell_count, true)) {
    return rl_run_interrupted() ? RL_EXIT_INTERRUPTED : RL_EXIT_USAGE;
  }
  if (!rl_results_clear(study->folder, study->force, study->cells, study->cell_count)) {
    return RL_EXIT_FAILED;
  }
  bool good = write_about(study, kind);
  good = good && rl_cells_run(study->cells, study->cell_count, study->jobs) && write_summary(study);
  if (!good) {
    return rl_study_print_unwritten(study);
  }
  if (rl_run_interrupted()) {
    rl_print_interrupted(study->folder, NAN);
    return RL_EXIT_INTERRUPTED;
  }
  print_shared(study);
  const int gathered = kind->gather(study);
  return gathered == RL_EXIT_DONE ? rl_report_and_print(study->folder, study->jobs, study->figures)
                                  : gathered;
}

void rl_study_print_shared(const rl_study *study, size_t shared, size_t count) {
  printf("%zu of %zu runs of the reference are those of earlier studies, from %s\n", shared, count,
         study->cache);
}

static void free_study(rl_study *study) {
  for (size_t i = 0; i < study->cell_count; i++) {
    free_cell(&study->cells[i]);
  }
  for (size_t i = 0; i < study->loaded_count; i++) {
    rl_scenario_free(study->loaded[i].scenario);
  }
  rl_arena_free(study->arena);
}

bool rl_study_folder(char folder[RL_PATH_MAX], const char *command, const char *name) {
  const char *slash = strrchr(name, '/');
  const char *base = slash ? slash + 1 : name;
  const size_t length = strlen(base);
  const bool yaml = length > 5 && strcmp(base + length - 5, ".yaml") == 0;
  if (snprintf(folder, RL_PATH_MAX, "out/%s-%.*s", command, (int)(yaml ? length - 5 : length),
               base) < RL_PATH_MAX) {
    return true;
  }
  fprintf(stderr, "ropelab: the name of the folder is too long\n");
  return false;
}

int rl_study_command(const rl_study_definition *definition, const rl_arguments *a,
                     const char *folder, const char *command, bool timed) {
  rl_study study = {.definition = *definition,
                    .command = command,
                    .force = a->force,
                    .resume = a->resume,
                    .timed = timed,
                    .jobs = a->jobs,
                    .figures = a->figures,
                    .arena = rl_arena_create(rl_available_memory())};
  if (!study.arena) {
    return out_of_memory();
  }
  int status = RL_EXIT_USAGE;
  if (snprintf(study.folder, sizeof study.folder, "%s", a->out ? a->out : folder) >= RL_PATH_MAX ||
      !rl_cache_path(study.cache, study.folder)) {
    fprintf(stderr, "ropelab: the name of the folder is too long\n");
  } else {
    status = carry_out(&study);
  }
  free_study(&study);
  return status;
}
