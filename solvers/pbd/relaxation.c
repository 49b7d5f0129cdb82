// SPDX-License-Identifier: GPL-3.0-or-later
#include "relaxation.h"

#include "world/bodies/warm.h"
#include "world/ledger.h"
#include "world/paths/strands.h"
#include "world/paths/wrap.h"
#include "world/ropes/flexure.h"
#include "world/ropes/slips.h"
#include "world/rotation.h"

#include <string.h>

void rl_relaxation_lay_out(rl_relaxation *r, const rl_model *model, rl_carver *c) {
  r->previous = rl_carve(c, model->slot_count, sizeof *r->previous);
  r->before = rl_carve(c, model->slot_count, sizeof *r->before);
  r->corrections = rl_carve(c, model->slot_count, sizeof *r->corrections);
  r->moves = rl_carve(c, model->slot_count, sizeof *r->moves);
  r->frictions = rl_carve(c, model->contact_capacity, sizeof *r->frictions);
  r->slid = rl_carve(c, model->contact_capacity, sizeof *r->slid);
  r->touches =
      rl_carve(c, model->tangle_capacity > 0 ? model->contact_capacity : 0, sizeof *r->touches);
  r->bends = rl_carve(c, model->flexure_count, sizeof *r->bends);
  r->shares = rl_carve(c, model->slot_count, sizeof *r->shares);
  const bool wraps = model->wrap_capacity > 0;
  r->pulled = rl_carve(c, wraps ? model->entry_capacity : 0, sizeof *r->pulled);
  r->rubbed = rl_carve(c, wraps ? model->vertex_capacity : 0, sizeof *r->rubbed);
  r->flows = rl_carve(c, wraps ? model->vertex_capacity : 0, sizeof *r->flows);
  r->held =
      rl_carve(c, model->split_capacity > 0 ? rl_unknown_capacity(model) : 0, sizeof *r->held);
}

// The multipliers of bending with which the step begins, as impulses before the kick, whose drag
// acts on them as well: at rest all that is needed.
static void start_bends(rl_relaxation *r, const rl_model *model, rl_state *state) {
  for (rl_flexure f = {0}; rl_flexure_next(model, state, state->points, &f);) {
    const double inverse_mass = rl_flexure_inverse_mass(&f, state->points);
    const double impulse =
        f.value > 0.0 ? rl_flexure_start_impulse(&f, inverse_mass, r->h) / f.value : 0.0;
    r->bends[f.index] = rl_scale(impulse * r->h, f.curvature);
    for (uint32_t i = 0; i < f.entry_count; i++) {
      const uint32_t slot = f.entries[i].slot;
      state->velocities[slot] = rl_add_scaled(state->velocities[slot],
                                              impulse * state->points[slot].w, f.entries[i].slope);
    }
  }
}

// (12) of papers/bodies.md: with what contacts of bodies begin, as positional impulses. All other
// multipliers start at 0.
static void start_contacts(rl_relaxation *r, const rl_model *model, rl_state *state, rl_rows *rows,
                           double unit) {
  const size_t unknowns = rl_unknown_count(model, state);
  double *pushed = &state->multipliers[model->link_count];
  for (size_t i = 0; i < unknowns && model->split_capacity > 0; i++) {
    r->held[i] = unit * r->h * r->h * state->multipliers[i];
  }
  for (size_t i = 0; i < state->contact_count; i++) {
    pushed[i] *= unit;
  }
  rl_warm_contacts(model, state, rows, r->h, r->elastic ? INFINITY : RL_WARM_NEAR);
  for (size_t i = 0; i < unknowns; i++) {
    const size_t contact = i - model->link_count;
    const bool is_contact = i >= model->link_count && contact < state->contact_count;
    const double square =
        is_contact && state->contacts[contact].rope == RL_NONE ? r->h * r->h : 0.0;
    state->multipliers[i] *= square;
    if (is_contact) {
      r->frictions[contact] = rl_scale(square, state->frictions[contact]);
    }
  }
}

// (8a) of papers/wraps.md: notes the flows with which the step begins, of strands as they were
// evaluated by the ledger at its start, or by the last sweep of the substep before.
static void start_strands(const rl_relaxation *r, const rl_model *model, const rl_state *state,
                          const rl_rows *rows) {
  for (uint32_t n = 0; n < rows->row_count && model->wrap_capacity > 0; n++) {
    const rl_row *row = &rows->rows[n];
    if (row->piece_count == 0) {
      continue;
    }
    const size_t pieces = row->piece_count;
    memset(&r->pulled[row->first_entry], 0, row->entry_count * sizeof *r->pulled);
    memset(&r->rubbed[row->first_vertex], 0, pieces * sizeof *r->rubbed);
    memset(&r->flows[row->first_vertex], 0, pieces * sizeof *r->flows);
    rl_strand_add_flows(model, rows, row, state->points, state->velocities,
                        &r->flows[row->first_vertex]);
  }
}

void rl_relaxation_begin(rl_relaxation *r, const rl_model *model, rl_state *state, rl_rows *rows,
                         double h, double unit) {
  r->h = h;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    r->previous[i] = state->points[i];
    r->before[i] = state->velocities[i];
    r->corrections[i] = (rl_point){0.0, 0.0, 0.0, 0.0};
  }
  start_strands(r, model, state, rows);
  for (size_t i = 0; i < state->contact_count; i++) {
    if (rl_is_crossing(rows, (uint32_t)i)) {
      const rl_crossing *c = &rows->crossings[i];
      const double mass = c->inverse_mass > 0.0 ? 1.0 / c->inverse_mass : 0.0;
      r->touches[i] = (rl_touch){rl_crossing_way(c, state->points), r->omega * mass, mass};
    }
  }
  if (r->elastic) {
    start_bends(r, model, state);
  } else { // whose rows have no compliance: the force at the start of the step
    rl_bending_push(model, state, h, state->velocities);
  }
  rl_state_kick(model, state, h);
  start_contacts(r, model, state, rows, unit);
  rl_state_drift(model, state, h);
  for (uint32_t i = model->place_count; i < model->slot_count; i++) {
    // Spins count their turn from where the drift has brought them.
    const rl_vec3 drifted = rl_scale(-h, state->velocities[i]);
    r->previous[i] = (rl_point){drifted.x, drifted.y, drifted.z, state->points[i].w};
  }
}

// What contacts of two elements have moved, whose normals and shares stand still: in sweeps that
// take them one by one, their impulses say it.
static void sum_crossings(const rl_relaxation *r, const rl_model *model, const rl_state *state,
                          const rl_rows *rows) {
  for (uint32_t i = 0; i < state->contact_count && r->order < RL_JACOBI; i++) {
    const double pushed = state->multipliers[model->link_count + i];
    if (!rl_is_crossing(rows, i) || !(pushed != 0.0)) {
      continue;
    }
    const rl_crossing *c = &rows->crossings[i];
    const rl_vec3 impulse = rl_add_scaled(r->frictions[i], pushed, c->normal);
    for (size_t k = 0; k < 4; k++) {
      rl_point *sum = &r->corrections[c->slots[k]];
      const rl_vec3 by = rl_scale(c->shares[k] * state->points[c->slots[k]].w, impulse);
      *sum = (rl_point){sum->x + by.x, sum->y + by.y, sum->z + by.z, 0.0};
    }
  }
}

// (8b) of papers/wraps.md: returns what the sweeps have done along a strand, per the mean of the
// velocities from before the step and behind it. Spins: in the frame of the sweeps.
static double lost_along(const rl_relaxation *r, const rl_model *model, const rl_state *state,
                         const rl_rows *rows, const rl_row *row) {
  double sum = 0.0;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const uint32_t slot = rows->entries[i].slot;
    const rl_vec3 after = state->velocities[slot];
    const rl_vec3 before =
        slot < model->place_count
            ? r->before[slot]
            : rl_add_scaled(after, -1.0 / r->h, rl_position(&r->corrections[slot]));
    sum += state->points[slot].w > 0.0 ? rl_dot(r->pulled[i], rl_add(before, after)) : 0.0;
  }
  return 0.5 * sum / r->h;
}

// (8a), (8b) of papers/wraps.md: tells what strands take.
static void tell_strands(const rl_relaxation *r, const rl_model *model, const rl_state *state,
                         const rl_rows *rows, rl_ledger *ledger) {
  for (uint32_t n = 0; n < rows->row_count && ledger && model->wrap_capacity > 0; n++) {
    const rl_row *row = &rows->rows[n];
    if (row->piece_count == 0) {
      continue;
    }
    rl_flow *flows = &r->flows[row->first_vertex];
    rl_strand_add_flows(model, rows, row, state->points, state->velocities, flows);
    const bool rubs = !rl_wraps_flow_dissipates(model, model->link_rope[row->item]);
    const double impulse = 0.5 * state->multipliers[row->source] / r->h;
    rl_told told = {.along = lost_along(r, model, state, rows, row)};
    for (uint32_t k = 0; k < row->piece_count; k++) {
      const double more = 0.5 * r->rubbed[row->first_vertex + k] / r->h;
      told.along += impulse * flows[k].driven;
      told.rubbed += rubs ? more * flows[k].all : 0.0;
      told.work += (impulse + more) * flows[k].driven;
    }
    rl_ledger_tell(ledger, row->source, told);
  }
}

static void note_residual(const rl_relaxation *r, const rl_model *model, const rl_state *state,
                          rl_rows *rows, rl_step_info *info) {
  rl_trace(info, rl_residual(model, state, rows, state->points, state->multipliers,
                             1.0 / (r->h * r->h), r->h));
}

void rl_relaxation_end(const rl_relaxation *r, const rl_model *model, rl_state *state,
                       rl_rows *rows, bool wanted, rl_step_info *info) {
  sum_crossings(r, model, state, rows);
  for (uint32_t i = 0; i < model->slot_count; i++) {
    state->velocities[i] =
        rl_add_scaled(state->velocities[i], 1.0 / r->h, rl_position(&r->corrections[i]));
  }
  tell_strands(r, model, state, rows, info->ledger);
  if (wanted && isnan(info->residual)) { // else the last sweep has
    note_residual(r, model, state, rows, info);
  }
  rl_slips_keep(state, rows, r->slid, 1.0, r->h);
  rl_ledger_friction(rows, state, r->frictions, 1.0 / r->h, r->before, info);
  for (size_t i = 0; i < state->contact_count; i++) {
    state->frictions[i] = rl_scale(1.0 / (r->h * r->h), r->frictions[i]);
  }
  rl_rotation_settle(model, state, RL_TURN_MOMENTUM);
  info->dissipated += rl_state_settle(model, state, r->h);
}

// What the rows of a block have in common.
typedef struct material {
  double omega, lower;
  bool violated_only;
  double scale;        // 1 / h^2 for elastic rows, else 0: alpha~ = scale * compliance
  const rl_rope *rope; // whose dampers act; NULL: none
} material;

static material material_of(const rl_relaxation *r, const rl_model *model, uint32_t index,
                            double lower) {
  material m = {r->omega, lower, r->violated_only, 0.0, NULL};
  if (r->elastic && index != RL_NONE) {
    const rl_rope *rope = &model->ropes[index];
    m.scale = 1.0 / (r->h * r->h);
    m.rope = rope->damping > 0.0 || rope->damping_ratio > 0.0 ? rope : NULL;
  }
  return m;
}

// (3) of papers/xpbd.md, and with alpha~ = 0 of papers/pbd.md: the step of one multiplier, dlambda
// = omega (C - alpha~ lambda) / (W + alpha~), kept from pushing. The quotient waits for nothing
// that a sweep computes, so it is off the critical path.
static inline double correction(double value, double inverse_mass, double compliance,
                                const material *m, double *multiplier) {
  const double soft = m->scale * compliance;
  if (!(inverse_mass + soft > 0.0) || (m->violated_only && m->lower == 0.0 && value <= 0.0)) {
    return 0.0;
  }
  const double old = *multiplier;
  const double now = old + (value - soft * old) * (m->omega / (inverse_mass + soft));
  *multiplier = now < m->lower && !m->violated_only ? m->lower : now;
  return *multiplier - old;
}

// The same for a rope with a damper c: the row also resists the change of C since the start,
// dlambda = omega (C - alpha~ lambda + gamma dC) / ((1 + gamma) W + alpha~), gamma = c alpha / h.
static inline double damped_correction(double value, double change, double inverse_mass,
                                       double gamma, double compliance, const material *m,
                                       double *multiplier) {
  if (m->lower == 0.0 && value <= 0.0) { // slack: a damper without its spring does not pull
    const double old = *multiplier;
    *multiplier = 0.0;
    return -old;
  }
  const double stiffened = (value + gamma * change) / (1.0 + gamma);
  return correction(stiffened, inverse_mass, compliance / (1.0 + gamma), m, multiplier);
}

// Change of C along its gradient since the start of the step.
static double link_change(const rl_relaxation *r, const rl_link *link, const rl_point *points,
                          rl_vec3 d) {
  const rl_vec3 a = rl_sub(rl_position(&points[link->a]), rl_position(&r->previous[link->a]));
  const rl_vec3 b = rl_sub(rl_position(&points[link->b]), rl_position(&r->previous[link->b]));
  return rl_dot(d, rl_sub(b, a));
}

static double row_change(const rl_relaxation *r, const rl_rows *rows, const rl_row *row,
                         const rl_point *points) {
  double change = 0.0 - r->h * row->reel;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    change += rl_dot(e->gradient,
                     rl_sub(rl_position(&points[e->slot]), rl_position(&r->previous[e->slot])));
  }
  return change;
}

// gamma = c alpha / h; an inextensible element has no rate to damp.
static double damping_factor(const rl_relaxation *r, const rl_rope *rope, double rest,
                             double compliance, double inverse_mass) {
  return compliance > 0.0
             ? rl_element_damping(rope, rest, 1.0 / compliance, inverse_mass) * compliance / r->h
             : 0.0;
}

static double correct_damped_link(const rl_relaxation *r, const rl_link *link,
                                  const rl_point *points, const rl_link_value *v, const material *m,
                                  double *multiplier) {
  const double gamma = damping_factor(r, m->rope, link->rest, link->compliance, v->inverse_mass);
  return damped_correction(v->value, link_change(r, link, points, v->d), v->inverse_mass, gamma,
                           link->compliance, m, multiplier);
}

static inline double correct_link(const rl_relaxation *r, const rl_link *link,
                                  const rl_point *points, const rl_link_value *v, const material *m,
                                  double *multiplier) {
  return m->rope ? correct_damped_link(r, link, points, v, m, multiplier)
                 : correction(v->value, v->inverse_mass, link->compliance, m, multiplier);
}

static double correct_row(const rl_relaxation *r, const rl_state *state, const rl_rows *rows,
                          const rl_row *row, const material *m, double *multiplier) {
  const material own = {m->omega, row->lower, m->violated_only, m->scale, m->rope};
  if (!m->rope) {
    return correction(row->value, row->inverse_mass, row->compliance, &own, multiplier);
  }
  const double gamma = damping_factor(r, m->rope, row->rest, row->compliance, row->inverse_mass);
  return damped_correction(row->value, row_change(r, rows, row, state->points), row->inverse_mass,
                           gamma, row->compliance, &own, multiplier);
}

// (4) of papers/pbd.md: dp = -w grad C dlambda, at once.
static inline void project_link(const rl_relaxation *r, const rl_link *link, rl_state *state,
                                const material *m, double *multiplier) {
  const rl_point *points = state->points;
  const rl_link_value v = rl_link_evaluate(link, points);
  const double d = correct_link(r, link, points, &v, m, multiplier);
  rl_relaxation_correct(r, state, link->a, rl_scale(points[link->a].w * d, v.d));
  rl_relaxation_correct(r, state, link->b, rl_scale(-points[link->b].w * d, v.d));
}

// How the rope has slid on the body since the start of the step.
static rl_vec3 slide_of(const rl_relaxation *r, const rl_rows *rows, const rl_row *row,
                        const rl_point *points) {
  rl_vec3 sum = {0.0, 0.0, 0.0};
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    const rl_vec3 moved = rl_sub(rl_position(&points[e->slot]), rl_position(&r->previous[e->slot]));
    sum = rl_add(sum, rl_contact_slip(row, e, moved));
  }
  return sum;
}

// (11) of papers/pbd.md: takes slide and slip back, within the cone of the normal's multiplier.
static void project_friction(const rl_relaxation *r, rl_state *state, const rl_rows *rows,
                             const rl_row *row) {
  const rl_vec3 slide = rl_add(slide_of(r, rows, row, state->points), rl_slip(state, row));
  const rl_vec3 change = rl_slip_change(
      &r->frictions[row->item], slide, rl_contact_inverse_mass(rows, row, slide, state->points),
      row->friction * state->multipliers[row->source], &r->slid[row->item]);
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    rl_relaxation_correct(r, state, e->slot, rl_friction_push(row, e, change, state->points));
  }
}

// (3), (4) and (11) of papers/pbd.md for a contact of two elements, whose normal and shares are
// those of the substep: what moves along the normal is no slide, so that one push does both.
static inline void project_crossing(const rl_relaxation *r, rl_state *state, const rl_crossing *c,
                                    const material *m, double *multiplier, uint32_t contact) {
  const rl_vec3 way = rl_crossing_way(c, state->points);
  const double value = rl_crossing_value(c, way), old = *multiplier;
  if (old == 0.0 && value <= 0.0) { // most are apart: no more of them is read
    return;
  }
  const rl_touch *touch = &r->touches[contact];
  rl_vec3 *friction = &r->frictions[contact];
  double now = old + value * touch->gain;
  if (m->violated_only) {
    now = value > 0.0 ? now : old;
  } else {
    now = now < 0.0 ? 0.0 : now;
  }
  *multiplier = now;
  if (!(old > 0.0) && !(now > 0.0)) {
    return;
  }
  rl_vec3 push = rl_scale(now - old, c->normal);
  if (c->friction > 0.0) {
    const rl_vec3 slide = rl_crossing_slide(c, rl_sub(way, touch->way));
    push = rl_add(push, rl_friction_bound(friction, rl_add_scaled(*friction, -touch->mass, slide),
                                          c->friction * now));
  }
  for (size_t i = 0; i < 4; i++) { // sum_crossings does the corrections
    rl_point *p = &state->points[c->slots[i]];
    const rl_vec3 by = rl_scale(c->shares[i] * p->w, push);
    *p = (rl_point){p->x + by.x, p->y + by.y, p->z + by.z, p->w + 0.0};
  }
}

// (8a), (8b) of papers/wraps.md: notes a positional impulse on an evaluated strand.
static void note_pull(const rl_relaxation *r, const rl_rows *rows, const rl_row *row, double d) {
  if (row->piece_count == 0) {
    return;
  }
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    r->pulled[i] = rl_add_scaled(r->pulled[i], d, rows->entries[i].gradient);
  }
  for (uint32_t k = row->first_vertex; k < row->first_vertex + row->piece_count; k++) {
    r->rubbed[k] += d * (rows->joints[k].pull - 1.0);
  }
}

static void project_row(const rl_relaxation *r, const rl_model *model, rl_state *state,
                        rl_rows *rows, rl_row *row, const material *m) {
  rl_row_evaluate(model, state, rows, row, state->points);
  const double d = correct_row(r, state, rows, row, m, &state->multipliers[row->source]);
  note_pull(r, rows, row, d);
  bool moves = false;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    const rl_vec3 move = rl_scale(-state->points[e->slot].w * d, e->force);
    rl_relaxation_correct(r, state, e->slot, move);
    moves = moves || !rl_is_zero(move);
  }
  if (moves) { // most strands between contacts on one body do not: what stands is known
    rl_rows_stand(rows);
  }
  if (row->friction > 0.0) {
    project_friction(r, state, rows, row);
  }
}

// Returns the change of the multiplier with which a strand holds by itself, (3) without the bound,
// and its alpha~: INFINITY for one that is slack and has a damper, which then pulls nothing.
static double step_alone(const rl_relaxation *r, const rl_state *state, const rl_rows *rows,
                         const rl_row *row, const material *m, double *softness) {
  const double old = state->multipliers[row->source];
  double value = row->value, soft = m->scale * row->compliance;
  if (m->rope && row->lower == 0.0 && value <= 0.0) {
    *softness = INFINITY;
    return -old;
  }
  if (m->rope) {
    const double gamma = damping_factor(r, m->rope, row->rest, row->compliance, row->inverse_mass);
    value = (value + gamma * row_change(r, rows, row, state->points)) / (1.0 + gamma);
    soft /= 1.0 + gamma;
  }
  const double own = row->inverse_mass + soft;
  *softness = soft;
  return own > 0.0 ? (value - soft * old) * (m->omega / own) : 0.0;
}

// (3a) of papers/strands.md: strands together, all evaluated at the same positions.
static void project_strands(const rl_relaxation *r, const rl_model *model, rl_state *state,
                            rl_rows *rows, rl_strands *s) {
  rl_rows_stand(rows);
  for (uint32_t i = 0; i < s->count; i++) {
    rl_row *row = s->rows[i];
    rl_row_evaluate(model, state, rows, row, state->points);
    const material m = material_of(r, model, model->link_rope[row->item], row->lower);
    s->alone[i] = step_alone(r, state, rows, row, &m, &s->softness[i]);
    s->multipliers[i] = state->multipliers[row->source];
    s->held[i] = r->held[row->source];
    s->rounding[i] = rl_strand_rounding(state, row);
  }
  rl_rows_move(rows);
  rl_strands_solve(s, rows, state->points);
  for (uint32_t i = 0; i < s->count; i++) {
    const rl_row *row = s->rows[i];
    state->multipliers[row->source] += s->changes[i];
    r->held[row->source] = state->multipliers[row->source];
    note_pull(r, rows, row, s->changes[i]);
    for (uint32_t k = row->first_entry; k < row->first_entry + row->entry_count; k++) {
      const rl_entry *e = &rows->entries[k];
      rl_relaxation_correct(r, state, e->slot,
                            rl_scale(-state->points[e->slot].w * s->changes[i], e->force));
    }
  }
}

// Every stride-th link of a block from `first` on, forward or backward.
typedef struct stretch {
  const rl_link *links;
  double *multipliers;
  uint32_t count, stride, at;
  bool backward;
  material m;
} stretch;

static stretch stretch_of(const rl_relaxation *r, const rl_model *model, const rl_state *state,
                          const rl_block *block, uint32_t first, bool backward) {
  return (stretch){.links = &state->links[block->first_link],
                   .multipliers = &state->multipliers[block->first_link],
                   .count = block->link_count,
                   .stride = r->order == RL_RED_BLACK ? 2 : 1,
                   .at = first,
                   .backward = backward,
                   .m = material_of(r, model, block->rope, block->lower)};
}

static inline void project_next(const rl_relaxation *r, rl_state *state, stretch *s) {
  const uint32_t k = s->backward ? s->count - 1 - s->at : s->at;
  project_link(r, &s->links[k], state, &s->m, &s->multipliers[k]);
  s->at += s->stride;
}

// The links of blocks that move nothing in common come to the same in turn, and take less time: one
// waits for that before it in its block, not for the other's.
static void project_links(const rl_relaxation *r, const rl_model *model, rl_state *state,
                          const rl_block *const *blocks, uint32_t first, bool backward) {
  stretch s = stretch_of(r, model, state, blocks[0], first, backward);
  if (blocks[1]) {
    stretch other = stretch_of(r, model, state, blocks[1], first, backward);
    while (s.at < s.count && other.at < other.count) {
      project_next(r, state, &s);
      project_next(r, state, &other);
    }
    while (other.at < other.count) {
      project_next(r, state, &other);
    }
  }
  while (s.at < s.count) {
    project_next(r, state, &s);
  }
}

// Those of a run of contacts from the k-th on, forward or backward; returns where it ends.
static uint32_t project_crossings(const rl_relaxation *r, const rl_model *model, rl_state *state,
                                  const rl_rows *rows, const material *m, uint32_t k,
                                  bool backward) {
  const uint32_t count = (uint32_t)state->contact_count;
  const int step = backward ? -1 : 1;
  uint32_t at = backward ? count - 1 - k : k;
  const rl_crossing *c = &rows->crossings[at];
  double *multiplier = &state->multipliers[model->link_count + at];
  while (c->slots[0] != RL_NONE) {
    project_crossing(r, state, c, m, multiplier, at);
    if (++k == count) {
      break;
    }
    at += (uint32_t)step;
    c += step;
    multiplier += step;
  }
  return k;
}

static void project_rows(const rl_relaxation *r, const rl_model *model, rl_state *state,
                         rl_rows *rows, const rl_block *block, bool backward) {
  if (block->strand_count > 0 && !r->violated_only) {
    rl_strands s;
    for (uint32_t at = 0; rl_strands_next(&s, rows, block, backward, &at);) {
      project_strands(r, model, state, rows, &s);
    }
    return;
  }
  if (block->row_count > 0 && rows->rows[block->first_row].is_with_others && !r->violated_only) {
    return;
  }
  const material m = material_of(r, model, block->rope, block->lower);
  const bool contacts = block == &rows->blocks[rows->contact_block];
  rl_rows_stand(rows);
  for (uint32_t k = 0; k < block->row_count;) {
    const uint32_t at = backward ? block->row_count - 1 - k : k;
    if (contacts && rl_is_crossing(rows, at)) {
      k = project_crossings(r, model, state, rows, &m, k, backward);
    } else {
      project_row(r, model, state, rows, &rows->rows[block->first_row + at], &m);
      k++;
    }
  }
  rl_rows_move(rows);
}

// Block by block, in each the links and then the rows, or all that backward.
static void sweep(const rl_relaxation *r, const rl_model *model, rl_state *state, rl_rows *rows,
                  bool backward) {
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[backward ? rows->block_count - 1 - n : n];
    const rl_block *blocks[2] = {block, NULL};
    if (n + 1 < rows->block_count && rl_blocks_are_apart(block, backward ? block - 1 : block + 1)) {
      blocks[1] = backward ? block - 1 : block + 1;
      n++;
    }
    if (!backward) {
      project_links(r, model, state, blocks, 0, false);
    }
    if (r->order == RL_RED_BLACK) {
      project_links(r, model, state, blocks, 1, false);
    }
    for (size_t i = 0; i < 2 && blocks[i]; i++) {
      project_rows(r, model, state, rows, blocks[i], backward);
    }
    if (backward) {
      project_links(r, model, state, blocks, 0, true);
    }
  }
}

static inline void add_move(rl_relaxation *r, uint32_t slot, rl_vec3 move) {
  r->moves[slot] = rl_add(r->moves[slot], move);
}

// The rows at each slot, among which an averaged sweep splits its mass.
static void count_shares(rl_relaxation *r, const rl_model *model, const rl_state *state,
                         const rl_rows *rows) {
  const bool averaged = r->order == RL_AVERAGED_JACOBI;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    r->shares[i] = averaged ? 0.0 : 1.0;
  }
  for (uint32_t n = 0; n < rows->block_count && averaged; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      r->shares[state->links[k].a] += 1.0;
      r->shares[state->links[k].b] += 1.0;
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      const rl_row *row = &rows->rows[k];
      for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
        r->shares[rows->entries[i].slot] += 1.0;
      }
    }
  }
}

// J M^-1 J^T of a row that has its share of the mass of each slot only: W = sum n_i w_i |J_i|^2.
static double shared_inverse_mass(const rl_relaxation *r, const rl_rows *rows, const rl_row *row,
                                  const rl_point *points) {
  if (r->order != RL_AVERAGED_JACOBI) {
    return row->inverse_mass;
  }
  double sum = 0.0;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    sum += r->shares[e->slot] * points[e->slot].w * rl_dot(e->gradient, e->force);
  }
  return sum;
}

// All corrections from the same positions, then all moves. Averaged, every row acts on its share of
// the masses, so that each move is the mean of what the rows ask for and momentum stays.
static void sweep_jacobi(rl_relaxation *r, const rl_model *model, rl_state *state, rl_rows *rows) {
  rl_point *points = state->points;
  rl_rows_stand(rows);
  for (uint32_t n = 0; n < rows->row_count; n++) {
    rl_row_evaluate(model, state, rows, &rows->rows[n], points);
  }
  rl_rows_move(rows);
  count_shares(r, model, state, rows);
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    const material m = material_of(r, model, block->rope, block->lower);
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      const rl_link *link = &state->links[k];
      rl_link_value v = rl_link_evaluate(link, points);
      v.inverse_mass =
          r->shares[link->a] * points[link->a].w + r->shares[link->b] * points[link->b].w;
      const double d = correct_link(r, link, points, &v, &m, &state->multipliers[k]);
      add_move(r, link->a, rl_scale(points[link->a].w * d, v.d));
      add_move(r, link->b, rl_scale(-points[link->b].w * d, v.d));
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      row->inverse_mass = shared_inverse_mass(r, rows, row, points);
      const double d = correct_row(r, state, rows, row, &m, &state->multipliers[row->source]);
      note_pull(r, rows, row, d);
      for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
        const rl_entry *e = &rows->entries[i];
        add_move(r, e->slot, rl_scale(-points[e->slot].w * d, e->force));
      }
    }
  }
  for (uint32_t i = 0; i < model->slot_count; i++) {
    rl_relaxation_correct(r, state, i, r->moves[i]);
    r->moves[i] = (rl_vec3){0.0, 0.0, 0.0};
  }
  for (uint32_t k = rows->span_count; k < rows->row_count; k++) {
    if (rows->rows[k].friction > 0.0) { // no node has more than a few contacts: one after the other
      project_friction(r, state, rows, &rows->rows[k]);
    }
  }
}

// papers/bending.md (11): bending, compliant along kb. The multiplier so far is what of it lies
// along the present kb: also where the rope has snapped through, and without a torque on the whole.
static void project_bends(const rl_relaxation *r, const rl_model *model, rl_state *state) {
  for (rl_flexure f = {0}; rl_flexure_next(model, state, state->points, &f);) {
    if (!(f.value > 0.0)) {
      continue;
    }
    const rl_vec3 along = rl_scale(1.0 / f.value, f.curvature);
    const double softness = f.compliance / (r->h * r->h);
    const double before = rl_dot(r->bends[f.index], along);
    const double inverse_mass = rl_flexure_inverse_mass(&f, state->points);
    const double d = -r->omega * (f.value + softness * before) / (inverse_mass + softness);
    r->bends[f.index] = rl_scale(before + d, along);
    for (uint32_t i = 0; i < f.entry_count; i++) {
      const uint32_t slot = f.entries[i].slot;
      const double w = state->points[slot].w;
      rl_relaxation_correct(r, state, slot, rl_scale(d * w / f.value, f.entries[i].slope));
    }
  }
}

static void sweep_in_order(rl_relaxation *r, const rl_model *model, rl_state *state, rl_rows *rows,
                           int iteration) {
  if (r->order >= RL_JACOBI) {
    sweep_jacobi(r, model, state, rows);
  } else {
    const rl_order order = r->order == RL_RED_BLACK ? RL_FORWARD : (rl_order)r->order;
    sweep(r, model, state, rows, rl_order_is_backward(order, iteration));
  }
  if (r->elastic) {
    project_bends(r, model, state);
  }
}

rl_reason rl_relaxation_solve(rl_relaxation *r, const rl_model *model, rl_state *state,
                              rl_rows *rows, int iterations, double tolerance, rl_step_info *info) {
  const bool each = info->trace || tolerance > 0.0;
  for (int i = 0; i < iterations; i++) {
    sweep_in_order(r, model, state, rows, i);
    info->iterations++;
    info->row_evaluations += rl_unknown_count(model, state);
    if (each) {
      note_residual(r, model, state, rows, info);
      if (info->residual <= tolerance && tolerance > 0.0) {
        return RL_CONVERGED_TOLERANCE;
      }
    }
  }
  return RL_CONVERGED_ITERATIONS;
}
