// SPDX-License-Identifier: GPL-3.0-or-later
// Exact results for pegs and edges without a radius: where a chain that runs off them lifts off
// (observed by Brun, Audoly, Goriely and Vella, "The surprising dynamics of a chain on a pulley",
// 2016), and the period of Galileo's pendulum, whose rope meets a peg. Measured at three radii and
// extrapolated to zero. papers/pegs.md.
#include "pegs.h"

#include "world/ledger.h"

#include <gsl/gsl_fit.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_multifit.h>
#include <string.h>

static const double gravity = 9.81; // [m/s^2]

// ---------------------------------------------------------------------------------------------
// Straight lines through points

typedef struct line {
  double at_zero, slope;
} line;

static line fit(const double *x, const double *y, size_t count) {
  line l;
  double c00, c01, c11, squares;
  gsl_fit_linear(x, 1, y, 1, count, &l.at_zero, &l.slope, &c00, &c01, &c11, &squares);
  return l;
}

// ---------------------------------------------------------------------------------------------
// Chains

// The nodes of a chain of one metre: `before` straight elements upwards (or level), a bend by
// `angle` whose elements touch a circle around the origin, and the rest straight down.
typedef struct shape {
  double radius; // of the circle [m]
  double height; // of the first node above the last [m]
  double width;  // horizontal distance of the last node from the first [m]
  double ends[2][2];
  char points[32768];
} shape;

static void append(shape *s, double x, double y) {
  const size_t used = strlen(s->points);
  snprintf(s->points + used, sizeof s->points - used, "%s[%.12g, %.12g, 0]", used ? ", " : "", x,
           y);
}

// (5) Fills in a shape. With `level` the first part is level, else it is vertical.
static void bend(shape *s, int count, double radius, bool level) {
  const double lower = 0.1; // the last node than the first [m]
  const double element = 1.0 / count, angle = level ? M_PI_2 : M_PI;
  const int corners = (int)round(angle / (2.0 * atan(0.5 * element / radius)));
  const double half = 0.5 * angle / corners;
  s->radius = 0.5 * element / tan(half);
  s->points[0] = '\0';
  const double far = s->radius / cos(half), first = (level ? 0.0 : -M_PI_2) + half;
  const double last = M_PI_2 - half;
  const double x0 = far * sin(first), y0 = far * cos(first);
  const double x1 = far * sin(last), y1 = far * cos(last);
  const int straight = count - (corners - 1);
  const int after = level ? (int)round((lower - (y0 - y1)) / element)
                          : (int)round(0.5 * (straight + lower / element));
  const int before = straight - after;
  for (int i = before; i > 0; i--) {
    append(s, level ? x0 - i * element : x0, level ? y0 : y0 - i * element);
  }
  for (int i = 0; i < corners; i++) {
    append(s, far * sin(first + 2.0 * half * i), far * cos(first + 2.0 * half * i));
  }
  for (int i = 1; i <= after; i++) {
    append(s, x1, y1 - i * element);
  }
  s->ends[0][0] = level ? x0 - before * element : x0;
  s->ends[0][1] = level ? y0 : y0 - before * element;
  s->ends[1][0] = x1;
  s->ends[1][1] = y1 - after * element;
  s->height = y0 - y1 + (after - (level ? 0 : before)) * element;
  s->width = x1 - x0 + (level ? before * element : 0.0);
}

// The theory of a chain on a bend: y'' = rate^2 y from y0 on, and the contact force along `axis` is
// proportional to root - (a y^2 - b y). Both hold for every radius until the chain lifts off.
typedef struct theory {
  char axis; // direction in which the first node moves
  double y0, rate, a, b, root;
  double weight; // component of the chain's weight against the axis [N]
  double end;    // largest y of the fit
} theory;

static double y_of(const theory *t, double root) {
  return (t->b + sqrt(t->b * t->b + 4.0 * t->a * root)) / (2.0 * t->a);
}

// The rows of the fit, one for each step: 1, the time, and the integral of a y^2 - b y up to it.
// The values are the integrals of the contact force: the momentum and the impulse of the weight.
typedef struct impulses {
  gsl_matrix *rows;
  gsl_vector *values;
  size_t count;
} impulses;

// (6): Returns y where the fitted contact force is 0. Impulses are fitted because the force comes
// in blows, one for each element: their sum depends on when they occur, but little on whether one
// more of them is in the range.
static double lift_off_y(rl_trial *trial, const theory *t, const impulses *all) {
  enum { TERMS = 3 };
  if (all->count < TERMS) {
    rl_trial_fail(trial, "no steps on the bend");
  }
  const gsl_matrix_view x = gsl_matrix_submatrix(all->rows, 0, 0, all->count, TERMS);
  const gsl_vector_view y = gsl_vector_subvector(all->values, 0, all->count);
  double coefficients[TERMS], covariances[TERMS * TERMS], squares;
  gsl_vector_view c = gsl_vector_view_array(coefficients, TERMS);
  gsl_matrix_view cov = gsl_matrix_view_array(covariances, TERMS, TERMS);
  gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc(all->count, TERMS);
  gsl_multifit_linear(&x.matrix, &y.vector, &c.vector, &cov.matrix, &squares, work);
  gsl_multifit_linear_free(work);
  return y_of(t, -coefficients[1] / coefficients[2]);
}

// (6) Returns the mean displacement of both ends: of the first along the axis, of the last
// downwards.
static double mean_displacement(rl_trial *trial, const rl_setup *chain, char axis) {
  return 0.5 * (rl_setup_probe(trial, chain, "chain.node.0.%c", axis) -
                rl_setup_probe(trial, chain, "chain.tip.y"));
}

static rl_lift measure(rl_trial *trial, rl_setup *chain, const theory *t) {
  const rl_driver *d = chain->driver;
  const size_t room = (size_t)(2.0 / d->dt);
  impulses all = {gsl_matrix_alloc(room, 3), gsl_vector_alloc(room), 0};
  const double start = mean_displacement(trial, chain, t->axis);
  double y = t->y0, before = y, place = INFINITY, integral = 0.0;
  while (y < place) {
    rl_setup_run(trial, chain, 1);
    before = y;
    y = t->y0 + mean_displacement(trial, chain, t->axis) - start;
    integral += 0.5 * d->dt * (t->a * (before * before + y * y) - t->b * (before + y));
    if (y < t->end) {
      if (all.count == room) {
        rl_trial_fail(trial, "the chain does not run off");
      }
      const rl_vec3 p = rl_state_momentum(d->model, d->state).linear;
      const double time = d->state->time;
      gsl_matrix_set(all.rows, all.count, 0, 1.0);
      gsl_matrix_set(all.rows, all.count, 1, time);
      gsl_matrix_set(all.rows, all.count, 2, integral);
      gsl_vector_set(all.values, all.count++, (t->axis == 'x' ? p.x : p.y) + t->weight * time);
    } else if (isinf(place)) {
      place = lift_off_y(trial, t, &all);
    }
  }
  const double time = d->state->time - d->dt * (y - place) / (y - before);
  const double exact = y_of(t, t->root);
  gsl_matrix_free(all.rows);
  gsl_vector_free(all.values);
  rl_setup_close(chain);
  return (rl_lift){place / exact, time / (acosh(exact / t->y0) / t->rate)};
}

// Equations (1) and (2) of papers/pegs.md.
rl_lift rl_lift_off_peg(rl_trial *trial, const char *solver, int count, double radius) {
  static shape s;
  bend(&s, count, radius, false);
  rl_setup peg = rl_setup_scene(
      trial, solver, 0.05 / count,
      "name: peg\nduration: 1\nstep: 0.01\n"
      "bodies: {peg: {motion: fixed, shape: {cylinder: {radius: %.12g, length: 1}}}}\n"
      "ropes: {chain: {from: {free: [%.12g, %.12g, 0]}, to: {free: [%.12g, %.12g, 0]}, length: 1, "
      "mass: 1, segments: %d, points: [%s]}}\n",
      s.radius, s.ends[0][0], s.ends[0][1], s.ends[1][0], s.ends[1][1], count, s.points);
  const double y0 = 0.5 * s.height, arc = M_PI * s.radius;
  // (5): on a peg with a radius the chain lifts off where it reaches the peg.
  const double lost = (sqrt(arc * arc + 8.0 * (1.0 - arc) + 32.0 * y0 * y0) - arc) / 8.0;
  const theory t = {.axis = 'y',
                    .y0 = y0,
                    .rate = sqrt(2.0 * gravity),
                    .a = 8.0,
                    .root = 1.0 + 4.0 * y0 * y0,
                    .weight = gravity, // mass 1 kg
                    .end = 0.95 * lost};
  return measure(trial, &peg, &t);
}

// Equations (3) and (4).
rl_lift rl_lift_off_table(rl_trial *trial, const char *solver, int count, double radius) {
  static shape s;
  bend(&s, count, radius, true);
  const double x = s.radius - 0.001; // the radius of the chain is 1 mm
  rl_setup table = rl_setup_scene(
      trial, solver, 0.05 / count,
      "name: table\nduration: 1\nstep: 0.01\n"
      "bodies:\n  table: {motion: fixed, position: [-1, %.12g, 0], shape: {box: "
      "{size: [2, 0.1, 1]}}}\n"
      "  edge: {motion: fixed, shape: {cylinder: {radius: %.12g, length: 1}}}\n"
      "ropes: {chain: {from: {free: [%.12g, %.12g, 0]}, to: {free: [%.12g, %.12g, 0]}, length: 1, "
      "mass: 1, segments: %d, radius: 0.001, points: [%s]}}\n",
      x - 0.05, x, s.ends[0][0], s.ends[0][1], s.ends[1][0], s.ends[1][1], count, s.points);
  // (5): on an edge with a radius the chain lifts off where it leaves the edge.
  const double y0 = s.height, sum = 1.0 + s.radius;
  const double lost = (sum + sqrt(sum * sum - 8.0 * (s.radius - y0 * y0))) / 4.0;
  const theory t = {.axis = 'x',
                    .y0 = y0,
                    .rate = sqrt(gravity),
                    .a = 2.0,
                    .b = s.width + s.height,
                    .root = y0 * y0,
                    .end = 0.95 * lost};
  return measure(trial, &table, &t);
}

// ---------------------------------------------------------------------------------------------
// Lift-off at three radii

enum { RADII = 3, SOLVERS = 2 };
static const char *const solvers[SOLVERS] = {"pbd-direct", "rattle"};
static const double millimetres = 1e3, percent = 1e2;
static const char exact_curve[] = "theory: exact, no radius";

// Draws the line that the values for radius 0 ought to meet.
static void draw_exact(rl_trial *trial, double largest_radius) {
  rl_trial_point(trial, exact_curve, 0.0, 0.0);
  rl_trial_point(trial, exact_curve, millimetres * largest_radius, 0.0);
}

// Draws a curve over the radius with its linear extrapolation to radius 0, which is returned.
static double extrapolate(rl_trial *trial, const char *curve, const double radii[RADII],
                          const double values[RADII]) {
  const double limit = fit(radii, values, RADII).at_zero;
  rl_trial_point(trial, curve, 0.0, limit);
  for (int k = RADII - 1; k >= 0; k--) {
    rl_trial_point(trial, curve, millimetres * radii[k], values[k]);
  }
  return limit;
}

static void at_three_radii(rl_trial *trial,
                           rl_lift (*lift_off)(rl_trial *, const char *, int, double)) {
  static const double radii[RADII] = {0.064, 0.04, 0.032};
  static const double elements = 8.0; // per radius
  draw_exact(trial, radii[0]);
  for (int i = 0; i < SOLVERS; i++) {
    double places[RADII], times[RADII];
    for (int k = 0; k < RADII; k++) {
      const rl_lift lift = lift_off(trial, solvers[i], (int)round(elements / radii[k]), radii[k]);
      places[k] = percent * (lift.place - 1.0);
      times[k] = percent * (lift.time - 1.0);
    }
    char curve[32];
    snprintf(curve, sizeof curve, "%s, y*", solvers[i]);
    trial->ours[2 * i] = 1.0 + extrapolate(trial, curve, radii, places) / percent;
    snprintf(curve, sizeof curve, "%s, t*", solvers[i]);
    trial->ours[2 * i + 1] = 1.0 + extrapolate(trial, curve, radii, times) / percent;
  }
}

static void peg(rl_trial *trial) { at_three_radii(trial, rl_lift_off_peg); }
static void table(rl_trial *trial) { at_three_radii(trial, rl_lift_off_table); }

static const char polygon[] =
    "what is left is the polygon of the elements, and with pbd-direct the step";

#define LIFT(text, where, remark)                                                                  \
  RL_CLAIM(text, "1", RL_EQUALS, 1.0, 0.001, where, RL_DERIVED, remark)

static const rl_claim peg_claims[] = {
    LIFT("chain off a peg, pbd-direct: y* of R = 0 over the exact one", "m v^2/L = T", polygon),
    LIFT("... t*", "m v^2/L = T", polygon),
    LIFT("... rattle: y*", "m v^2/L = T", polygon),
    LIFT("... t*, rattle", "m v^2/L = T", polygon),
};

static const rl_claim table_claims[] = {
    LIFT("chain off a table, pbd-direct: y* of R = 0 over the exact one", "m v^2/L = T", polygon),
    LIFT("... t*", "m v^2/L = T", polygon),
    LIFT("... rattle: y*", "m v^2/L = T", polygon),
    LIFT("... t*, rattle", "m v^2/L = T", polygon),
};

static const rl_plot peg_plot = {
    "where and when a chain lets go of a peg",
    "radius of the peg (mm)",
    "y*, t* less the exact ones of R = 0 (%)",
    false,
    false,
    "A chain of a metre runs off a peg of three radii, in elements of an eighth of them: how far "
    "the place and the time at which its push on the peg would be 0 are from y* = sqrt((L^2 + "
    "4 y0^2)/8) and t* = sqrt(L/2g) acosh(y*/y0) of a peg without a radius. The points at 0 are "
    "where straight lines through the three lead to. What is left there is the polygon, which "
    "takes energy from the chain: with shorter elements it gets less."};

static const rl_plot table_plot = {
    "where and when a chain lets go of an edge",
    "radius of the edge (mm)",
    "y*, t* less the exact ones of R = 0 (%)",
    false,
    false,
    "A chain of a metre slides off a table with an edge of three radii: how far the place and the "
    "time at which its push to the side would be 0 are from y* = (L + sqrt(L^2 + 8 y0^2))/4 and "
    "its "
    "time on the cosh. The points at 0 are where straight lines through the three lead to."};

// ---------------------------------------------------------------------------------------------
// The guide

// Draws the horizontal contact force on a chain that slides off a table, alone or through a guide,
// over its length that hangs down. Returns the time at which its first node reaches `place`,
// relative to that of (3).
static double slide(rl_trial *trial, bool guided, double place) {
  static const double step = 1e-3, longest = 1.0; // [s]
  enum { WINDOW = 30 }; // steps; in one step the force is that of elements reaching the bend
  const rl_override away = {"bodies.guide.position", "[0, 5, 0]"};
  rl_setup chain =
      rl_setup_shipped(trial, "pbd-direct", step, "chain-in-guide", &away, guided ? 0 : 1);
  const rl_driver *d = chain.driver;
  const double start = rl_setup_probe(trial, &chain, "chain.node.0.x");
  const double y0 = rl_setup_probe(trial, &chain, "chain.node.0.y") -
                    rl_setup_probe(trial, &chain, "chain.tip.y");
  const double whole = y0 + rl_setup_probe(trial, &chain, "chain.tip.x") - start;
  const double window = WINDOW * step;
  double y = y0;
  while (y < y0 + place - start && d->state->time + window < longest) {
    const double before = y, momentum = rl_state_momentum(d->model, d->state).linear.x;
    for (int i = 0; i < WINDOW && y < y0 + place - start; i++) {
      rl_setup_run(trial, &chain, 1);
      y = y0 + rl_setup_probe(trial, &chain, "chain.node.0.x") - start;
    }
    if (y < y0 + place - start) {
      const double gain = rl_state_momentum(d->model, d->state).linear.x - momentum;
      const double middle = 0.5 * (before + y);
      rl_trial_point(trial, guided ? "rattle, with a guide" : "rattle, an edge alone", middle,
                     gain / window / gravity);
      if (guided) {
        rl_trial_point(trial, "theory: Ly − 2y² + y₀²", middle,
                       whole * middle - 2.0 * middle * middle + y0 * y0);
      }
    }
  }
  const double exact = acosh((y0 + place - start) / y0) / sqrt(gravity);
  const double time = d->state->time;
  rl_setup_close(&chain);
  return time / exact;
}

// Measures until the end of the chain reaches the bend; until then (3) holds.
static void guide(rl_trial *trial) {
  static const double bend_begins = -0.1; // [m]
  slide(trial, false, bend_begins);
  trial->ours[0] = slide(trial, true, bend_begins);
}

static const rl_claim guide_claims[] = {
    RL_CLAIM("chain through a guide, 0.77 m of it gone: time over that of the cosh", "1", RL_EQUALS,
             1.0, 0.005, "y'' = (g/L) y", RL_DERIVED, NULL),
};

static const rl_plot guide_plot = {
    "push of an edge and of a guide on a chain that slides off",
    "end below the table (m)",
    "push to the side / weight",
    false,
    false,
    "Over 30 steps each. Up to y* = (L + sqrt(L^2 + 8 y0^2))/4, here 0.52 m, the edge pushes; from "
    "there on one "
    "that is alone has lost the chain, and a guide pushes from the other side what theory says."};

static const rl_experiment lift_off_experiments[] = {
    {"peg", peg, sizeof peg_claims / sizeof peg_claims[0], peg_claims, &peg_plot, 15.0},
    {"table", table, sizeof table_claims / sizeof table_claims[0], table_claims, &table_plot, 17.0},
    {"guide", guide, sizeof guide_claims / sizeof guide_claims[0], guide_claims, &guide_plot, 1.0},
};

const rl_paper rl_paper_lift_off = {"lift-off", "brun2016", "pegs.md", 3, lift_off_experiments};

// ---------------------------------------------------------------------------------------------
// Galileo's pendulum

// Equation (7).
static const rl_claim period_claims[] = {
    RL_CLAIM("interrupted pendulum, 30 degrees, peg half way: period, R = 0", "s", RL_EQUALS,
             1.75547800767582, 2e-6, "elliptic integrals", RL_DERIVED, NULL),
};

static const double milliseconds = 1e3;

// (7) Measures the time between two turning points of the bob on the same side [s].
static double period_of(rl_trial *trial, double radius) {
  static const double step = 2.5e-4, first_swing = 1.5; // [s]
  char thick[32], place[64];
  snprintf(thick, sizeof thick, "%.17g", radius);
  snprintf(place, sizeof place, "[%.17g, -0.5, 0]", -radius);
  const rl_override overrides[] = {{"bodies.peg.shape.cylinder.radius", thick},
                                   {"bodies.peg.position", place}};
  rl_setup pendulum = rl_setup_shipped(trial, "rattle", step, "interrupted-pendulum", overrides, 2);
  double before = 0.0, speed = 0.0;
  while (pendulum.driver->state->time < first_swing || speed > 0.0) {
    before = speed;
    rl_setup_run(trial, &pendulum, 1);
    speed = rl_setup_probe(trial, &pendulum, "bob.vx");
  }
  const double period = pendulum.driver->state->time - step * speed / (speed - before);
  rl_setup_close(&pendulum);
  return period;
}

static void period(rl_trial *trial) {
  static const double radii[RADII] = {0.004, 0.002, 0.001};
  const double exact = period_claims[0].published;
  double differences[RADII]; // from the exact period [ms]
  for (int k = 0; k < RADII; k++) {
    differences[k] = milliseconds * (period_of(trial, radii[k]) - exact);
  }
  draw_exact(trial, radii[0]);
  trial->ours[0] = exact + extrapolate(trial, "rattle", radii, differences) / milliseconds;
}

static const rl_plot period_plot = {"period of Galileo's interrupted pendulum",
                                    "radius of the peg (mm)",
                                    "period, less the exact one (ms)",
                                    false,
                                    false,
                                    "A peg with a radius takes rope on its circumference, and the "
                                    "bob swings faster. The point at 0 "
                                    "is where a straight line through the three leads to."};

static const rl_experiment galileo_experiments[] = {
    {"period", period, 1, period_claims, &period_plot, 0.3},
};

const rl_paper rl_paper_galileo = {"galileo", "galilei1638", "pegs.md", 1, galileo_experiments};
