// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "experiments/study_file.h"
#include "options.h"
#include "reproduce/reproduce.h"
#include "results/files.h"
#include "results/manifest.h"
#include "runs/divergence.h"
#include "words.h"
#include "world/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const rl_usage rl_list_usage = {
    .name = "list",
    .positional = "[solvers|scenarios|studies|metrics|exact|papers]",
    .doc = "Lists what there is: solvers with their parameters, shipped scenarios and studies, the "
           "columns of "
           "series.csv, closed forms, papers."
           "\v"
           "Examples:\n"
           "  ropelab list solvers\n"
           "  ropelab list scenarios --json\n"
           "  ropelab list --coverage",
    .options = "Jc",
    .least = 0,
    .most = 1,
};

// Each list is built as JSON, and the text is printed from that.

static json_t *list_parameters(const rl_solver_type *type) {
  json_t *list = json_array();
  for (size_t i = 0; i < type->parameter_count; i++) {
    static const char *const kinds[] = {"real", "integer", "boolean", "choice"};
    const rl_parameter *p = &type->parameters[i];
    char initial[64];
    rl_parameter_format(p, p->initial, initial, sizeof initial);
    char range[128];
    rl_parameter_range(p, range, sizeof range);
    json_t *entry =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "name", p->name, "kind", kinds[p->kind], "unit",
                  p->unit, "default", initial, "range", range, "help", p->help);
    if (p->kind == RL_CHOICE) {
      json_object_set_new(entry, "choices", json_string(p->choices));
    } else if (p->kind != RL_BOOLEAN) {
      json_object_set_new(entry, "min", json_real(p->lower));
      json_object_set_new(entry, "max", json_real(p->upper));
    }
    json_array_append_new(list, entry);
  }
  return list;
}

static json_t *list_solvers(void) {
  json_t *list = json_array();
  for (size_t i = 0; rl_solvers[i]; i++) {
    const rl_solver_type *type = rl_solvers[i];
    json_t *capabilities = json_array();
    for (uint32_t bit = 1; bit != 0; bit <<= 1) {
      if (type->capabilities & bit) {
        json_array_append_new(capabilities, json_string(rl_capability_name(bit)));
      }
    }
    json_t *departures = json_array();
    for (size_t k = 0; k < type->departure_count; k++) {
      json_array_append_new(departures, json_string(type->departures[k].text));
    }
    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "name", type->name,
                                    "family", type->family, "summary", type->summary, "citation",
                                    type->citation, "capabilities", capabilities, "departures",
                                    departures, "parameters", list_parameters(type)));
  }
  return list;
}

static json_t *list_scenarios(void) {
  json_t *list = json_array();
  size_t count = 0;
  char **names = rl_shipped_names(&rl_shipped_scenarios, &count);
  static const rl_arguments none;
  for (size_t i = 0; i < count; i++) {
    int status = 0;
    rl_diagnostic diagnostic;
    rl_scenario *scenario = rl_load_scenario(names[i], &none, &diagnostic, &status);
    if (!scenario) {
      continue;
    }
    json_t *solvers = json_object(), *diverging = json_object();
    for (size_t k = 0; rl_solvers[k]; k++) {
      const uint32_t missing = rl_driver_missing(scenario->model, rl_solvers[k]);
      const rl_divergence *known = rl_divergence_of(names[i], rl_solvers[k]->name);
      if (known) {
        json_object_set_new(diverging, rl_solvers[k]->name, json_string(known->why));
      }
      json_object_set_new(solvers, rl_solvers[k]->name,
                          json_string(missing ? rl_capability_name(missing & -missing) : ""));
    }
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o, s:o}", "name", names[i], "title",
                                          scenario->title, "about", scenario->about, "missing",
                                          solvers, "diverges", diverging));
    rl_scenario_free(scenario);
  }
  rl_names_free(names, count);
  return list;
}

static json_t *list_studies(void) {
  json_t *list = json_array();
  size_t count = 0;
  char **names = rl_shipped_names(&rl_shipped_studies, &count);
  for (size_t i = 0; i < count; i++) {
    char path[RL_PATH_MAX], message[RL_PATH_MAX + 640];
    rl_study_definition d;
    rl_diagnostic diagnostic;
    rl_arena *memory = rl_shipped_find(&rl_shipped_studies, names[i], path, message, sizeof message)
                           ? rl_study_read(path, &d, &diagnostic)
                           : NULL;
    if (memory) {
      json_array_append_new(list,
                            json_pack("{s:s, s:s, s:s, s:s}", "name", names[i], "title", d.title,
                                      "about", d.about, "kind", rl_study_kinds[d.kind]->name));
    } else {
      rl_diagnostic_print(stderr, path, &diagnostic);
    }
    rl_arena_free(memory);
  }
  rl_names_free(names, count);
  return list;
}

static json_t *list_metrics(void) {
  json_t *list = json_array();
  for (size_t i = 0; rl_columns[i].name; i++) {
    json_array_append_new(
        list, json_pack("{s:s, s:s}", "name", rl_columns[i].name, "summary", rl_columns[i].help));
  }
  return list;
}

static json_t *list_exact(void) {
  json_t *list = json_array();
  for (size_t i = 0; rl_exact_types[i]; i++) {
    const rl_exact_type *type = rl_exact_types[i];
    json_t *arguments = json_object();
    for (size_t k = 0; k < type->argument_count; k++) {
      json_object_set_new(arguments, type->arguments[k].name, json_string(type->arguments[k].help));
    }
    const char *kept = type->invariant ? type->invariant_help : "";
    json_t *entry = json_pack("{s:s, s:s, s:o, s:s}", "name", type->name, "summary", type->summary,
                              "arguments", arguments, "invariant", kept);
    json_array_append_new(list, entry);
  }
  return list;
}

// Extracts the text of a field ("title = {...}") that a BibTeX entry has on one line.
static bool bib_field(const char *line, const char *field, char *out, size_t size) {
  const char *at = line + strspn(line, " \t");
  if (strncmp(at, field, strlen(field)) != 0) {
    return false;
  }
  const char *open = strchr(at, '{');
  const char *close = strrchr(line, '}');
  if (!open || !close || close < open) {
    return false;
  }
  snprintf(out, size, "%.*s", (int)(close - open - 1), open + 1);
  return true;
}

// Adds the name of a paper for `ropelab reproduce` and the quantities measured for it.
static void add_reproduction(json_t *entry, const char *key) {
  const rl_paper *paper = rl_paper_find(key);
  if (!paper) {
    return;
  }
  json_t *claims = json_array();
  for (size_t e = 0; e < paper->experiment_count; e++) {
    const rl_experiment *experiment = &paper->experiments[e];
    for (size_t i = 0; i < experiment->claim_count; i++) {
      json_array_append_new(claims, json_string(experiment->claims[i].quantity));
    }
  }
  json_object_set_new(entry, "reproduce", json_string(paper->name));
  json_object_set_new(entry, "note", json_string(paper->note));
  json_object_set_new(entry, "claims", claims);
}

static json_t *list_papers(void) {
  json_t *list = json_array();
  char path[RL_PATH_MAX];
  FILE *file = rl_data_path(path, "papers/rope.bib") ? fopen(path, "r") : NULL;
  char line[1024];
  char key[128] = "";
  char title[512] = "";
  while (file && fgets(line, sizeof line, file)) {
    const char *brace = strchr(line, '{');
    if (line[0] == '@' && brace) {
      snprintf(key, sizeof key, "%.*s", (int)strcspn(brace + 1, ",\n"), brace + 1);
    } else if (bib_field(line, "title", title, sizeof title)) {
      json_t *entry = json_pack("{s:s, s:s}", "name", key, "summary", title);
      add_reproduction(entry, key);
      json_array_append_new(list, entry);
    }
  }
  if (file) {
    fclose(file);
  }
  return list;
}

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static void print_plain(const json_t *list, const char *key) {
  size_t i, width = 0;
  json_t *entry;
  json_array_foreach(list, i, entry) {
    const size_t length = strlen(text_of(entry, "name"));
    width = length > width ? length : width;
  }
  json_array_foreach(list, i, entry) {
    printf("  %-*s %s\n", (int)width, text_of(entry, "name"), text_of(entry, key));
  }
}

static void print_solvers(const json_t *list) {
  size_t i;
  json_t *entry;
  json_array_foreach(list, i, entry) {
    printf("  %s (%s, %s)\n      %s\n", text_of(entry, "name"), text_of(entry, "family"),
           text_of(entry, "citation"), text_of(entry, "summary"));
    size_t k;
    json_t *departure;
    json_array_foreach(json_object_get(entry, "departures"), k, departure) {
      printf("      departs: %s\n", json_string_value(departure));
    }
    json_t *p;
    json_array_foreach(json_object_get(entry, "parameters"), k, p) {
      printf("      %-17s = %-9s %s\n          %s\n", text_of(p, "name"), text_of(p, "default"),
             text_of(p, "range"), text_of(p, "help"));
    }
  }
}

static void print_exact(const json_t *list) {
  size_t i;
  json_t *entry;
  json_array_foreach(list, i, entry) {
    printf("  %-20s %s\n", text_of(entry, "name"), text_of(entry, "summary"));
    const char *name;
    json_t *help;
    json_object_foreach(json_object_get(entry, "arguments"), name, help) {
      printf("  %-20s   %s: %s\n", "", name, json_string_value(help));
    }
    if (*text_of(entry, "invariant")) {
      printf("  %-20s   keeps: %s\n", "", text_of(entry, "invariant"));
    }
  }
}

static void print_titles(const json_t *list) { print_plain(list, "title"); }
static void print_summaries(const json_t *list) { print_plain(list, "summary"); }

static void print_papers(const json_t *list) {
  size_t i;
  json_t *entry;
  json_array_foreach(list, i, entry) {
    printf("  %-20s %s\n", text_of(entry, "name"), text_of(entry, "summary"));
    if (*text_of(entry, "reproduce")) {
      printf("  %-20s   ropelab reproduce %s\n", "", text_of(entry, "reproduce"));
    }
  }
}

// ---------------------------------------------------------------------------------------------
// The table scenario x solver, as Markdown

// Returns the number of a reason in the list of those so far, counted from 1; adds a new one.
static size_t number_of(json_t *reasons, const char *reason) {
  size_t i;
  json_t *known;
  json_array_foreach(reasons, i, known) {
    if (strcmp(json_string_value(known), reason) == 0) {
      return i + 1;
    }
  }
  json_array_append_new(reasons, json_string(reason));
  return json_array_size(reasons);
}

static void print_reasons(const char *heading, const json_t *reasons) {
  size_t i;
  json_t *entry;
  printf("\n%s\n\n", heading);
  json_array_foreach(reasons, i, entry) { printf("%zu. %s\n", i + 1, json_string_value(entry)); }
}

// Prints the table; reasons are numbered and listed below it.
static void print_coverage(const json_t *scenarios) {
  json_t *lacks = json_array(), *limits = json_array();
  printf("| scenario |");
  for (size_t k = 0; rl_solvers[k]; k++) {
    printf(" %s |", rl_solvers[k]->name);
  }
  printf("\n| --- |");
  for (size_t k = 0; rl_solvers[k]; k++) {
    printf(" --- |");
  }
  size_t i;
  json_t *entry;
  json_array_foreach(scenarios, i, entry) {
    printf("\n| %s |", text_of(entry, "name"));
    for (size_t k = 0; rl_solvers[k]; k++) {
      const char *missing = text_of(json_object_get(entry, "missing"), rl_solvers[k]->name);
      const char *why = text_of(json_object_get(entry, "diverges"), rl_solvers[k]->name);
      if (*missing) {
        printf(" no (%zu) |", number_of(lacks, missing));
      } else if (*why) {
        const rl_divergence *known = rl_divergence_of(text_of(entry, "name"), rl_solvers[k]->name);
        printf(" diverges (%zu)", number_of(limits, why));
        if (known && known->rate > 0.0) {
          printf(", not at 1/%g s", known->rate);
        }
        printf(" |");
      } else {
        printf(" yes |");
      }
    }
  }
  putchar('\n');
  print_reasons("A solver that says no cannot do:", lacks);
  print_reasons("A solver that diverges can do what is asked, but blows up with the step of the "
                "scenario and its own parameters (at the step that is named it does not):",
                limits);
  json_decref(lacks);
  json_decref(limits);
}

static const struct {
  const char *name;
  const char *heading;
  json_t *(*make)(void);
  void (*print)(const json_t *list);
} lists[] = {
    {"solvers", "Solvers", list_solvers, print_solvers},
    {"scenarios", "Scenarios", list_scenarios, print_titles},
    {"studies", "Studies", list_studies, print_titles},
    {"metrics", "Columns of series.csv", list_metrics, print_summaries},
    {"exact", "Closed forms", list_exact, print_exact},
    {"papers", "Papers (papers/rope.bib)", list_papers, print_papers},
};

enum { LISTS = sizeof lists / sizeof lists[0] };

static bool print_json(json_t *json) {
  const bool printed = json && json_dumpf(json, stdout, JSON_INDENT(2)) == 0;
  putchar('\n');
  json_decref(json);
  return printed;
}

int rl_command_list(int argc, char **argv) {
  static rl_arguments arguments;
  int status = RL_EXIT_FAILED;
  if (!rl_arguments_parse(&rl_list_usage, argc, argv, &arguments, &status)) {
    return status;
  }
  const char *which = arguments.positional_count > 0 ? arguments.positional[0] : NULL;
  if (arguments.coverage) {
    json_t *scenarios = list_scenarios();
    if (arguments.json) {
      return print_json(scenarios) ? RL_EXIT_DONE : RL_EXIT_FAILED;
    }
    print_coverage(scenarios);
    json_decref(scenarios);
    return RL_EXIT_DONE;
  }
  json_t *all = json_object();
  const char *names[LISTS];
  bool found = false;
  for (size_t i = 0; i < LISTS; i++) {
    names[i] = lists[i].name;
    if (which && strcmp(which, lists[i].name) != 0) {
      continue;
    }
    found = true;
    json_t *list = lists[i].make();
    if (!arguments.json) {
      printf("%s%s:\n", i > 0 && !which ? "\n" : "", lists[i].heading);
      lists[i].print(list);
    }
    json_object_set_new(all, lists[i].name, list);
  }
  if (!found) {
    char hint[256];
    rl_suggest(hint, sizeof hint, which, names, LISTS);
    fprintf(stderr, "ropelab list: nothing called '%s'; %s\n", which, hint);
    status = RL_EXIT_USAGE;
  } else if (arguments.json) {
    json_t *shown = which ? json_incref(json_object_get(all, which)) : json_incref(all);
    status = print_json(shown) ? RL_EXIT_DONE : RL_EXIT_FAILED;
  }
  json_decref(all);
  return status;
}
