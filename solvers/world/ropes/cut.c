// SPDX-License-Identifier: GPL-3.0-or-later
#include "cut.h"

#include "../paths/bend.h"
#include "eyes.h"

// Tolerance at the ends of an arc and of a stroke, relative to their lengths: a crossing there must
// not be lost by rounding between one arc, piece or step and the next.
static const double arc_rounding = 1e-12;

// Two crossings of an arc nearer to each other than this are none: the cut grazes the rope [rad].
static const double graze = 1e-3;

enum { MOST_HALVINGS = 60 };

// A straight piece of a rope, at the start of a step and at its end.
typedef struct piece {
  rl_vec3 a[2], b[2];
} piece;

// (2) Returns where a plane meets a piece that begins on one side and ends on the other, or on it,
// as a fraction; nan if it does not.
static double plane_crossing(const rl_event *e, const piece *p) {
  const double before = rl_dot(rl_sub(p->a[1], e->point), e->normal);
  const double behind = rl_dot(rl_sub(p->b[1], e->point), e->normal);
  return (before > 0.0) != (behind > 0.0) ? before / (before - behind) : NAN;
}

// (2) Returns the fraction of the piece `d` at which the point of the swipe is, `gap` from its
// first end, seen along the view; nan if it is beside the piece.
static double fraction_at(rl_vec3 view, rl_vec3 d, rl_vec3 gap) {
  const rl_vec3 across = rl_cross(view, d);
  const double r = rl_dot(across, rl_cross(view, gap)) / rl_dot(across, across);
  return r >= 0.0 && r <= 1.0 ? r : NAN;
}

static bool is_inside(double s) { return s > 0.0 && s < 1.0; }

// (2) Returns where a swipe meets a piece, as a fraction; nan if it does not. The point crosses the
// line of the piece where w.(d x g) changes sign, a quadratic in the time s if both move. A piece
// on which it lies at the end of a step is met in that step, not in the next.
static double swipe_crossing(const rl_cut *c, const piece *p) {
  const rl_vec3 view = rl_unit(c->event->normal);
  const rl_vec3 d = rl_sub(p->b[0], p->a[0]), gap = rl_sub(c->from, p->a[0]);
  const rl_vec3 d1 = rl_sub(p->b[1], p->a[1]), gap1 = rl_sub(c->to, p->a[1]);
  const rl_vec3 turn = rl_sub(d1, d);
  const rl_vec3 way = rl_sub(rl_sub(c->to, c->from), rl_sub(p->a[1], p->a[0]));
  const double before = rl_dot(view, rl_cross(d, gap)), behind = rl_dot(view, rl_cross(d1, gap1));
  const double slope = rl_dot(view, rl_cross(d, way)) + rl_dot(view, rl_cross(turn, gap));
  const double bend = rl_dot(view, rl_cross(turn, way));
  const bool crosses =
      before == 0.0 ? !c->goes_on : behind == 0.0 || (before > 0.0) != (behind > 0.0);
  const double square = slope * slope - 4.0 * bend * before; // below 0 by rounding, or no crossing
  const double q = -0.5 * (slope + copysign(sqrt(crosses ? fmax(square, 0.0) : square), slope));
  const double roots[2] = {before / q, q / bend};
  double found = NAN;
  for (size_t k = 0; k < 2 && isnan(found); k++) {
    const double s = roots[k], other = roots[1 - k];
    if (crosses && !(fabs(s - 0.5) > fabs(other - 0.5))) { // the root inside [0, 1] up to rounding
      const double at = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
      found = fraction_at(view, rl_add_scaled(d, at, turn), rl_add_scaled(gap, at, way));
    } else if (!crosses && is_inside(s) && is_inside(other)) { // crosses twice, there and back
      found = fraction_at(view, rl_add_scaled(d, s, turn), rl_add_scaled(gap, s, way));
    }
  }
  return found;
}

// ---------------------------------------------------------------------------------------------
// (2b) Arcs

// An arc at the start and at the end of a step, and the cut.
typedef struct bow {
  rl_arc arcs[2];
  const rl_cut *cut;
  rl_vec3 view, ways[2]; // of a swipe: direction of view, and its point at both times
  double limit;          // bound of the second derivative of `sides`
} bow;

// Returns the point of arc n at a fraction, relative to the point of the swipe and across the view,
// and its derivative by the fraction.
static rl_vec3 seen(const bow *b, size_t n, double fraction, rl_vec3 *rate) {
  const rl_arc *arc = &b->arcs[n];
  rl_vec3 turning;
  const rl_vec3 gap = rl_sub(rl_arc_point(arc, fraction * arc->wrap, &turning), b->ways[n]);
  *rate = rl_scale(arc->wrap, rl_add_scaled(turning, -rl_dot(turning, b->view), b->view));
  return rl_add_scaled(gap, -rl_dot(gap, b->view), b->view);
}

// (2b) of papers/parting.md: returns the function of the fraction along the arc that is 0 where the
// cut meets it, and its derivative: the height over the plane, or w.(A x B), A and B being the
// point of the rope relative to that of the swipe at the start and at the end.
static double sides(const bow *b, double fraction, double *slope) {
  if (b->cut->event->kind == RL_EVENT_CUT_PLANE) {
    const rl_vec3 normal = b->cut->event->normal;
    rl_vec3 turning;
    const rl_arc *arc = &b->arcs[1];
    const rl_vec3 p = rl_arc_point(arc, fraction * arc->wrap, &turning);
    *slope = arc->wrap * rl_dot(turning, normal);
    return rl_dot(rl_sub(p, b->cut->event->point), normal);
  }
  rl_vec3 rates[2];
  const rl_vec3 before = seen(b, 0, fraction, &rates[0]), behind = seen(b, 1, fraction, &rates[1]);
  *slope = rl_dot(b->view, rl_add(rl_cross(rates[0], behind), rl_cross(before, rates[1])));
  return rl_dot(b->view, rl_cross(before, behind));
}

// (2b) Returns a bound of the second derivative of `sides`.
static double bend_limit(const bow *b) {
  if (b->cut->event->kind == RL_EVENT_CUT_PLANE) { // the climb of a helix is linear
    const rl_arc *arc = &b->arcs[1];
    const double x = rl_dot(arc->u, b->cut->event->normal);
    const double y = rl_dot(arc->v, b->cut->event->normal);
    return arc->wrap * arc->wrap * sqrt(x * x + y * y);
  }
  double sizes[2], rates[2], bends[2];
  for (size_t n = 0; n < 2; n++) {
    const rl_arc *arc = &b->arcs[n];
    const double radius = fmax(rl_length(arc->u), rl_length(arc->v));
    const rl_vec3 gap = rl_sub(arc->centre, b->ways[n]);
    const rl_vec3 across = rl_add_scaled(gap, -rl_dot(gap, b->view), b->view);
    sizes[n] = rl_length(across) + radius + rl_length(arc->advance);
    rates[n] = arc->wrap * radius + rl_length(arc->advance);
    bends[n] = arc->wrap * arc->wrap * radius;
  }
  return bends[0] * sizes[1] + 2.0 * rates[0] * rates[1] + sizes[0] * bends[1];
}

// Whether the stroke of the swipe itself, and not only its line, meets the point of the rope.
static bool is_on_way(const bow *b, double fraction) {
  if (b->cut->event->kind == RL_EVENT_CUT_PLANE) {
    return true;
  }
  rl_vec3 rate;
  const rl_vec3 before = seen(b, 0, fraction, &rate), behind = seen(b, 1, fraction, &rate);
  const rl_vec3 way = rl_sub(before, behind);
  const double s = rl_dot(before, way) / rl_dot(way, way);
  return s >= -arc_rounding && s <= 1.0 + arc_rounding;
}

// Finds a crossing between two fractions on both sides of it by bisection.
static double halve(const bow *b, double from, double to) {
  double slope;
  const bool side = sides(b, from, &slope) > 0.0;
  for (int i = 0; i < MOST_HALVINGS; i++) {
    const double middle = 0.5 * (from + to);
    if ((sides(b, middle, &slope) > 0.0) == side) {
      from = middle;
    } else {
      to = middle;
    }
  }
  return 0.5 * (from + to);
}

// (2b) Returns the first fraction in an interval at which the arc is met; nan if none. If the bound
// of the second derivative excludes a crossing, or more than one, the interval is done; else both
// halves are searched.
static double find_crossing(const bow *b, double from, double to) {
  double slope, unused;
  const double reach = 0.5 * (to - from), middle = 0.5 * (from + to);
  const double value = sides(b, middle, &slope);
  if (!isfinite(value) || fabs(value) > fabs(slope) * reach + 0.5 * b->limit * reach * reach) {
    return NAN;
  }
  const double wrap = fmax(b->arcs[0].wrap, b->arcs[1].wrap);
  if (fabs(slope) > b->limit * reach || reach * wrap < graze) {
    const bool crosses = (sides(b, from, &unused) > 0.0) != (sides(b, to, &unused) > 0.0);
    const double at = crosses ? halve(b, from, to) : NAN;
    return crosses && is_on_way(b, at) ? at : NAN;
  }
  const double first = find_crossing(b, from, middle);
  return isnan(first) ? find_crossing(b, middle, to) : first;
}

// Returns where a cut meets a massless rope in a bend, as a fraction of the arc; nan if it does
// not.
static double arc_crossing(const rl_model *model, const rl_state *const states[2],
                           const rl_cut *cut, uint32_t rope, uint32_t bend) {
  bow b = {.cut = cut, .ways = {cut->from, cut->to}};
  for (size_t n = 0; n < 2; n++) {
    b.arcs[n] = rl_bend_arc(model, states[n], rope, bend);
  }
  if (!(b.arcs[0].wrap > 0.0 || b.arcs[1].wrap > 0.0)) { // a point, at which two pieces meet
    return NAN;
  }
  b.view =
      cut->event->kind == RL_EVENT_CUT_PLANE ? rl_vec(0.0, 0.0, 0.0) : rl_unit(cut->event->normal);
  b.limit = bend_limit(&b);
  return find_crossing(&b, -arc_rounding, 1.0 + arc_rounding);
}

// ---------------------------------------------------------------------------------------------
// Elements

static uint32_t corner_count(const rl_model *model, const rl_state *state, uint32_t rope,
                             uint32_t i) {
  return model->ropes[rope].massless ? 2 + 2 * rl_bend_count(model, state, rope)
                                     : rl_element_corners(model, state, rope, i);
}

// Returns corner k of an element; of a massless rope its ends, and entry and exit of each bend.
static rl_vec3 corner(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i,
                      uint32_t k) {
  const rl_rope *r = &model->ropes[rope];
  if (!r->massless) {
    return rl_element_corner(model, state, rope, i, k);
  }
  const uint32_t last = corner_count(model, state, rope, i) - 1;
  if (k == 0 || k == last) {
    return rl_position(&state->points[r->ends[k == 0 ? 0 : 1]]);
  }
  rl_vec3 places[2];
  rl_bend_places(model, state, rope, (k - 1) / 2, places);
  return places[(k - 1) % 2];
}

static double piece_crossing(const rl_model *model, const rl_state *const states[2],
                             const rl_cut *cut, uint32_t rope, uint32_t element, uint32_t k) {
  piece p;
  for (size_t n = 0; n < 2; n++) {
    p.a[n] = corner(model, states[n], rope, element, k);
    p.b[n] = corner(model, states[n], rope, element, k + 1);
  }
  return cut->event->kind == RL_EVENT_CUT_PLANE ? plane_crossing(cut->event, &p)
                                                : swipe_crossing(cut, &p);
}

double rl_cut_element(const rl_model *model, const rl_state *state, const rl_cut *cut,
                      uint32_t rope, uint32_t element) {
  const uint32_t count = corner_count(model, state, rope, element);
  // If contacts or eyes have changed within the step, the element is taken as it is now.
  const bool moves = cut->start && corner_count(model, cut->start, rope, element) == count;
  const rl_state *states[2] = {moves ? cut->start : state, state};
  for (uint32_t k = 0; k + 1 < count; k++) {
    const bool is_arc = model->ropes[rope].massless && k % 2 == 1;
    const double at = is_arc ? arc_crossing(model, states, cut, rope, k / 2)
                             : piece_crossing(model, states, cut, rope, element, k);
    if (!isnan(at)) {
      return (k + at) / (count - 1);
    }
  }
  return NAN;
}

void rl_cut_prepare(const rl_model *model, const rl_state *state, const rl_cut *cut,
                    uint32_t rope) {
  rl_rope_solve_bends(model, state, rope);
  if (cut->start) {
    rl_rope_solve_bends(model, cut->start, rope);
  }
}
