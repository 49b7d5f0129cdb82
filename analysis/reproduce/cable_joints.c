// SPDX-License-Identifier: GPL-3.0-or-later
// Mueller, Chentanez, Jeschke, Macklin, "Cable Joints", 2018: a gear balanced at 1:4 (Fig. 16),
// three bodies over two cylinders with forces independent of the density (Fig. 12), and compliance
// (Fig. 15). papers/cable-joints.md.
#include "reproduce.h"

#include <gsl/gsl_math.h>

// Returns the velocity of the heavier weight of the gear after ten steps [m/s].
static double gear_speed(rl_trial *trial, double mass) {
  char value[32];
  snprintf(value, sizeof value, "%.17g", mass);
  const rl_override set = {"bodies.four.mass", value};
  rl_setup gear =
      rl_setup_shipped(trial, "impulse,iterations=1000,tolerance=1e-14", 0.0, "gear-1-4", &set, 1);
  rl_setup_run(trial, &gear, 10);
  const double speed = rl_setup_probe(trial, &gear, "four.vy");
  rl_setup_close(&gear);
  return speed;
}

// Finds the mass that balances the gear by the secant method.
static void gear(rl_trial *trial) {
  const double close = 1e-10;
  double m0 = 3.0, m1 = 5.0;
  double v0 = gear_speed(trial, m0), v1 = gear_speed(trial, m1);
  for (int n = 0; n < 20 && fabs(m1 - m0) > close && v1 != v0; n++) {
    const double next = m1 - v1 * (m1 - m0) / (v1 - v0);
    m0 = m1, v0 = v1;
    m1 = next, v1 = gear_speed(trial, m1);
  }
  trial->ours[0] = m1;
}

static const rl_claim gear_claims[] = {
    RL_CLAIM("mass ratio at which a one-to-four gear stands still", "1", RL_EQUALS, 4, 1e-8,
             "Fig. 16", RL_READ, NULL),
};

static void forces(rl_trial *trial) {
  static const rl_override dense[] = {
      {"bodies.upper.mass", "1000"}, {"bodies.lower.mass", "1000"}, {"bodies.right.mass", "2000"}};
  double cable[2], link[2];
  for (size_t i = 0; i < 2; i++) {
    rl_setup scene = rl_setup_shipped(trial, "pbd,iterations=10", 0.0, "cable-joints-fig12", dense,
                                      i == 0 ? 0 : 3);
    rl_setup_run(trial, &scene, 60);
    cable[i] = rl_setup_probe(trial, &scene, "cable.tension");
    link[i] = rl_setup_probe(trial, &scene, "link.tension");
    rl_setup_close(&scene);
  }
  trial->ours[0] = cable[0];
  trial->ours[1] = link[0];
  trial->ours[2] = cable[1];
  trial->ours[3] = link[1];
  trial->ours[4] = fmax(fabs(cable[1] / cable[0] / 1000.0 - 1.0), //
                        fabs(link[1] / link[0] / 1000.0 - 1.0));
}

// Finds the largest relative excess of cable and link over their lengths with one sweep.
static void one_sweep(rl_trial *trial) {
  rl_setup scene = rl_setup_shipped(trial, "pbd,iterations=1", 0.0, "cable-joints-fig12", NULL, 0);
  double largest = 0.0;
  for (int n = 0; n < 60; n++) {
    rl_setup_run(trial, &scene, 1);
    largest = fmax(largest, rl_setup_probe(trial, &scene, "cable.stretch"));
    largest = fmax(largest, rl_setup_probe(trial, &scene, "link.stretch"));
  }
  trial->ours[0] = largest;
  rl_setup_close(&scene);
}

// Finds the lengthening of a cable over a cylinder per force, for a compliance of 0.01 m/N [m/N].
static void compliance(rl_trial *trial) {
  const double softness = 0.01, length = 8.0 + 0.5 * M_PI;
  rl_setup cable = rl_setup_scene(
      trial, "xpbd,substeps=1,iterations=20", 1.0 / 60.0,
      "name: cable\ngravity: [0, -10, 0]\nduration: 1\nstep: 0.01\nbodies:\n"
      "  cylinder: {motion: fixed, position: [0, 0, 0], shape: {cylinder: {radius: 0.5,"
      " length: 1}}}\n"
      "  weight: {mass: 2.385, position: [0.5, -4, 0]}\n"
      "ropes: {cable: {from: {point: [-0.5, -4, 0]}, to: {body: weight}, over: [cylinder],"
      " length: %.17g, stiffness: %.17g}}\n",
      length, length / softness);
  rl_setup_run(trial, &cable, 6000);
  trial->ours[0] = (rl_setup_probe(trial, &cable, "cable.length") - length) /
                   rl_setup_probe(trial, &cable, "cable.tension");
  trial->ours[1] = rl_setup_probe(trial, &cable, "cable.length") - length;
  rl_setup_close(&cable);
}

static const rl_claim compliance_claims[] = {
    RL_CLAIM("lengthening over force with a compliance of 0.01 m/N", "m/N", RL_EQUALS, 0.01, 1e-6,
             "Fig. 15", RL_READ, NULL),
    RL_CLAIM("... lengthening under 2.385 kg at rest", "m", RL_EQUALS, 0.2385, 1e-6, "Fig. 15",
             RL_DERIVED, NULL),
};

static const char drawn[] = "the figure could not be had: the two left bodies hang one below the "
                            "other, as its text reads";

static const rl_claim force_claims[] = {
    RL_CLAIM("density 1 kg/m^3, force in the cable", "N", RL_EQUALS, 20, 1e-5, "Fig. 12",
             RL_DERIVED, drawn),
    RL_CLAIM("... between the two bodies", "N", RL_EQUALS, 10, 1e-5, "Fig. 12", RL_DERIVED, drawn),
    RL_CLAIM("density 1000 kg/m^3, force in the cable", "N", RL_EQUALS, 20000, 1e-5, "Fig. 12",
             RL_DERIVED, drawn),
    RL_CLAIM("... between the two bodies", "N", RL_EQUALS, 10000, 1e-5, "Fig. 12", RL_DERIVED,
             drawn),
    RL_CLAIM("how much force / density differs", "1", RL_EQUALS, 0, 1e-9, "Fig. 12", RL_READ, NULL),
};

static const rl_claim sweep_claims[] = {
    RL_CLAIM("distance error with one iteration", "1", RL_EQUALS, 0.05, 0.2, "Fig. 12", RL_READ,
             "our cable is one row from end to end, theirs is three joints that are relaxed one "
             "after the other; as three rows in turn, over wheels that grip, 0.8 % with wheels as "
             "dense as the bodies and 8 % with a tenth of that, and theirs is not stated"),
};

static const rl_experiment experiments[] = {
    {"gear", gear, 1, gear_claims, NULL, 0.1},
    {"forces", forces, sizeof force_claims / sizeof force_claims[0], force_claims, NULL, 0.1},
    {"compliance", compliance, 2, compliance_claims, NULL, 0.1},
    {"one-sweep", one_sweep, 1, sweep_claims, NULL, 0.1},
};

const rl_paper rl_paper_cable_joints = {"cable-joints", "mueller2018", "cable-joints.md", 4,
                                        experiments};
