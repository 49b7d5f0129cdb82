// SPDX-License-Identifier: GPL-3.0-or-later
#include "divergence.h"

#include <stddef.h>
#include <string.h>

static const char across[] =
    "directions from the start of the step: unstable across a rope that pulls with T on nodes of m "
    "at a distance l in steps above sqrt(m l/T), however well its rows are solved";
static const char springs[] = "explicit springs, too stiff for the step";

static const char picture[] =
    "the code as printed moves one node of a link: the rope that is drawn gains energy without "
    "end; no gain stops this method, and what hangs at the ends moves as it should";

// tests/contract checks this table against runs of all solvers on all scenarios.
static const rl_divergence known[] = {
    {"contraption-rope", "impulse", across, 240},
    {"contraption-rope", "impulse-direct", across, 240},
    {"elastic-cord", "nehe", springs, 4000},
    {"heavy-load", "nehe", springs, 1000},
    {"heavy-load", "impulse", across, 4000},
    {"heavy-load", "impulse-direct", across, 4000},
    {"lamp-cable", "impulse", across, 500},
    {"catenary", "contraption", picture, 0},
    {"contraption-rope", "contraption", picture, 0},
    {"hanging-beads", "contraption", picture, 0},
    {"hanging-chain", "contraption", picture, 0},
    {"hanging-mode-load", "contraption", picture, 0},
    {"hanging-pulse", "contraption", picture, 0},
    {"knyazyev-rope", "contraption", picture, 0},
    {"lamp-cable", "contraption", picture, 0},
    {"source-cable", "contraption", picture, 0},
};

const rl_divergence *rl_divergence_of(const char *scenario, const char *solver) {
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (strcmp(known[i].scenario, scenario) == 0 && strcmp(known[i].solver, solver) == 0) {
      return &known[i];
    }
  }
  return NULL;
}
