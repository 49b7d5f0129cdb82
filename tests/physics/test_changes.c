// SPDX-License-Identifier: GPL-3.0-or-later
// Massless ropes in random scenes: whatever they run into, slide over and slip off, the run goes
// on, and the rope lies on what there is.
#include "check.h"
#include "random_scenes.h"

#include "world/paths/wrap.h"
#include "world/rows_internal.h"

// How many scenes to look at; with an argument thousands, which takes minutes.
static int most_scenes = 60;

// ---------------------------------------------------------------------------------------------
// The run goes on

// By how much the length of a rope can change at most within a step: twice what all bodies move.
static double moves_of(const rl_model *model, const rl_state *before, const rl_state *now) {
  double sum = 0.0;
  for (uint32_t i = 0; i < model->body_count; i++) {
    const uint32_t slot = rl_body_slot(model, i);
    const rl_quat a = before->rotations[i], b = now->rotations[i];
    const double same = fmin(fabs(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w), 1.0);
    sum += rl_distance(rl_position(&before->points[slot]), rl_position(&now->points[slot])) +
           2.0 * acos(same) * model->bodies[i].bound;
  }
  return 2.0 * sum;
}

// No place is beyond the end of its edge.
static void check_places(const rl_driver *d) {
  const rl_path_item *items = rl_path_items(d->state, 0);
  for (uint32_t k = 1; k <= d->state->wrap_counts[0]; k++) {
    if (items[k].kind == RL_PATH_LINE) {
      check_below(-items[k].along, 1e-9);
      check_below(items[k].along - items[k].length, 1e-9);
    }
  }
}

static void random_runs_go_on(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"impulse", "impulse-direct", "pbd", "pbd-direct", "rattle"};
  uint64_t seed = 2385;
  int runs = 0, slips = 0, changes = 0;
  for (int n = 0; n < most_scenes; n++) {
    rl_scenario *s = random_weights(&seed, n % 2 == 0 ? 0.0 : between(&seed, 0.0, 0.9));
    if (!s) {
      continue;
    }
    runs++;
    rl_driver *d = driver_for(s, solvers[n % 5], n % 4 < 2 ? 1.0 / 500.0 : 1.0 / 250.0);
    double length = rl_wrap_solve_path(d->model, d->state, 0, d->state->points), most = 0.0;
    for (int k = 0; k < 250; k++) {
      const uint64_t wraps = rl_wraps_hash(d->model, d->state), slipped = d->state->slipped_off;
      if (!(rl_driver_step(d) > 0)) {
        print_error("scene %d, %s at %.4g s: %s\n", n, d->type->name, d->state->time,
                    rl_reason_name(d->info.reason));
        fail();
      }
      const double now = rl_wrap_solve_path(d->model, d->state, 0, d->state->points);
      const double moved = moves_of(d->model, d->before, d->state) + 1e-9;
      check_places(d);
      check_below(now - length, moved);
      check_below(length - now, d->state->slipped_off > slipped ? INFINITY : 2.0 * moved);
      slips += d->state->slipped_off > slipped;
      changes += rl_wraps_hash(d->model, d->state) != wraps;
      length = now;
      most = fmax(most, rl_driver_energy_error(d) / d->energy_scale);
    }
    if (!(most < 0.1)) { // of all there is: more, and a run says so
      print_error("scene %d, %s: gains %.3g of %.3g J, expected at most %.3g J\n", n, d->type->name,
                  most * d->energy_scale, d->energy_scale, 0.1 * d->energy_scale);
      fail();
    }
    rl_driver_free(d);
    rl_scenario_free(s);
  }
  print_message("%d runs, %d changes, %d slips off\n", runs, changes, slips);
}

// What slid, slipped off or lay elsewhere in one step, and was held there by marks that it had
// left: of drums (a: over a rim and the side, slack; b: the way ends, and without them it would go
// through one), of three bodies that it falls on to from another (c), of balls and caps near half a
// turn (d, e). A fall in which more comes off than is taken on (f); a search for a path that tries
// the other side of a ball, and comes back (g); substeps behind the end of a way (h); a strand over
// a wheel on which it slips, from a fixed point to a fixed body, that has come to be too long (i);
// strands that have given rope to those on a cap, as it went (j) and just after that (k); grips
// that come again and again, of which one set makes 102 J (l); springs of strands that become one,
// (4a) of papers/penalty.md (m); a catch, by a new wrap, in which the rope stops slipping (n); a
// slack rope on a free box, that moves on as it is (o); an edge that locks while the rope slips
// (p); a path over a seam that jumps to another one (q); a place at
// the corner of three edges (r); a slack rope that was guessed to be taut (s). Without
// the rules of the notes up to 5e26 of all energy comes in.
static const struct {
  const char *solver, *scene;
} throwing[] = {
    {"xpbd", "  b0: {position: [-0.1458, -0.585, 0.0199], motion: fixed, rotation: [-0.1, -0.178, "
             "0.339], shape: {cylinder: {radius: 0.1101, length: 0.4176}}}\n"
             "  b1: {position: [0.6364, -0.3129, 0.02157], motion: fixed, rotation: [0.577, 0.609, "
             "1.63], shape: {cylinder: {radius: 0.1466, length: 0.2056}}}\n"
             "  w1: {mass: 0.5438, position: [1.27, -0.1, 0.02], velocity: [1.03, -1.73, 0.068]}\n"
             "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: w1}, friction: 0.663, stiffness: "
             "3501}}\n"},
    {"impulse-soft",
     "  b0: {position: [0.08104, -0.5376, -0.043], motion: fixed, rotation: [-0.847, 0.589, "
     "-0.215], shape: {cylinder: {radius: 0.1416, length: 0.3031}}}\n"
     "  b1: {position: [-0.2747, -0.4438, 0.01636], motion: fixed, rotation: [0.863, 0.424, "
     "1.05], shape: {cylinder: {radius: 0.0905, length: 0.322}}}\n"
     "  b2: {position: [0.634, -0.4937, -0.01995], motion: fixed, rotation: [0.188, 0.772, "
     "-0.984], shape: {cylinder: {radius: 0.1462, length: 0.332}}}\n"
     "  b3: {position: [-0.4081, -0.7129, -0.02137], motion: fixed, rotation: [0.461, 0.0574, "
     "0.822], shape: {capsule: {radius: 0.1362, length: 0.4626}}}\n"
     "  w1: {mass: 0.6341, position: [1.05, -0.1, 0.02], velocity: [-0.806, -1.75, 0.157]}\n"
     "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: w1}, friction: 0.823, stiffness: 1119, "
     "damping: 3.12}}\n"},
    {"convex",
     "  b0: {position: [0, -0.1198, 0.004691], motion: axle, mass: 1.3, rotation: [0.0588, "
     "0.851, "
     "0.0518], shape: {box: {size: [0.3638, 0.3118, 1.107]}}}\n"
     "  b1: {position: [1.308, -0.134, -0.006952], motion: axle, mass: 1.3, rotation: [-0.249, "
     "0.963, 0.0309], shape: {cylinder: {radius: 0.2334, length: 0.706}}}\n"
     "  b2: {position: [2.446, 0.1236, 0.003695], mass: 0.7, rotation: [0.307, -0.186, -1.44], "
     "shape: {box: {size: [0.2499, 0.2142, 0.8038]}}}\n"
     "  b3: {position: [3.602, -0.07978, -0.02859], motion: axle, mass: 1.3, rotation: [0.859, "
     "-0.623, -1.54], shape: {cylinder: {radius: 0.2413, length: 0.7037}}}\n"
     "  w0: {mass: 1.012, position: [-0.8803, -0.2724, -0.1438], velocity: [0.867, -0.515, "
     "-0.7]}\n"
     "  w1: {mass: 0.3077, position: [4.488, -0.3526, 0.0922], velocity: [-0.023, 0.658, "
     "-0.463]}\n"
     "ropes: {line: {from: {body: w0}, to: {body: w1}, over: [{body: b0, side: [0, 1, 0]}, "
     "{body: b1, side: [0, 1, 0]}, {body: b2, side: [0, 1, 0]}, {body: b3, side: [0, 1, 0]}], "
     "friction: 0.435, stiffness: 779.5, damping: 1.71}}\n"},
    {"rattle",
     "  b0: {position: [0.2406, -0.4169, 0.02459], motion: fixed, rotation: [-0.3, 0.576, "
     "-0.568], shape: {sphere: {radius: 0.1431}}}\n"
     "  b1: {position: [0.2421, -0.8439, 0.01286], motion: fixed, rotation: [0.78, -0.855, "
     "1.23], "
     "shape: {box: {size: [0.1827, 0.1566, 0.3164]}}}\n"
     "  b2: {position: [-0.03368, -0.704, 0.03057], motion: fixed, rotation: [0.443, -0.041, "
     "-0.883], shape: {prism: {radius: 0.1295, length: 0.1146, sides: 6}}}\n"
     "  w1: {mass: 0.7677, position: [1.25, -0.1, 0.02], velocity: [-1.79, -2.79, 0.193]}\n"
     "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: w1}, friction: 0.182}}\n"},
    {"xpbd",
     "  b0: {position: [0.3451, -0.7271, 0.02147], motion: fixed, rotation: [0.675, 0.311, "
     "0.0802], shape: {box: {size: [0.1206, 0.1033, 0.2413]}}}\n"
     "  b1: {position: [0.375, -0.4374, 0.04894], motion: axle, mass: 1.3, rotation: [0.277, "
     "0.632, -1.35], shape: {capsule: {radius: 0.1165, length: 0.2869}}}\n"
     "  w1: {mass: 1.865, position: [1.05, -0.1, 0.02], velocity: [1.57, -2.01, -0.0845]}\n"
     "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: w1}, friction: 0.489, stiffness: "
     "423.7}}\n"},
    {"impulse-soft",
     "  b0: {position: [0, 0.02938, 0.03571], motion: fixed, rotation: [0.884, 0.467, -0.753], "
     "shape: {prism: {radius: 0.2768, length: 0.3918, sides: 3}}}\n"
     "  b1: {position: [0.8783, -0.1077, 0.003638], motion: axle, mass: 1.3, rotation: [0.95, "
     "-0.261, 1.19], shape: {box: {size: [0.3484, 0.2986, 0.872]}}}\n"
     "  b2: {position: [1.731, -0.09728, -0.03857], motion: axle, mass: 1.3, rotation: [0.717, "
     "-0.145, -1.13], shape: {prism: {radius: 0.244, length: 0.3251, sides: 5}}}\n"
     "  w0: {mass: 2.727, position: [-0.8022, -1.468, -0.1241], velocity: [0.989, -0.531, "
     "0.45]}\n"
     "  w1: {mass: 3.783, position: [2.434, -0.4072, 0.1123], velocity: [-0.738, -0.631, "
     "-0.31]}\n"
     "ropes: {line: {from: {body: w0}, to: {body: w1}, over: [{body: b0, side: [0, 1, 0]}, "
     "{body: b1, side: [0, 1, 0]}, {body: b2, side: [0, 1, 0]}], stiffness: 3748}}\n"},
    {"pbd",
     "  b0: {position: [-0.157, -0.8097, -0.03504], motion: fixed, rotation: [-0.445, 0.86, "
     "-0.0294], shape: {prism: {radius: 0.1252, length: 0.4666, sides: 5}}}\n"
     "  b1: {position: [0.2165, -0.7269, -0.001102], motion: fixed, rotation: [-0.24, -0.0734, "
     "1.09], shape: {sphere: {radius: 0.07734}}}\n"
     "  b2: {position: [0.1445, -0.6582, 0.02346], motion: fixed, rotation: [0.809, -0.344, "
     "1.53], shape: {prism: {radius: 0.1057, length: 0.1631, sides: 7}}}\n"
     "  w1: {mass: 2.927, position: [1.16, -0.1, 0.02], velocity: [1.7, -1.13, -0.0749]}\n"
     "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: w1}}}\n"},
    {"penalty",
     "  b0: {position: [-0.1258, -0.681, -0.02545], motion: axle, mass: 1.3, rotation: [-0.564, "
     "-0.559, 0.751], shape: {cylinder: {radius: 0.09642, length: 0.5911}}}\n"
     "  b1: {position: [0.4292, -0.4566, -0.03386], motion: fixed, rotation: [-0.17, 0.746, "
     "1.64], shape: {sphere: {radius: 0.0878}}}\n"
     "  b2: {position: [0.3288, -0.6983, -0.04751], motion: fixed, rotation: [-0.626, -0.935, "
     "0.0187], shape: {cylinder: {radius: 0.1321, length: 0.5494}}}\n"
     "  b3: {position: [-0.2865, -0.8727, -0.04959], mass: 0.7, rotation: [-0.807, 0.998, "
     "-0.443], shape: {box: {size: [0.1955, 0.1675, 0.1945]}}}\n"
     "  w1: {mass: 2.846, position: [1.06, -0.1, 0.02], velocity: [-0.475, -2.42, 0.49]}\n"
     "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: w1}, friction: 0.442}}\n"},
    {"xpbd",
     "  b0: {position: [0.1659, -0.3697, 0.005779], motion: axle, mass: 1.3, rotation: [0.922, "
     "0.179, 1.3], shape: {capsule: {radius: 0.1312, length: 0.5667}}}\n"
     "  b1: {position: [-0.07416, -0.764, -0.01745], motion: fixed, rotation: [0.857, -0.524, "
     "-0.334], shape: {prism: {radius: 0.1453, length: 0.1335, sides: 7}}}\n"
     "  b2: {position: [-0.3707, -0.4489, -0.003007], motion: fixed, rotation: [0.65, 0.369, "
     "-0.45], shape: {capsule: {radius: 0.0811, length: 0.1051}}}\n"
     "  w1: {mass: 2.142, position: [1.04, -0.1, 0.02], velocity: [0.389, -1.97, 0.284]}\n"
     "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: w1}, friction: 0.266, stiffness: "
     "2535, damping: 2.94}}\n"},
    {"penalty",
     "  b0: {position: [-0.5678, -0.5044, 0.04358], motion: fixed, rotation: [0.602, 0.467, "
     "-1.13], shape: {capsule: {radius: 0.1432, length: 0.3913}}}\n"
     "  b1: {position: [-0.004707, -0.7087, -0.0004658], motion: fixed, rotation: [-0.589, 0.886, "
     "-1.49], shape: {capsule: {radius: 0.1246, length: 0.2272}}}\n"
     "  b2: {position: [0.468, -0.6072, -0.01501], motion: fixed, rotation: [0.775, 0.919, "
     "-0.593], shape: {cylinder: {radius: 0.09718, length: 0.5881}}}\n"
     "  b3: {position: [0.3, -0.7919, -0.04472], motion: fixed, rotation: [0.0503, -0.14, 0.712], "
     "shape: {cylinder: {radius: 0.1302, length: 0.1232}}}\n"
     "  w1: {mass: 2.167, position: [0.915, -0.1, 0.02], velocity: [-1.95, -2.67, -0.0722]}\n"
     "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: w1}, friction: 0.485}}\n"},
    {"xpbd",
     "  b0: {position: [0.5381, -0.567, 0.008064], mass: 0.7, rotation: [0.167, -0.98, 0.707], "
     "shape: {cylinder: {radius: 0.1431, length: 0.4307}}}\n"
     "  b1: {position: [-0.1511, -0.834, 0.04884], motion: fixed, rotation: [0.522, -0.653, "
     "-0.931], shape: {capsule: {radius: 0.1297, length: 0.1378}}}\n"
     "  w1: {mass: 1.607, position: [1.13, -0.1, 0.02], velocity: [-0.0252, -1.06, 0.17]}\n"
     "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: w1}, friction: 0.873}}\n"},
    {"xpbd",
     "  b0: {position: [0, -0.135, 0.03116], motion: fixed, rotation: [0.0644, -0.438, 1.9], "
     "shape: {capsule: {radius: 0.1831, length: 0.809}}}\n"
     "  b1: {position: [1.291, 0.001943, -0.04452], mass: 0.7, rotation: [0.566, -0.5, 0.718], "
     "shape: {capsule: {radius: 0.2101, length: 0.472}}}\n"
     "  b2: {position: [2.422, -0.0746, -0.04578], motion: axle, mass: 1.3, rotation: [0.847, "
     "-0.845, -0.12], shape: {prism: {radius: 0.2723, length: 0.8119, sides: 4}}}\n"
     "  w0: {mass: 1.733, position: [-0.6718, -1.135, -0.1138], velocity: [-0.167, 1.36, "
     "-0.887]}\n"
     "  w1: {mass: 1.106, position: [3.393, -1.453, 0.02686], velocity: [0.179, -1.63, -0.202]}\n"
     "ropes: {line: {from: {body: w0}, to: {body: w1}, over: [{body: b0, side: [0, 1, 0]}, "
     "{body: b1, side: [0, 1, 0]}, {body: b2, side: [0, 1, 0]}], friction: 0.075}}\n"},
    {"penalty",
     "  load: {mass: 5, position: [0.876, -1.121, 0], velocity: [-0.852, 0.904, 0]}\n"
     "  pulley: {mass: 1, position: [-0.911, -0.567, 0], collide: false, "
     "shape: {capsule: {radius: 0.233, length: 0.5}}}\n"
     "  post: {motion: fixed, position: [0.017, -0.274, 0], collide: false, "
     "shape: {capsule: {radius: 0.083, length: 0.5}}}\n"
     "ropes: {line: {from: {point: [-1.4, 0.8, 0]}, to: {body: load}, over: [{body: pulley, "
     "side: [0, -1, 0]}, {eye: [0.1, 0.9, 0], friction: 0}], friction: 0.2}}\n"},
    {"impulse-soft",
     "  body: {motion: axle, mass: 1.3, rotation: [-0.536, -0.423, 1.71], "
     "shape: {prism: {radius: 0.2672, length: 0.3082, sides: 5}}}\n"
     "  w0: {mass: 2.821, position: [-0.6236, -0.4631, -0.1238], velocity: [0.751, -0.111, "
     "0.656]}\n"
     "  w1: {mass: 0.3848, position: [0.8082, -1.345, 0.1048], velocity: [-0.315, 0.152, "
     "-0.339]}\n"
     "ropes: {line: {from: {body: w0}, to: {body: w1}, over: [{body: body, side: [0, 1, 0]}], "
     "friction: 0.498}}\n"},
    {"convex",
     "  body: {mass: 0.7, rotation: [-0.562, 0.802, 0.476], "
     "shape: {box: {size: [0.4886, 0.4188, 1.047]}}}\n"
     "  w0: {mass: 3.651, position: [-0.691, -0.9588, -0.004376], velocity: [0.178, 1.97, "
     "-0.443]}\n"
     "  w1: {mass: 3.694, position: [0.691, -1.283, -0.1078], velocity: [0.367, -0.927, 0.133]}\n"
     "ropes: {line: {from: {body: w0}, to: {body: w1}, over: [{body: body, side: [0, 1, 0]}], "
     "friction: 0.651}}\n"},
    {"rattle",
     "  body: {motion: axle, mass: 1.3, rotation: [-0.123, -0.352, 0.816], "
     "shape: {prism: {radius: 0.2377, length: 0.55, sides: 6}}}\n"
     "  w0: {mass: 2.386, position: [-0.8093, -0.1769, 0.002425], velocity: [0.437, -0.08, "
     "-0.871]}\n"
     "  w1: {mass: 3.356, position: [0.4704, -1.404, 0.01978], velocity: [-0.461, -0.127, "
     "0.777]}\n"
     "ropes: {line: {from: {body: w0}, to: {body: w1}, over: [{body: body, side: [0, 1, 0]}], "
     "friction: 0.725}}\n"},
    {"pbd",
     "  body: {mass: 0.7, rotation: [0.0855, -0.122, 0.0538], "
     "shape: {capsule: {radius: 0.259, length: 1.129}}}\n"
     "  w0: {mass: 2.551, position: [-0.9911, -0.5774, -0.05155], velocity: [0.139, -0.883, "
     "-0.491]}\n"
     "  w1: {mass: 1.329, position: [1.298, -0.8282, 0.06067], velocity: [0.38, 1.41, -0.7]}\n"
     "ropes: {line: {from: {body: w0}, to: {body: w1}, over: [{body: body, side: [0, 1, 0]}], "
     "friction: 0.856}}\n"},
    {"xpbd",
     "  body: {motion: axle, mass: 1.3, rotation: [-0.744, -0.363, 0.168], "
     "shape: {prism: {radius: 0.3094, length: 0.3583, sides: 8}}}\n"
     "  w0: {mass: 1.241, position: [-0.524, -1.363, -0.05371], velocity: [0.846, -0.296, "
     "0.916]}\n"
     "  w1: {mass: 2.285, position: [0.4518, -0.1504, -0.1027], velocity: [-0.295, -1.63, "
     "-0.815]}\n"
     "ropes: {line: {from: {body: w0}, to: {body: w1}, over: [{body: body, side: [0, 1, 0]}], "
     "friction: 0.852}}\n"},
    {"rattle",
     "  b0: {motion: driven, position: [-0.4, 0.14698438693522725, 0], rotation: [0, 0, "
     "-0.2654212083094627], spin: [0, 0, 4.230231563729625], friction: 1, "
     "shape: {box: {size: [0.4592714365513144, 0.1, 0.5]}}}\n"
     "  b1: {motion: axle, mass: 0.3, position: [0.4, 0.24860395938049948, 0], rotation: [0, 0, "
     "0.7906869675772827], spin: [0, 0, -6.355742172780856], friction: 1, "
     "shape: {box: {size: [0.1833557586613822, 0.1, 0.5]}}}\n"
     "  a: {mass: 1.7676562250646377, position: [-0.9, -1, 0]}\n"
     "  c: {mass: 1.791426651935573, position: [0.9, -1.2, 0]}\n"
     "ropes: {l: {from: {body: a}, to: {body: c}, over: [b0, b1]}}\n"},
};

static void check_throws_nothing(char name, const char *solver, const char *scene, double step,
                                 int steps) {
  rl_scenario *s = scenario_from("name: x\nduration: 1\nstep: 0.002\nbodies:\n%s", scene);
  rl_driver *d = driver_for(s, solver, step);
  double most = 0.0;
  for (int n = 0; n < steps; n++) {
    assert_true(rl_driver_step(d) > 0);
    most = fmax(most, rl_driver_energy_error(d));
  }
  print_message("%c, %s: gained %.3g of %.3g J, expected at most %.3g J\n", name, solver, most,
                d->energy_scale, 0.02 * d->energy_scale);
  check_below(most, 0.02 * d->energy_scale);
  rl_driver_free(d);
  rl_scenario_free(s);
}

static void changes_within_a_step_throw_nothing(void **unused) {
  (void)unused;
  for (size_t k = 0; k < sizeof throwing / sizeof throwing[0]; k++) {
    check_throws_nothing((char)('a' + k), throwing[k].solver, throwing[k].scene, 0.002, 500);
  }
}

// (7h) of papers/grips.md: ropes that come to slip so that no pull stops them, on light bodies that
// friction turns on. Without (7h) nothing holds the rope then, and later it is drawn in at once
// (a, b); what has been pulled along one direction is taken back along another (c, e); all stands
// still, with the tensions that the method has begun with (d); a slip with 10 N before an edge that
// comes near to locking and 1769 N behind it is left too long (f).
static const struct {
  const char *solver, *scene;
  double step; // [s]
} jamming[] = {
    {"convex",
     "  b0: {motion: driven, position: [-0.36001, 0.16786, 0], rotation: [0, 0, 0.07962],"
     " spin: [0, 0, 0.5715], friction: 1, shape: {prism: {radius: 0.1133, length: 0.5,"
     " sides: 6}}}\n"
     "  b1: {motion: axle, mass: 0.1, position: [0.36001, 0.13784, 0], rotation: [0, 0,"
     " 0.1981], spin: [0, 0, -2.328], friction: 1, shape: {box: {size: [0.3661, 0.1,"
     " 0.5]}}}\n"
     "  w0: {mass: 1.933, position: [-0.8827, -0.8083, 0], velocity: [0.305, 0.0624, 0]}\n"
     "  w1: {mass: 2.918, position: [0.8827, -1.118, 0], velocity: [-1.55, 2.52, 0]}\n"
     "ropes: {l: {from: {body: w0}, to: {body: w1}, over: [b0, b1], slack: 0.0387}}\n",
     0.002},
    {"rattle",
     "  b0: {motion: driven, position: [-0.41905, 0.233, 0], rotation: [0, 0, -0.5522],"
     " spin: [0, 0, -2.287], friction: 1, shape: {box: {size: [0.3021, 0.1, 0.5]}}}\n"
     "  b1: {motion: axle, mass: 0.1, position: [0.41905, 0.24515, 0], rotation: [0, 0,"
     " 0.2824], spin: [0, 0, -0.2059], friction: 1, shape: {prism: {radius: 0.2158,"
     " length: 0.5, sides: 7}}}\n"
     "  w0: {mass: 2.418, position: [-0.9779, -1.018, 0], velocity: [1.5, -2.67, 0]}\n"
     "  w1: {mass: 2.423, position: [0.9779, -0.7534, 0], velocity: [-0.534, 0.245, 0]}\n"
     "ropes: {l: {from: {body: w0}, to: {body: w1}, over: [b0, b1], slack: 0.117}}\n",
     0.0005},
    {"rattle",
     "  b0: {motion: driven, position: [-0.79765, 0.29684, 0], rotation: [0, 0, 0.9446],"
     " spin: [0, 0, -2.816], friction: 1, shape: {prism: {radius: 0.2122, length: 0.5,"
     " sides: 7}}}\n"
     "  b1: {motion: axle, mass: 0.1, position: [0, 0.27799, 0], rotation: [0, 0,"
     " -0.6738], spin: [0, 0, 2.071], friction: 1, shape: {box: {size: [0.2937, 0.2692,"
     " 0.5]}}}\n"
     "  b2: {motion: axle, mass: 0.1, position: [0.79765, 0.17494, 0], rotation: [0, 0,"
     " -0.6728], spin: [0, 0, -0.4077], friction: 1, shape: {prism: {radius: 0.2134,"
     " length: 0.5, sides: 3}}}\n"
     "  w0: {mass: 1.007, position: [-1.172, -0.6736, -0.01734], velocity: [-1.01, 2.9,"
     " -0.382]}\n"
     "  w1: {mass: 1.887, position: [1.172, -0.9396, 0.09684], velocity: [1.66, -0.0282,"
     " 0.493]}\n"
     "ropes: {l: {from: {body: w0}, to: {body: w1}, over: [b0, b1, b2], slack: 0}}\n",
     0.0005},
    {"convex",
     "  b0: {motion: driven, position: [-0.85663, 0.25153, 0], rotation: [0, 0,"
     " -0.004072], spin: [0, 0, 4.231], friction: 1, shape: {prism: {radius: 0.2208,"
     " length: 0.5, sides: 3}}}\n"
     "  b1: {motion: axle, mass: 0.3, position: [0, 0.29808, 0], rotation: [0, 0, 0.4668],"
     " spin: [0, 0, 2.808], friction: 1, shape: {box: {size: [0.4359, 0.1, 0.5]}}}\n"
     "  b2: {motion: axle, mass: 0.1, position: [0.85663, 0.20732, 0], rotation: [0, 0,"
     " -0.8202], spin: [0, 0, 2.069], friction: 1, shape: {box: {size: [0.2374, 0.1056,"
     " 0.5]}}}\n"
     "  w0: {mass: 1.391, position: [-1.208, -0.7974, -0.0722], velocity: [-1.91, -2.24,"
     " -0.426]}\n"
     "  w1: {mass: 1.215, position: [1.208, -1.04, -0.0941], velocity: [-1.54, 1.99,"
     " 0.167]}\n"
     "ropes: {l: {from: {body: w0}, to: {body: w1}, over: [b0, b1, b2], slack: 0}}\n",
     0.0005},
    {"pbd",
     "  b0: {motion: driven, position: [-0.4392, 0.013423, 0], rotation: [0, 0, 0.6855],"
     " spin: [0, 0, -0.8046], friction: 0.8, shape: {box: {size: [0.4689, 0.1375,"
     " 0.5]}}}\n"
     "  b1: {motion: axle, mass: 0.3, position: [0.4392, 0.18471, 0], rotation: [0, 0,"
     " 0.7577], spin: [0, 0, -1.244], friction: 0.8, shape: {box: {size: [0.3848, 0.1,"
     " 0.5]}}}\n"
     "  w0: {mass: 2.726, position: [-0.8163, -1.067, 0], velocity: [-0.507, -1.37, 0]}\n"
     "  w1: {mass: 2.828, position: [0.8163, -0.6788, 0], velocity: [-0.648, -0.331, 0]}\n"
     "ropes: {l: {from: {body: w0}, to: {body: w1}, over: [b0, b1], slack: 0.0366}}\n",
     0.002},
    {"pbd-direct",
     "  b0: {motion: fixed, rotation: [0.526, 0.0692, -1.86], shape: {prism: {radius: 0.2784,"
     " length: 0.782, sides: 3}}}\n"
     "  w0: {mass: 0.3598, position: [-0.6963, -0.2075, 0.01796], velocity: [-0.673, 1.55,"
     " 0.0593]}\n"
     "  w1: {mass: 1.633, position: [0.5944, -1.128, -0.1001], velocity: [-0.229, -0.901,"
     " -0.506]}\n"
     "ropes: {l: {from: {body: w0}, to: {body: w1}, over: [{body: b0, side: [0, 1, 0]}],"
     " friction: 0.101}}\n",
     0.004},
};

static void what_no_pull_stops_sticks(void **unused) {
  (void)unused;
  for (size_t k = 0; k < sizeof jamming / sizeof jamming[0]; k++) {
    const double step = jamming[k].step;
    check_throws_nothing((char)('a' + k), jamming[k].solver, jamming[k].scene, step,
                         (int)(0.4 / step + 0.5));
  }
}

// A rope that sticks on a capsule slips off over its seam, in a step in which implicit methods find
// no solution with it: their best iterate was that all stands still, and 5.5 of 6 J were lost.
static void nothing_stops_where_a_path_ends(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"convex", "penalty-implicit", "pbd"};
  for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
    rl_scenario *s = scenario_from(
        "name: seam\nduration: 1\nstep: 0.001\nbodies:\n"
        "  body: {motion: fixed, rotation: [0.644, -0.384, -1.26], "
        "shape: {capsule: {radius: 0.3304, length: 1.154}}}\n"
        "  w0: {mass: 1.271, position: [-1.134, -0.8397, -0.01657], velocity: [0.148, -1.51, "
        "0.351]}\n"
        "  w1: {mass: 0.848, position: [1.365, -1.165, 0.06608], velocity: [0.859, -0.538, "
        "0.512]}\n"
        "ropes: {line: {from: {body: w0}, to: {body: w1}, over: [{body: body, side: [0, 1, 0]}], "
        "friction: 0.824}}\n");
    rl_driver *d = driver_for(s, solvers[k], 0.001);
    take_steps(d, 600);
    assert_int_equal(d->state->slipped_off, 1);
    check_near(rl_driver_energy_error(d), 0.0, 0.06); // order 1: 0.02 at half the step
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// A light box on an axle that friction takes along, until the rope has gone round it once.
static rl_scenario *light_box(void) {
  return scenario_from(
      "name: jam\nduration: 1\nstep: 0.004\nbodies:\n"
      "  box: {motion: axle, mass: 1.3, rotation: [0.397, -0.413, -1.79],"
      " shape: {box: {size: [0.4534, 0.3886, 1.231]}}}\n"
      "  a: {mass: 3.355, position: [-0.9067, -1.116, 0.02465], velocity: [0.958, 1.42, "
      "-0.0524]}\n"
      "  b: {mass: 1.96, position: [1.115, -0.3823, -0.1007], velocity: [-0.653, 1.74, 0.671]}\n"
      "ropes: {line: {from: {body: a}, to: {body: b}, over: [{body: box, side: [0, 1, 0]}],"
      " friction: 0.654}}\n");
}

// By how much the strand that is farthest from its length is beside it, slack ends aside [m].
static double largest_misfit(rl_driver *d) {
  double largest = 0.0;
  rl_detect(d->model, d->state, d->dt, d->rows);
  for (uint32_t r = 0; r < d->rows->row_count; r++) {
    rl_row *row = &d->rows->rows[r];
    rl_row_evaluate(d->model, d->state, d->rows, row, d->state->points);
    largest = fmax(largest, row->entry_count > 0 ? row->value : fabs(row->value));
  }
  return largest;
}

// There J M^-1 G^T comes below 0 as the box turns: a tension that slips over it would turn it so
// that the rope has to be longer still. So it sticks. And as the rope comes on to the edge where it
// leaves the box, a turn later, each strand keeps the rope that it has.
static void rope_sticks_where_no_slip_can_be(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"impulse", "impulse-direct", "pbd", "pbd-direct", "rattle"};
  for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
    rl_scenario *s = light_box();
    rl_driver *d = driver_for(s, solvers[k], 0.004);
    double longest = 0.0, misfit = 0.0, gained = 0.0;
    uint32_t most = 0;
    for (int n = 0; n < 250; n++) {
      assert_true(rl_driver_step(d) > 0);
      const double length = rl_wrap_solve_path(d->model, d->state, 0, d->state->points);
      longest = fmax(longest, length - d->state->links[0].rest);
      misfit = fmax(misfit, largest_misfit(d));
      gained = fmax(gained, rl_driver_energy_error(d));
      most = d->state->wrap_counts[0] > most ? d->state->wrap_counts[0] : most;
    }
    print_message("%s: the rope is too long by %.3g m at most, a strand beside its length by %.3g; "
                  "gained %.3g of %.3g J, over %u edges at most\n",
                  solvers[k], longest, misfit, gained, d->energy_scale, most);
    check_below(longest, 0.01);
    check_below(misfit, 0.03); // when it catches the box, which turns fast
    check_below(gained, 0.01 * d->energy_scale);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// A bob that has wound itself up to an edge passes it within a step: along the gradient of its
// start there is no place where the rope is short enough. Nothing is pulled but towards the edge,
// so that it gets no faster.
static void bob_winds_up_to_an_edge(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"pbd-direct", "rattle"};
  for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
    rl_scenario *s =
        scenario_from("name: edge\nduration: 1\nstep: 0.001\ngravity: [0, 0, 0]\nbodies:\n"
                      "  post: {motion: fixed, shape: {box: {size: [0.2, 0.2, 1]}}}\n"
                      "  bob: {mass: 1.3, position: [0.1004, 0.0997, 0], velocity: [-3, -4, 0.2]}\n"
                      "ropes: {line: {from: {point: [-1, 0.2, 0]}, to: {body: bob},"
                      " over: [{body: post, side: [1, 1, 0]}]}}\n");
    rl_driver *d = driver_for(s, solvers[k], 0.001);
    assert_int_equal(d->state->wrap_counts[0], 1);
    const double start = rl_energy_total(rl_driver_energy(d));
    double most = start;
    for (int n = 0; n < 20; n++) {
      assert_true(rl_driver_step(d) > 0);
      most = fmax(most, rl_energy_total(rl_driver_energy(d)));
    }
    print_message("%s: %.6g J, at most %.6g J, expected no more\n", solvers[k], start, most);
    check_below(most, start * (1.0 + 1e-12));
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// (15c) An elastic rope slips off a body that is pushed into it or flies at it, and comes to lie on
// others elsewhere than before: what it stores less is booked as dissipated, whatever it has landed
// on, and it gets no energy.
static void elastic_rope_slips_off_with_a_loss(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"xpbd",         "penalty", "penalty-implicit",
                                        "impulse-soft", "convex",  "reference"};
  static const char *const push =
      "motion: driven, drive: [[0, 0.7, 0.31, 0], [0.2, 0.7, -0.1, 0], [0.45, 0.7, -0.1, 0.4]]";
  static const struct {
    const char *post, *push, *ends[2];
    double gravity;
  } scenes[] = {
      {"motion: fixed, shape: {cylinder: {radius: 0.15, length: 1}}, friction: 0.5",
       "shape: {sphere: {radius: 0.15}}, friction: 0",
       {"[-1.2, 0, 0]", "[1.2, 0, 0]"},
       0.0},
      {"motion: fixed, shape: {sphere: {radius: 0.15}}, friction: 0.5",
       "shape: {sphere: {radius: 0.15}}, friction: 0.5",
       {"[-1.2, 0, 0]", "[1.2, 0, 0]"},
       0.0},
      {"motion: axle, mass: 1, rotation: [0.245, 0.230, -0.843], shape: {sphere: {radius: 0.15}}, "
       "friction: 0.5",
       "mass: 0.3, position: [-0.681, 0.581, -0.092], velocity: [-0.415, -3.372, 0.391], spin: "
       "[0.245, -2.754, 6.754], rotation: [0.873, 0.870, -0.776], shape: {capsule: {radius: 0.1, "
       "length: 0.3}}, friction: 0.5",
       {"[-1.2, 0.1, 0]", "[1.2, -0.073, -0.083]"},
       -9.81},
  };
  for (size_t n = 0; n < sizeof scenes / sizeof scenes[0]; n++) {
    for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
      rl_scenario *s = scenario_from(
          "name: off\nduration: 1\nstep: 0.001\ngravity: [0, %g, 0]\nbodies:\n"
          "  post: {%s}\n  push: {%s%s%s}\n"
          "ropes: {line: {stiffness: 10000, damping: 10, from: {point: %s}, to: {point: %s},"
          " over: [{body: post, side: [0, 1, 0]}]}}\n",
          scenes[n].gravity, scenes[n].post, n < 2 ? push : "", n < 2 ? ", " : "", scenes[n].push,
          scenes[n].ends[0], scenes[n].ends[1]);
      rl_driver *d = driver_for(s, solvers[k], 0.001);
      double stored = 0.0, lost = 0.0, most = 0.0;
      for (int step = 0; step < 250; step++) {
        const double elastic = rl_driver_energy(d).elastic, error = rl_driver_energy_error(d);
        const double before = d->state->dissipated;
        const uint64_t slipped = d->state->slipped_off;
        assert_true(rl_driver_step(d) > 0);
        if (d->state->slipped_off != slipped) {
          stored = fmax(stored, elastic);
          lost += d->state->dissipated - before;
          most = fmax(most, fabs(rl_driver_energy_error(d) - error));
        }
      }
      print_message("%zu, %s: stored %.4g J, %.4g J are lost in slips, %.2g J by error, "
                    "expected at most %.2g J\n",
                    n, solvers[k], stored, lost, most, 0.1 * stored);
      assert_true(d->state->slipped_off > 0);
      assert_true(n > 0 || d->state->slipped_off == 1); // off the ball, over which it comes to lie
      check_below(0.5 * stored, lost);
      check_below(lost, 1.1 * stored);
      check_below(most, 0.1 * stored);
      rl_driver_free(d);
      rl_scenario_free(s);
    }
  }
}

// (15c) Without friction `reference` books what such a rope stores less as it falls: the energy
// stays, also where the path ends that is continued past half a turn.
static void reference_books_falls_without_friction(void **unused) {
  (void)unused;
  static const struct {
    const char *bodies, *ends[2];
    double gravity;
  } scenes[] = {
      {"  post: {motion: fixed, shape: {cylinder: {radius: 0.15, length: 1}}, friction: 0}\n"
       "  push: {motion: driven, drive: [[0, 0.7, 0.31, 0], [0.2, 0.7, -0.1, 0], [0.45, 0.7, -0.1, "
       "0.4]], shape: {sphere: {radius: 0.15}}, friction: 0}\n",
       {"[-1.2, 0, 0]", "[1.2, 0, 0]"},
       0.0},
      {"  post: {motion: axle, mass: 1, rotation: [0.385, -0.095, 0.295],"
       " shape: {sphere: {radius: 0.15}}, friction: 0}\n"
       "  f0: {mass: 1, position: [-0.650, 0.524, -0.004], velocity: [-0.023, -4.250, -0.229],"
       " spin: [-1.918, -2.621, -3.121], shape: {sphere: {radius: 0.15}}, friction: 0}\n",
       {"[-1.2, 0.1, 0]", "[1.2, -0.005, -0.032]"},
       -9.81},
  };
  for (int n = 0; n < 2; n++) {
    rl_scenario *s = scenario_from(
        "name: off\nduration: 1\nstep: 0.001\ngravity: [0, %g, 0]\nbodies:\n%s"
        "ropes: {line: {stiffness: 10000, damping: 10, from: {point: %s}, to: {point: %s},"
        " over: [{body: post, side: [0, 1, 0]}]}}\n",
        scenes[n].gravity, scenes[n].bodies, scenes[n].ends[0], scenes[n].ends[1]);
    rl_driver *d = driver_for(s, "reference,estimate=false", 0.001);
    double lost = 0.0;
    for (int step = 0; step < 200; step++) {
      const double before = d->state->dissipated;
      const uint64_t slipped = d->state->slipped_off;
      assert_true(rl_driver_step(d) > 0);
      lost += d->state->slipped_off != slipped ? d->state->dissipated - before : 0.0;
    }
    print_message("%d: %.4g J are lost in falls, energy error %.2g J, expected 1e-10 J at most\n",
                  n, lost, rl_driver_energy_error(d));
    assert_true(d->state->slipped_off > 0 && lost > 0.5);
    check_near(rl_driver_energy_error(d), 0.0, 1e-10);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// ---------------------------------------------------------------------------------------------
// The rope goes through nothing

// How deep straight pieces are inside a body [m].
static double depth_in(const rl_driver *d, uint32_t body) {
  const rl_model *model = d->model;
  const rl_part *part = model->bodies[body].parts;
  const rl_vec3 at = model->bodies[body].position;
  const rl_quat rotation = model->bodies[body].rotation;
  const rl_path_item *items = rl_path_items(d->state, 0);
  double depth = 0.0;
  for (uint32_t k = 0; k <= d->state->wrap_counts[0]; k++) {
    rl_surface surface;
    rl_shape_segment(part, at, rotation, items[k].exit, items[k + 1].entry, &surface);
    depth = fmax(depth, -surface.distance);
  }
  return depth;
}

// Whether the bob has gone into a body, or through it, since it was somewhere.
static bool has_entered(const rl_driver *d, uint32_t body, rl_vec3 was) {
  const rl_body *b = &d->model->bodies[body];
  rl_surface surface;
  rl_shape_segment(b->parts, b->position, b->rotation, was, rl_position(&d->state->points[1]),
                   &surface);
  return surface.distance < 0.0;
}

// The deepest that the rope of a maze comes to be in a body. Of a body into which the bob goes, now
// or in the next steps, it cannot stay outside.
static double deepest_in_maze(uint64_t seed, const char *solver) {
  enum { STEPS = 1000, SOON = 4, MOST_BODIES = 16 };
  rl_scenario *s = random_maze(&seed);
  rl_driver *d = driver_for(s, solver, 1.0 / STEPS);
  int since[MOST_BODIES] = {0};
  double depths[MOST_BODIES] = {0.0}, deepest = 0.0;
  bool entered[MOST_BODIES] = {false};
  assert_int_equal(rl_body_slot(d->model, 0), 1);
  for (int k = 0; k < STEPS; k++) {
    const rl_vec3 was = rl_position(&d->state->points[1]);
    assert_true(rl_driver_step(d) > 0);
    rl_wrap_solve_path(d->model, d->state, 0, d->state->points);
    for (uint32_t b = 1; b < d->model->body_count; b++) {
      const double depth = depth_in(d, b);
      since[b] = depths[b] > 0.0 ? since[b] : k;
      depths[b] = fmax(depths[b], depth > 1e-12 ? depth : 0.0);
      entered[b] = entered[b] || has_entered(d, b, was);
      if (entered[b]) {
        depths[b] = 0.0;
      } else if (k - since[b] >= SOON) {
        deepest = fmax(deepest, depths[b]);
      }
    }
  }
  rl_driver_free(d);
  rl_scenario_free(s);
  return deepest;
}

// Where it slips off a body it lies on what it falls on, also on several at once; over the end of a
// drum it goes on at another place of the rim (82, 163); a body that an end comes into (7), or has
// gone through (604), keeps it from no other; and it is led round what it falls on from where it
// was, also where it slips off and runs into something within one step (513).
static void ropes_go_through_nothing(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"impulse", "pbd", "rattle", "pbd-direct"};
  static const uint64_t hard[] = {5,   9,   35,  63,  77,  133, 146, 158, 177, 150, 113,
                                  89,  33,  87,  177, 122, 82,  7,   163, 82,  604, 513,
                                  889, 963, 533, 283, 671, 604, 341, 421, 592, 528};
  for (size_t k = 0; k < sizeof hard / sizeof hard[0]; k++) {
    check_below(deepest_in_maze(hard[k], solvers[k % 4]), 1e-9);
  }
  for (size_t k = 0; k < 4 && most_scenes > 60; k++) {
    int inside = 0; // papers/contacts.md, Limits
    for (uint64_t seed = 1; seed <= 1000; seed++) {
      const bool is_in = deepest_in_maze(seed, solvers[k]) > 1e-9;
      inside += is_in;
      assert_false(is_in && seed < 200);
    }
    print_message("%s: the rope is inside a body in %d of 1000 scenes, expected at most 2\n",
                  solvers[k], inside);
    assert_true(inside <= 2);
  }
}

// (7h) A box and a prism roll on a taut rope, and push it aside by next to nothing: along the
// gradients of the start of a step no pull of a strand that slips meets its length. With what the
// iterations ended at, `rattle` booked up to 172 J as lost to friction that it still had.
static void what_has_no_tension_along_the_start_sticks(void **unused) {
  (void)unused;
  static const char *const scenes[] = {
      "name: boxes\nduration: 1\nstep: 0.002\nbodies:\n"
      "  wheel: {motion: axle, mass: 0.169, friction: 0.138,"
      " shape: {prism: {radius: 0.181, length: 0.5, sides: 6}}}\n"
      "  left: {mass: 3.39, position: [-0.991, 0.667, 0], velocity: [0.137, -3.31, 0],"
      " friction: 0.771, collide: false, shape: {box: {size: [0.15, 0.1, 0.4]}}}\n"
      "  right: {mass: 1.16, position: [0.714, 0.407, 0], velocity: [0.284, -1.77, 0],"
      " friction: 0.0786, collide: false, shape: {box: {size: [0.15, 0.1, 0.4]}}}\n"
      "ropes: {line: {from: {point: [-1.3, 0.00869, 0]}, to: {point: [1.3, 0.0227, 0]},"
      " over: [{body: wheel, side: [0, 1, 0]}]}}\n",
      "name: rolls\nduration: 1\nstep: 0.001\nbodies:\n"
      "  wheel: {motion: axle, mass: 1, rotation: [0.013, -0.074, -0.998], friction: 0.2,"
      " shape: {cylinder: {radius: 0.12, length: 0.5}}}\n"
      "  left: {mass: 1, position: [-0.742, -0.509, 0.086], velocity: [0.647, 0.008, 0.330],"
      " spin: [2.362, -2.693, 7.616], rotation: [0.299, -0.203, -0.622], friction: 0.5,"
      " shape: {cylinder: {radius: 0.12, length: 0.5}}}\n"
      "  right: {mass: 3, position: [0.620, 0.688, 0.090], velocity: [-0.197, -1.701, -0.490],"
      " spin: [-2.574, 2.594, 4.248], rotation: [0.745, 0.108, -0.318], friction: 0.2,"
      " shape: {prism: {radius: 0.15, length: 0.4, sides: 5}}}\n"
      "ropes: {line: {from: {point: [-1.2, 0.1, 0]}, to: {point: [1.2, 0.143, -0.015]},"
      " over: [{body: wheel, side: [0, 1, 0]}], slack: 0}}\n"};
  for (size_t n = 0; n < 2; n++) {
    rl_scenario *s = scenario_from(scenes[n]);
    for (int halvings = 0; halvings < 2; halvings++) {
      rl_driver *d = driver_for(s, "rattle", (n == 0 ? 2e-3 : 1e-3) / (1 << halvings));
      double most = 0.0;
      while (d->state->time < 0.4) {
        take_steps(d, 1);
        most = fmax(most, rl_driver_energy_error(d));
      }
      check_below(most, 0.01 * d->energy_scale);
      rl_driver_free(d);
    }
    rl_scenario_free(s);
  }
}

int main(int count, char **arguments) {
  (void)arguments;
  most_scenes = count > 1 ? 10000 : most_scenes;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_runs_go_on),
      cmocka_unit_test(changes_within_a_step_throw_nothing),
      cmocka_unit_test(what_no_pull_stops_sticks),
      cmocka_unit_test(what_has_no_tension_along_the_start_sticks),
      cmocka_unit_test(nothing_stops_where_a_path_ends),
      cmocka_unit_test(rope_sticks_where_no_slip_can_be),
      cmocka_unit_test(bob_winds_up_to_an_edge),
      cmocka_unit_test(elastic_rope_slips_off_with_a_loss),
      cmocka_unit_test(reference_books_falls_without_friction),
      cmocka_unit_test(ropes_go_through_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
