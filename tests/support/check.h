// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests share: comparisons that say observed and expected, and scenarios from text.
#ifndef RL_CHECK_H
#define RL_CHECK_H

// cmocka.h needs these before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runs/metrics.h"
#include "runs/solver_spec.h"
#include "scenario.h"
#include "world/driver.h"
#include "world/trigonometry.h"

// |observed - expected| <= tolerance; cmocka's own is for floats. nan fails.
#define check_near(observed, expected, tolerance)                                                  \
  check_near_at((observed), (expected), (tolerance), #observed, __FILE__, __LINE__)
// The same relative to |expected|.
#define check_relative(observed, expected, tolerance)                                              \
  check_near_at((observed), (expected), (tolerance)*fabs(expected), #observed, __FILE__, __LINE__)
#define check_below(observed, limit)                                                               \
  check_below_at((observed), (limit), #observed, __FILE__, __LINE__)

void check_near_at(double observed, double expected, double tolerance, const char *what,
                   const char *file, int line);
void check_below_at(double observed, double limit, const char *what, const char *file, int line);

// A scenario from text, printf style. Fails the test with the diagnostic if it is refused.
rl_scenario *scenario_from(const char *format, ...);

// Fails the test unless a scenario from text, printf style, is refused, with `reason` in what is
// said.
void check_refused(const char *reason, const char *format, ...);

// A solver with its parameters, "name,param=value", and a driver with it. Fail the test on a bad
// one.
rl_solver_spec spec_of(const char *text);
rl_driver *driver_for(const rl_scenario *scenario, const char *spec, double dt);

// Whether the solver takes that many steps without diverging. Frees the scenario.
bool survives_steps(rl_scenario *scenario, const char *spec, double dt, int steps);

// The elements of all ropes hold together: all nodes exist, none is twice in a rope or both in use
// and in the pool, the number of nodes agrees with elements and ends, rest lengths are positive,
// masses and inverse masses agree, eyes are in the order of the rope. A step after which they do.
void check_elements(const rl_driver *driver);
void step_checked(rl_driver *driver);

// So many steps, or those until the step that is nearest to a time [s]; none of them diverges.
void take_steps(rl_driver *driver, int count);
void run_until(rl_driver *driver, double time);

// The largest difference between the places of two runs [m].
double places_apart(const rl_driver *a, const rl_driver *b);

// A step in which nothing acts from outside: the momentum is that of the start to 1e-12 of
// sum m |v|, the angular momentum to `angular` of its size there (INFINITY: any).
rl_metrics free_step(rl_driver *driver, const rl_metrics *start, double angular);

// The capabilities that a solver lacks for a shipped scenario are these (0: none).
void check_missing(const char *solver, const char *scenario, uint32_t capabilities);

// Whether the solver cannot run the model. Fails the test if it lacks none of the `allowed`.
bool check_left_out(const rl_model *model, const rl_solver_type *type, uint32_t allowed);

// A second of a free scenario in steps of 1/240 s with every solver, but for those that lack one of
// the capabilities `allowed`, and one that is left out by name (NULL: none): momentum stays, and no
// element is stretched by more than 2 %. Frees the scenario.
void check_free_second(rl_scenario *scenario, uint32_t allowed, const char *without);

// dC/dx of a general row against central differences in every coordinate, spins included, and W
// against the sum over slots of w |dC/dx|^2. The tolerance is of the differences: 2e-9 for smooth
// rows.
void check_row_gradient(rl_driver *driver, rl_row *row, double tolerance);

// A model of one fixed body with one part. Fails the test if it is refused.
rl_model *model_with(rl_part_definition part, rl_vec3 position, rl_vec3 rotation);

// A fixed sequence of numbers in [0, 1), so that every run tests the same; from low to high; a
// point of a cube about the origin; a unit vector.
double next_random(uint64_t *seed);
double between(uint64_t *seed, double low, double high);
rl_vec3 random_in_cube(uint64_t *seed, double half);
rl_vec3 random_direction(uint64_t *seed);

// The value of a probe now.
double probe(const rl_driver *driver, const char *name);

// The state of a scenario's closed form at time t, which the caller frees; NULL where it knows
// none. The value of a probe in a state.
rl_state *exact_state(const rl_scenario *scenario, double t);
double probe_of(const rl_scenario *scenario, const rl_state *state, const char *name);

// What a closed form says of a tension [N] or a slip [m/s] from one time to another, their means.
double exact_mean(const rl_scenario *scenario, double from, double to, const char *name);

// The text of a shipped scenario's path.
const char *shipped(const char *name);

// A shipped scenario with changes. Fails the test with the diagnostic if it is refused.
rl_scenario *shipped_with(const char *name, const rl_override *overrides, size_t count);

#endif
