// SPDX-License-Identifier: GPL-3.0-or-later
// A solver of one's own beside one that is shipped: dynamic follow-the-leader (Mueller, Kim,
// Chentanez 2012, "Fast simulation of inextensible hair and fur"). One sweep from the first node of
// a rope to its last puts each node back to within the rest length of the one before it. No node is
// moved twice, so the elements hold to rounding and there is nothing to iterate.
#include <ropelab/ropelab.h>
#include <stdio.h>

enum { REACTION, PARAMETER_COUNT };

static const rl_parameter parameters[PARAMETER_COUNT] = {
    [REACTION] = {"reaction", RL_REAL, "1", 0.9, 0, 1, NULL,
                  "part of the impulse on a node that the node before it takes, as velocity"},
};

typedef struct follow {
  const double *parameters;
} follow;

static void init(void *memory, const rl_model *model, const double *values) {
  follow *self = memory;
  (void)model;
  self->parameters = values;
}

// Node b of an element goes back by C along it; the node before takes its share of the impulse
// m_b C / h. Returns that impulse over the step [N].
static double pull_back(rl_state *state, const rl_link *link, double reaction, double h) {
  const rl_link_value v = rl_link_evaluate(link, state->points);
  if (v.value <= 0.0 || state->points[link->b].w == 0.0) {
    return 0.0;
  }
  rl_vec3 *velocities = state->velocities;
  const double impulse = state->masses[link->b] * v.value / h;
  rl_move(&state->points[link->b], rl_scale(-v.value, v.d));
  velocities[link->b] = rl_add_scaled(velocities[link->b], -v.value / h, v.d);
  velocities[link->a] =
      rl_add_scaled(velocities[link->a], reaction * impulse * state->points[link->a].w, v.d);
  return impulse / h;
}

static rl_reason step(void *memory, const rl_model *model, rl_state *state, rl_rows *rows, double h,
                      rl_step_info *info) {
  const follow *self = memory;
  const double reaction = self->parameters[REACTION];
  rl_state_kick(model, state, h);
  rl_state_drift(model, state, h);
  for (uint32_t i = 0; i < model->link_count; i++) { // along each rope, one after the other
    state->multipliers[i] = pull_back(state, &state->links[i], reaction, h);
  }
  info->dissipated += rl_state_settle(model, state, h);
  // What changes a node's momentum is the difference of two tensions: they add up from the tip.
  for (uint32_t k = 0; k < model->rope_count; k++) {
    double tension = 0.0, beyond = 0.0;
    for (uint32_t i = model->ropes[k].link_count; i-- > 0;) {
      double *multiplier = &state->multipliers[model->ropes[k].first_link + i];
      tension = fmax(0.0, tension + *multiplier - reaction * beyond);
      beyond = *multiplier;
      *multiplier = tension;
    }
  }
  info->iterations = 1;
  info->row_evaluations += model->link_count;
  if (info->want_residual || info->trace) {
    rl_trace(info, rl_residual(model, state, rows, state->points, state->multipliers, 1.0, h));
  }
  return RL_CONVERGED_ITERATIONS;
}

static const rl_solver_type follow_the_leader = {
    .name = "follow-the-leader",
    .family = "PBD",
    .summary = "dynamic follow-the-leader: one sweep from the held end",
    .citation = "mueller2012",
    .capabilities = RL_CAN_CHAINS | RL_CAN_SPACE | RL_CAN_DRAG,
    .parameter_count = PARAMETER_COUNT,
    .parameters = parameters,
    .size = sizeof(follow),
    .init = init,
    .step = step,
};

// A rope of 1 kg and 1 m, held at one end and released from horizontal.
static rl_model *make_rope(void) {
  rl_rope_definition rope = rl_rope_defaults();
  rope.name = "rope";
  rope.from = (rl_end){.kind = RL_END_POINT, .at = {0.0, 0.0, 0.0}};
  rope.to = (rl_end){.kind = RL_END_FREE, .at = {1.0, 0.0, 0.0}};
  rope.mass = 1.0;
  rope.segments = 20;
  const rl_definition scene = {.gravity = {0.0, -9.81, 0.0}, .rope_count = 1, .ropes = &rope};
  rl_fault fault;
  rl_model *model = rl_model_create(&scene, &fault);
  if (!model) {
    fprintf(stderr, "%s\n", fault.message);
  }
  return model;
}

static bool run(const rl_model *model, const rl_solver_type *type, const double *values) {
  rl_driver *driver =
      rl_driver_missing(model, type) ? NULL : rl_driver_create(model, type, values, 1.0 / 240.0);
  double stretch = 0.0;
  rl_reason reason = driver ? RL_RUNNING : RL_DIVERGED_NAN;
  for (int i = 0; i < 20 * 240 && reason >= 0; i++) {
    reason = rl_driver_step(driver);
    for (uint32_t k = 0; k < model->link_count; k++) {
      stretch = rl_larger(
          stretch, rl_element_length(model, driver->state, k) / driver->state->links[k].rest - 1.0);
    }
  }
  if (driver) {
    printf("%-18s energy error %9.3e J, stretch %8.1e, tension at the top %.4f N: %s\n", type->name,
           rl_driver_energy_error(driver), stretch, rl_rope_tension(model, driver->state, 0, 0),
           rl_reason_name(reason));
  }
  rl_driver_free(driver);
  return reason >= 0;
}

int main(void) {
  rl_model *model = make_rope();
  const rl_solver_type *shipped = rl_solver_find("pbd");
  double values[RL_PARAMETERS_MAX];
  rl_parameters_initial(shipped, values);
  const bool good = model && rl_parameters_set(shipped, values, "iterations", 50) &&
                    run(model, &follow_the_leader, NULL) && run(model, shipped, values);
  rl_model_free(model);
  return good ? 0 : 1;
}
