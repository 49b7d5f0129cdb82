// SPDX-License-Identifier: GPL-3.0-or-later
// A chain that hangs vertically on both sides of an eye and runs through it from rest. With the
// mass a before and b behind the eye and tensions in the ratio r = exp(pi mu) there,
//   (b + r a) y'' = (b - r a) g.
// A node that passes the eye takes its mass to the other side, so y is a parabola of time between
// two passages. For b < r a friction holds the chain. A smooth chain of length L without friction
// has b - a = 2 M y/L, with M the total mass and y measured from the balance, and
// y = y0 cosh(sqrt(2 g/L) t). The tension behind node i accelerates the nodes up to it,
//   T = r (sum of m (y'' + g) before the eye) + sum of m (y'' - g) behind it,
// without r before the eye. Once the last node has passed, the whole chain falls: y'' = g, T = 0.
#include "common.h"

// A node nearer to the eye than this, relative to the length of the chain, counts as behind it.
static const double at_eye = 1e-12;

static const double half_turn = 2.0 * RL_HALF_PI;

typedef struct eye_chain {
  uint32_t rope, eye;
  rl_vec3 at, down;
  double gravity;
  double before;        // length of chain before the eye at the start [m]
  double length, mass;  // of the whole chain [m], [kg]
  double lightest_side; // mass before the eye at the start [kg]
  double friction;      // Coulomb coefficient of the eye
  double pull;          // ratio of the tensions behind and before the eye
  bool holds;           // friction holds the chain
} eye_chain;

static double node_mass(const eye_chain *self, const rl_model *model, uint32_t i) {
  return model->masses[rl_exact_node(model, self->rope, i)];
}

static double rest_of(const eye_chain *self, const rl_model *model, uint32_t i) {
  return model->links[model->ropes[self->rope].first_link + i].rest;
}

// Whether all nodes hang vertically below the eye at their positions along the taut chain.
static bool is_vertical(const eye_chain *self, const rl_model *model) {
  double arc = 0.0;
  bool plumb = true;
  for (uint32_t i = 0; i <= model->ropes[self->rope].link_count; i++) {
    const rl_vec3 there = rl_add_scaled(self->at, fabs(self->before - arc), self->down);
    const rl_vec3 node = rl_position(&model->points[rl_exact_node(model, self->rope, i)]);
    plumb = plumb && rl_distance(node, there) <= 1e-9 * self->length;
    arc += i < model->ropes[self->rope].link_count ? rest_of(self, model, i) : 0.0;
  }
  return plumb;
}

static bool init(void *memory, const rl_model *model, const uint32_t *arguments, char *message,
                 size_t size) {
  eye_chain *self = memory;
  const rl_rope *rope = &model->ropes[arguments[0]];
  self->rope = arguments[0];
  self->eye = rope->first_eye;
  self->gravity = rl_length(model->gravity);
  self->down = rl_unit(model->gravity);
  const char *const found[] = {
      rope->ring_count == 0 ? "no eye that a rope with mass runs through" : NULL,
      rope->ring_count > 1 ? "several eyes" : NULL,
      rope->ring_count == 1 && !rl_exact_is_fixed(model, model->eyes[self->eye].slot)
          ? "an eye that is not fixed"
          : NULL,
      self->gravity == 0.0 ? "no gravity" : NULL,
      isfinite(rope->stiffness) ? "a stiffness" : NULL,
      rl_exact_has_free_ends(model, self->rope) ? NULL : "an end that is not free",
      rl_exact_is_still(model, self->rope) ? NULL : "a start that is not at rest",
      rl_exact_is_lossless(model, self->rope) ? NULL : "damping or drag",
  };
  if (!rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                     "rope '%s' must have mass, no stiffness and no drag, two free ends and one "
                     "fixed eye, and start at rest under gravity",
                     rope->name)) {
    return false;
  }
  self->at = rl_exact_eye_position(model, model->eyes[self->eye]);
  self->before =
      rl_distance(rl_position(&model->points[rl_exact_node(model, self->rope, 0)]), self->at);
  double arc = 0.0;
  for (uint32_t i = 0; i <= rope->link_count; i++) {
    self->mass += node_mass(self, model, i);
    self->lightest_side +=
        arc < self->before - at_eye * rope->length ? node_mass(self, model, i) : 0.0;
    arc += i < rope->link_count ? rest_of(self, model, i) : 0.0;
  }
  self->length = arc;
  self->friction = model->eye_frictions[self->eye];
  self->pull = rl_exp(half_turn * self->friction);
  self->holds = self->mass - self->lightest_side <= self->pull * self->lightest_side;
  if (self->holds) {
    self->pull = (self->mass - self->lightest_side) / self->lightest_side;
  }
  const char *const sides[] = {
      is_vertical(self, model) ? NULL : "a rope that is not plumb, or not taut",
      self->lightest_side < 0.5 * self->mass ? NULL : "the heavier side at `from`",
  };
  return rl_exact_fits(sides, RL_EXACT_COUNT(sides), message, size,
                       "rope '%s' must hang plumb and taut on both sides of its eye, the side of "
                       "`to` being the heavier one",
                       rope->name);
}

// Returns the acceleration with the mass `before` before the eye; a negative mass is rounding.
static double acceleration(const eye_chain *self, double before) {
  const double light = fmax(before, 0.0), heavy = self->mass - light;
  return self->holds ? 0.0
                     : self->gravity * (heavy - self->pull * light) / (heavy + self->pull * light);
}

// Computes the displacement y at time t, its rate and its acceleration.
static void move(const eye_chain *self, const rl_model *model, double t, double motion[3]) {
  double y = 0.0, v = 0.0, time = 0.0, before = self->lightest_side, arc = self->length;
  for (uint32_t i = model->ropes[self->rope].link_count; i > 0 && !self->holds; i--) {
    arc -= rest_of(self, model, i - 1); // position of node i - 1, the next one before the eye
    const double way = self->before - arc - y;
    if (self->before - arc <= at_eye * self->length) {
      continue;
    }
    const double a = acceleration(self, before);
    const double passes = 2.0 * way / (v + sqrt(v * v + 2.0 * a * way));
    if (time + passes > t) {
      break;
    }
    y += way;
    v += a * passes;
    time += passes;
    before -= node_mass(self, model, i - 1);
  }
  const double a = acceleration(self, before), left = t - time;
  motion[0] = y + (v + 0.5 * a * left) * left;
  motion[1] = v + a * left;
  motion[2] = a;
}

static bool at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const eye_chain *self = memory;
  const rl_rope *rope = &model->ropes[self->rope];
  double motion[3], arc = 0.0, tension = 0.0, last_sign = -1.0;
  move(self, model, t, motion);
  state->eye_elements[self->eye] = RL_NONE;
  if (state->grips) {
    state->grips[self->eye] = self->holds ? log(self->pull) / (half_turn * self->friction) : 1.0;
  }
  for (uint32_t i = 0; i <= rope->link_count; i++) {
    const double through = arc - self->before + motion[0];
    const double sign = through >= -at_eye * self->length ? 1.0 : -1.0;
    rl_exact_set_motion(state, rl_exact_node(model, self->rope, i),
                        rl_add_scaled(self->at, fabs(through), self->down),
                        rl_scale(sign * motion[1], self->down));
    tension *= sign > last_sign ? self->pull : 1.0;
    tension += node_mass(self, model, i) * (motion[2] - sign * self->gravity);
    last_sign = sign;
    if (i < rope->link_count) {
      state->multipliers[rope->first_link + i] = tension;
      arc += rest_of(self, model, i);
      const bool is_in_eye = through <= 0.0 && arc - self->before + motion[0] > 0.0;
      state->eye_elements[self->eye] = is_in_eye ? i : state->eye_elements[self->eye];
    }
  }
  return true;
}

const rl_exact_type rl_exact_eye_chain = {
    .name = "eye-chain",
    .summary = "a chain that hangs on both sides of an eye runs through it, node by node",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the chain, from the lighter side"}},
    .size = sizeof(eye_chain),
    .init = init,
    .at = at,
};
