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

#include "scenario.h"
#include "world/driver.h"

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

// A driver for a scenario; `spec` is "name,param=value". Fails the test on a bad spec.
rl_driver *driver_for(const rl_scenario *scenario, const char *spec, double dt);

// Whether the solver takes that many steps without diverging. Frees the scenario.
bool survives_steps(rl_scenario *scenario, const char *spec, double dt, int steps);

// The value of a probe now.
double probe(const rl_driver *driver, const char *name);

// The text of a shipped scenario's path.
const char *shipped(const char *name);

#endif
