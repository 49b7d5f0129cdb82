// SPDX-License-Identifier: GPL-3.0-or-later
// Excess length and outward velocity of a rope whose contacts have changed: papers/changes.md, (21)
// to (23).
#include "strands.h"
#include "wrap_internal.h"

#include "../islands.h"
#include "../ledger.h"
#include "../rotation.h"

#include <string.h>

// Tolerance of the sweeps below relative to the largest growth or rate, and their largest number.
static const double settled_share = 1e-6;
static const int most_sweeps = 50;

// Returns by how much the strand of a row has grown [m].
static double growth_of(const rl_model *model, const rl_state *state, const rl_row *row) {
  double sum = 0.0;
  for (uint32_t k = 0; k < row->piece_count; k++) {
    sum += rl_wrap_growths(state, model->link_rope[row->item])[row->first_piece + k];
  }
  return sum;
}

// (23e) Whether a tension is none beside one that is added to it: round-off, or what both sides of
// a wheel hold against each other.
static bool is_none_beside(double tension, double added) {
  static const double share = 1e-4;
  return !(tension > share * added);
}

// (21a) Returns the share c of a growth that is left to the tension of the next step to draw in.
static double drawn_share(const rl_model *model, const rl_state *state, const rl_rows *rows,
                          const rl_row *row, double growth) {
  const double w = rl_row_gradient_inverse_mass(rows, row, state->points);
  const double rate = rl_row_rate(rows, row, state->velocities);
  if (row->compliance > 0.0 || !(rate > 0.0)) {
    return 0.0;
  }
  const double pull = rate * rate / (2.0 * w * growth);
  const double more = pull - rl_row_outward_pull(model, state, rows, row) / w;
  const double tension = state->multipliers[row->source];
  return more > 0.0 && !is_none_beside(tension, more) ? more / (more + tension) : 0.0;
}

// Returns the aim for C of a row, before anything is moved: its value less its growth, but not
// below 0, for no slack rope is drawn in.
static double aim_of(const rl_model *model, const rl_state *state, rl_rows *rows, rl_row *row,
                     rl_excess excess) {
  rl_row_evaluate(model, state, rows, row, state->points);
  if (row->lower < 0.0) {
    return row->value;
  }
  const double over = fmax(row->value, 0.0);
  const double growth = fmin(growth_of(model, state, row), over);
  if (!(growth > 0.0)) {
    return over;
  }
  const double share =
      excess == RL_EXCESS_WORKS ? drawn_share(model, state, rows, row, growth) : 0.0;
  return over - (1.0 - share) * growth;
}

static void set_aims(const rl_model *model, const rl_state *state, rl_rows *rows,
                     rl_excess excess) {
  for (uint32_t b = 0; b < rows->block_count; b++) {
    const rl_block *block = &rows->blocks[b];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      const double value = rl_link_evaluate(&state->links[k], state->points).value;
      state->aims[k] = block->lower < 0.0 ? value : fmax(value, 0.0);
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      state->aims[row->source] = aim_of(model, state, rows, row, excess);
    }
  }
}

// Returns by how much C exceeds its aim [m]; also a negative difference for an equation.
static double excess_over(double value, double aim, double lower) {
  return lower < 0.0 ? value - aim : fmax(value - aim, 0.0);
}

// Moves the slots of a row along M^-1 J^T until C meets its aim, to first order. Returns by how
// much it was off [m].
static double move_row(const rl_model *model, rl_state *state, rl_rows *rows, rl_row *row) {
  rl_row_evaluate(model, state, rows, row, state->points);
  const double over = excess_over(row->value, state->aims[row->source], row->lower);
  const double w = rl_row_gradient_inverse_mass(rows, row, state->points);
  if (w > 0.0) {
    rl_row_move(rows, row, over / w, state->points);
  }
  return w > 0.0 ? fabs(over) : 0.0;
}

// (3a) of papers/strands.md: does so for strands that pull on something in common, together.
static double move_strands(const rl_model *model, rl_state *state, rl_rows *rows, rl_strands *s) {
  double worst = 0.0;
  s->moves_along_gradient = true;
  for (uint32_t k = 0; k < s->count; k++) {
    rl_row *row = s->rows[k];
    rl_row_evaluate(model, state, rows, row, state->points);
    const double w = rl_row_gradient_inverse_mass(rows, row, state->points);
    const double over = row->value - state->aims[row->source];
    s->alone[k] = w > 0.0 ? over / w : 0.0;
    s->softness[k] = w > 0.0 ? 0.0 : INFINITY;
    s->multipliers[k] = s->held[k] = 0.0;
    s->rounding[k] = rl_strand_rounding(state, row);
    worst = w > 0.0 ? fmax(worst, over) : worst;
  }
  rl_strands_solve(s, rows, state->points);
  for (uint32_t k = 0; k < s->count; k++) {
    rl_row_move(rows, s->rows[k], s->changes[k], state->points);
  }
  return worst;
}

static double move_link(rl_state *state, uint32_t index, double lower) {
  const rl_link *link = &state->links[index];
  const rl_link_value now = rl_link_evaluate(link, state->points);
  const double over = excess_over(now.value, state->aims[index], lower);
  if (!(now.inverse_mass > 0.0)) {
    return 0.0;
  }
  rl_link_move(link, now, over / now.inverse_mass, state->points);
  return fabs(over);
}

// Visits all rows once. Returns by how much the worst was off its aim [m].
static double sweep(const rl_model *model, rl_state *state, rl_rows *rows) {
  double worst = 0.0;
  for (uint32_t b = 0; b < rows->block_count; b++) {
    const rl_block *block = &rows->blocks[b];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      worst = fmax(worst, move_link(state, k, block->lower));
    }
    rl_strands strands;
    for (uint32_t at = 0; rl_strands_next(&strands, rows, block, false, &at);) {
      worst = fmax(worst, move_strands(model, state, rows, &strands));
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      worst = row->is_with_others ? worst : fmax(worst, move_row(model, state, rows, row));
    }
  }
  return worst;
}

double rl_wraps_largest_growth(const rl_model *model, const rl_state *state) {
  double largest = 0.0;
  for (uint32_t r = 0; r < model->rope_count; r++) {
    const double *growths = rl_wrap_growths(state, r);
    const uint32_t count = model->ropes[r].wrap_capacity > 0 ? state->wrap_counts[r] + 1 : 0;
    for (uint32_t i = 0; i < count; i++) {
      largest = growths[i] > largest ? growths[i] : largest;
    }
  }
  return largest > rl_wrap_rounding * model->reach ? largest : 0.0;
}

// Joins the islands of all strands that have grown into one. Returns a slot of it, or RL_NONE.
static uint32_t find_drawn(const rl_model *model, const rl_state *state, rl_rows *rows) {
  uint32_t drawn = RL_NONE;
  rl_islands_find(model, state, rows);
  for (uint32_t k = 0; k < rows->row_count; k++) {
    const rl_row *row = &rows->rows[k];
    if (row->entry_count > 0 && growth_of(model, state, row) > 0.0) {
      const uint32_t slot = rows->entries[row->first_entry].slot;
      drawn = drawn == RL_NONE ? slot : drawn;
      rl_islands_join(rows, slot, drawn);
    }
  }
  return drawn;
}

static bool turns_with(rl_rows *rows, const rl_state *state, uint32_t slot, uint32_t drawn) {
  return state->points[slot].w > 0.0 && rl_island_of(rows, slot) == rl_island_of(rows, drawn);
}

static rl_vec3 mass_centre(const rl_model *model, const rl_state *state, rl_rows *rows,
                           uint32_t drawn) {
  rl_vec3 sum = {0.0, 0.0, 0.0};
  double mass = 0.0;
  for (uint32_t i = 0; i < model->place_count; i++) {
    const double m = turns_with(rows, state, i, drawn) ? state->masses[i] : 0.0;
    sum = rl_add_scaled(sum, m, rl_position(&state->points[i]));
    mass += m;
  }
  return rl_scale(1.0 / mass, sum);
}

// Adds the moment of inertia of a mass m at r: a += m (r.r - r r^T).
static void add_inertia(rl_symmetric3 *a, double m, rl_vec3 r) {
  a->xx += m * (r.y * r.y + r.z * r.z);
  a->yy += m * (r.x * r.x + r.z * r.z);
  a->zz += m * (r.x * r.x + r.y * r.y);
  a->xy -= m * r.x * r.y;
  a->xz -= m * r.x * r.z;
  a->yz -= m * r.y * r.z;
}

// Returns the moment of inertia of the island, as one rigid body, about its centre of mass.
static rl_symmetric3 whole_inertia(const rl_model *model, const rl_state *state, rl_rows *rows,
                                   uint32_t drawn, rl_vec3 centre) {
  static const double least = 1e-14; // relative; keeps the matrix regular if all lies on a line
  rl_symmetric3 a = {0};
  for (uint32_t i = 0; i < model->place_count; i++) {
    if (turns_with(rows, state, i, drawn)) {
      add_inertia(&a, state->masses[i], rl_sub(rl_position(&state->points[i]), centre));
    }
  }
  for (uint32_t i = 0; i < model->body_count; i++) {
    const rl_body *body = &model->bodies[i];
    const bool turns =
        body->spin_slot != RL_NONE && turns_with(rows, state, body->spin_slot, drawn);
    for (int k = 0; k < 3 && turns; k++) {
      const rl_vec3 root =
          rl_rotate(state->rotations[i],
                    rl_vec(k == 0 ? body->root_inertia.x : 0.0, k == 1 ? body->root_inertia.y : 0.0,
                           k == 2 ? body->root_inertia.z : 0.0));
      a.xx += root.x * root.x;
      a.yy += root.y * root.y;
      a.zz += root.z * root.z;
      a.xy += root.x * root.y;
      a.xz += root.x * root.z;
      a.yz += root.y * root.z;
    }
  }
  const double small = least * (a.xx + a.yy + a.zz);
  a.xx += small;
  a.yy += small;
  a.zz += small;
  return a;
}

// Returns by how much a turn changes the velocity of a place of the island, at most, over the
// largest velocity there.
static double turn_share(const rl_model *model, const rl_state *state, rl_rows *rows,
                         uint32_t drawn, rl_vec3 centre, rl_vec3 spin) {
  double fastest = 0.0, most = 0.0;
  for (uint32_t i = 0; i < model->place_count; i++) {
    if (turns_with(rows, state, i, drawn)) {
      const rl_vec3 arm = rl_sub(rl_position(&state->points[i]), centre);
      fastest = fmax(fastest, rl_length(state->velocities[i]));
      most = fmax(most, rl_length(rl_cross(spin, arm)));
    }
  }
  return most > 0.0 ? most / fastest : 0.0;
}

// (21c) Turns the island of the strands that were drawn in as one rigid body, so that it gains the
// `missing` angular momentum, unless all of it lies so close to an axis that this is no correction.
static void turn_drawn(const rl_model *model, rl_state *state, rl_rows *rows, rl_vec3 missing) {
  static const double most_share = 0.1;
  const uint32_t drawn = find_drawn(model, state, rows);
  if (drawn == RL_NONE) {
    return;
  }
  const rl_vec3 centre = mass_centre(model, state, rows, drawn);
  const rl_vec3 spin =
      rl_solve_symmetric(whole_inertia(model, state, rows, drawn, centre), missing);
  if (turn_share(model, state, rows, drawn, centre, spin) > most_share) {
    return;
  }
  for (uint32_t i = 0; i < model->place_count; i++) {
    if (turns_with(rows, state, i, drawn)) {
      const rl_vec3 arm = rl_sub(rl_position(&state->points[i]), centre);
      state->velocities[i] = rl_add(state->velocities[i], rl_cross(spin, arm));
    }
  }
  for (uint32_t i = 0; i < model->body_count; i++) {
    const rl_body *body = &model->bodies[i];
    if (body->spin_slot != RL_NONE && turns_with(rows, state, body->spin_slot, drawn)) {
      rl_vec3 *rate = &state->velocities[body->spin_slot];
      const rl_vec3 local = rl_rotate_inverse(state->rotations[i], spin);
      *rate = rl_add(*rate, rl_times(body->root_inertia, local));
    }
  }
}

void rl_wraps_take_back_growths(const rl_model *model, rl_state *state, rl_rows *rows,
                                rl_excess excess) {
  const double tolerance = settled_share * rl_wraps_largest_growth(model, state);
  const rl_vec3 angular = rl_state_momentum(model, state).angular;
  set_aims(model, state, rows, excess);
  for (int i = 0; i < most_sweeps && sweep(model, state, rows) > tolerance; i++) {
  }
  rl_rotation_settle(model, state, RL_TURN_ENERGY);
  rl_state_place_holds(model, state);
  if (rl_model_keeps_angular_momentum(model)) {
    turn_drawn(model, state, rows, rl_sub(angular, rl_state_momentum(model, state).angular));
  }
}

// ---------------------------------------------------------------------------------------------
// The velocity with which a rope lets go

bool rl_wraps_have_shortened(const rl_model *model, const rl_state *state) {
  double least = 0.0;
  for (uint32_t i = 0; i < model->wrap_capacity + model->rope_count; i++) {
    least = fmin(least, state->growths[i]);
  }
  return !rl_is_taut(model, least);
}

// Whether a strand is taut and inextensible.
static bool holds(const rl_state *state, const rl_row *row) {
  return row->kind == RL_ROW_SPAN && !(row->compliance > 0.0) && row->inverse_mass > 0.0 &&
         rl_is_taut(state->model, row->value);
}

// What removes rates after a step.
typedef struct removal {
  rl_state *state;
  rl_rows *rows;
  double dt;         // of the step [s]
  const bool *begun; // [links] the step has only begun to catch the rope of that link; NULL: none
  double unbooked;   // energy lost that is not booked [J]
} removal;

// (23e) Whether a strand had no tension before the catch that its `aims` are the impulses of.
static bool was_slack(const removal *r, const rl_row *row) {
  return (r->begun && r->begun[row->item]) ||
         is_none_beside(r->state->multipliers[row->source] * r->dt, r->state->aims[row->source]);
}

// Books an impulse of a row. `power`, `rate`: the means of its power and rate before and after.
// What friction takes is dissipated, and so is the rest of the energy lost if the strand had no
// tension (it is caught).
static void book(removal *r, const rl_row *row, double impulse, double power, double rate) {
  rl_state *state = r->state;
  double prescribed = 0.0 - row->reel_power;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &r->rows->entries[i];
    const bool moves = state->points[e->slot].w > 0.0;
    prescribed += moves ? 0.0 : rl_dot(e->force, state->velocities[e->slot]);
  }
  state->aims[row->source] += impulse;
  state->work += impulse * prescribed;
  const bool is_caught = was_slack(r, row);
  state->dissipated += impulse * (is_caught ? power : power - rate);
  r->unbooked += is_caught ? 0.0 : impulse * rate;
}

// Removes the rate at which a row gets longer, if it holds. Returns it [m/s].
static double remove_rate(removal *r, const rl_row *row) {
  rl_state *state = r->state;
  const rl_rows *rows = r->rows;
  const double rate = holds(state, row) ? rl_row_rate(rows, row, state->velocities) : 0.0;
  if (!(rate > 0.0)) {
    return 0.0;
  }
  const double impulse = rate / row->inverse_mass;
  const double power = rl_row_power(rows, row, state->velocities);
  double answer = 0.0;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    answer += state->points[e->slot].w * rl_dot(e->force, e->force);
  }
  rl_row_push(rows, row, impulse, state->points, state->velocities);
  book(r, row, impulse, power - 0.5 * impulse * answer, 0.5 * rate);
  return rate;
}

// (3a) of papers/strands.md: does so for strands that pull on something in common, together.
// Returns the largest rate [m/s].
static double remove_rates(removal *r, rl_strands *s) {
  rl_state *state = r->state;
  const rl_rows *rows = r->rows;
  double powers[RL_STRANDS_TOGETHER], rates[RL_STRANDS_TOGETHER], worst = 0.0;
  for (uint32_t k = 0; k < s->count; k++) {
    const rl_row *row = s->rows[k];
    const bool takes_part = holds(state, row);
    const double rate = takes_part ? rl_row_rate(rows, row, state->velocities) : 0.0;
    s->alone[k] = takes_part ? rate / row->inverse_mass : 0.0;
    s->softness[k] = takes_part ? 0.0 : INFINITY;
    s->multipliers[k] = s->held[k] = state->aims[row->source];
    powers[k] = rl_row_power(rows, row, state->velocities);
    rates[k] = rl_row_rate(rows, row, state->velocities);
    worst = fmax(worst, rate);
  }
  for (uint32_t k = 0; k < s->count; k++) {
    s->rounding[k] = settled_share * worst;
  }
  rl_strands_solve(s, rows, state->points);
  for (uint32_t k = 0; k < s->count; k++) {
    rl_row_push(rows, s->rows[k], s->changes[k], state->points, state->velocities);
  }
  for (uint32_t k = 0; k < s->count; k++) {
    const double power = rl_row_power(rows, s->rows[k], state->velocities);
    const double rate = rl_row_rate(rows, s->rows[k], state->velocities);
    book(r, s->rows[k], s->changes[k], 0.5 * (powers[k] + power), 0.5 * (rates[k] + rate));
  }
  return worst;
}

// Removes the rates at which taut strands get longer; `aims` then holds the impulses of all rows.
static void remove_all_rates(removal *r) {
  rl_state *state = r->state;
  rl_rows *rows = r->rows;
  double first = 0.0, worst = INFINITY;
  memset(state->aims, 0, rl_unknown_count(state->model, state) * sizeof *state->aims);
  for (int i = 0; i < most_sweeps && worst > settled_share * first; i++) {
    worst = 0.0;
    for (uint32_t b = 0; b < rows->block_count; b++) {
      rl_strands strands;
      for (uint32_t at = 0; rl_strands_next(&strands, rows, &rows->blocks[b], false, &at);) {
        worst = fmax(worst, remove_rates(r, &strands));
      }
    }
    for (uint32_t k = 0; k < rows->row_count; k++) {
      const rl_row *row = &rows->rows[k];
      worst = row->is_with_others ? worst : fmax(worst, remove_rate(r, row));
    }
    first = i == 0 ? worst : first;
  }
}

void rl_wraps_remove_outward_velocity(rl_state *state, rl_rows *rows, double dt,
                                      const bool *begun) {
  remove_all_rates(&(removal){state, rows, dt, begun, 0.0});
}

void rl_wraps_evaluate_rows(const rl_model *model, const rl_state *state, rl_rows *rows) {
  for (uint32_t k = 0; k < rows->row_count; k++) {
    if (rows->rows[k].kind == RL_ROW_SPAN) {
      rl_row_evaluate(model, state, rows, &rows->rows[k], state->points);
    }
  }
}

// Whether a wrap of a rope is on a body on which one of the rope's first `count` wraps of a state
// is.
static bool is_among(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t count,
                     uint32_t body) {
  const rl_wrap *wraps = rl_wraps_of(model, state, rope);
  bool found = false;
  for (uint32_t i = 0; i < count && !found; i++) {
    found = wraps[i].body == body;
  }
  return found;
}

// Whether a rope lies on a body on which it did not lie before the step.
static bool has_met(const rl_model *model, const rl_state *state, const rl_state *before,
                    uint32_t rope, uint32_t body) {
  return model->ropes[rope].wrap_capacity > 0 &&
         is_among(model, state, rope, state->wrap_counts[rope], body) &&
         !is_among(model, before, rope, before->wrap_counts[rope], body);
}

// Returns the energy of the velocity that a catch has taken from a slot along strands that had
// tension [J].
static double taken_from(const removal *r, uint32_t slot) {
  const rl_state *state = r->state;
  const rl_rows *rows = r->rows;
  rl_vec3 push = {0.0, 0.0, 0.0};
  for (uint32_t k = 0; k < rows->row_count; k++) {
    const rl_row *row = &rows->rows[k];
    const double impulse = row->kind == RL_ROW_SPAN ? state->aims[row->source] : 0.0;
    const bool had_tension = impulse > 0.0 && !was_slack(r, row);
    for (uint32_t i = 0; i < row->entry_count && had_tension; i++) {
      const rl_entry *e = &rows->entries[row->first_entry + i];
      push = e->slot == slot ? rl_add_scaled(push, impulse, e->force) : push;
    }
  }
  return 0.5 * state->points[slot].w * rl_dot(push, push);
}

// (23h) Returns the same of all bodies that ropes have met in the step [J].
static double taken_from_met(const rl_model *model, const rl_state *before, const removal *of) {
  double sum = 0.0;
  for (uint32_t body = 0; body < model->body_count; body++) {
    bool met = false;
    for (uint32_t r = 0; r < model->rope_count && !met; r++) {
      met = has_met(model, of->state, before, r, body);
    }
    if (met) {
      const uint32_t spin = model->bodies[body].spin_slot;
      sum += taken_from(of, rl_body_slot(model, body));
      sum += spin != RL_NONE ? taken_from(of, spin) : 0.0;
    }
  }
  return sum;
}

void rl_wraps_apply_catch(const rl_model *model, const rl_state *before, rl_state *state,
                          rl_rows *rows, double dt, const bool *begun) {
  removal r = {state, rows, dt, begun, 0.0};
  rl_wraps_evaluate_rows(model, state, rows);
  remove_all_rates(&r);
  if (r.unbooked > 0.0) {
    state->dissipated += fmin(r.unbooked, taken_from_met(model, before, &r));
  }
  for (uint32_t k = 0; k < rows->row_count; k++) {
    const rl_row *row = &rows->rows[k];
    if (row->kind == RL_ROW_SPAN && state->aims[row->source] > 0.0) {
      rl_wraps_add_tensions(model, state, row, state->aims[row->source] / dt);
    }
  }
}
