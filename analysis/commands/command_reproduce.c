// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "reproduce/reproduction.h"
#include "results/listed_files.h"
#include "results/results_folder.h"
#include "runs/pool.h"
#include "runs/timing.h"
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

// ---------------------------------------------------------------------------------------------
// Experiments in their processes

static bool points_path(char path[RL_PATH_MAX], const char *folder, const rl_reproduction_task *t) {
  return snprintf(path, RL_PATH_MAX, "%s/curves/%s-%s.csv", folder, t->paper->name,
                  t->experiment->name) < RL_PATH_MAX;
}

static int run_task(void *context, size_t i) {
  const rl_reproduction *r = context;
  const rl_reproduction_task *t = &r->tasks[r->order[i]];
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
  *t->seconds = seconds; // last: marks the experiment as finished with all its files
  return RL_EXIT_DONE;
}

// Sorts the unfinished tasks by falling duration, so that the processors finish together.
static void sort_tasks(rl_reproduction *r) {
  for (size_t i = 0; i < r->count; i++) {
    if (rl_task_is_finished(&r->tasks[i])) {
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

// Creates the tasks of one paper (NULL: of all) with shared memory for their results. False: out of
// memory.
static bool make_tasks(rl_reproduction *r, const rl_paper *only) {
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
      r->tasks[r->count++] =
          (rl_reproduction_task){paper, experiment, numbers + 1, numbers, messages};
      for (size_t c = 0; c <= experiment->claim_count; c++) {
        *numbers++ = NAN;
      }
      messages += RL_TRIAL_MESSAGE;
    }
  }
  return true;
}

static void note_failure(const rl_reproduction_task *t, int status) {
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
  const rl_reproduction *r = context;
  if (status == -1 || !WIFEXITED(status) || WEXITSTATUS(status) != RL_EXIT_DONE) {
    note_failure(&r->tasks[r->order[i]], status);
  }
  (void)rl_reproduction_write_json(r); // kept for --resume; the last write is checked
}

// ---------------------------------------------------------------------------------------------
// Resuming

static bool is_there(const rl_reproduction *r, const char *name) {
  char path[RL_PATH_MAX];
  return rl_path_join(path, r->folder, name) && rl_file_exists(path);
}

static bool is_text(const json_t *object, const char *key, const char *text) {
  const char *there = json_string_value(json_object_get(object, key));
  return there && strcmp(there, text) == 0;
}

// Takes over the results of an experiment in reproduce.json if the same program made it. Returns
// false if the experiment is not among the tasks.
static bool take_experiment(const rl_reproduction *r, const json_t *there, bool same) {
  const json_t *claims = json_object_get(there, "claims");
  const json_t *seconds = json_object_get(there, "seconds");
  char path[RL_PATH_MAX];
  for (size_t k = 0; k < r->count; k++) {
    const rl_reproduction_task *t = &r->tasks[k];
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

// Takes over all finished experiments of reproduce.json. Returns false with a message if it has
// experiments that are not among the tasks, whose results would be lost.
static bool take_finished(const rl_reproduction *r) {
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

// Chooses, makes and locks the folder, and takes over finished experiments with --resume.
static bool claim(rl_reproduction *r, const rl_arguments *a, const rl_paper *only) {
  char path[RL_PATH_MAX];
  if (!rl_results_choose_folder(r->folder, a, "reproduce", only ? only->name : NULL)) {
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
  return rl_results_claim(r->folder, "reproduction", replace, a->resume) &&
         (!a->resume || take_finished(r));
}

// Enters the tables of curves in the list of files.
static bool list_curves(const rl_reproduction *r) {
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

// Prepares the folder: removes old results, lists the files to come and writes reproduce.json.
static bool begin(rl_reproduction *r, const rl_arguments *a) {
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
                    (is_there(r, RL_LIST_NAME) || list_curves(r)) &&
                    rl_reproduction_write_json(r) &&
                    rl_path_join(path, r->folder, "reproduce.csv") && rl_remove_file(path);
  if (!good) {
    fprintf(stderr, "ropelab: cannot write into %s: %s\n", r->folder, strerror(errno));
  }
  return good;
}

// ---------------------------------------------------------------------------------------------

static int reproduce(rl_reproduction *r, const rl_arguments *a) {
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
  if (!rl_reproduction_write_json(r) || !rl_reproduction_write_csv(r)) {
    fprintf(stderr, "ropelab: %s: cannot write: %s\n", r->folder, strerror(errno));
    return RL_EXIT_FAILED;
  }
  if (a->json) {
    json_t *json = rl_reproduction_json(r);
    json_dumpf(json, stdout, JSON_INDENT(2));
    json_decref(json);
    putchar('\n');
  } else {
    rl_reproduction_print(stdout, r);
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
  static rl_reproduction r;
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
