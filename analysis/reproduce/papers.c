// SPDX-License-Identifier: GPL-3.0-or-later
// All papers that are reproduced, in the order of the table. A new paper is one line here.
#include "reproduce.h"

#include <math.h>
#include <string.h>

#define PAPERS(X)                                                                                  \
  X(pbd)                                                                                           \
  X(relaxation)                                                                                    \
  X(xpbd)                                                                                          \
  X(small_steps)                                                                                   \
  X(challenge)                                                                                     \
  X(knyazyev)                                                                                      \
  X(cable_joints)                                                                                  \
  X(catto)                                                                                         \
  X(solver2d)                                                                                      \
  X(erez)                                                                                          \
  X(avbd)                                                                                          \
  X(fast_projection)                                                                               \
  X(direct_rods)                                                                                   \
  X(hair)                                                                                          \
  X(long_range)                                                                                    \
  X(folded_chain)                                                                                  \
  X(hanging_chain)                                                                                 \
  X(lift_off)                                                                                      \
  X(galileo)                                                                                       \
  X(capstan)                                                                                       \
  X(nehe)                                                                                          \
  X(source)                                                                                        \
  X(contraption)                                                                                   \
  X(obi)                                                                                           \
  /* the next one goes above this line */

#define DECLARE(name) extern const rl_paper rl_paper_##name;
#define ENTER(name) &rl_paper_##name,

PAPERS(DECLARE)

const rl_paper *const rl_papers[] = {PAPERS(ENTER) NULL};

const rl_paper *rl_paper_find(const char *name) {
  for (size_t i = 0; rl_papers[i]; i++) {
    if (strcmp(name, rl_papers[i]->name) == 0 || strcmp(name, rl_papers[i]->citation) == 0) {
      return rl_papers[i];
    }
  }
  return NULL;
}

const char *rl_verdict_name(rl_verdict verdict) {
  static const char *const names[] = {"matches", "same order", "not reproduced", "figure only"};
  return names[verdict];
}

const char *rl_evidence_name(rl_evidence evidence) {
  static const char *const names[] = {"read", "quoted", "derived", "computed"};
  return names[evidence];
}

// Whether ours is within the tolerance, or not beyond a bound by more than that.
static bool agrees(const rl_claim *claim, double ours) {
  const double margin = claim->tolerance * (claim->published != 0.0 ? fabs(claim->published) : 1.0);
  const double difference = ours - claim->published;
  switch (claim->relation) {
  case RL_AT_MOST:
    return difference <= margin;
  case RL_AT_LEAST:
    return difference >= -margin;
  default:
    return fabs(difference) <= margin;
  }
}

rl_verdict rl_claim_verdict(const rl_claim *claim, double ours) {
  static const double decade = 10.0;
  if (isnan(ours)) {
    return RL_NOT_REPRODUCED;
  }
  if (claim->relation == RL_DRAWN) {
    return RL_FIGURE_ONLY;
  }
  if (agrees(claim, ours)) {
    return RL_MATCHES;
  }
  const double ratio = ours / claim->published;
  return ratio * ratio <= decade && ratio * ratio >= 1.0 / decade && ratio > 0.0
             ? RL_SAME_ORDER
             : RL_NOT_REPRODUCED;
}
