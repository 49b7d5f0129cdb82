// SPDX-License-Identifier: GPL-3.0-or-later
#include "cut.h"

#include "bend.h"
#include "eyes.h"

// A straight piece of a rope, at the start of a step and at its end.
typedef struct piece {
  rl_vec3 a[2], b[2];
} piece;

// (2) Of a plane it begins on one side and ends on the other, or on it.
static double plane_crossing(const rl_event *e, const piece *p) {
  const double before = rl_dot(rl_sub(p->a[1], e->point), e->normal);
  const double behind = rl_dot(rl_sub(p->b[1], e->point), e->normal);
  return (before > 0.0) != (behind > 0.0) ? before / (before - behind) : NAN;
}

// (2) Where the point is along the piece at time s, 0 to 1; nan: beside it.
static double fraction_at(rl_vec3 view, rl_vec3 d, rl_vec3 gap) {
  const rl_vec3 across = rl_cross(view, d);
  const double r = rl_dot(across, rl_cross(view, gap)) / rl_dot(across, across);
  return r >= 0.0 && r <= 1.0 ? r : NAN;
}

static bool is_inside(double s) { return s > 0.0 && s < 1.0; }

// (2) The point crosses the line of the piece where w.(d x g) changes its sign, a quadratic in the
// time s if both move. What it lies on at the end of a step counts there, and not in the next.
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
    if (crosses && !(fabs(s - 0.5) > fabs(other - 0.5))) { // the one within, whatever it rounds to
      const double at = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
      found = fraction_at(view, rl_add_scaled(d, at, turn), rl_add_scaled(gap, at, way));
    } else if (!crosses && is_inside(s) && is_inside(other)) { // there and back
      found = fraction_at(view, rl_add_scaled(d, s, turn), rl_add_scaled(gap, s, way));
    }
  }
  return found;
}

static uint32_t corner_count(const rl_model *model, const rl_state *state, uint32_t rope,
                             uint32_t i) {
  return model->ropes[rope].massless ? 2 + 2 * rl_bend_count(model, state, rope)
                                     : rl_element_corners(model, state, rope, i);
}

// Of a massless rope its ends, and where it comes on to what bends it and leaves that: along the
// chords of arcs.
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
  const rl_bend bend = rl_rope_bend(model, state, rope, (k - 1) / 2);
  return k % 2 == 1 ? bend.entry : bend.exit;
}

double rl_cut_element(const rl_model *model, const rl_state *state, const rl_cut *cut,
                      uint32_t rope, uint32_t element) {
  const uint32_t count = corner_count(model, state, rope, element);
  // What came on to a body or into an eye within the step, or off it, is taken as it is now.
  const bool moves = cut->start && corner_count(model, cut->start, rope, element) == count;
  const rl_state *states[2] = {moves ? cut->start : state, state};
  for (uint32_t k = 0; k + 1 < count; k++) {
    piece p;
    for (size_t n = 0; n < 2; n++) {
      p.a[n] = corner(model, states[n], rope, element, k);
      p.b[n] = corner(model, states[n], rope, element, k + 1);
    }
    const double at = cut->event->kind == RL_EVENT_CUT_PLANE ? plane_crossing(cut->event, &p)
                                                             : swipe_crossing(cut, &p);
    if (!isnan(at)) {
      return (k + at) / (count - 1);
    }
  }
  return NAN;
}

void rl_cut_look(const rl_model *model, const rl_state *state, const rl_cut *cut, uint32_t rope) {
  rl_rope_look(model, state, rope);
  if (cut->start) {
    rl_rope_look(model, cut->start, rope);
  }
}
