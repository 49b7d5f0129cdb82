// SPDX-License-Identifier: GPL-3.0-or-later
#include "ledger.h"

#include "bodies/bounce.h"
#include "memory.h"
#include "paths/wrap.h"
#include "ropes/flexure.h"
#include "rotation.h"

#include <string.h>

// Of the scene's size: a smaller slack is round-off.
static const double rounding_slack = 1e-12;

// Of the speeds of which a rate is the sum: a smaller rate is round-off.
static const double rounding_share = 1e-9;

// A row at a moment.
typedef struct row_rate {
  double value;      // C [m]
  double rate;       // dC/dt [m/s]
  double driven;     // the part of it that driven bodies and winches have [m/s]
  double prescribed; // that part of the power over the row's multiplier [m/s]
  double speed;      // the sum of their speeds [m/s]
  double slip;   // what the power has beyond the rate: the slip of a rope on its wraps, weighted
                 // with the steps of its tension there [m/s]
  double strain; // power of the strain that winches bring in or take along, over the square of
                 // its spring's pull [m/(N s)]
  double damper; // what its damper pulls meanwhile [N]
} row_rate;

// Whether an impulse on a row is an impact, and which: of what was loose, or of what is set in
// motion; or one that the method has booked.
typedef enum kind_of_impact { NO_IMPACT, CATCH, JERK, BOOKED } kind_of_impact;

// What is known of a row in a step.
typedef struct account {
  row_rate before;   // at the start of the step
  double rate, slip; // at the end of the last substep
  rl_vec3 direction; // of an element at the start of the step
  double free;       // of the rate, the part of what is free at the end of the step, along the
                     // gradient of its start [m/s]; NAN: not known
  double held;       // force that it holds already when its prescribed rate jumps [N]
  double booked;     // impulse that is booked by now [N s]
  double caught;     // that of rl_ledger_catch, without what driven bodies lose in it [N s]
  rl_told told;      // by the method, of rows of which it tells
  bool is_told, is_stiff;
  kind_of_impact impact;
} account;

struct rl_ledger {
  double loss;             // of the impacts of this step [J]
  bool stepwise;           // found substep by substep
  bool halved;             // some were, and half of that is booked
  bool expected;           // some impulse would be an impact
  double bending_power;    // of what drives ends that are bent, at the start of the step [W]
  bool caught;             // one was, in this substep or one before it in the step
  double rubbed;           // where ropes slip, substep by substep until one is caught [J]
  account *accounts;       // [links + contact capacity]
  bool *caught_ropes;      // [ropes] of whose told strands one was caught in this step
  bool *unfinished;        // [links + contact capacity] the step before began its catch; of the
                           // strands of a massless rope at its link
  bool *old_unfinished;    // [contact capacity] scratch of rl_ledger_follow
  double *last_prescribed; // [links] at the end of the step before
  double (*last_reels)[2]; // [ropes] how fast winches ran in the step before [m/s]
  double *still; // [links + contact capacity] before the first step: what rows hold of a scene at
                 // rest [N]
  bool is_first; // it is the first step, and `still` is known
  void *allocation;
};

static size_t lay_out(const rl_model *m, rl_ledger *ledger, char *block) {
  rl_carver c = {.block = block};
  const size_t unknowns = rl_unknown_capacity(m);
  ledger->accounts = rl_carve(&c, unknowns, sizeof *ledger->accounts);
  ledger->caught_ropes = rl_carve(&c, m->rope_count, sizeof *ledger->caught_ropes);
  ledger->unfinished = rl_carve(&c, unknowns, sizeof *ledger->unfinished);
  ledger->old_unfinished = rl_carve(&c, m->contact_capacity, sizeof *ledger->old_unfinished);
  ledger->last_prescribed = rl_carve(&c, m->link_count, sizeof *ledger->last_prescribed);
  ledger->last_reels = rl_carve(&c, m->is_reeled ? m->rope_count : 0, sizeof *ledger->last_reels);
  ledger->still = rl_carve(&c, unknowns, sizeof *ledger->still);
  return c.used;
}

size_t rl_ledger_bytes(const rl_model *model) {
  rl_ledger counted;
  return lay_out(model, &counted, NULL);
}

rl_ledger *rl_ledger_create(const rl_model *model) {
  rl_ledger *ledger = calloc(1, sizeof *ledger);
  if (!ledger) {
    return NULL;
  }
  char *block = rl_block_create(lay_out(model, ledger, NULL), &ledger->allocation);
  if (!block) {
    free(ledger);
    return NULL;
  }
  lay_out(model, ledger, block);
  return ledger;
}

void rl_ledger_free(rl_ledger *ledger) {
  if (ledger) {
    free(ledger->allocation);
    free(ledger);
  }
}

void rl_ledger_copy(rl_ledger *to, const rl_ledger *from, const rl_model *model) {
  const size_t unknowns = rl_unknown_capacity(model), links = model->link_count;
  to->is_first = from->is_first;
  memcpy(to->unfinished, from->unfinished, unknowns * sizeof *to->unfinished);
  memcpy(to->last_prescribed, from->last_prescribed, links * sizeof *to->last_prescribed);
  memcpy(to->last_reels, from->last_reels,
         (model->is_reeled ? model->rope_count : 0) * sizeof *to->last_reels);
  if (from->is_first) { // else nobody asks
    memcpy(to->still, from->still, unknowns * sizeof *to->still);
  }
}

static void add_rate(row_rate *sum, const rl_state *state, uint32_t slot, rl_vec3 gradient,
                     rl_vec3 force) {
  const double rate = rl_dot(gradient, state->velocities[slot]);
  const double power = rl_dot(force, state->velocities[slot]);
  sum->rate += rate;
  sum->slip += power - rate;
  if (state->points[slot].w == 0.0) {
    sum->driven += rate;
    sum->prescribed += power;
    sum->speed += rl_length(state->velocities[slot]);
  }
}

static row_rate rate_along(const rl_state *state, const rl_link *link, rl_link_value v) {
  row_rate sum = {.value = v.value};
  const rl_vec3 back = rl_scale(-1.0, v.d);
  add_rate(&sum, state, link->a, back, back);
  add_rate(&sum, state, link->b, v.d, v.d);
  return sum;
}

static row_rate link_rate(const rl_state *state, const rl_link *link) {
  return rate_along(state, link, rl_link_evaluate(link, state->points));
}

// The same for a contact of two elements, whose forces are along its normal; without its value,
// which only the start of a step asks for.
static row_rate crossing_rate(const rl_state *state, const rl_crossing *c) {
  row_rate sum = {0};
  rl_vec3 closing = {0.0, 0.0, 0.0};
  for (size_t i = 0; i < 4; i++) {
    const rl_vec3 v = state->velocities[c->slots[i]];
    closing = rl_add_scaled(closing, -c->shares[i], v);
    if (state->points[c->slots[i]].w == 0.0) {
      sum.prescribed -= c->shares[i] * rl_dot(c->normal, v);
      sum.speed += rl_length(v);
    }
  }
  sum.rate = rl_dot(c->normal, closing);
  return sum;
}

static row_rate general_rate(const rl_model *model, const rl_state *state, rl_rows *rows,
                             rl_row *row) {
  if (rl_row_is_crossing(rows, row)) {
    return crossing_rate(state, &rows->crossings[row->item]);
  }
  rl_row_evaluate(model, state, rows, row, state->points);
  // What a winch pays out counts as if a driven body let the row get shorter.
  row_rate sum = {.value = row->value,
                  .rate = 0.0 - row->reel,
                  .driven = 0.0 - row->reel,
                  .prescribed = 0.0 - row->reel_power,
                  .slip = row->reel - row->reel_power,
                  .strain = 0.0 - row->reel_strain,
                  .speed = fabs(row->reel)};
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    add_rate(&sum, state, e->slot, e->gradient, e->force);
  }
  if (sum.strain != 0.0) {
    sum.damper = sum.rate * rl_element_damping(&model->ropes[model->link_rope[row->item]],
                                               row->rest, 1.0 / row->compliance, row->inverse_mass);
  }
  return sum;
}

// Whether what a row's rope loses where it slips is booked with the flow of its rest length.
static bool flow_rubs(const rl_model *model, const rl_row *row) {
  return row->kind == RL_ROW_SPAN && rl_wraps_flow_dissipates(model, model->link_rope[row->item]);
}

// Whether the prescribed rate of a strand behind a wrap that sticks, which is no row of every step,
// jumps: in the first step, or as a winch of its rope does.
static bool strand_jumps(const rl_ledger *ledger, const rl_model *model, const rl_state *state,
                         const rl_row *row, row_rate now) {
  const uint32_t rope = model->link_rope[row->item];
  const bool begins = ledger->is_first && fabs(now.prescribed) > rounding_share * now.speed;
  return begins || (state->reels && (state->reels[rope][0] != ledger->last_reels[rope][0] ||
                                     state->reels[rope][1] != ledger->last_reels[rope][1]));
}

// (10) An impulse on a stiff row is an impact if the row was slack or was being torn open without a
// force on it, if its prescribed rate jumps, or if the step before only used up its slack and left
// the rest of the catch to this one. A row that is taut and at rest is none, though nothing pulls
// it yet.
static void remember(rl_ledger *ledger, const rl_model *model, const rl_state *state,
                     uint32_t source, double compliance, bool unfinished, bool jumps,
                     row_rate now) {
  const double slack = rounding_slack * model->reach;
  // The same number unless it was changed, up to the rounding of the speeds it is made of.
  jumps = jumps ||
          (source < model->link_count &&
           fabs(now.prescribed - ledger->last_prescribed[source]) > rounding_share * now.speed);
  const bool loose = state->multipliers[source] == 0.0 && (now.value < -slack || now.rate != 0.0);
  const double *held = ledger->is_first ? ledger->still : state->multipliers;
  const bool jerks = jumps && !unfinished, is_stiff = compliance == 0.0;
  ledger->accounts[source] = (account){
      .before = now,
      .rate = now.rate,
      .slip = now.slip,
      .held = jerks ? held[source] : 0.0,
      .free = NAN,
      .is_stiff = is_stiff,
      .impact = !is_stiff             ? NO_IMPACT
                : jerks               ? JERK
                : loose || unfinished ? CATCH
                                      : NO_IMPACT,
  };
  ledger->expected = ledger->expected || ledger->accounts[source].impact != NO_IMPACT;
}

void rl_ledger_start(rl_ledger *ledger, const rl_model *model, const rl_state *still) {
  ledger->is_first = true;
  memset(ledger->still, 0, rl_unknown_capacity(model) * sizeof *ledger->still);
  for (size_t i = 0; i < rl_unknown_count(model, still); i++) {
    const double held = still->multipliers[i];
    ledger->still[i] = isfinite(held) ? held : 0.0;
  }
}

void rl_ledger_begin(rl_ledger *ledger, const rl_model *model, const rl_state *state,
                     rl_rows *rows) {
  const bool *last = ledger->unfinished;
  ledger->loss = ledger->rubbed = 0.0;
  ledger->stepwise = ledger->halved = ledger->expected = ledger->caught = false;
  ledger->bending_power = rl_bending_power(model, state);
  memset(ledger->caught_ropes, 0, model->rope_count * sizeof *ledger->caught_ropes);
  rl_rows_stand(rows);
  for (uint32_t i = 0; i < rows->block_count; i++) {
    const rl_block *block = &rows->blocks[i];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      const rl_link *link = &state->links[k];
      const rl_link_value v = rl_link_evaluate(link, state->points);
      remember(ledger, model, state, k, link->compliance, last[k], false,
               rate_along(state, link, v));
      ledger->accounts[k].direction = v.d;
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      uint32_t before = row->kind == RL_ROW_SPAN ? row->item : RL_NONE;
      if (row->kind == RL_ROW_CONTACT) {
        const uint32_t place = rows->contact_before[row->item];
        before = place == RL_NONE ? RL_NONE : model->link_count + place;
      }
      row_rate now = general_rate(model, state, rows, row);
      if (rl_row_is_crossing(rows, row)) {
        const rl_crossing *c = &rows->crossings[row->item];
        now.value = rl_crossing_value(c, rl_crossing_way(c, state->points));
      }
      const bool jumps = row->kind == RL_ROW_SPAN && row->source >= model->link_count &&
                         strand_jumps(ledger, model, state, row, now);
      remember(ledger, model, state, row->source, row->compliance,
               before != RL_NONE && last[before], jumps, now);
    }
  }
  rl_rows_move(rows);
  rows->is_evaluated = true;
}

static rl_vec3 free_velocity(const rl_state *state, uint32_t slot) {
  return state->points[slot].w > 0.0 ? state->velocities[slot] : rl_vec(0.0, 0.0, 0.0);
}

// (10b)
void rl_ledger_hold(rl_ledger *ledger, const rl_state *state, const rl_rows *rows) {
  for (uint32_t i = 0; i < rows->block_count; i++) {
    const rl_block *block = &rows->blocks[i];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      const rl_link *link = &state->links[k];
      account *a = &ledger->accounts[k];
      a->free = rl_dot(a->direction,
                       rl_sub(free_velocity(state, link->b), free_velocity(state, link->a)));
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      const rl_row *row = &rows->rows[k];
      if (rl_row_is_crossing(rows, row)) { // its normal is the same at the end
        continue;
      }
      double free = 0.0;
      for (uint32_t n = row->first_entry; n < row->first_entry + row->entry_count; n++) {
        const rl_entry *e = &rows->entries[n];
        free += rl_dot(e->gradient, free_velocity(state, e->slot));
      }
      ledger->accounts[row->source].free = free;
    }
  }
}

// Returns the work of what is prescribed on a row, and of the strain that winches bring in [J].
static double work_on(const account *a, double force, row_rate now, double dt) {
  const row_rate before = a->before;
  // (5a) of papers/parting.md: of a row that does not pull the spring is slack.
  const double spring = force != 0.0 ? force - 0.5 * (before.damper + now.damper) : 0.0;
  const double prescribed =
      a->is_told ? a->told.work : dt * force * 0.5 * (before.prescribed + now.prescribed);
  return prescribed + dt * spring * spring * 0.5 * (before.strain + now.strain);
}

double rl_ledger_work(const rl_ledger *ledger, const rl_model *model, const rl_state *state,
                      rl_rows *rows, double dt) {
  double work = 0.0;
  rl_rows_stand(rows);
  for (uint32_t i = 0; i < rows->block_count; i++) {
    const rl_block *block = &rows->blocks[i];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      work += work_on(&ledger->accounts[k], state->multipliers[k],
                      link_rate(state, &state->links[k]), dt);
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      const double force = state->multipliers[row->source];
      work += force != 0.0 ? work_on(&ledger->accounts[row->source], force,
                                     general_rate(model, state, rows, row), dt)
                           : 0.0;
    }
  }
  rl_rows_move(rows);
  return work;
}

// Returns what an impulse loses along a row of which another part is no loss [J].
static double lost_along(const account *a, double impulse, double other, double rates) {
  return a->is_told ? a->told.along - 0.5 * other * rates : 0.5 * (impulse - other) * rates;
}

// Returns what friction takes where the rope of a row slips [J].
static double lost_across(const account *a, double impulse, double slips) {
  return a->is_told ? a->told.rubbed : 0.5 * impulse * slips;
}

// (8b) of papers/wraps.md: whether the method tells of a row, and a strand of its rope is caught.
static bool is_caught_rope(const rl_ledger *ledger, const rl_model *model, const account *a,
                           uint32_t link) {
  return a->is_told && ledger->caught_ropes[model->link_rope[link]];
}

// Whether the impulse on a row is an impact.
static bool is_hit(const rl_ledger *ledger, const rl_state *state, uint32_t source) {
  return ledger->accounts[source].impact != NO_IMPACT && state->multipliers[source] != 0.0;
}

// Notes the ropes of which a strand is caught of which the method tells.
static void note_caught_ropes(rl_ledger *ledger, const rl_model *model, const rl_state *state,
                              const rl_rows *rows) {
  for (uint32_t k = 0; k < rows->row_count; k++) {
    const rl_row *row = &rows->rows[k];
    if (ledger->accounts[row->source].is_told && is_hit(ledger, state, row->source)) {
      ledger->caught_ropes[model->link_rope[row->item]] = true;
    }
  }
}

// (10), (10a) Books a row; what it leaves of a catch to the next step is kept under `kept`.
static void book(rl_ledger *ledger, const rl_model *model, rl_state *state, uint32_t source,
                 uint32_t kept, row_rate now, double dt, bool impacts) {
  const account *a = &ledger->accounts[source];
  const row_rate before = a->before;
  const double impulse = dt * state->multipliers[source];
  const bool impact = impacts && a->impact != NO_IMPACT && impulse != 0.0;
  state->work += work_on(a, state->multipliers[source], now, dt);
  state->dissipated +=
      ledger->stepwise || !impacts ? 0.0 : lost_across(a, impulse, before.slip + now.slip);
  const bool bears =
      a->is_stiff && (ledger->halved || is_caught_rope(ledger, model, a, kept)); // what is hit
  if ((impact || bears) && a->impact != BOOKED && !ledger->stepwise) {
    const double rate = isnan(a->free) ? now.rate : a->free + now.driven;
    ledger->loss += lost_along(a, impulse, dt * a->held + a->booked, before.rate + rate);
  }
  ledger->loss += 0.5 * a->caught * (before.driven + now.driven); // as their work
  ledger->unfinished[kept] |= impact && before.value < 0.0;
  if (source < model->link_count) {
    ledger->last_prescribed[source] = now.prescribed;
  }
}

void rl_ledger_end(rl_ledger *ledger, const rl_model *model, rl_state *state, rl_rows *rows,
                   double dt, bool impacts, double rubbed) {
  memset(ledger->unfinished, 0, rl_unknown_capacity(model) * sizeof *ledger->unfinished);
  note_caught_ropes(ledger, model, state, rows);
  rl_rows_stand(rows);
  for (uint32_t i = 0; i < rows->block_count; i++) {
    const rl_block *block = &rows->blocks[i];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      book(ledger, model, state, k, k, link_rate(state, &state->links[k]), dt, impacts);
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      if (row->kind == RL_ROW_CONTACT && state->multipliers[row->source] == 0.0) { // apart
        continue;
      }
      row_rate now = general_rate(model, state, rows, row);
      if (flow_rubs(model, row)) {
        now.slip = ledger->accounts[row->source].before.slip = 0.0;
      }
      // Strands may be others in the next step: what one leaves is for all of its rope.
      const uint32_t kept = row->kind == RL_ROW_SPAN ? row->item : row->source;
      book(ledger, model, state, row->source, kept, now, dt, impacts);
    }
  }
  if (state->reels) {
    memcpy(ledger->last_reels, state->reels, model->rope_count * sizeof *state->reels);
  }
  rl_rows_move(rows);
  state->work += 0.5 * dt * (ledger->bending_power + rl_bending_power(model, state));
  ledger->is_first = false;
  // One row of a hit, or its friction, may gain what another loses twice; together they lose.
  state->dissipated += fmax(ledger->loss + rubbed, 0.0) + ledger->rubbed;
}

void rl_ledger_catch(rl_ledger *ledger, uint32_t link, double impulse, double rate, bool all) {
  account *a = ledger ? &ledger->accounts[link] : NULL;
  if (!a || a->impact == JERK) {
    return;
  }
  if (a->impact != NO_IMPACT) {
    a->impact = BOOKED;
  }
  if (all || a->impact == BOOKED) {
    ledger->loss += impulse * rate;
    a->caught += impulse;
  }
}

void rl_ledger_tell(rl_ledger *ledger, uint32_t source, rl_told told) {
  rl_told *sum = &ledger->accounts[source].told;
  ledger->accounts[source].is_told = true;
  sum->along += told.along;
  sum->rubbed += told.rubbed;
  sum->work += told.work;
}

const bool *rl_ledger_begun_catches(const rl_ledger *ledger) { return ledger->unfinished; }

void rl_ledger_jolt(rl_ledger *ledger, uint32_t link) { ledger->unfinished[link] = true; }

void rl_ledger_follow(rl_ledger *ledger, const rl_model *model, const rl_state *state,
                      const rl_rows *rows) {
  bool *now = &ledger->unfinished[model->link_count], *old = ledger->old_unfinished;
  memcpy(old, now, model->contact_capacity * sizeof *old);
  for (uint32_t i = 0; i < state->contact_count; i++) {
    const uint32_t before = rows->contact_before[i];
    now[i] = before != RL_NONE && old[before];
  }
}

bool rl_ledger_expects_hit(const rl_ledger *ledger) { return ledger && ledger->expected; }

bool rl_ledger_is_hit(const rl_ledger *ledger, const rl_state *state, const rl_rows *rows) {
  if (!rl_ledger_expects_hit(ledger)) {
    return false;
  }
  bool caught = false;
  for (uint32_t i = 0; i < rows->block_count; i++) {
    const rl_block *block = &rows->blocks[i];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      caught = caught || is_hit(ledger, state, k);
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      caught = caught || is_hit(ledger, state, rows->rows[k].source);
    }
  }
  return caught;
}

static void book_substep(rl_ledger *ledger, account *a, double impulse, double h, bool caught,
                         row_rate now) {
  const double rubbed = lost_across(a, impulse, a->slip + now.slip);
  if (h > 0.0 && caught && a->is_stiff) {
    ledger->loss += lost_along(a, impulse, h * a->held, a->rate + now.rate) + rubbed;
  } else if (h > 0.0) {
    ledger->rubbed += rubbed;
  }
  a->told.along = a->told.rubbed = 0.0;
  a->rate = now.rate;
  a->slip = now.slip;
}

// Books all rows, with the impulses of a substep of h, and keeps their rates for the next; with an
// h of 0 it only keeps them.
static void book_rates(rl_ledger *ledger, const rl_model *model, const rl_state *state,
                       rl_rows *rows, double impulse, double h) {
  rl_rows_stand(rows);
  for (uint32_t i = 0; i < rows->block_count; i++) {
    const rl_block *block = &rows->blocks[i];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      book_substep(ledger, &ledger->accounts[k], impulse * state->multipliers[k], h, ledger->caught,
                   link_rate(state, &state->links[k]));
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      account *a = &ledger->accounts[row->source];
      row_rate now = general_rate(model, state, rows, row);
      if (flow_rubs(model, row)) {
        now.slip = a->slip = 0.0;
      }
      const bool caught = a->is_told ? is_caught_rope(ledger, model, a, row->item) : ledger->caught;
      book_substep(ledger, a, impulse * state->multipliers[row->source], h, caught, now);
    }
  }
  rl_rows_move(rows);
}

// (10)
void rl_ledger_substep(rl_ledger *ledger, const rl_model *model, const rl_state *state,
                       rl_rows *rows, double impulse, double h) {
  if (ledger && ledger->expected) {
    ledger->stepwise = true;
    ledger->caught = ledger->caught || rl_ledger_is_hit(ledger, state, rows);
    note_caught_ropes(ledger, model, state, rows);
    book_rates(ledger, model, state, rows, impulse, h);
  }
}

void rl_ledger_half(rl_ledger *ledger, const rl_state *state, const rl_rows *rows, double impulse,
                    double h, uint32_t count, const double *ended, const double *begun) {
  if (!rl_ledger_is_hit(ledger, state, rows)) {
    return;
  }
  ledger->halved = true;
  for (uint32_t m = 0; m < count; m++) {
    account *a = &ledger->accounts[m];
    if (state->multipliers[m] != 0.0 && a->is_stiff) {
      a->booked = impulse * state->multipliers[m] - h * a->held;
      ledger->loss += 0.5 * a->booked * (a->before.rate + ended[m]);
    }
    a->before.rate = begun[m];
  }
}

void rl_ledger_friction(const rl_rows *rows, const rl_state *state, const rl_vec3 *impulses,
                        double scale, const rl_vec3 *before, rl_step_info *info) {
  const rl_vec3 *after = state->velocities;
  for (uint32_t i = 0; i < state->contact_count; i++) {
    const rl_row *row = &rows->rows[rows->span_count + i];
    const rl_vec3 impulse = rl_scale(scale, impulses[i]);
    if (rl_is_zero(impulse)) {
      continue;
    }
    rl_vec3 slides; // before and after
    if (rl_is_crossing(rows, i)) {
      const rl_crossing *c = &rows->crossings[i];
      slides = rl_add(rl_crossing_slide(c, rl_crossing_velocity(c, before)),
                      rl_crossing_slide(c, rl_crossing_velocity(c, after)));
      info->work += rl_crossing_work(c, impulse, state->points, after);
    } else {
      slides = rl_add(rl_contact_slide(rows, row, before), rl_contact_slide(rows, row, after));
      info->work += rl_friction_work(rows, row, impulse, state->points, after);
    }
    info->rubbed -= 0.5 * rl_dot(impulse, slides);
  }
}

void rl_ledger_bounce(rl_ledger *ledger, const rl_model *model, const rl_state *state,
                      rl_rows *rows, const rl_bounce *bounce) {
  if (!ledger) {
    return;
  }
  ledger->loss += bounce->rubbed + (bounce->is_hit || ledger->caught ? bounce->lost : 0.0);
  if (ledger->expected && (bounce->lost != 0.0 || bounce->rubbed != 0.0)) {
    book_rates(ledger, model, state, rows, 0.0, 0.0);
  }
}

// Returns the loss of the damper of a strained element: the part of its force that is not that of
// the spring, times the rate at which it does work, which friction changes, (13) of
// papers/elastic-wraps.md [W].
static double element_loss(const rl_rope *rope, double rest, double compliance, double lower,
                           double inverse_mass, row_rate now) {
  const double c = rl_element_damping(rope, rest, 1.0 / compliance, inverse_mass);
  const double pull = now.value / compliance;
  const bool taut = now.value > 0.0 || lower < 0.0;
  return taut ? (fmax(pull + c * now.rate, lower) - pull) * (now.rate + now.slip) : 0.0;
}

double rl_damper_loss(const rl_model *model, const rl_state *state, rl_rows *rows, double h) {
  double power = 0.0;
  rl_rows_stand(rows);
  for (uint32_t i = 0; i < rows->block_count; i++) {
    const rl_block *block = &rows->blocks[i];
    const rl_rope *rope = block->rope == RL_NONE ? NULL : &model->ropes[block->rope];
    if (!rope || isinf(rope->stiffness) || (rope->damping == 0.0 && rope->damping_ratio == 0.0)) {
      continue;
    }
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      const rl_link *link = &state->links[k];
      const double inverse_mass = state->points[link->a].w + state->points[link->b].w;
      power += element_loss(rope, link->rest, link->compliance, block->lower, inverse_mass,
                            link_rate(state, link));
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      const row_rate now = general_rate(model, state, rows, row);
      power += element_loss(rope, row->rest, row->compliance, row->lower, row->inverse_mass, now);
    }
  }
  rl_rows_move(rows);
  return power * h;
}

// (8)
static double elastic_energy(const rl_model *model, const rl_state *state) {
  double energy = 0.0;
  for (uint32_t i = 0; i < model->link_count; i++) {
    const rl_link *link = &state->links[i];
    const uint32_t rope = model->link_rope[i];
    if (i - model->ropes[rope].first_link >= rl_rope_elements(model, state, rope)) {
      continue; // there is none any more
    }
    if (link->compliance > 0.0 && model->ropes[rope].wrap_capacity > 0) {
      energy += rl_wraps_energy(model, state, rope);
    } else if (link->compliance > 0.0) {
      double excess = rl_element_length(model, state, i) - link->rest;
      if (!model->ropes[model->link_rope[i]].compression) {
        excess = fmax(excess, 0.0);
      }
      energy += 0.5 * excess * excess / link->compliance;
    }
  }
  return energy;
}

rl_energy rl_state_energy(const rl_model *model, const rl_state *state) {
  rl_energy energy = {0};
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (state->points[i].w > 0.0) {
      const rl_vec3 v = state->velocities[i];
      energy.kinetic += 0.5 * state->masses[i] * rl_dot(v, v);
    }
  }
  for (uint32_t i = 0; i < model->place_count; i++) {
    if (state->points[i].w > 0.0) {
      energy.gravity -= state->masses[i] * rl_dot(model->gravity, rl_position(&state->points[i]));
    }
  }
  energy.elastic = elastic_energy(model, state);
  energy.bending = rl_bending_energy(model, state);
  return energy;
}

rl_momentum rl_state_momentum(const rl_model *model, const rl_state *state) {
  rl_momentum momentum = {0};
  for (uint32_t i = 0; i < model->place_count; i++) {
    if (state->points[i].w > 0.0) {
      const rl_vec3 p = rl_scale(state->masses[i], state->velocities[i]);
      momentum.linear = rl_add(momentum.linear, p);
      momentum.angular = rl_add(momentum.angular, rl_cross(rl_position(&state->points[i]), p));
    }
  }
  for (uint32_t i = 0; i < model->body_count; i++) {
    momentum.angular = rl_add(momentum.angular, rl_body_angular_momentum(model, state, i));
  }
  return momentum;
}
