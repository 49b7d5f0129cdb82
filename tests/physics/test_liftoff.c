// SPDX-License-Identifier: GPL-3.0-or-later
// Chains that run over a peg and off a table, and let go of them; and one that a guide holds. Three
// radii, extrapolated to none, are those of `ropelab reproduce lift-off`
// (analysis/reproduce/pegs.c).
#include "check.h"

#include "reproduce/pegs.h"

#define GRAVITY 9.81

// In a process of its own this would be an experiment (reproduce.h); here a failure ends the test.
static void check_lift(rl_lift (*lift_off)(rl_trial *, const char *, int, double),
                       const char *solver) {
  char message[RL_TRIAL_MESSAGE] = "";
  rl_trial trial = {.message = message};
  const rl_lift l = lift_off(&trial, solver, 125, 0.04);
  print_message("%s, R = 0.04 m: y* %.5f, t* %.5f of the exact ones for R = 0\n", solver, l.place,
                l.time);
  check_near(l.place, 1.0, 0.003);
  check_near(l.time, 1.0, 0.0025);
}

static void thick_peg(void **unused) {
  (void)unused;
  check_lift(rl_lift_off_peg, "pbd-direct");
  check_lift(rl_lift_off_peg, "impulse-direct");
  check_lift(rl_lift_off_peg, "rattle");
}

static void thick_edge(void **unused) {
  (void)unused;
  check_lift(rl_lift_off_table, "pbd-direct");
  check_lift(rl_lift_off_table, "impulse-direct");
  check_lift(rl_lift_off_table, "rattle");
}

// A guide holds the chain on its cosh, also where it lies on a rough table:
// y'' = (g/L) ((1 + mu) y - mu (l0 + y0)).
static void guided_chains_stay_on_their_cosh(void **unused) {
  (void)unused;
  static const char *const frictions[] = {"0", "0.05"};
  for (int k = 0; k < 2; k++) {
    const rl_override rough = {"bodies.table.friction", frictions[k]};
    rl_scenario *s = shipped_with("chain-in-guide", &rough, 1);
    rl_driver *d = driver_for(s, "pbd-direct", 1e-3);
    const double mu = 0.05 * k, start = probe(d, "chain.node.0.x");
    const double y0 = rl_rope_position(d->model, d->state, 0, 0).y - probe(d, "chain.tip.y");
    const double still = mu * (0.88 + y0) / (1.0 + mu), rate = sqrt(GRAVITY * (1.0 + mu));
    while (probe(d, "chain.node.0.x") < -0.1) {
      assert_true(rl_driver_step(d) > 0);
    }
    // 50 elements, twelve of them longer than the bend: when it comes there, and how fast.
    const double y = y0 - 0.1 - start, t = acosh((y - still) / (y0 - still)) / rate;
    print_message("guided, mu = %.2f: %.4f s (%.4f), %.4f m/s (%.4f)\n", mu, d->state->time, t,
                  probe(d, "chain.node.0.vx"), rate * (y0 - still) * sinh(rate * t));
    check_relative(d->state->time, t, 5e-3); // elements of a third of the radius of the bend
    check_relative(probe(d, "chain.node.0.vx"), rate * (y0 - still) * sinh(rate * t), 0.03);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(thick_peg),
      cmocka_unit_test(thick_edge),
      cmocka_unit_test(guided_chains_stay_on_their_cosh),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
