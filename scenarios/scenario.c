// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a scenario from text to model: the order of its parts, and the top level of the file.
#include "fields.h"

#include <stdlib.h>
#include <string.h>

#include "available_memory.h"
#include "override.h"
#include "text_file.h"
#include "yaml_tree.h"

// The top level of the file; values that need the names of bodies and ropes are read last.
typedef struct top_level {
  const char *name, *title, *about;
  double duration, step;
  rl_vec3 gravity;
  const rl_tree *bodies, *ropes, *events, *probes, *exact;
} top_level;

static bool keep(rl_reader *reader, const rl_tree *node, void *target) {
  const rl_tree **place = target;
  (void)reader;
  *place = node;
  return true;
}

#define AT(member) offsetof(top_level, member)

static const rl_field top_fields[] = {
    {"name", RL_FIELD_OTHER, true, RL_ANY, NULL, AT(name), NULL, rl_read_folder_name},
    {"title", RL_FIELD_TEXT, false, RL_ANY, NULL, AT(title), NULL, NULL},
    {"about", RL_FIELD_TEXT, false, RL_ANY, NULL, AT(about), NULL, NULL},
    {"gravity", RL_FIELD_VECTOR, false, RL_ANY, "m/s^2", AT(gravity), NULL, NULL},
    {"duration", RL_FIELD_NUMBER, true, RL_POSITIVE, "s", AT(duration), NULL, NULL},
    {"step", RL_FIELD_NUMBER, true, RL_POSITIVE, "s", AT(step), NULL, NULL},
    {"bodies", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(bodies), NULL, keep},
    {"ropes", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(ropes), NULL, keep},
    {"events", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(events), NULL, keep},
    {"probes", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(probes), NULL, keep},
    {"exact", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(exact), NULL, keep},
};

#undef AT

static bool read_top_level(rl_reader *reader, const rl_tree *root, rl_scenario *scenario,
                           top_level *top) {
  *top = (top_level){.title = "", .about = "", .gravity = {0.0, -9.81, 0.0}};
  if (!rl_read_fields(reader, root, root, "the scenario", top_fields,
                      sizeof top_fields / sizeof top_fields[0], top)) {
    return false;
  }
  const double steps = top->duration / top->step;
  if (!(steps <= RL_STEPS_MAX)) {
    return rl_fail(reader, rl_tree_value(root, "step"),
                   "step: %g s in steps of %g s are %g steps; expected at most %g", top->duration,
                   top->step, steps, RL_STEPS_MAX);
  }
  reader->bodies = top->bodies;
  reader->ropes = top->ropes;
  scenario->name = top->name;
  scenario->title = top->title;
  scenario->about = top->about;
  scenario->duration = top->duration;
  scenario->step = top->step;
  if (!rl_read_names(reader)) {
    return false;
  }
  return reader->rope_count > 0 || rl_fail(reader, top->ropes ? top->ropes : root,
                                           "the scenario has no rope; expected at least one in "
                                           "'ropes'");
}

// ---------------------------------------------------------------------------------------------
// Definition -> model

// Finds what a path of keys and indices joined by dots leads to inside a value, as far as it goes.
// A single item need not be in a list.
static const rl_tree *find_inside(const rl_tree *value, const char *path) {
  while (value && *path) {
    char word[sizeof((rl_fault *)0)->place];
    const size_t length = strcspn(path, ".");
    snprintf(word, sizeof word, "%.*s", (int)length, path);
    path += length + (path[length] == '.');
    const size_t index = strtoul(word, NULL, 10);
    const rl_tree *inner = value->kind == RL_TREE_LIST
                               ? (index < value->count ? value->items[index] : NULL)
                               : rl_tree_value(value, word);
    value = inner ? inner : value;
  }
  return value;
}

// Finds a field of a body or rope, or with a path such as `end.clamp` one inside it.
static const rl_tree *find_field(const rl_tree *item, const char *path) {
  char outer[16];
  const size_t length = strcspn(path, ".");
  snprintf(outer, sizeof outer, "%.*s", (int)length, path);
  return find_inside(rl_tree_value(item, outer), path + length + (path[length] == '.'));
}

// Finds the place of a fault in the file: its field, or else the body or rope.
static const rl_tree *fault_place(const rl_reader *reader, const rl_tree *root,
                                  const rl_fault *fault) {
  const rl_tree *map = fault->body != RL_NONE ? reader->bodies : reader->ropes;
  const uint32_t index = fault->body != RL_NONE ? fault->body : fault->rope;
  if (index == RL_NONE) {
    const rl_tree *field = fault->field ? rl_tree_value(root, fault->field) : NULL;
    return field ? find_inside(field, fault->place) : root;
  }
  const rl_tree *item = map->items[index];
  const rl_tree *field = fault->field ? find_field(item, fault->field) : NULL;
  if (!field && fault->field && strcmp(fault->field, "points") == 0) {
    field = rl_tree_value(item, "hang"); // the other form of `points`
  }
  return field ? find_inside(field, fault->place) : map->keys[index];
}

static bool report_fault(rl_reader *reader, const rl_tree *root, const rl_fault *fault) {
  if (fault->kind == RL_FAULT_MEMORY && fault->rope == RL_NONE) {
    return rl_fail_memory(reader);
  }
  const rl_tree *place = fault_place(reader, root, fault);
  const char *kind = fault->body != RL_NONE ? "body" : "rope";
  const char *name = fault->body != RL_NONE   ? reader->body_names[fault->body]
                     : fault->rope != RL_NONE ? reader->rope_names[fault->rope]
                                              : NULL;
  char owner[64] = "";
  if (name) {
    snprintf(owner, sizeof owner, "%s '%.40s': ", kind, name);
  }
  if (fault->kind == RL_FAULT_UNSUPPORTED) {
    rl_note_unsupported(reader, place, "%s%s", owner, fault->message);
    return true;
  }
  rl_fail(reader, place, "%s%s", owner, fault->message);
  reader->diagnostic->out_of_memory = fault->kind == RL_FAULT_MEMORY;
  return false;
}

// Makes the model. Returns true without a model if the scenario is valid but unsupported.
static bool make_model(rl_reader *reader, const rl_tree *root, rl_scenario *scenario) {
  rl_fault fault = {.kind = RL_FAULT_NONE, .body = RL_NONE, .rope = RL_NONE};
  scenario->model = rl_model_create(&scenario->definition, &fault);
  return scenario->model || report_fault(reader, root, &fault);
}

static bool read_definition(rl_reader *reader, const top_level *top, rl_scenario *scenario) {
  if (!rl_read_bodies(reader) || !rl_read_ropes(reader)) {
    return false;
  }
  scenario->definition = (rl_definition){.gravity = top->gravity,
                                         .body_count = reader->body_count,
                                         .bodies = reader->body_definitions,
                                         .rope_count = reader->rope_count,
                                         .ropes = reader->rope_definitions,
                                         .memory = rl_available_memory()};
  return true;
}

// Reads the whole tree; everything is validated before anything is reported as unsupported.
static bool read_tree(rl_reader *reader, const rl_tree *root, rl_scenario *scenario) {
  top_level top;
  const bool valid = read_top_level(reader, root, scenario, &top) &&
                     read_definition(reader, &top, scenario) &&
                     rl_read_events(reader, top.events, &scenario->definition) &&
                     rl_check_exact(reader, top.exact, scenario) &&
                     rl_check_probes(reader, top.probes, &scenario->definition) &&
                     make_model(reader, root, scenario);
  if (!valid) {
    return false;
  }
  if (scenario->model && !rl_try_exact(reader, top.exact, scenario)) {
    return false;
  }
  if (reader->has_unsupported) {
    *reader->diagnostic = reader->unsupported;
    return false;
  }
  return rl_read_probes(reader, top.probes, scenario);
}

// ---------------------------------------------------------------------------------------------
// Text -> scenario

static bool read_text(rl_reader *reader, const char *text, size_t length,
                      const rl_override *overrides, size_t override_count, rl_scenario *scenario) {
  rl_tree *root = rl_yaml_parse(reader->arena, text, length, NULL, reader->diagnostic);
  if (!root) {
    return false;
  }
  for (size_t i = 0; i < override_count; i++) {
    if (!rl_override_apply(reader, root, &overrides[i])) {
      return false;
    }
  }
  scenario->tree = root;
  return read_tree(reader, root, scenario);
}

// Adds to what is wrong in the file that it was changed on the command line.
static void name_overrides(const rl_override *overrides, size_t count, rl_diagnostic *diagnostic) {
  char *message = diagnostic->message;
  const size_t used = strlen(message), left = sizeof diagnostic->message - used;
  if (count > 0 && diagnostic->line > 0) {
    snprintf(message + used, left, " (with --set %.60s=%.60s%s)", overrides[0].path,
             overrides[0].value, count > 1 ? " ..." : "");
  }
}

rl_scenario *rl_scenario_from_text(const char *text, size_t length, const char *file,
                                   const rl_override *overrides, size_t override_count,
                                   rl_diagnostic *diagnostic) {
  *diagnostic = (rl_diagnostic){0};
  if (!rl_text_begin(&text, &length, diagnostic)) {
    return NULL;
  }
  rl_arena *arena = rl_arena_create(rl_available_memory());
  rl_reader reader = {.arena = arena, .source = {text, length}, .diagnostic = diagnostic};
  rl_scenario *scenario = arena ? rl_arena_allocate(arena, 1, sizeof *scenario) : NULL;
  char *name = scenario ? rl_arena_text(arena, file, strlen(file)) : NULL;
  if (!name) {
    rl_fail_memory(&reader);
    rl_arena_free(arena);
    return NULL;
  }
  scenario->file = name;
  scenario->memory = arena;
  if (!read_text(&reader, text, length, overrides, override_count, scenario)) {
    name_overrides(overrides, override_count, diagnostic);
    rl_scenario_free(scenario);
    return NULL;
  }
  return scenario;
}

void rl_scenario_free(rl_scenario *scenario) {
  if (scenario) {
    rl_model_free(scenario->model);
    rl_arena_free(scenario->memory);
  }
}

rl_scenario *rl_scenario_from_file(const char *path, const rl_override *overrides,
                                   size_t override_count, rl_diagnostic *diagnostic) {
  size_t length;
  char *text = rl_file_text(path, &length, diagnostic);
  rl_scenario *scenario =
      text ? rl_scenario_from_text(text, length, path, overrides, override_count, diagnostic)
           : NULL;
  free(text);
  return scenario;
}

bool rl_scenario_add_probe(rl_scenario *scenario, const char *name, rl_diagnostic *diagnostic) {
  rl_arena *arena = scenario->memory;
  const size_t count = scenario->probe_count;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(scenario->probe_names[i], name) == 0) {
      return true;
    }
  }
  rl_probe probe;
  char message[400];
  const rl_probe_status status =
      rl_probe_parse(scenario->model, name, &probe, message, sizeof message);
  if (status != RL_PROBE_OK) {
    rl_diagnose_text(diagnostic, "%s", message);
    diagnostic->unsupported = status == RL_PROBE_UNSUPPORTED;
    return false;
  }
  rl_probe *probes = rl_arena_grow(arena, scenario->probes, count, count + 1, sizeof *probes);
  const char **names = rl_arena_grow(arena, scenario->probe_names, count, count + 1, sizeof *names);
  const char *copy = rl_arena_text(arena, name, strlen(name));
  if (!probes || !names || !copy) {
    rl_diagnose_text(diagnostic, "out of memory");
    diagnostic->out_of_memory = true;
    return false;
  }
  probes[count] = probe;
  names[count] = copy;
  scenario->probes = probes;
  scenario->probe_names = names;
  scenario->probe_count = count + 1;
  return true;
}
