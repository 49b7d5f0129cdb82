// SPDX-License-Identifier: GPL-3.0-or-later
// The whole of Knyazyev's rope (2010): strained, it is one row between the bodies at its ends, and
// what one sees of it is straight; slack, it does nothing to them, and what one sees is a chain of
// nodes whose links are solved directly, a tridiagonal system. papers/knyazyev.md has the
// equations.
#include "sequential.h"
#include "ties.h"

enum { TRIALS, SWEEPS, TOLERANCE, PENALTY_VELOCITY, REGULARISATION, PARAMETER_COUNT };

static const rl_parameter parameters[PARAMETER_COUNT] = {
    [TRIALS] = {"trials", RL_INTEGER, "1", 50, 1, 1e6, NULL,
                "direct solves of a slack rope in a step, at most: one for each guess of which of "
                "its links pull and which nodes lie on the ground"},
    [SWEEPS] = {"sweeps", RL_INTEGER, "1", 10000, 1, 1e7, NULL,
                "sweeps over the strained ropes in a step, at most; one is exact for one rope"},
    [TOLERANCE] = {"tolerance", RL_REAL, "m/s", 1e-12, 0, 1e3, NULL,
                   "sweeps end when one has changed no rate by more than this, and a guess is "
                   "right when no rate is wrong by more"},
    [PENALTY_VELOCITY] = {"penalty_velocity", RL_REAL, "1", 1, 0, 1, NULL,
                          RL_PENALTY_VELOCITY_HELP},
    [REGULARISATION] = {"regularisation", RL_REAL, "1", 1e-12, 0, 1e-3, NULL,
                        "added to the diagonal of the links, as a fraction of it: a straight rope "
                        "between held ends has a link too many"},
};

static const rl_departure departures[] = {
    {RL_CHANGES_MOMENTUM, "the rope between its ends has no weight and pulls on nothing"},
    {RL_OWN_LAW, "strained, a rope is straight at once, wherever its nodes were"},
};

// A node while its rope is slack.
typedef struct vertex {
  uint32_t slot, contact; // contact: index of the one that it may touch, RL_NONE: none
  double w;               // inverse mass [1/kg]; 0: it goes with what holds it
  rl_vec3 v;              // velocity without the links [m/s]
  rl_vec3 normal;         // of the ground
  double least;           // normal . velocity may not be below this [m/s]
  bool rests;             // guess: it is at that
} vertex;

typedef struct link {
  rl_vec3 d;     // unit vector along it
  double bias;   // dC/dt + bias <= 0 [m/s]
  double pull;   // impulse [N s]
  bool pulls;    // guess: it does, and the rate is what is asked for
  double pivot;  // of the elimination
  double before; // element beside the diagonal towards the link before
} link;

typedef struct knyazyev {
  const double *parameters;
  rl_tie *ties;       // [rl_tie_capacity]
  vertex *vertices;   // [links + 1] of one rope
  link *links;        // [links] of one rope
  uint32_t *contacts; // [slots] the deepest contact of each
  bool *strained;     // [ropes] in the last step, as far as is known
  double *rates;      // [ropes] dC/dt before the ties pull [m/s]
} knyazyev;

static void lay_out(void *memory, const rl_model *model, rl_carver *c) {
  knyazyev *self = memory;
  self->ties = rl_carve(c, rl_tie_capacity(model), sizeof *self->ties);
  self->vertices = rl_carve(c, (size_t)model->link_count + 1, sizeof *self->vertices);
  self->links = rl_carve(c, model->link_count, sizeof *self->links);
  self->contacts = rl_carve(c, model->slot_count, sizeof *self->contacts);
  self->strained = rl_carve(c, model->rope_count, sizeof *self->strained);
  self->rates = rl_carve(c, model->rope_count, sizeof *self->rates);
}

static void init(void *memory, const rl_model *model, const double *values) {
  knyazyev *self = memory;
  self->parameters = values;
  for (uint32_t r = 0; r < model->rope_count; r++) {
    self->strained[r] = true;
  }
}

// (2)
static double bias_of(const knyazyev *self, double value, double dt) {
  return rl_impulse_bias(self->parameters[PENALTY_VELOCITY], value, 0.0, dt);
}

// ---------------------------------------------------------------------------------------------
// (1)-(3) The bodies and what ties them.

// Whether nothing holds one of its ends.
static bool has_free_end(const rl_model *model, const rl_state *state, uint32_t rope) {
  const uint32_t *ends = model->ropes[rope].ends;
  return (ends[0] < model->node_count && state->points[ends[0]].w > 0.0) ||
         (ends[1] < model->node_count && state->points[ends[1]].w > 0.0);
}

// What is lost where a rope with nodes, of which the ledger does not know that it is one row,
// becomes strained: P times the mean of its rates.
static void book_catches(knyazyev *self, const rl_model *model, const rl_state *state,
                         const rl_rows *rows, rl_step_info *info) {
  for (uint32_t r = 0; r < model->rope_count; r++) {
    const rl_tie *tie = &self->ties[r];
    const bool is_caught = tie->impulse > 0.0 && !self->strained[r] && !model->ropes[r].massless;
    if (is_caught) {
      const double mean = 0.5 * (self->rates[r] + rl_tie_rate(tie, state, rows));
      info->dissipated += fmax(tie->impulse * mean, 0.0);
    }
    self->strained[r] = tie->impulse > 0.0 && tie->value >= 0.0; // else it still has slack to use
  }
}

// (2), (3)
static bool pull_ties(knyazyev *self, const rl_model *model, rl_state *state, rl_rows *rows,
                      double dt, rl_step_info *info) {
  const uint32_t count = rl_ties_find(model, state, rows, self->ties);
  for (uint32_t i = 0; i < count; i++) {
    rl_tie *tie = &self->ties[i];
    tie->bias = bias_of(self, tie->value, dt);
    tie->mass = tie->inverse_mass > 0.0 ? 1.0 / tie->inverse_mass : 0.0;
    if (i < model->rope_count && !model->ropes[i].massless && has_free_end(model, state, i)) {
      tie->mass = 0.0;
    }
  }
  for (uint32_t r = 0; r < model->rope_count; r++) {
    self->rates[r] = rl_tie_rate(&self->ties[r], state, rows);
  }
  const bool settles = rl_ties_pull(self->ties, count, (int)self->parameters[SWEEPS],
                                    self->parameters[TOLERANCE], state, rows, info);
  book_catches(self, model, state, rows, info);
  rl_ties_report(self->ties, count, model, state, dt);
  rl_state_place_holds(model, state); // ends beside a centre have the new velocities
  return settles;
}

// ---------------------------------------------------------------------------------------------
// The slack rope.

// The deepest contact of each node.
static void find_contacts(knyazyev *self, const rl_model *model, const rl_state *state,
                          rl_rows *rows) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    self->contacts[i] = RL_NONE;
  }
  for (uint32_t k = rows->span_count; k < rows->row_count; k++) {
    rl_row *row = &rows->rows[k];
    if (row->kind == RL_ROW_CONTACT && !rl_is_of_bodies(&state->contacts[row->item])) {
      uint32_t *best = &self->contacts[state->contacts[row->item].slot];
      rl_row_evaluate(model, state, rows, row, state->points);
      *best = *best == RL_NONE || row->value > rows->rows[*best].value ? k : *best;
    }
  }
}

// (6)
static void load_rope(knyazyev *self, const rl_model *model, const rl_state *state,
                      const rl_rows *rows, uint32_t index, double dt) {
  const rl_rope *rope = &model->ropes[index];
  for (uint32_t i = 0; i <= rope->link_count; i++) {
    const uint32_t slot = rl_rope_node(model, state, index, i);
    const double w = slot < model->node_count ? state->points[slot].w : 0.0;
    vertex *p = &self->vertices[i];
    *p = (vertex){
        .slot = slot, .contact = self->contacts[slot], .w = w, .v = state->velocities[slot]};
    if (p->contact != RL_NONE && w > 0.0) {
      const rl_row *row = &rows->rows[p->contact];
      p->normal = row->normal;
      p->least = bias_of(self, row->value, dt);
      p->rests = rl_dot(p->normal, p->v) < p->least;
    }
  }
  for (uint32_t k = 0; k < rope->link_count; k++) {
    const rl_link_value v = rl_link_evaluate(&state->links[rope->first_link + k], state->points);
    const bool moves = self->vertices[k].w > 0.0 || self->vertices[k + 1].w > 0.0;
    self->links[k] = (link){.d = v.d, .bias = bias_of(self, v.value, dt), .pulls = moves};
  }
}

// (6) What an impulse does to a node: nothing along the normal of the ground that it lies on.
static rl_vec3 answer(const vertex *p, rl_vec3 impulse) {
  const double along = p->rests ? rl_dot(p->normal, impulse) : 0.0;
  return rl_scale(p->w, rl_add_scaled(impulse, -along, p->normal));
}

// (6)
static rl_vec3 velocity_without_links(const vertex *p) {
  const double lacking = p->rests ? p->least - rl_dot(p->normal, p->v) : 0.0;
  return rl_add_scaled(p->v, lacking, p->normal);
}

// (4), (5) All links that pull at once: one elimination along the rope and back.
static void solve(knyazyev *self, uint32_t count) {
  for (uint32_t k = 0; k < count; k++) {
    link *now = &self->links[k];
    const link *last = k > 0 ? &self->links[k - 1] : NULL;
    const vertex *a = &self->vertices[k], *b = &self->vertices[k + 1];
    now->pull = now->before = 0.0;
    now->pivot = 1.0;
    if (!now->pulls) {
      continue;
    }
    const rl_vec3 rate = rl_sub(velocity_without_links(b), velocity_without_links(a));
    const double diagonal = rl_dot(now->d, rl_add(answer(a, now->d), answer(b, now->d)));
    now->pull = rl_dot(now->d, rate) + now->bias;
    now->pivot = diagonal * (1.0 + self->parameters[REGULARISATION]);
    if (last && last->pulls) {
      now->before = -rl_dot(last->d, answer(a, now->d));
      const double factor = now->before / last->pivot;
      now->pivot -= factor * now->before;
      now->pull -= factor * last->pull;
    }
  }
  for (uint32_t k = count; k-- > 0;) {
    link *now = &self->links[k];
    const double after = k + 1 < count ? self->links[k + 1].before * self->links[k + 1].pull : 0.0;
    now->pull = now->pulls && now->pivot > 0.0 ? (now->pull - after) / now->pivot : 0.0;
  }
}

// The velocity of a node as the links leave it, without what the ground does.
static rl_vec3 pulled(const knyazyev *self, uint32_t i, uint32_t count) {
  const vertex *p = &self->vertices[i];
  rl_vec3 impulse = {0.0, 0.0, 0.0};
  if (i < count) {
    impulse = rl_add_scaled(impulse, self->links[i].pull, self->links[i].d);
  }
  if (i > 0) {
    impulse = rl_add_scaled(impulse, -self->links[i - 1].pull, self->links[i - 1].d);
  }
  return rl_add_scaled(p->v, p->w, impulse);
}

// What the ground has to add to it along its normal [m/s]; of what is not guessed to rest, what it
// lacks.
static double lift(const knyazyev *self, uint32_t i, uint32_t count) {
  const vertex *p = &self->vertices[i];
  return p->least - rl_dot(p->normal, pulled(self, i, count));
}

static rl_vec3 velocity_of(const knyazyev *self, uint32_t i, uint32_t count) {
  const vertex *p = &self->vertices[i];
  const rl_vec3 v = pulled(self, i, count);
  return p->rests ? rl_add_scaled(v, lift(self, i, count), p->normal) : v;
}

// (6) Guesses again what the last solution contradicts; false if nothing does.
static bool guess_again(knyazyev *self, uint32_t count) {
  const double tolerance = self->parameters[TOLERANCE];
  bool changed = false;
  for (uint32_t k = 0; k < count; k++) {
    link *now = &self->links[k];
    const rl_vec3 rate = rl_sub(velocity_of(self, k + 1, count), velocity_of(self, k, count));
    const bool moves = self->vertices[k].w > 0.0 || self->vertices[k + 1].w > 0.0;
    const bool pulls =
        now->pulls ? now->pull >= 0.0 : moves && rl_dot(now->d, rate) + now->bias > tolerance;
    changed = changed || pulls != now->pulls;
    now->pulls = pulls;
  }
  for (uint32_t i = 0; i <= count; i++) {
    vertex *p = &self->vertices[i];
    const bool touches = p->contact != RL_NONE && p->w > 0.0;
    const bool rests = touches && lift(self, i, count) > (p->rests ? -tolerance : tolerance);
    changed = changed || rests != p->rests;
    p->rests = rests;
  }
  return changed;
}

// False where the guesses have run out.
static bool move_slack(knyazyev *self, const rl_model *model, rl_state *state, const rl_rows *rows,
                       uint32_t index, double dt, rl_step_info *info) {
  const rl_rope *rope = &model->ropes[index];
  const uint32_t count = rope->link_count;
  load_rope(self, model, state, rows, index, dt);
  bool contradicts = true;
  for (int i = 0; i < (int)self->parameters[TRIALS] && contradicts; i++) {
    solve(self, count);
    info->iterations++;
    info->row_evaluations += count;
    contradicts = guess_again(self, count);
  }
  for (uint32_t k = 0; k < count; k++) { // where they do
    self->links[k].pull = fmax(self->links[k].pull, 0.0);
    state->multipliers[rope->first_link + k] = self->links[k].pull / dt;
  }
  for (uint32_t i = 0; i <= count; i++) {
    const vertex *p = &self->vertices[i];
    if (p->w > 0.0) {
      state->velocities[p->slot] = velocity_of(self, i, count);
      if (p->rests) {
        const double push = fmax(lift(self, i, count), 0.0) / (p->w * dt);
        state->multipliers[rows->rows[p->contact].source] = push;
      }
    }
  }
  return !contradicts;
}

// ---------------------------------------------------------------------------------------------
// The strained rope.

// (7) Straight between its ends, with their velocities in between.
static void straighten(const rl_model *model, rl_state *state, uint32_t index) {
  const rl_rope *rope = &model->ropes[index];
  const rl_vec3 ends[2] = {rl_position(&state->points[rope->ends[0]]),
                           rl_position(&state->points[rope->ends[1]])};
  const rl_vec3 along = rl_sub(ends[1], ends[0]);
  const rl_vec3 start = state->velocities[rope->ends[0]];
  const rl_vec3 faster = rl_sub(state->velocities[rope->ends[1]], start);
  double way = 0.0;
  for (uint32_t i = 1; i < rope->link_count; i++) {
    const uint32_t slot = rl_rope_node(model, state, index, i);
    way += state->links[rope->first_link + i - 1].rest;
    rl_put(&state->points[slot], rl_add_scaled(ends[0], way / rope->length, along));
    state->velocities[slot] = rl_add_scaled(start, way / rope->length, faster);
  }
}

static rl_reason step(void *memory, const rl_model *model, rl_state *state, rl_rows *rows,
                      double dt, rl_step_info *info) {
  knyazyev *self = memory;
  rl_state_kick(model, state, dt);
  bool settles = pull_ties(self, model, state, rows, dt, info);
  find_contacts(self, model, state, rows);
  info->iterations = 1;
  for (uint32_t r = 0; r < model->rope_count; r++) {
    if (!model->ropes[r].massless && self->ties[r].impulse == 0.0) {
      settles = move_slack(self, model, state, rows, r, dt, info) && settles;
    }
  }
  info->dissipated += rl_state_settle(model, state, dt);
  rl_state_drift(model, state, dt);
  rl_state_place_holds(model, state);
  for (uint32_t r = 0; r < model->rope_count; r++) {
    if (!model->ropes[r].massless && self->ties[r].impulse > 0.0) {
      straighten(model, state, r);
    }
  }
  if (info->trace || info->want_residual) {
    rl_trace(info, rl_residual(model, state, rows, state->points, state->multipliers, 1.0, dt));
  }
  return settles ? RL_CONVERGED_TOLERANCE : RL_CONVERGED_ITERATIONS;
}

const rl_solver_type rl_solver_knyazyev = {
    .name = "knyazyev",
    .family = "impulse",
    .summary = "ropes as constraints: strained one row between the ends, slack a direct solve of "
               "the visible chain",
    .citation = "knyazyev2010",
    .capabilities = RL_CAN_LINKS | RL_CAN_SPANS | RL_CAN_WRAPS | RL_CAN_ROTATION |
                    RL_CAN_COLLISIONS | RL_CAN_GROUND | RL_CAN_DRAG,
    .excess = RL_EXCESS_STAYS,
    .parameter_count = PARAMETER_COUNT,
    .parameters = parameters,
    .size = sizeof(knyazyev),
    .lay_out = lay_out,
    .init = init,
    .step = step,
    .departure_count = sizeof departures / sizeof departures[0],
    .departures = departures,
};
