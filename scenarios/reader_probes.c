// SPDX-License-Identifier: GPL-3.0-or-later
// Reads `probes` and `exact`. Names are checked first; the rest needs a model, which may not exist.
#include "fields.h"

#include <string.h>

static bool fail_probe(rl_reader *reader, const rl_tree *node, rl_probe_status status,
                       const char *message) {
  if (status == RL_PROBE_UNSUPPORTED) {
    rl_note_unsupported(reader, node, "%s", message);
    return true;
  }
  return status == RL_PROBE_OK || rl_fail(reader, node, "%s", message);
}

static bool check_probe(rl_reader *reader, const rl_tree *node, const rl_definition *definition) {
  if (node->kind != RL_TREE_SCALAR || strlen(node->text) != node->length) {
    char found[RL_FOUND_BYTES];
    return rl_fail(reader, node, "probes: expected a name as in body.y or rope.tension, found %s",
                   rl_found(node, found, sizeof found));
  }
  char message[400];
  const rl_probe_status status = rl_probe_check(definition, node->text, message, sizeof message);
  return fail_probe(reader, node, status, message);
}

static bool check_duplicates(rl_reader *reader, const rl_tree *probes) {
  for (size_t i = 0; i < probes->count; i++) {
    for (size_t k = 0; k < i; k++) {
      if (rl_tree_is(probes->items[i], probes->items[k]->text)) {
        return rl_fail(reader, probes->items[i], "probe '%.64s' comes twice",
                       probes->items[i]->text);
      }
    }
  }
  return true;
}

bool rl_check_probes(rl_reader *reader, const rl_tree *probes, const rl_definition *definition) {
  if (!probes || rl_tree_is_nothing(probes)) {
    return true;
  }
  if (!rl_expect_list(reader, probes, "probes", "names")) {
    return false;
  }
  if (probes->count > RL_PROBES_MAX) {
    return rl_fail(reader, probes, "probes: expected at most %d of them, found %zu", RL_PROBES_MAX,
                   probes->count);
  }
  for (size_t i = 0; i < probes->count; i++) {
    if (!check_probe(reader, probes->items[i], definition)) {
      return false;
    }
  }
  return check_duplicates(reader, probes);
}

bool rl_read_probes(rl_reader *reader, const rl_tree *probes, rl_scenario *scenario) {
  const size_t count = probes && probes->kind == RL_TREE_LIST ? probes->count : 0;
  rl_probe *parsed = rl_allocate(reader, count, sizeof *parsed);
  const char **names = rl_allocate(reader, count, sizeof *names);
  if (!parsed || !names) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    char message[400];
    names[i] = probes->items[i]->text;
    const rl_probe_status status =
        rl_probe_parse(scenario->model, names[i], &parsed[i], message, sizeof message);
    if (!fail_probe(reader, probes->items[i], status, message)) {
      return false;
    }
  }
  scenario->probes = parsed;
  scenario->probe_names = names;
  scenario->probe_count = count;
  return true;
}

// ---------------------------------------------------------------------------------------------
// The closed form

static bool find_exact_type(rl_reader *reader, const rl_tree *key, const rl_exact_type **type) {
  size_t count = 0;
  while (rl_exact_types[count]) {
    count++;
  }
  const char **names = rl_allocate(reader, count, sizeof *names);
  if (!names) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    names[i] = rl_exact_types[i]->name;
  }
  uint32_t index;
  if (!rl_read_name(reader, key, "closed form", names, count, &index)) {
    return false;
  }
  *type = rl_exact_types[index];
  return true;
}

static bool read_argument_body(rl_reader *reader, const rl_tree *node, void *target) {
  return rl_read_body_name(reader, node, target);
}

static bool read_argument_rope(rl_reader *reader, const rl_tree *node, void *target) {
  return rl_read_rope_name(reader, node, target);
}

// Reads the arguments of a closed form, which has the table of their names.
static bool read_arguments(rl_reader *reader, const rl_tree *node, const rl_exact_type *type,
                           uint32_t *arguments) {
  rl_field fields[RL_EXACT_ARGUMENTS_MAX] = {0};
  for (size_t i = 0; i < type->argument_count; i++) {
    const bool rope = type->arguments[i].kind == RL_EXACT_ROPE;
    fields[i] = (rl_field){.name = type->arguments[i].name,
                           .kind = RL_FIELD_OTHER,
                           .required = true,
                           .offset = i * sizeof *arguments,
                           .read = rope ? read_argument_rope : read_argument_body};
  }
  char what[64];
  snprintf(what, sizeof what, "closed form '%.40s'", type->name);
  return rl_read_fields(reader, node, node, what, fields, type->argument_count, arguments);
}

bool rl_check_exact(rl_reader *reader, const rl_tree *exact, rl_scenario *scenario) {
  if (!exact || rl_tree_is_nothing(exact) || rl_tree_is(exact, "none")) {
    return true;
  }
  if (exact->kind != RL_TREE_MAP || exact->count != 1) {
    char found[RL_FOUND_BYTES];
    return rl_fail(reader, exact,
                   "exact: expected one closed form and its arguments, as in {pendulum: {rope: "
                   "line}}, found %s",
                   rl_found(exact, found, sizeof found));
  }
  return find_exact_type(reader, exact->keys[0], &scenario->exact) &&
         read_arguments(reader, exact->items[0], scenario->exact, scenario->exact_arguments);
}

// Checks that the closed form describes the model; its init says where not.
bool rl_try_exact(rl_reader *reader, const rl_tree *exact, const rl_scenario *scenario) {
  if (!scenario->exact) {
    return true;
  }
  if (scenario->model->event_count > 0) {
    return rl_fail(reader, exact,
                   "exact: no closed form knows of events; found %u; leave one of them out",
                   (unsigned)scenario->model->event_count);
  }
  if (scenario->model->flexure_count > 0 && !scenario->exact->bends) {
    return rl_fail(reader, exact,
                   "exact: %s knows nothing of bending stiffness; found a rope that has it",
                   scenario->exact->name);
  }
  void *memory = rl_allocate(reader, 1, scenario->exact->size);
  char message[512] = "";
  if (!memory) {
    return false;
  }
  if (!scenario->exact->init(memory, scenario->model, scenario->exact_arguments, message,
                             sizeof message)) {
    return rl_fail(reader, exact, "exact: %s: %s", scenario->exact->name, message);
  }
  return true;
}
