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

// Every cell of the coverage is held to this table by tests/contract.
static const struct {
  const char *scenario, *solver, *why;
} known[] = {
    {"contraption-rope", "pbd-direct", across},
    {"contraption-rope", "impulse", across},
    {"contraption-rope", "impulse-direct", across},
    {"contraption-rope", "rattle", across},
    {"elastic-cord", "nehe", springs},
    {"heavy-load", "nehe", springs},
    {"heavy-load", "pbd-direct", across},
    {"heavy-load", "impulse", across},
    {"heavy-load", "impulse-direct", across},
    {"heavy-load", "rattle", across},
    {"knyazyev-rope", "pbd-direct", across},
    {"knyazyev-rope", "rattle", across},
    {"lamp-cable", "impulse", across},
    {"lamp-cable", "impulse-direct", across},
    {"lamp-cable", "pbd-direct", across},
    {"lamp-cable", "rattle", across},
    {"catenary", "contraption", picture},
    {"contraption-rope", "contraption", picture},
    {"hanging-beads", "contraption", picture},
    {"hanging-chain", "contraption", picture},
    {"hanging-mode-load", "contraption", picture},
    {"hanging-pulse", "contraption", picture},
    {"knyazyev-rope", "contraption", picture},
    {"lamp-cable", "contraption", picture},
    {"source-cable", "contraption", picture},
};

const char *rl_divergence_of(const char *scenario, const char *solver) {
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (strcmp(known[i].scenario, scenario) == 0 && strcmp(known[i].solver, solver) == 0) {
      return known[i].why;
    }
  }
  return NULL;
}
