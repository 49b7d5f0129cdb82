// SPDX-License-Identifier: GPL-3.0-or-later
// A chain that slides along its own shape: over a peg (both ends hang vertically) or over the edge
// of a table (one end lies level), from rest and without friction. It is driven by the weight of
// the height D between its ends, whatever the shape of the bend:
//   L s'' = g D,   D = c y,   y'' = (c g/L) y,   y = y0 cosh(sqrt(c g/L) t),
// where an end that hangs vertically changes D by 1 per metre: c = 2 over a peg, where y is D/2,
// and c = 1 off a table. Coulomb friction mu under a level part of length l reduces D by mu l.
//   guided-chain   holds until the end of the chain reaches the bend.
//   sliding-chain  holds until the contact force vanishes somewhere on the bend. With the tension
//                  T, the curvature k and the outward normal n of the shape, it is
//                  k (T - m v^2/L) - n.g m/L per metre. On a peg of radius R it vanishes first
//                  where the chain reaches the peg, at
//                    4 y^2 + pi R y = L (L - pi R)/2 + 2 y0^2,
//                  for R = 0 at y^2 = (L^2 + 4 y0^2)/8; off an edge without a radius at
//                    y = (L + sqrt(L^2 + 8 y0^2))/4.
#include "common.h"
#include "roots.h"

#define NODES_MAX 2000

typedef struct sliding_chain {
  rl_exact_chain chain;
  rl_vec3 down, end_way;  // unit: gravity, and the direction of the last element
  double gravity, length; // [m/s^2]; of the chain [m]
  double ends;            // c
  double start, offset;   // y0; y - offset is 0 in equilibrium [m]
  double rate;            // exponent of the motion [1/s]
  double friction;        // under the level part
  double straight;        // length of chain before the bend [m]
  double limit;           // largest y of the form [m]
  uint32_t first, last;   // first and last node of the bend
} sliding_chain;

static rl_vec3 node_at(const sliding_chain *self, const rl_model *model, uint32_t i) {
  return rl_position(&model->points[rl_exact_node(model, self->chain.rope, i)]);
}

static rl_vec3 way_at(const sliding_chain *self, const rl_model *model, uint32_t i) {
  return rl_unit(rl_sub(node_at(self, model, i + 1), node_at(self, model, i)));
}

// Finds the nodes at which the bend begins and ends.
static void find_bend(sliding_chain *self, const rl_model *model) {
  const uint32_t n = self->chain.count;
  const rl_vec3 in = way_at(self, model, 0), out = way_at(self, model, n - 1);
  self->first = 1;
  while (self->first < n - 1 && rl_distance(way_at(self, model, self->first), in) < 1e-9) {
    self->first++;
  }
  self->last = n - 1;
  while (self->last > self->first && rl_distance(way_at(self, model, self->last - 1), out) < 1e-9) {
    self->last--;
  }
}

// Checks both ends: the last element is vertical, the first one vertical or level.
static bool find_ends(sliding_chain *self, const rl_model *model, char *message, size_t size) {
  const rl_vec3 in = way_at(self, model, 0);
  self->end_way = way_at(self, model, self->chain.count - 1);
  const double rise = -rl_dot(in, self->down), sink = rl_dot(self->end_way, self->down);
  const bool plumb = fabs(rise - 1.0) < 1e-9, level = fabs(rise) < 1e-9;
  find_bend(self, model);
  self->straight = self->first * self->chain.rest;
  if ((!plumb && !level) || fabs(sink - 1.0) > 1e-9) {
    return rl_exact_refuse(message, size,
                           "the chain must start straight at both ends: at `to` plumb down, at "
                           "`from` plumb or level; found directions that sink by %.9g and rise by "
                           "%.9g m in a metre",
                           sink, rise);
  }
  self->ends = plumb ? 2.0 : 1.0;
  return true;
}

static bool read(sliding_chain *self, const rl_model *model, const uint32_t *arguments,
                 char *message, size_t size) {
  const uint32_t index = arguments[0];
  const rl_rope *rope = &model->ropes[index];
  if (!rl_exact_read_chain(&self->chain, model, index, message, size)) {
    return false;
  }
  self->gravity = rl_length(model->gravity);
  self->down = rl_unit(model->gravity);
  self->length = self->chain.rest * self->chain.count;
  const char *const found[] = {
      self->gravity == 0.0 ? "no gravity" : NULL,
      isfinite(rope->stiffness) ? "a stiffness" : NULL,
      self->chain.count > NODES_MAX ? "more elements" : NULL,
      rl_exact_has_free_ends(model, index) ? NULL : "an end that is not free",
      rl_exact_is_still(model, index) ? NULL : "a start that is not at rest",
      rl_exact_is_lossless(model, index) ? NULL : "damping or drag",
  };
  if (!rl_exact_fits(
          found, RL_EXACT_COUNT(found), message, size,
          "rope '%s' must have mass, no stiffness and no drag, two free ends and at most "
          "%d elements, and start at rest under gravity",
          rope->name, NODES_MAX)) {
    return false;
  }
  for (uint32_t b = 0; b < model->body_count; b++) {
    if (rl_rope_touches(model, index, b) && rl_rope_friction(model, index, b) > 0.0 &&
        b != arguments[1]) {
      return rl_exact_refuse(message, size, "only '%s' may have friction, not '%s'",
                             model->bodies[arguments[1]].name, model->bodies[b].name);
    }
  }
  return find_ends(self, model, message, size);
}

// (1) to (4) of papers/pegs.md
static bool init_guided(void *memory, const rl_model *model, const uint32_t *arguments,
                        char *message, size_t size) {
  sliding_chain *self = memory;
  if (!read(self, model, arguments, message, size)) {
    return false;
  }
  const size_t pair = (size_t)arguments[0] * model->body_count + arguments[1];
  const double mu = model->frictions[pair];
  if (mu > 0.0 && self->ends > 1.0) {
    return rl_exact_refuse(message, size, "friction of '%s' is known under a level part only",
                           model->bodies[arguments[1]].name);
  }
  const uint32_t n = self->chain.count;
  const double height =
      rl_dot(rl_sub(node_at(self, model, n), node_at(self, model, 0)), self->down);
  const double y0 = height / self->ends;
  // L y'' = g (c y - mu (l0 + y0 - y)).
  self->friction = mu;
  self->offset = mu * (self->straight + y0) / (self->ends + mu);
  self->start = y0 - self->offset;
  self->rate = sqrt(self->gravity * (self->ends + mu) / self->length);
  self->limit = y0 + self->straight;
  return self->start > 0.0 ||
         rl_exact_refuse(
             message, size,
             "the chain does not start: its end at `to` is %.4g m lower than the other, "
             "and friction holds %.4g m",
             y0, self->offset);
}

// Returns the least contact force per metre of bend at y, in weights of a metre of chain.
static double least_push(const sliding_chain *self, const rl_model *model, double y) {
  const double from = y - self->offset, way = from - self->start;
  const double a = self->rate * self->rate * from / self->gravity; // acceleration in g
  const double square =
      self->rate * self->rate * (from * from - self->start * self->start) / self->gravity;
  const double rest = self->straight - way, rise = self->ends - 1.0; // of the part before the bend
  double push = INFINITY;
  for (uint32_t i = self->first; i <= self->last; i++) {
    const rl_vec3 in = way_at(self, model, i - 1), out = way_at(self, model, i);
    const rl_vec3 bend = rl_sub(out, in); // towards the body, as long as the angle
    const double curvature = rl_length(bend) / self->chain.rest;
    const double sunk =
        rl_dot(rl_sub(node_at(self, model, i), node_at(self, model, self->first)), self->down);
    const double tension =
        rest * (a + rise + self->friction) + (i - self->first) * self->chain.rest * a - sunk;
    push = fmin(push, curvature * (tension - square) + rl_dot(rl_unit(bend), self->down));
  }
  return push;
}

typedef struct search {
  const sliding_chain *self;
  const rl_model *model;
} search;

static double push_at(double y, void *memory) {
  const search *s = memory;
  return least_push(s->self, s->model, y);
}

// (1) to (4) of papers/pegs.md
static bool init_sliding(void *memory, const rl_model *model, const uint32_t *arguments,
                         char *message, size_t size) {
  sliding_chain *self = memory;
  if (!init_guided(memory, model, arguments, message, size)) {
    return false;
  }
  search s = {self, model};
  const double y0 = self->start + self->offset;
  if (push_at(y0, &s) <= 0.0) {
    return rl_exact_refuse(message, size, "the bend does not push on the chain at the start");
  }
  if (push_at(self->limit, &s) < 0.0 &&
      !rl_exact_root(push_at, &s, y0, self->limit, &self->limit)) {
    return rl_exact_refuse(message, size, "no end of the contact found");
  }
  return true;
}

static bool at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const sliding_chain *self = memory;
  const rl_exact_chain *chain = &self->chain;
  const double from = self->start * cosh(self->rate * t);
  const double way = from - self->start, speed = self->rate * self->start * sinh(self->rate * t);
  const double a = self->rate * self->rate * from, density = chain->node_mass / chain->rest;
  if (!(from + self->offset < self->limit)) {
    return false;
  }
  const rl_vec3 end = node_at(self, model, chain->count);
  rl_vec3 first = {0.0, 0.0, 0.0};
  for (uint32_t i = 0; i <= chain->count; i++) {
    const double arc = i + way / chain->rest;
    const uint32_t piece = arc < chain->count ? (uint32_t)arc : chain->count;
    const bool beyond = piece >= chain->count;
    const rl_vec3 along = beyond ? self->end_way : way_at(self, model, piece);
    const rl_vec3 origin = beyond ? end : node_at(self, model, piece);
    const rl_vec3 place = rl_add_scaled(origin, (arc - piece) * chain->rest, along);
    first = i == 0 ? place : first;
    rl_exact_set_motion(state, rl_rope_node(model, state, chain->rope, i), place,
                        rl_scale(speed, along));
    if (i < chain->count) {
      const double middle = (i + 0.5) * chain->rest;
      const double sunk =
          rl_dot(rl_sub(rl_add_scaled(place, 0.5 * chain->rest, along), first), self->down);
      const double rubbed = self->friction * fmin(middle, fmax(self->straight - way, 0.0));
      state->multipliers[model->ropes[chain->rope].first_link + i] =
          density * (middle * a - self->gravity * (sunk - rubbed));
    }
  }
  return true;
}

// Whether the body is the only one that can touch the chain.
static bool touches_only(const sliding_chain *self, const rl_model *model, uint32_t body) {
  uint32_t count = 0;
  for (uint32_t b = 0; b < model->body_count; b++) {
    count += rl_rope_touches(model, self->chain.rope, b) ? 1 : 0;
  }
  return count == 1 && rl_rope_touches(model, self->chain.rope, body);
}

// Returns the force on the body, from the change of momentum: the momentum is m v/L times the
// vector from the first to the last node, and both this and v change.
static double contact(const void *memory, const rl_model *model, double t, rl_probe probe) {
  const sliding_chain *self = memory;
  const double from = self->start * cosh(self->rate * t);
  if (probe.kind != RL_PROBE_ROPE_FORCE || probe.index != self->chain.rope ||
      !touches_only(self, model, probe.body) || self->friction > 0.0 ||
      !(from + self->offset < self->limit)) {
    return NAN;
  }
  const double way = from - self->start, speed = self->rate * self->start * sinh(self->rate * t);
  const double density = self->chain.node_mass / self->chain.rest;
  const rl_vec3 turned = rl_sub(self->end_way, way_at(self, model, 0)); // change of direction
  const rl_vec3 span = rl_add_scaled(
      rl_sub(node_at(self, model, self->chain.count), node_at(self, model, 0)), way, turned);
  const double weight = density * self->length * self->gravity;
  const double a = self->rate * self->rate * from;
  return rl_length(rl_add_scaled(rl_add_scaled(rl_scale(weight, self->down), -density * a, span),
                                 -density * speed * speed, turned));
}

#define ARGUMENTS                                                                                  \
  {                                                                                                \
    {"rope", RL_EXACT_ROPE, "the chain, from the end that follows"}, {                             \
      "body", RL_EXACT_BODY, "the peg, or the table"                                               \
    }                                                                                              \
  }

const rl_exact_type rl_exact_sliding_chain = {
    .name = "sliding-chain",
    .summary = "a chain slides over a peg or the edge of a table until it lifts off (cosh)",
    .argument_count = 2,
    .arguments = ARGUMENTS,
    .size = sizeof(sliding_chain),
    .init = init_sliding,
    .at = at,
    .contact = contact,
};

const rl_exact_type rl_exact_guided_chain = {
    .name = "guided-chain",
    .summary = "a chain slides over a guided bend until its end comes there (cosh)",
    .argument_count = 2,
    .arguments = ARGUMENTS,
    .size = sizeof(sliding_chain),
    .init = init_guided,
    .at = at,
    .contact = contact,
};
