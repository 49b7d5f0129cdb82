// SPDX-License-Identifier: GPL-3.0-or-later
// The plan of a convergence study; converge_gather.c measures the results.
#include "converge.h"

#include "runs/record.h"
#include "runs/reference.h"
#include "study_fault.h"
#include "study_file.h"
#include "study_numbers.h"
#include "words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Number of times of a run that are compared, which is enough to find the largest error.
static const double compared_times = 1000.0;

// A reference by another solver that is not adaptive takes this many steps in the shortest step
// that it is compared with.
static const double reference_steps = 16.0;

// ---------------------------------------------------------------------------------------------
// The variation

static bool is_word(const char *text, const char *const *words, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(text, words[i]) == 0) {
      return true;
    }
  }
  return false;
}

const char *rl_converge_over(const rl_study_definition *d, size_t solver) {
  return d->overs && d->overs[solver] ? d->overs[solver] : d->over;
}

// Sets the fault that no solver has the parameter; returns false.
static bool set_unknown_parameter(const char *over, rl_study_fault *fault) {
  const char *names[RL_LIST_MAX] = {"step", "segments"};
  size_t count = 2;
  for (size_t i = 0; rl_solvers[i]; i++) {
    for (size_t k = 0; k < rl_solvers[i]->parameter_count && count < RL_LIST_MAX; k++) {
      const char *name = rl_solvers[i]->parameters[k].name;
      if (!is_word(name, names, count)) {
        names[count++] = name;
      }
    }
  }
  char hint[320];
  rl_suggest(hint, sizeof hint, over, names, count);
  return rl_study_set_fault(fault, "over", 0, "no solver has a parameter '%.40s'; %s", over, hint);
}

// Checks that every solver has the parameter that is varied and none sets it.
static bool check_parameter(const rl_study_definition *d, rl_study_fault *fault) {
  for (size_t i = 0; i < d->solver_count; i++) {
    const rl_solver_type *type = d->solvers[i].type;
    const char *over = rl_converge_over(d, i);
    if (rl_parameter_find(type, over) >= 0) {
      if (!rl_study_check_unset(d, i, over, fault)) {
        return false;
      }
      continue;
    }
    const char *names[RL_PARAMETERS_MAX + 2] = {"step", "segments"};
    for (size_t k = 0; k < type->parameter_count; k++) {
      names[k + 2] = type->parameters[k].name;
    }
    char hint[320];
    rl_suggest(hint, sizeof hint, over, names, type->parameter_count + 2);
    return rl_study_set_fault(
        fault, over == d->over ? "over" : "solvers", i,
        "'%.40s' is no parameter of solver '%s', and a path into the scenario has dots; %s", over,
        type->name, hint);
  }
  return d->solver_count > 0 || set_unknown_parameter(d->over, fault);
}

static void find_variation(const rl_study_definition *d, rl_convergence *c) {
  static const char *const more_is_finer[] = {"segments", "iterations", "substeps"};
  const char *over = d->over;
  c->variation = strcmp(over, "step") == 0       ? RL_VARY_STEP
                 : strcmp(over, "segments") == 0 ? RL_VARY_SEGMENTS
                 : strchr(over, '.')             ? RL_VARY_PATH
                                                 : RL_VARY_PARAMETER;
  c->fine_is_small = c->variation == RL_VARY_STEP;
  c->is_refinement = c->fine_is_small || is_word(over, more_is_finer, 3);
  c->rule = rl_fit_rule_of(d->law != RL_LAW_BY_VARIATION     ? (rl_law)d->law
                           : strcmp(over, "iterations") == 0 ? RL_LAW_EXPONENTIAL
                                                             : RL_LAW_POWER);
}

// Compares two values on the way from coarse to fine; 0 keeps the given order.
static int compare_fineness(const rl_convergence *c, double a, double b) {
  if (!c->is_refinement) {
    return 0;
  }
  return (c->fine_is_small ? -1 : 1) * ((a > b) - (a < b));
}

// Sorts the values from coarse to fine.
static bool sort_values(rl_study *study, rl_convergence *c) {
  const rl_words given = study->definition.values;
  c->texts = rl_study_allocate(study, given.count, sizeof *c->texts);
  c->values = rl_study_allocate(study, given.count, sizeof *c->values);
  for (size_t i = 0; c->texts && c->values && i < given.count; i++) {
    const double value = strtod(given.words[i], NULL);
    size_t place = c->value_count++;
    for (; place > 0 && compare_fineness(c, c->values[place - 1], value) > 0; place--) {
      c->values[place] = c->values[place - 1];
      c->texts[place] = c->texts[place - 1];
    }
    c->values[place] = value;
    c->texts[place] = given.words[i];
  }
  return c->texts && c->values;
}

// ---------------------------------------------------------------------------------------------
// The quantities

static bool is_column(const char *text) {
  for (size_t i = 1; rl_columns[i].name; i++) { // not the time
    if (strcmp(text, rl_columns[i].name) == 0) {
      return true;
    }
  }
  return false;
}

enum { EXACT, SELF, REFERENCE };
static const char *const measure_names[] = {
    [EXACT] = "exact", [SELF] = "self", [REFERENCE] = "reference"};

// Returns the index of "exact", "self" or "reference", alone or with ":PROBE"; else -1.
static int find_measure(const char *text, const char **probe) {
  for (int i = 0; i < 3; i++) {
    const size_t length = strlen(measure_names[i]);
    if (strncmp(text, measure_names[i], length) == 0 && (!text[length] || text[length] == ':')) {
      *probe = text[length] ? text + length + 1 : NULL;
      return i;
    }
  }
  return -1;
}

// Returns the probe that a quantity names; NULL: none.
static const char *probe_of(const char *text) {
  const char *probe = NULL;
  const char *named = find_measure(text, &probe) >= 0 ? probe : is_column(text) ? NULL : text;
  const char *dot = named ? strrchr(named, '.') : NULL;
  return dot && strcmp(dot, ".invariant") == 0 ? NULL : named; // a column of the closed form
}

// Records the probes of all quantities.
static bool add_probes(rl_study *study) {
  const rl_words quantities = study->definition.quantities;
  for (size_t i = 0; i < quantities.count; i++) {
    const char *probe = probe_of(quantities.words[i]);
    if (probe && !rl_study_add_probe(study, probe)) {
      return false;
    }
  }
  return true;
}

// Lists all probes of the scenario as columns of the quantity, lengths first.
static void list_probes(const rl_scenario *scenario, rl_quantity *q) {
  size_t count = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < scenario->probe_count; i++) {
      if (rl_probe_is_length(scenario->probes[i]) == (pass == 0)) {
        q->columns.words[count++] = scenario->probe_names[i];
      }
    }
    q->lengths = pass == 0 ? count : q->lengths;
  }
}

// Finds measure and columns of a quantity in a scenario. A probe alone is measured against the
// closed form of the scenario, if it has one, and otherwise against finer runs.
static bool resolve(rl_study *study, const rl_scenario *scenario, const char *text,
                    rl_quantity *q) {
  static const rl_measure measures[] = {RL_AGAINST_EXACT, RL_AGAINST_SELF, RL_AGAINST_REFERENCE};
  const char *probe = NULL;
  const int named = find_measure(text, &probe);
  q->text = text;
  q->measure = named >= 0        ? measures[named]
               : is_column(text) ? RL_SIZE
               : scenario->exact ? RL_AGAINST_EXACT
                                 : RL_AGAINST_SELF;
  if (q->measure == RL_AGAINST_EXACT && !scenario->exact) {
    const rl_study_definition *d = &study->definition;
    return rl_study_refuse(
        d, "quantity", rl_study_item(d->quantities, text),
        "%s: scenario '%s' has no closed form; expected self, reference or a probe", text,
        scenario->name);
  }
  const char *one = named >= 0 ? probe : text;
  const bool keeps = !one && q->measure == RL_AGAINST_EXACT && scenario->exact->invariant;
  q->columns.count = one ? 1 : scenario->probe_count + (keeps ? 1 : 0);
  q->columns.words = rl_study_allocate(study, q->columns.count, sizeof *q->columns.words);
  if (q->columns.words && one) {
    q->columns.words[0] = one;
  } else if (q->columns.words) {
    list_probes(scenario, q);
  }
  if (q->columns.words && keeps) {
    const char *name = rl_study_text(study, "%s.invariant", scenario->exact->name);
    q->columns.words[scenario->probe_count] = name;
    if (!name) {
      return false;
    }
  }
  if (q->columns.count == 0) {
    const rl_study_definition *d = &study->definition;
    return rl_study_refuse(d, "quantity", rl_study_item(d->quantities, text),
                           "%s: scenario '%s' has no probe that could be compared", text,
                           scenario->name);
  }
  return q->columns.words != NULL;
}

// Resolves all quantities for a scenario; an unsupported scenario has none.
static bool resolve_all(rl_study *study, rl_convergence *c, size_t s, const rl_scenario *scenario) {
  const rl_words given = study->definition.quantities;
  for (size_t i = 0; scenario && i < c->quantity_count; i++) {
    const char *text = i < given.count ? given.words[i] : scenario->exact ? "exact" : "self";
    if (!resolve(study, scenario, text, &c->quantities[s * c->quantity_count + i])) {
      return false;
    }
  }
  return true;
}

// ---------------------------------------------------------------------------------------------
// The runs

// Makes the overrides that set the number of segments of one rope, or of all that have segments.
static bool segment_changes(rl_study *study, const rl_scenario *scenario, const char *text,
                            rl_changes *changes) {
  const rl_study_definition *d = &study->definition;
  const rl_definition *definition = &scenario->definition;
  changes->list = rl_study_allocate(study, definition->rope_count, sizeof *changes->list);
  const char *names[RL_LIST_MAX];
  size_t name_count = 0;
  for (size_t i = 0; changes->list && i < definition->rope_count; i++) {
    const char *name = definition->ropes[i].name;
    names[name_count] = name;
    name_count += name_count + 1 < RL_LIST_MAX ? 1 : 0;
    if (d->rope ? strcmp(d->rope, name) == 0 : definition->ropes[i].segments > 0) {
      const char *path = rl_study_text(study, "ropes.%s.segments", name);
      changes->list[changes->count++] = (rl_override){path, text};
    }
  }
  if (changes->list && changes->count == 0) {
    char hint[256] = "";
    rl_suggest(hint, sizeof hint, d->rope ? d->rope : "", names, d->rope ? name_count : 0);
    rl_study_refuse(d, d->rope ? "rope" : "over", 0,
                    d->rope ? "scenario '%s' has no rope '%s'; %s"
                            : "scenario '%s' has no rope with segments%s%s",
                    scenario->name, d->rope ? d->rope : "", hint);
  }
  return changes->count > 0;
}

// Describes the run with one value; a varied solver parameter is set by add_run().
static bool describe_run(rl_study *study, const rl_convergence *c, const char *name,
                         const rl_scenario *scenario, size_t solver, size_t v, rl_study_run *run) {
  const char *over = rl_converge_over(&study->definition, solver), *text = c->texts[v];

  *run = (rl_study_run){
      .scenario = name, .solver = &study->definition.solvers[solver], .step = NAN, .every = NAN};
  run->suffix = rl_study_text(study, "%s=%s", over, text);
  if (!run->suffix) {
    return false;
  }
  switch (c->variation) {
  case RL_VARY_STEP:
    run->step = c->values[v];
    return true;
  case RL_VARY_SEGMENTS:
    return !scenario || segment_changes(study, scenario, text, &run->changes);
  case RL_VARY_PATH:
    run->changes.list = rl_study_allocate(study, 1, sizeof *run->changes.list);
    run->changes.count = 1;
    if (run->changes.list) {
      run->changes.list[0] = (rl_override){over, text};
    }
    return run->changes.list != NULL;
  case RL_VARY_PARAMETER:
    break;
  }
  return true;
}

// Chooses the time between rows: the longest step, so that all runs have rows at these times, or a
// multiple of it if there would be more than `compared_times`.
static double sampling(const rl_study *study, const rl_convergence *c,
                       const rl_scenario *scenario) {
  const rl_study_definition *d = &study->definition;
  if (!isnan(d->every)) {
    return d->every;
  }
  double longest = 0.0, duration = 0.0;
  for (size_t v = 0; v < (c->variation == RL_VARY_STEP ? c->value_count : 1); v++) {
    rl_schedule schedule;
    const double step = c->variation == RL_VARY_STEP ? c->values[v] : d->step;
    const rl_run_options options = {.step = step, .duration = d->duration, .every = NAN};
    char refused[256]; // reported when the run is added
    if (rl_run_schedule(scenario, &options, &schedule, refused, sizeof refused)) {
      longest = fmax(longest, schedule.dt);
      duration = schedule.dt * (double)schedule.steps;
    }
  }
  return longest * fmax(1.0, floor(duration / longest / compared_times));
}

static bool needs_reference(const rl_convergence *c, size_t s) {
  for (size_t i = 0; i < c->quantity_count; i++) {
    if (c->quantities[s * c->quantity_count + i].measure == RL_AGAINST_REFERENCE) {
      return true;
    }
  }
  return false;
}

// Whether the reference is the same solver on a changed scenario.
static bool is_same_solver(const rl_study_reference *r) {
  return !r->solver && r->changes.count > 0;
}

// Returns the solver of the reference run with its label; NULL with a message and the exit status.
static rl_solver_spec *reference_solver(rl_study *study, const rl_scenario *scenario,
                                        const rl_solver_spec *curve, int *status) {
  const rl_study_reference *r = &study->definition.reference;
  rl_solver_spec *spec = rl_study_allocate(study, 1, sizeof *spec);
  char label[RL_LABEL_MAX + 16] = "reference";
  *status = RL_EXIT_FAILED;
  if (spec && is_same_solver(r)) {
    *spec = *curve;
    snprintf(label, sizeof label, "reference-%s", curve->label);
  } else if (!spec || !rl_reference_choose(scenario, r->solver, spec, status)) {
    return NULL;
  }
  snprintf(spec->label, sizeof spec->label, "%.*s", RL_LABEL_MAX - 1, label);
  return spec;
}

// Appends the overrides of the reference to those of a run.
static bool reference_changes(rl_study *study, rl_changes *changes) {
  const rl_changes more = study->definition.reference.changes, own = *changes;
  *changes = (rl_changes){rl_study_allocate(study, own.count + more.count, sizeof *own.list),
                          own.count + more.count};
  for (size_t i = 0; changes->list && i < changes->count; i++) {
    changes->list[i] = i < own.count ? own.list[i] : more.list[i - own.count];
  }
  return changes->list != NULL;
}

static double shortest_step(const rl_study_definition *d, const rl_convergence *c,
                            const rl_scenario *scenario) {
  return c->variation == RL_VARY_STEP ? c->values[c->value_count - 1]
         : isnan(d->step)             ? scenario->step
                                      : d->step;
}

// Adds the reference run of a run, unless it was added before.
static bool add_reference(rl_study *study, rl_convergence *c, const rl_scenario *scenario,
                          const rl_study_run *of, size_t index, int *status) {
  const rl_study_reference *r = &study->definition.reference;
  const bool same = is_same_solver(r);
  rl_study_run run = *of;
  run.keep = true;
  rl_solver_spec *solver = reference_solver(study, scenario, of->solver, status);
  run.solver = solver;
  if (!run.solver || !reference_changes(study, &run.changes)) {
    return false;
  }
  if (!isnan(r->step)) {
    run.step = r->step;
  } else if (!same && !run.solver->type->is_adaptive) {
    run.step = shortest_step(&study->definition, c, scenario) / reference_steps;
  }
  // A common reference serves all values of a solver parameter or the step. An adaptive reference
  // makes the steps of the run itself, so that tensions are means over the same times.
  const bool follows = run.solver->type->is_adaptive && isnan(r->step) && !same;
  const bool own = same || c->variation == RL_VARY_SEGMENTS || c->variation == RL_VARY_PATH ||
                   (follows && c->variation == RL_VARY_STEP);
  if (own && !same) { // "reference" could be the label of a solver that is compared
    snprintf(solver->label, sizeof solver->label, "reference-run");
  }
  run.suffix = own ? of->suffix : NULL;
  c->references[index] = rl_study_add(study, &run, status);
  return c->references[index] != SIZE_MAX;
}

static bool add_run(rl_study *study, rl_convergence *c, const rl_scenario *compared,
                    rl_study_run *run, const char *over, size_t index, size_t v, int *status) {
  const rl_solver_spec *curve = run->solver;
  const size_t item = rl_study_item(study->definition.values, c->texts[v]);
  if (c->variation == RL_VARY_PARAMETER) {
    run->solver = rl_study_set_parameter(study, curve, over, c->texts[v], "values", item);
    *status = RL_EXIT_USAGE;
  }
  c->cells[index] = run->solver ? rl_study_add(study, run, status) : SIZE_MAX;
  run->solver = curve;
  const bool of_scenario = c->variation == RL_VARY_SEGMENTS || c->variation == RL_VARY_PATH;
  if (c->cells[index] == SIZE_MAX && of_scenario) {
    rl_study_print_note(&study->definition, "values", item, "of this value");
  }
  return c->cells[index] != SIZE_MAX &&
         (!compared || add_reference(study, c, compared, run, index, status));
}

// Checks that no step is longer than the run, which would shorten it.
static bool check_steps(const rl_study_definition *d, const rl_scenario *scenario) {
  const double duration = isnan(d->duration) ? scenario->duration : d->duration;
  const double rounding = 1.0 + 1e-9;
  for (size_t i = 0; i < d->values.count; i++) {
    if (strtod(d->values.words[i], NULL) > duration * rounding) {
      return rl_study_refuse(d, "values", i,
                             "a step of %s s in a run of %g s; expected one that is no longer",
                             d->values.words[i], duration);
    }
  }
  return true;
}

static int add_scenario(rl_study *study, rl_convergence *c, size_t s) {
  const rl_study_definition *d = &study->definition;
  const char *name = d->scenarios.words[s];
  int status = RL_EXIT_DONE;
  const rl_scenario *scenario = rl_study_scenario(study, name, (rl_changes){0}, &status);
  if (!scenario && status != RL_EXIT_UNSUPPORTED) {
    return status;
  }
  if (!resolve_all(study, c, s, scenario)) {
    return RL_EXIT_USAGE;
  }
  if (scenario && c->variation == RL_VARY_STEP && !check_steps(d, scenario)) {
    return RL_EXIT_USAGE;
  }
  const double every = scenario ? sampling(study, c, scenario) : NAN;
  const rl_scenario *compared = scenario && needs_reference(c, s) ? scenario : NULL;
  for (size_t i = 0; i < d->solver_count; i++) {
    for (size_t v = 0; v < c->value_count; v++) {
      rl_study_run run;
      const size_t index = (s * d->solver_count + i) * c->value_count + v;
      c->references[index] = SIZE_MAX;
      if (!describe_run(study, c, name, scenario, i, v, &run)) {
        return RL_EXIT_USAGE;
      }
      run.every = every;
      if (!add_run(study, c, compared, &run, rl_converge_over(d, i), index, v, &status)) {
        return status;
      }
    }
  }
  return RL_EXIT_DONE;
}

// Checks that solvers have an `over` of their own only where solver parameters are varied.
static bool check_overs(const rl_study_definition *d, const rl_convergence *c,
                        rl_study_fault *fault) {
  for (size_t i = 0; d->overs && c->variation != RL_VARY_PARAMETER && i < d->solver_count; i++) {
    if (d->overs[i]) {
      return rl_study_set_fault(
          fault, "solvers", i,
          "'over' of one solver: expected a parameter as what is varied of all, found '%.40s'",
          d->over);
    }
  }
  return true;
}

// Checks that a quantity is a measure, a column or, by its form, a probe.
static bool check_quantity(const rl_words quantities, size_t i, rl_study_fault *fault) {
  const char *names[RL_LIST_MAX] = {measure_names[EXACT], measure_names[SELF],
                                    measure_names[REFERENCE]};
  size_t count = 3;
  const char *text = quantities.words[i], *unused;
  const char *colon = strchr(text, ':');
  if (find_measure(text, &unused) >= 0 || is_column(text) || (!colon && strchr(text, '.'))) {
    return true;
  }
  for (size_t k = 1; !colon && rl_columns[k].name && count < RL_LIST_MAX; k++) {
    names[count++] = rl_columns[k].name;
  }
  char word[40], suggestion[300];
  snprintf(word, sizeof word, "%.*s", colon ? (int)(colon - text) : 39, text);
  rl_suggest(suggestion, sizeof suggestion, word, names, count);
  return rl_study_set_fault(fault, "quantity", i, "no quantity '%s'; %s", word, suggestion);
}

static bool check_quantities(const rl_study_definition *d, rl_study_fault *fault) {
  bool good = true;
  for (size_t i = 0; i < d->quantities.count && good; i++) {
    good = check_quantity(d->quantities, i, fault);
  }
  return good;
}

// Checks that nothing is given that has no effect.
static bool check_used(const rl_study_definition *d, const rl_convergence *c,
                       rl_study_fault *fault) {
  const char *probe;
  bool referred = false;
  for (size_t i = 0; i < d->quantities.count; i++) {
    referred = referred || find_measure(d->quantities.words[i], &probe) == REFERENCE;
  }
  if (c->variation == RL_VARY_STEP && !isnan(d->step)) {
    return rl_study_set_fault(fault, "step", 0, "has no effect: the steps are those of the values");
  }
  if (c->variation != RL_VARY_SEGMENTS && d->rope) {
    return rl_study_set_fault(fault, "rope", 0,
                              "has no effect: it is not segments that are varied");
  }
  const rl_study_reference *r = &d->reference;
  if (!referred && (r->solver || r->changes.count > 0 || !isnan(r->step))) {
    const bool step_alone = !d->source.path && !r->solver; // separate options on a command line
    return rl_study_set_fault(
        fault, step_alone ? "reference-step" : "reference", 0,
        "has no effect: no quantity is measured against it; expected 'reference' "
        "or 'reference:PROBE' among them");
  }
  return true;
}

static bool check(const rl_study_definition *d, rl_study_fault *fault) {
  rl_convergence c = {0};
  find_variation(d, &c);
  return rl_study_check_numbers("values", d->values, RL_NUMBER_POSITIVE, fault) &&
         rl_study_check_words("quantity", d->quantities, fault) && check_quantities(d, fault) &&
         check_used(d, &c, fault) && check_overs(d, &c, fault) &&
         (c.variation != RL_VARY_PARAMETER || check_parameter(d, fault));
}

static bool takes(const rl_study_definition *d, const rl_solver_type *type) {
  rl_convergence c = {0};
  find_variation(d, &c);
  return c.variation != RL_VARY_PARAMETER || rl_parameter_find(type, d->over) >= 0;
}

// Notes that values are too few for an order, before the runs take their time. What is measured by
// finer runs has no error of the finest.
static void note_few_values(const rl_convergence *c, size_t scenarios) {
  bool is_own = scenarios * c->quantity_count > 0;
  for (size_t i = 0; i < scenarios * c->quantity_count; i++) {
    is_own = is_own && c->quantities[i].measure == RL_AGAINST_SELF;
  }
  const size_t points = c->value_count - (is_own ? 1 : 0);
  if (points < c->rule.least) {
    fprintf(stderr,
            "ropelab: note: an order takes %zu points; %zu value%s give%s %zu, so there will "
            "be errors and no order\n",
            c->rule.least, c->value_count, c->value_count == 1 ? "" : "s",
            c->value_count == 1 ? "s" : "", points);
  }
}

static int plan(rl_study *study) {
  const rl_study_definition *d = &study->definition;
  rl_convergence *c = rl_study_allocate(study, 1, sizeof *c);
  if (!c) {
    return RL_EXIT_FAILED;
  }
  find_variation(d, c);
  if (!sort_values(study, c) || !add_probes(study)) {
    return RL_EXIT_FAILED;
  }
  const size_t runs = d->scenarios.count * d->solver_count * c->value_count;
  c->quantity_count = d->quantities.count > 0 ? d->quantities.count : 1;
  c->quantities =
      rl_study_allocate(study, d->scenarios.count * c->quantity_count, sizeof *c->quantities);
  c->cells = rl_study_allocate(study, runs, sizeof *c->cells);
  c->references = rl_study_allocate(study, runs, sizeof *c->references);
  if (!c->quantities || !c->cells || !c->references) {
    return RL_EXIT_FAILED;
  }
  study->plan = c;
  for (size_t s = 0; s < d->scenarios.count; s++) {
    const int status = add_scenario(study, c, s);
    if (status != RL_EXIT_DONE) {
      return status;
    }
  }
  note_few_values(c, d->scenarios.count);
  return RL_EXIT_DONE;
}

#define AT(member) offsetof(rl_study_definition, member)

static const rl_field fields[] = {
    {"over", RL_FIELD_TEXT, true, RL_ANY, NULL, AT(over), NULL, NULL},
    {"values", RL_FIELD_OTHER, true, RL_ANY, NULL, AT(values), NULL, rl_read_positives},
    {"axis", RL_FIELD_TEXT, false, RL_ANY, NULL, AT(axis), NULL, NULL},
    {"rope", RL_FIELD_TEXT, false, RL_ANY, NULL, AT(rope), NULL, NULL},
    {"quantity", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(quantities), NULL, rl_read_words},
    {"norm", RL_FIELD_CHOICE, false, RL_ANY, NULL, AT(norm), rl_norm_names, NULL},
    {"law", RL_FIELD_CHOICE, false, RL_ANY, NULL, AT(law), rl_law_names, NULL},
    {"reference", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(reference), NULL, rl_read_reference},
};

#undef AT

const rl_study_kind rl_study_converge = {
    .name = "converge",
    .summary = "error against step, iterations, segments or anything else, with fitted orders",
    .fields = fields,
    .field_count = sizeof fields / sizeof fields[0],
    .check = check,
    .takes = takes,
    .plan = plan,
    .gather = rl_converge_gather,
};
