// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "csv.h"
#include "files.h"
#include "listed_files.h"
#include "pool.h"
#include "reproduce/reproduce.h"
#include "results_folder.h"
#include "timing.h"
#include "version.h"
#include "words.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const rl_usage rl_reproduce_usage = {
    .name = "reproduce",
    .positional = "[PAPER]",
    .doc = "Measures what a paper has published - or all of them (`ropelab list papers` marks "
           "them) - and prints each published number, ours, the difference and a verdict: matches "
           "(within the tolerance of the claim), same order (within a factor of 3.16), not "
           "reproduced, or figure only. Writes DIR/reproduce.csv, figures and DIR/report.html. "
           "What was stopped goes on with --resume."
           "\v"
           "Examples:\n"
           "  ropelab reproduce\n"
           "  ropelab reproduce --resume\n"
           "  ropelab reproduce small-steps --out out/small-steps\n"
           "  ropelab reproduce catto2014 --json",
    .options = "ojJfuF",
    .least = 0,
    .most = 1,
};

// One experiment of the run, and where its process leaves what it found: in memory that is shared
// with it.
typedef struct task {
  const rl_paper *paper;
  const rl_experiment *experiment;
  double *ours;    // [claim_count]
  double *seconds; // it took; nan: it is not finished, or failed
  char *message;   // [RL_TRIAL_MESSAGE] empty: it did not fail
} task;

typedef struct reproduction {
  char folder[RL_PATH_MAX];
  task *tasks; // in the order of the table
  size_t count;
  size_t *order; // of those that are to be made, longest first
  size_t left;   // how many these are
  char *shared;
  size_t shared_size;
} reproduction;

// ---------------------------------------------------------------------------------------------
// Experiments in their processes

static bool is_finished(const task *t) { return !isnan(*t->seconds); }

static bool points_path(char path[RL_PATH_MAX], const char *folder, const task *t) {
  return snprintf(path, RL_PATH_MAX, "%s/curves/%s-%s.csv", folder, t->paper->name,
                  t->experiment->name) < RL_PATH_MAX;
}

static int run_task(void *context, size_t i) {
  const reproduction *r = context;
  const task *t = &r->tasks[r->order[i]];
  rl_trial trial = {.ours = t->ours, .message = t->message};
  static rl_new_file points;
  char path[RL_PATH_MAX];
  if (t->experiment->plot) {
    if (!points_path(path, r->folder, t) || !rl_new_file_open(&points, path)) {
      rl_trial_fail(&trial, "cannot write its curves: %s", strerror(errno));
    }
    trial.points = &points;
    fputs("curve,x,y\n", points.out);
  }
  const double begun = rl_seconds_now();
  t->experiment->run(&trial);
  const double seconds = rl_seconds_now() - begun;
  if (trial.points && !rl_new_file_close(trial.points)) {
    trial.points = NULL;
    rl_trial_fail(&trial, "cannot write its curves: %s", strerror(errno));
  }
  *t->seconds = seconds; // last: it is finished, with all its files
  return RL_EXIT_DONE;
}

// Longest first, so that the processors are done at about the same time.
static void sort_tasks(reproduction *r) {
  for (size_t i = 0; i < r->count; i++) {
    if (is_finished(&r->tasks[i])) {
      continue;
    }
    size_t at = r->left++;
    for (;
         at > 0 && r->tasks[r->order[at - 1]].experiment->seconds < r->tasks[i].experiment->seconds;
         at--) {
      r->order[at] = r->order[at - 1];
    }
    r->order[at] = i;
  }
}

// The tasks of one paper (NULL: of all), with room for what they find. False: out of memory.
static bool make_tasks(reproduction *r, const rl_paper *only) {
  size_t claims = 0;
  for (size_t p = 0; rl_papers[p]; p++) {
    for (size_t e = 0; e < rl_papers[p]->experiment_count; e++) {
      claims += rl_papers[p]->experiments[e].claim_count;
      r->count++;
    }
  }
  r->tasks = calloc(r->count, sizeof *r->tasks);
  r->order = calloc(r->count, sizeof *r->order);
  r->shared_size = (claims + r->count) * sizeof(double) + r->count * RL_TRIAL_MESSAGE;
  r->shared = rl_shared_create(r->shared_size, 1);
  if (!r->tasks || !r->order || !r->shared) {
    return false;
  }
  double *numbers = (double *)(void *)r->shared;
  char *messages = r->shared + (claims + r->count) * sizeof(double);
  r->count = 0;
  for (size_t p = 0; rl_papers[p]; p++) {
    const rl_paper *paper = rl_papers[p];
    for (size_t e = 0; (!only || paper == only) && e < paper->experiment_count; e++) {
      const rl_experiment *experiment = &paper->experiments[e];
      r->tasks[r->count++] = (task){paper, experiment, numbers + 1, numbers, messages};
      for (size_t c = 0; c <= experiment->claim_count; c++) {
        *numbers++ = NAN;
      }
      messages += RL_TRIAL_MESSAGE;
    }
  }
  return true;
}

// ---------------------------------------------------------------------------------------------
// What came out

static const char *relation_sign(const rl_claim *claim) {
  static const char *const signs[] = {"", "<= ", ">= ", ""};
  return signs[claim->relation];
}

// Ours less the published number, relative to it; where that is 0, as it is.
static double difference(const rl_claim *claim, double ours) {
  const double scale = claim->published != 0.0 ? claim->published : 1.0;
  return claim->relation == RL_DRAWN ? NAN : (ours - claim->published) / scale;
}

// A number as a table shows it: whole ones whole, others with enough digits to see the difference.
static void show_number(char *text, size_t size, double value, int digits) {
  if (isnan(value)) {
    snprintf(text, size, "-");
  } else if (value == floor(value) && fabs(value) < 1e6) {
    snprintf(text, size, "%.0f", value);
  } else {
    snprintf(text, size, "%.*g", digits, value);
  }
}

static void show_difference(char *text, size_t size, const rl_claim *claim, double ours) {
  const double d = difference(claim, ours);
  const double least = 5e-8; // below that it is in digits that are not printed
  if (isnan(d) || claim->relation == RL_AT_LEAST || claim->relation == RL_AT_MOST) {
    snprintf(text, size, "-");
  } else if (fabs(d) < least) {
    snprintf(text, size, "0");
  } else if (claim->published == 0.0) {
    snprintf(text, size, "%+.1e", d);
  } else {
    snprintf(text, size, "%+.2g %%", 100.0 * d);
  }
}

// What stopped the experiment; empty: nothing did.
static const char *message_of(const task *t) {
  return *t->message || is_finished(t) ? t->message : "not finished";
}

// Why it is so: what stopped the experiment, or the remark of the claim.
static const char *reason_of(const task *t, size_t claim) {
  const char *remark = t->experiment->claims[claim].remark, *message = message_of(t);
  return isnan(t->ours[claim]) && *message ? message : remark ? remark : "";
}

static void print_row(FILE *out, const task *t, size_t i, const char *previous) {
  enum { DIGITS = 7 };
  const rl_claim *claim = &t->experiment->claims[i];
  const bool is_curve = claim->relation == RL_DRAWN, is_known = !isnan(t->ours[i]);
  char published[64] = "curve", ours[64], off[64];
  if (!is_curve) {
    show_number(published, sizeof published, claim->published, DIGITS);
  }
  show_number(ours, sizeof ours, t->ours[i], DIGITS);
  show_difference(off, sizeof off, claim, t->ours[i]);
  const char *unit = strcmp(claim->unit, "1") == 0 ? "" : claim->unit;
  const rl_verdict verdict = rl_claim_verdict(claim, t->ours[i]);
  const char *reason = verdict == RL_MATCHES ? "" : reason_of(t, i);
  fprintf(out, "| %s | %s | %s, %s | %s%s%s%s | %s%s%s | %s | %s%s%s%s |\n",
          strcmp(previous, t->paper->name) == 0 ? "" : t->paper->name, claim->quantity,
          claim->where, rl_evidence_name(claim->evidence), relation_sign(claim), published,
          *unit && !is_curve ? " " : "", is_curve ? "" : unit, ours, *unit && is_known ? " " : "",
          is_known ? unit : "", off, rl_verdict_name(verdict),
          claim->depends_on_machine ? " (depends on the machine)" : "", *reason ? ": " : "",
          reason);
}

static void print_table(FILE *out, const reproduction *r) {
  fputs("| paper | quantity | where | published | ours | difference | verdict |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n",
        out);
  const char *previous = "";
  for (size_t k = 0; k < r->count; k++) {
    for (size_t i = 0; i < r->tasks[k].experiment->claim_count; i++) {
      print_row(out, &r->tasks[k], i, previous);
      previous = r->tasks[k].paper->name;
    }
  }
}

static json_t *number_or_null(double value) {
  return isnan(value) ? json_null() : json_real(value);
}

static json_t *claim_json(const task *t, size_t i) {
  static const char *const relations[] = {"equals", "at most", "at least", "drawn"};
  const rl_claim *c = &t->experiment->claims[i];
  const double ours = t->ours[i];
  return json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:f, s:s, s:s, s:s, s:s, s:b}",     //
                   "paper", t->paper->name, "experiment", t->experiment->name,                   //
                   "quantity", c->quantity, "relation", relations[c->relation],                  //
                   "published", number_or_null(c->relation == RL_DRAWN ? NAN : c->published),    //
                   "unit", c->unit, "ours", number_or_null(ours),                                //
                   "difference", number_or_null(difference(c, ours)), "tolerance", c->tolerance, //
                   "verdict", rl_verdict_name(rl_claim_verdict(c, ours)), "where", c->where,     //
                   "evidence", rl_evidence_name(c->evidence), "remark", reason_of(t, i),         //
                   "depends_on_machine", c->depends_on_machine ? 1 : 0);
}

static json_t *plot_json(const task *t) {
  const rl_plot *p = t->experiment->plot;
  return p ? json_pack("{s:s, s:s, s:s, s:b, s:b, s:s}", "title", p->title, "x", p->x, "y", p->y,
                       "log_x", p->log_x ? 1 : 0, "log_y", p->log_y ? 1 : 0, "caption", p->caption)
           : json_null();
}

static json_t *experiment_json(const task *t) {
  json_t *claims = json_array();
  for (size_t i = 0; i < t->experiment->claim_count; i++) {
    json_array_append_new(claims, claim_json(t, i));
  }
  return json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:o}", "paper", t->paper->name, "citation",
                   t->paper->citation, "note", t->paper->note, "name", t->experiment->name,
                   "seconds", number_or_null(*t->seconds), "message", message_of(t), "plot",
                   plot_json(t), "claims", claims);
}

static json_t *to_json(const reproduction *r) {
  json_t *list = json_array();
  for (size_t k = 0; k < r->count; k++) {
    json_array_append_new(list, experiment_json(&r->tasks[k]));
  }
  return json_pack("{s:i, s:s, s:s, s:s, s:s, s:o}", "format", 1, "version", ROPELAB_VERSION,
                   "commit", ROPELAB_COMMIT, "compiler", ROPELAB_COMPILER, "flags", ROPELAB_FLAGS,
                   "experiments", list);
}

static void write_claim(FILE *out, const task *t, size_t i) {
  static const char *const texts[] = {"paper",   "experiment", "quantity", "relation", "unit",
                                      "verdict", "where",      "evidence", "remark"};
  static const char *const numbers[] = {"published", "ours", "difference", "tolerance"};
  json_t *claim = claim_json(t, i);
  for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
    const char *text = json_string_value(json_object_get(claim, texts[k]));
    fputs(k > 0 ? "," : "", out);
    rl_csv_text(out, text ? text : "");
  }
  for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
    const json_t *number = json_object_get(claim, numbers[k]);
    rl_csv_number(out, json_is_real(number) ? json_number_value(number) : NAN);
  }
  fprintf(out, ",%d\n", t->experiment->claims[i].depends_on_machine ? 1 : 0);
  json_decref(claim);
}

static bool write_csv(const reproduction *r) {
  char path[RL_PATH_MAX];
  rl_new_file file;
  if (!rl_path_join(path, r->folder, "reproduce.csv") || !rl_new_file_open(&file, path)) {
    return false;
  }
  fputs("# ropelab reproduce, format 1: one row a claim; difference relative to the published "
        "number, or as it is where that is 0\n"
        "paper,experiment,quantity,relation,unit,verdict,where,evidence,remark,published,ours,"
        "difference,tolerance,depends_on_machine\n",
        file.out);
  for (size_t k = 0; k < r->count; k++) {
    for (size_t i = 0; i < r->tasks[k].experiment->claim_count; i++) {
      write_claim(file.out, &r->tasks[k], i);
    }
  }
  return rl_new_file_close(&file);
}

static bool write_json(const reproduction *r) {
  char path[RL_PATH_MAX];
  rl_new_file file;
  if (!rl_path_join(path, r->folder, "reproduce.json") || !rl_new_file_open(&file, path)) {
    return false;
  }
  json_t *json = to_json(r);
  const bool good =
      json && json_dumpf(json, file.out, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) == 0;
  json_decref(json);
  if (!good) {
    rl_new_file_drop(&file);
    return false;
  }
  return rl_new_file_close(&file);
}

static void note_failure(const task *t, int status) {
  if (!*t->message && status != -1 && WIFSIGNALED(status)) {
    snprintf(t->message, RL_TRIAL_MESSAGE, "ended by signal %d", WTERMSIG(status));
  } else if (!*t->message) {
    snprintf(t->message, RL_TRIAL_MESSAGE, "could not be run");
  }
  if (!rl_run_interrupted()) {
    fprintf(stderr, "ropelab: %s, %s: %s\n", t->paper->name, t->experiment->name, t->message);
  }
}

static void end_task(void *context, size_t i, int status) {
  const reproduction *r = context;
  if (status == -1 || !WIFEXITED(status) || WEXITSTATUS(status) != RL_EXIT_DONE) {
    note_failure(&r->tasks[r->order[i]], status);
  }
  (void)write_json(r); // for --resume; at the end it has to be written
}

// ---------------------------------------------------------------------------------------------
// What was stopped

static bool is_there(const reproduction *r, const char *name) {
  char path[RL_PATH_MAX];
  return rl_path_join(path, r->folder, name) && rl_file_exists(path);
}

static bool is_text(const json_t *object, const char *key, const char *text) {
  const char *there = json_string_value(json_object_get(object, key));
  return there && strcmp(there, text) == 0;
}

// Takes over what is in reproduce.json as finished, if `same` program made it. False: it is of an
// experiment that is not asked for.
static bool take_experiment(const reproduction *r, const json_t *there, bool same) {
  const json_t *claims = json_object_get(there, "claims");
  const json_t *seconds = json_object_get(there, "seconds");
  char path[RL_PATH_MAX];
  for (size_t k = 0; k < r->count; k++) {
    const task *t = &r->tasks[k];
    if (!is_text(there, "paper", t->paper->name) || !is_text(there, "name", t->experiment->name)) {
      continue;
    }
    const bool has_curves =
        !t->experiment->plot || (points_path(path, r->folder, t) && rl_file_exists(path));
    if (same && json_is_number(seconds) && has_curves &&
        json_array_size(claims) == t->experiment->claim_count) {
      *t->seconds = json_number_value(seconds);
      for (size_t i = 0; i < t->experiment->claim_count; i++) {
        const json_t *ours = json_object_get(json_array_get(claims, i), "ours");
        t->ours[i] = json_is_number(ours) ? json_number_value(ours) : NAN;
      }
    }
    return true;
  }
  return false;
}

// False with a message where the folder has experiments that are not asked for: these would be
// lost.
static bool take_finished(const reproduction *r) {
  char path[RL_PATH_MAX];
  if (!is_there(r, "reproduce.json")) {
    return true;
  }
  json_t *there =
      rl_path_join(path, r->folder, "reproduce.json") ? json_load_file(path, 0, NULL) : NULL;
  const json_t *experiments = json_object_get(there, "experiments");
  const bool same =
      is_text(there, "version", ROPELAB_VERSION) && is_text(there, "commit", ROPELAB_COMMIT) &&
      is_text(there, "compiler", ROPELAB_COMPILER) && is_text(there, "flags", ROPELAB_FLAGS);
  bool good = json_is_array(experiments);
  for (size_t i = 0; good && i < json_array_size(experiments); i++) {
    good = take_experiment(r, json_array_get(experiments, i), same);
  }
  if (!good) {
    fprintf(stderr,
            "ropelab: %s is of other papers; expected the command that was stopped, or --force\n",
            path);
  } else if (!same) {
    fprintf(stderr, "ropelab: note: %s is of another ropelab; all of it is made again\n", path);
  }
  json_decref(there);
  return good;
}

// Takes the folder.
static bool claim(reproduction *r, const rl_arguments *a, const rl_paper *only) {
  char path[RL_PATH_MAX];
  if (!rl_choose_folder(r->folder, a, "reproduce", only ? only->name : NULL)) {
    return false;
  }
  const bool begun = is_there(r, "reproduce.json");
  const bool replace = a->force || (a->resume && begun);
  if (begun && !replace && !is_there(r, "reproduce.csv")) {
    fprintf(stderr,
            "ropelab: %s holds a reproduction that was stopped; --resume goes on with it, "
            "--force makes all of it again\n",
            r->folder);
    return false;
  }
  for (size_t k = 0; k < r->count && !replace; k++) {
    if (r->tasks[k].experiment->plot && points_path(path, r->folder, &r->tasks[k]) &&
        rl_file_exists(path)) {
      fprintf(stderr, "ropelab: %s is there already; --force replaces it\n", path);
      return false;
    }
  }
  return rl_claim_named(r->folder, "reproduction", replace, a->resume) &&
         (!a->resume || take_finished(r));
}

// Enters the curves in the list of files.
static bool list_curves(const reproduction *r) {
  char path[RL_PATH_MAX], **names = calloc(r->count + 1, sizeof *names);
  size_t count = 0;
  bool good = names != NULL;
  for (size_t k = 0; good && k < r->count; k++) {
    if (r->tasks[k].experiment->plot) {
      good = points_path(path, r->folder, &r->tasks[k]) &&
             (names[count] = strdup(path + strlen(r->folder) + 1)) != NULL;
      count += good ? 1 : 0;
    }
  }
  good = good && rl_listed_begin(r->folder, names, count);
  for (size_t i = 0; i < count; i++) {
    free(names[i]);
  }
  free(names);
  return good;
}

// Says in the folder what is to be made, before anything is.
static bool begin(reproduction *r, const rl_arguments *a) {
  char path[RL_PATH_MAX];
  if (!a->resume && !rl_results_clear(r->folder, a->force, NULL, 0)) {
    return false;
  }
  sort_tasks(r);
  if (r->left < r->count) {
    fprintf(stderr, "ropelab: note: %zu of %zu experiments were finished before and stay\n",
            r->count - r->left, r->count);
  }
  const bool good = rl_path_join(path, r->folder, "curves") && rl_make_folders(path) &&
                    (is_there(r, RL_LIST_NAME) || list_curves(r)) && write_json(r) &&
                    rl_path_join(path, r->folder, "reproduce.csv") && rl_remove_file(path);
  if (!good) {
    fprintf(stderr, "ropelab: cannot write into %s: %s\n", r->folder, strerror(errno));
  }
  return good;
}

// ---------------------------------------------------------------------------------------------

static int reproduce(reproduction *r, const rl_arguments *a) {
  const rl_pool pool = {.count = r->left,
                        .jobs = a->jobs,
                        .noun = "experiments",
                        .context = r,
                        .work = run_task,
                        .ended = end_task};
  if (!rl_pool_run(&pool)) {
    fprintf(stderr, "ropelab: out of memory\n");
    return RL_EXIT_FAILED;
  }
  if (rl_run_interrupted()) {
    return RL_EXIT_INTERRUPTED;
  }
  if (!write_json(r) || !write_csv(r)) {
    fprintf(stderr, "ropelab: %s: cannot write: %s\n", r->folder, strerror(errno));
    return RL_EXIT_FAILED;
  }
  if (a->json) {
    json_t *json = to_json(r);
    json_dumpf(json, stdout, JSON_INDENT(2));
    json_decref(json);
    putchar('\n');
  } else {
    print_table(stdout, r);
  }
  fflush(stdout);
  return rl_report(r->folder, a->jobs, a->figures);
}

static const rl_paper *find_paper(const char *name) {
  const rl_paper *paper = rl_paper_find(name);
  if (!paper) {
    const char *names[RL_LIST_MAX];
    size_t count = 0;
    for (; rl_papers[count]; count++) {
      names[count] = rl_papers[count]->name;
    }
    char hint[512];
    rl_suggest(hint, sizeof hint, name, names, count);
    fprintf(stderr, "ropelab reproduce: no paper '%s'; %s\n", name, hint);
  }
  return paper;
}

int rl_command_reproduce(int argc, char **argv) {
  static rl_arguments arguments;
  static reproduction r;
  int status = RL_EXIT_FAILED;
  if (!rl_arguments_parse(&rl_reproduce_usage, argc, argv, &arguments, &status)) {
    return status;
  }
  const rl_paper *only = NULL;
  if (arguments.positional_count > 0 && !(only = find_paper(arguments.positional[0]))) {
    return RL_EXIT_USAGE;
  }
  status = RL_EXIT_FAILED;
  if (!make_tasks(&r, only)) {
    fprintf(stderr, "ropelab: out of memory\n");
  } else if (!claim(&r, &arguments, only)) {
    status = rl_run_interrupted() ? RL_EXIT_INTERRUPTED : RL_EXIT_USAGE;
  } else if (begin(&r, &arguments)) {
    status = reproduce(&r, &arguments);
  }
  free(r.tasks);
  free(r.order);
  rl_shared_free(r.shared, r.shared_size, 1);
  return status;
}
