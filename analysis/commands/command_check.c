// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "options.h"
#include "results/scenario_json.h"
#include "runs/run.h"
#include "world/driver.h"

#include <stdio.h>

const rl_usage rl_check_usage = {
    .name = "check",
    .positional = "SCENARIO",
    .doc = "Reads a scenario and says what it holds, or what is wrong with it and where."
           "\v"
           "Examples:\n"
           "  ropelab check atwood\n"
           "  ropelab check my-rope.yaml --json\n"
           "  ropelab check atwood --set ropes.line.slack=0.1",
    .options = "SpJ",
    .least = 1,
    .most = 1,
};

static void print_count(const char *before, size_t count, const char *one, const char *many) {
  printf("%s%zu %s", before, count, count == 1 ? one : many);
}

static void describe(const rl_scenario *s) {
  const rl_model *m = s->model;
  size_t elements = 0; // at the start, without those that winches can add
  for (uint32_t i = 0; i < m->rope_count; i++) {
    elements += m->ropes[i].link_count;
  }
  printf("%s%s%s\n", s->name, *s->title ? ": " : "", s->title);
  print_count("  ", m->body_count, "body", "bodies");
  print_count(", ", m->rope_count, "rope", "ropes");
  print_count(" with ", elements, "element", "elements");
  print_count(", ", s->probe_count, "probe", "probes");
  printf("%s%s\n", s->exact ? ", closed form: " : "", s->exact ? s->exact->name : "");
  for (uint32_t i = 0; i < m->body_count; i++) {
    const rl_vec3 root = m->bodies[i].root_inertia;
    if (m->bodies[i].motion == RL_AXLE) {
      printf("  %s turns on its axle, moment of inertia %.6g kg m^2\n", m->bodies[i].name,
             root.z * root.z);
    } else if (m->bodies[i].motion == RL_FREE && m->bodies[i].spin_slot != RL_NONE) {
      printf("  %s can turn, moments of inertia %.6g, %.6g, %.6g kg m^2\n", m->bodies[i].name,
             root.x * root.x, root.y * root.y, root.z * root.z);
    }
  }
  for (size_t i = 0; rl_solvers[i]; i++) {
    const uint32_t missing = rl_driver_missing(m, rl_solvers[i]);
    rl_solver_spec spec = {.type = rl_solvers[i]};
    rl_parameters_initial(spec.type, spec.parameters);
    char why[256];
    if (missing) {
      printf("  %-16s unsupported: %s\n", spec.type->name, rl_capability_name(missing & -missing));
    } else if (!rl_run_fits(s, &spec, why, sizeof why)) {
      printf("  %-16s cannot run it: %s\n", spec.type->name, why);
    } else {
      printf("  %-16s can run it\n", spec.type->name);
    }
  }
}

int rl_command_check(int argc, char **argv) {
  static rl_arguments arguments;
  int status = RL_EXIT_FAILED;
  if (!rl_arguments_parse(&rl_check_usage, argc, argv, &arguments, &status)) {
    return status;
  }
  rl_diagnostic diagnostic;
  rl_scenario *scenario =
      rl_load_scenario(arguments.positional[0], &arguments, &diagnostic, &status);
  if (!scenario) {
    return status;
  }
  rl_schedule schedule;
  if (!rl_run_plan(scenario, &arguments.run, &schedule)) {
    rl_scenario_free(scenario);
    return RL_EXIT_USAGE;
  }
  if (arguments.json) {
    json_t *json = rl_scenario_to_json(scenario);
    status = json && json_dumpf(json, stdout, JSON_INDENT(2)) == 0 && putchar('\n') != EOF
                 ? RL_EXIT_DONE
                 : RL_EXIT_FAILED;
    json_decref(json);
  } else {
    describe(scenario);
  }
  rl_scenario_free(scenario);
  return status;
}
