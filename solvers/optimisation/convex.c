// SPDX-License-Identifier: GPL-3.0-or-later
// The implicit step of a rope as the convex problem that it is: of all positions that keep every
// element at most as long as it is, those nearest to where the nodes would fly, in the metric of
// their masses. There is one solution at any step, load and length, and a primal-dual interior
// point finds it (world/implicit/implicit.h). papers/convex.md has the derivation.
#include "world/implicit/implicit.h"

enum { INTEGRATOR, ITERATIONS, TOLERANCE, WARM_START, PARAMETER_COUNT };

static const rl_parameter parameters[PARAMETER_COUNT] = {
    [INTEGRATOR] = {"integrator", RL_CHOICE, "1", RL_EULER, 0, 2, "euler|midpoint|bdf2",
                    "backward Euler (order 1), implicit midpoint (order 2, keeps energy), BDF2 "
                    "(order 2); both are backward Euler where contacts rub, BDF2 also at impacts"},
    [ITERATIONS] =
        {"iterations", RL_INTEGER, "1", 100, 1, 1e7, NULL,
         "iterations in a step, at most; as many again, with springs, where it does not settle"},
    [TOLERANCE] = {"tolerance", RL_REAL, "1", 1e-10, 0, 1, NULL,
                   "stop when rows, complementarity and balance of forces are at or below this "
                   "fraction of the shortest element; 0: never"},
    [WARM_START] = {"warm_start", RL_INTEGER, "1", 12, 0, 1e7, NULL,
                    "Newton iterations from the forces of the step before, that find the same "
                    "solution sooner or give up; 0: none"},
};

typedef struct convex {
  rl_implicit implicit;
  const double *parameters;
} convex;

static void lay_out(void *memory, const rl_model *model, rl_carver *c) {
  rl_implicit_lay_out(&((convex *)memory)->implicit, model, c);
}

static void release(void *memory) { rl_implicit_release(&((convex *)memory)->implicit); }

static void init(void *memory, const rl_model *model, const double *values) {
  convex *self = memory;
  (void)model;
  self->parameters = values;
  rl_implicit_forget(&self->implicit);
  self->implicit.squares = true;
}

static void sync(void *memory, const rl_model *model, const rl_state *state) {
  (void)model;
  (void)state;
  rl_implicit_forget(&((convex *)memory)->implicit);
}

// Elastic elements have their own compliance and damper, all others are hard.
static rl_softness soften(const void *memory, const rl_rope *rope, double rest, double compliance,
                          double inverse_mass) {
  (void)memory;
  const bool elastic = rope && compliance > 0.0;
  return (rl_softness){
      compliance, elastic ? rl_element_damping(rope, rest, 1.0 / compliance, inverse_mass) : 0.0,
      compliance == 0.0};
}

static rl_reason step(void *memory, const rl_model *model, rl_state *state, rl_rows *rows,
                      double dt, rl_step_info *info) {
  convex *self = memory;
  const double *values = self->parameters;
  const rl_implicit_method method = {.integrator = (rl_integrator)values[INTEGRATOR],
                                     .tries = (int)values[WARM_START],
                                     .iterations = (int)values[ITERATIONS],
                                     .fraction = values[TOLERANCE],
                                     .law = soften,
                                     .gives = true,
                                     .solver = self};
  return rl_implicit_step(&self->implicit, model, state, rows, &method, dt, info);
}

static const rl_departure departures[] = {
    {RL_OWN_LAW,
     "contacts, friction, rods and bodies that turn are not convex: they are linearised "
     "in each iteration, and a solution is one of those there may be"},
    {RL_OWN_LAW, "integrator=midpoint: rows of the end with gradients of the middle of a step, no "
                 "convex problem; rows that pushed are left at rest"},
};

const rl_solver_type rl_solver_convex = {
    .name = "convex",
    .family = "optimisation",
    .summary = "the implicit step exactly, by an interior point; contacts and turning bodies "
               "linearised in each iteration",
    .citation = "mehrotra1992",
    .capabilities = RL_CAN_WORLD | RL_CAN_ELASTIC | RL_CAN_TANGLE,
    .seeks_positions = true,
    .parameter_count = PARAMETER_COUNT,
    .parameters = parameters,
    .size = sizeof(convex),
    .lay_out = lay_out,
    .release = release,
    .init = init,
    .sync = sync,
    .step = step,
    .departure_count = sizeof departures / sizeof departures[0],
    .departures = departures,
};
