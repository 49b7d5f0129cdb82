// SPDX-License-Identifier: GPL-3.0-or-later
#include "strands.h"

#include "wrap_internal.h"

#include <string.h>

// Of the inverse mass of a strand: if the others leave less of it, they determine what it does.
static const double dependent = 1e-22;

// Of the same: less than that has lost its digits where it is a difference, and is found by (3c).
static const double cancelled = 1e-9;

// Of the same: what counts as as much.
static const double alike = 1e-3;

// Of the tension that others balance: what counts as none.
static const double no_tension = 1e-9;

// Of the length of a rope: what strands that depend on each other may be too long by.
static const double rounding = 1e-12;

// ---------------------------------------------------------------------------------------------
// Which strands are solved together

// Whether two rows pull on something in common that they can move.
static bool share(const rl_state *state, const rl_rows *rows, const rl_row *a, const rl_row *b) {
  bool any = false;
  for (uint32_t i = 0; i < a->entry_count && !any; i++) {
    const uint32_t slot = rows->entries[a->first_entry + i].slot;
    for (uint32_t k = 0; k < b->entry_count && !any; k++) {
      any = rows->entries[b->first_entry + k].slot == slot && state->points[slot].w > 0.0;
    }
  }
  return any;
}

// Whether two of some strands do.
static bool any_share(const rl_state *state, const rl_rows *rows, const uint32_t *strands,
                      uint32_t count) {
  bool any = false;
  for (uint32_t i = 0; i < count && !any; i++) {
    for (uint32_t k = 0; k < i && !any; k++) {
      any = share(state, rows, &rows->rows[strands[k]], &rows->rows[strands[i]]);
    }
  }
  return any;
}

// Whether a block is the first strand of a rope over bodies that rubs.
static bool begins_rope(const rl_model *model, const rl_rows *rows, uint32_t n) {
  const rl_rope *rope = &model->ropes[rows->blocks[n].rope];
  return rope->rubs && rope->wrap_capacity > 0;
}

static uint32_t leader_of(const rl_rows *rows, uint32_t n) {
  while (rows->blocks[n].leader != n) {
    n = rows->blocks[n].leader;
  }
  return n;
}

// Whether a block is a rope that can lie on bodies.
static bool is_over_bodies(const rl_model *model, const rl_rows *rows, uint32_t n) {
  return rows->blocks[n].row_count > 0 && model->ropes[rows->blocks[n].rope].wrap_capacity > 0;
}

// Joins a rope, which a block begins, with those that rub and run over the bodies on which it
// pulls: which it runs over or, if it is no loop, is tied to. The first of them leads. `rubs`: it
// is one of those.
static void join(const rl_model *model, const rl_state *state, rl_rows *rows, uint32_t n,
                 bool rubs) {
  const uint32_t rope = rows->blocks[n].rope, ends = rubs || rl_wraps_is_loop(model, rope) ? 0 : 1;
  for (uint32_t i = 1 - ends; i <= state->wrap_counts[rope] + ends; i++) {
    const uint32_t body = rl_wrap_carrier(model, state, rope, i);
    if (body == RL_NONE || body == rl_wrap_moving || model->bodies[body].motion == RL_DRIVEN) {
      continue;
    }
    if (rubs && rows->carried[body] == RL_NONE) {
      rows->carried[body] = n;
    }
    if (rows->carried[body] != RL_NONE) {
      const uint32_t a = leader_of(rows, n), b = leader_of(rows, rows->carried[body]);
      rows->blocks[a > b ? a : b].leader = a > b ? b : a;
    }
  }
}

// Lists the strands of the ropes that a block leads, which are solved together if any two of them
// share something, from `begin` on. Returns where the list ends.
static uint32_t list(const rl_state *state, rl_rows *rows, uint32_t leader, uint32_t begin) {
  uint32_t end = begin, n = leader;
  do {
    const rl_block *first = &rows->blocks[n], *splits = &rows->blocks[first->splits];
    rows->strands[end++] = first->first_row;
    for (uint32_t k = 0; first->splits > 0 && k < splits->row_count; k++) {
      rows->strands[end++] = splits->first_row + k;
    }
    n = first->follower;
  } while (n != 0);
  const bool together = any_share(state, rows, &rows->strands[begin], end - begin);
  for (uint32_t i = begin; i < end; i++) {
    rows->rows[rows->strands[i]].is_with_others = together;
  }
  rows->blocks[leader].first_strand = begin;
  rows->blocks[leader].strand_count = together ? end - begin : 0;
  return end;
}

void rl_strands_join(const rl_model *model, const rl_state *state, rl_rows *rows) {
  rl_block *blocks = rows->blocks;
  for (uint32_t i = 0; i < model->body_count; i++) {
    rows->carried[i] = RL_NONE;
  }
  for (uint32_t n = 0; n < rows->contact_block; n++) {
    blocks[n].leader = n;
    blocks[n].follower = blocks[n].strand_count = 0;
  }
  for (uint32_t n = 0; n < 2 * rows->contact_block; n++) { // those that rub, then all
    const uint32_t k = n % rows->contact_block;
    const bool rubs = n < rows->contact_block;
    if (rubs ? begins_rope(model, rows, k) : is_over_bodies(model, rows, k)) {
      join(model, state, rows, k, rubs);
    }
  }
  for (uint32_t n = rows->contact_block; n-- > 0;) {
    const uint32_t leader = leader_of(rows, n);
    if (leader != n) {
      blocks[n].follower = blocks[leader].follower;
      blocks[leader].follower = n;
    }
  }
  uint32_t end = 0;
  for (uint32_t n = 0; n < rows->contact_block; n++) {
    if (blocks[n].leader == n && (begins_rope(model, rows, n) || blocks[n].follower != 0)) {
      end = list(state, rows, n, end);
    }
  }
}

// ---------------------------------------------------------------------------------------------
// Inert strands beside others

uint32_t rl_strand_count(const rl_rows *rows, const rl_block *own) {
  return own->row_count + (own->splits > 0 ? rows->blocks[own->splits].row_count : 0);
}

rl_row *rl_strand_row(rl_rows *rows, const rl_block *own, uint32_t k) {
  return &rows->rows[k == 0 ? own->first_row : rows->blocks[own->splits].first_row + k - 1];
}

// (16a) of papers/wraps.md: tells the strands of an inextensible rope which inert ones beside them
// take rest length from them: from that which pulls less, and give it to that which pulls more.
void rl_strands_note_inert(const rl_model *model, const rl_state *state, rl_rows *rows,
                           const rl_block *own) {
  const uint32_t index = own->rope;
  const uint32_t count = rl_strand_count(rows, own);
  rl_row *back = NULL; // the last strand that is not inert
  rl_beside between = {0};
  for (uint32_t k = 0; k < count; k++) {
    rl_row *row = rl_strand_row(rows, own, k);
    if (rl_wrap_is_inert(model, state, index, row->first_piece, row->piece_count)) {
      between.first_piece = between.piece_count > 0 ? between.first_piece : row->first_piece;
      between.piece_count += row->piece_count;
      continue;
    }
    const double on = rl_wrap_piece_tension(model, state, index, row->first_piece);
    const double before =
        back ? rl_wrap_piece_tension(model, state, index, back->first_piece + back->piece_count - 1)
             : on;
    row->beside[0] = between;
    row->beside[0].takes = before >= on;
    row->beside[0].gives = before <= on;
    if (back) {
      back->beside[1] = between;
      back->beside[1].takes = before < on;
      back->beside[1].gives = before > on;
    }
    between.piece_count = 0;
    back = row;
  }
  if (back) {
    back->beside[1] = between;
    back->beside[1].takes = back->beside[1].gives = true;
  }
}

double rl_strand_taken(const rl_model *model, const rl_state *state, const rl_row *row,
                       const rl_point *points) {
  const uint32_t rope = model->link_rope[row->item];
  double sum = 0.0;
  for (uint32_t k = 0; k < 2; k++) {
    const rl_beside *b = &row->beside[k];
    double more = 0.0;
    for (uint32_t p = b->first_piece; p < b->first_piece + b->piece_count; p++) {
      more += rl_wrap_piece_length(model, state, rope, p, points) -
              rl_wrap_piece_rest(model, state, rope, p);
    }
    sum += (more > 0.0 ? b->takes : b->gives) ? more : 0.0;
  }
  return sum;
}

// ---------------------------------------------------------------------------------------------
// The equations

bool rl_strands_next(rl_strands *s, rl_rows *rows, const rl_block *block, bool backward,
                     uint32_t *at) {
  const uint32_t *strands = &rows->strands[block->first_strand];
  const uint32_t all = block->strand_count, begin = *at;
  s->moves_along_gradient = false;
  for (s->count = 0; *at < all && s->count < RL_STRANDS_TOGETHER; s->count++, (*at)++) {
    s->rows[s->count] = &rows->rows[strands[backward ? all - 1 - *at : *at]];
  }
  return *at > begin;
}

double rl_strand_rounding(const rl_state *state, const rl_row *row) {
  return rounding * state->path_lengths[state->model->link_rope[row->item]];
}

// (3a) B d = b, in which some of the strands take part, and of these some are slack.
typedef struct equations {
  const rl_strands *strands;
  const rl_rows *rows;
  const rl_point *points;
  double matrix[RL_STRANDS_TOGETHER][RL_STRANDS_TOGETHER];
  double asked[RL_STRANDS_TOGETHER];
  double own[RL_STRANDS_TOGETHER]; // measures the diagonal, which is not positive where propped
  bool takes_part[RL_STRANDS_TOGETHER], is_slack[RL_STRANDS_TOGETHER];
  bool is_propped[RL_STRANDS_TOGETHER];
  bool depends[RL_STRANDS_TOGETHER]; // on what the others do
} equations;

// A part of them while it is solved for one unknown after the other, `order`: the first `rank` are
// expressed by the others, d_i = asked_i - sum of matrix_ij d_j.
typedef struct elimination {
  uint32_t count, rank;
  uint32_t order[RL_STRANDS_TOGETHER];                     // strands
  double matrix[RL_STRANDS_TOGETHER][RL_STRANDS_TOGETHER]; // by strand
  double asked[RL_STRANDS_TOGETHER];
} elimination;

// Adds a test impulse of a strand: along G, or J.
static void add_impulse(const equations *e, uint32_t k, double impulse) {
  const rl_row *row = e->strands->rows[k];
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *entry = &e->rows->entries[i];
    const rl_vec3 along = e->strands->moves_along_gradient ? entry->gradient : entry->force;
    rl_vec3 *sum = &e->rows->momentum[entry->slot];
    *sum = rl_add_scaled(*sum, impulse, along);
  }
}

// Takes all test impulses away from what a strand pulls on.
static void clear_impulses(const equations *e, uint32_t k) {
  const rl_row *row = e->strands->rows[k];
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    e->rows->momentum[e->rows->entries[i].slot] = rl_vec(0.0, 0.0, 0.0);
  }
}

// Returns J M^-1 of a strand times the test impulses.
static double response(const equations *e, uint32_t k) {
  const rl_row *row = e->strands->rows[k];
  double sum = 0.0;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *entry = &e->rows->entries[i];
    sum += e->points[entry->slot].w * rl_dot(entry->gradient, e->rows->momentum[entry->slot]);
  }
  return sum;
}

// B_kl = J_k M^-1 G_l^T
static void set_up(const rl_strands *s, const rl_rows *rows, const rl_point *points, equations *e) {
  e->strands = s;
  e->rows = rows;
  e->points = points;
  for (uint32_t l = 0; l < s->count; l++) {
    const double w = s->moves_along_gradient
                         ? rl_row_gradient_inverse_mass(rows, s->rows[l], points)
                         : s->rows[l]->inverse_mass;
    const double own = w + s->softness[l];
    e->own[l] = own;
    e->is_propped[l] = !s->moves_along_gradient && rows->propped[s->rows[l]->source];
    e->takes_part[l] = own > 0.0 && own < INFINITY;
    e->is_slack[l] = false;
    e->asked[l] = e->takes_part[l] ? own * s->alone[l] : 0.0;
    add_impulse(e, l, 1.0);
    for (uint32_t k = 0; k < s->count; k++) {
      e->matrix[k][l] = k != l             ? response(e, k)
                        : e->is_propped[l] ? response(e, k) + s->softness[l]
                                           : own;
    }
    clear_impulses(e, l);
  }
}

static double lowest(const rl_strands *s, uint32_t k) {
  return s->rows[k]->lower - s->multipliers[k];
}

// Returns the change with which a strand holds what it held.
static double held_change(const rl_strands *s, uint32_t k) {
  return s->held[k] - s->multipliers[k];
}

// Whether a strand that takes no part has a change of its own; one that jams has none.
static bool is_alone(const equations *e, uint32_t k) {
  return !e->takes_part[k] && e->own[k] > 0.0;
}

// Begins to solve for the changes of the strands that are not slack, with those of the others.
static void begin(rl_strands *s, const equations *e, elimination *x) {
  x->count = x->rank = 0;
  for (uint32_t k = 0; k < s->count; k++) {
    if (e->takes_part[k] && !e->is_slack[k]) {
      x->order[x->count++] = k;
    } else {
      s->changes[k] = is_alone(e, k) ? fmax(s->alone[k], lowest(s, k)) : lowest(s, k);
    }
  }
  for (uint32_t i = 0; i < x->count; i++) {
    const uint32_t k = x->order[i];
    x->asked[k] = e->asked[k];
    for (uint32_t l = 0; l < s->count; l++) {
      const bool is_known = !e->takes_part[l] || e->is_slack[l];
      x->asked[k] -= is_known ? e->matrix[k][l] * s->changes[l] : 0.0;
      x->matrix[k][l] = e->matrix[k][l];
    }
  }
}

// Expresses the unknown of a strand by those that are left, in all equations (Gauss and Jordan).
static void eliminate(elimination *x, uint32_t at) {
  const uint32_t k = x->order[at];
  const double inverse = 1.0 / x->matrix[k][k];
  x->order[at] = x->order[x->rank];
  x->order[x->rank++] = k;
  x->asked[k] *= inverse;
  for (uint32_t j = x->rank; j < x->count; j++) {
    x->matrix[k][x->order[j]] *= inverse;
  }
  for (uint32_t i = 0; i < x->count; i++) {
    const uint32_t l = x->order[i];
    const double factor = l != k ? x->matrix[l][k] : 0.0;
    for (uint32_t j = x->rank; j < x->count && factor != 0.0; j++) {
      x->matrix[l][x->order[j]] -= factor * x->matrix[k][x->order[j]];
    }
    x->asked[l] -= factor * x->asked[k];
  }
}

// (3c) Finds what is left of the others beside the eliminated strands, B_jl: impulses and gradients
// are subtracted before their products are summed. What is soft has more than that left.
static void resolve(const equations *e, elimination *x) {
  elimination t; // of the transpose: the same strands, whose gradients make up those of others
  t.count = x->count;
  t.rank = 0;
  for (uint32_t i = 0; i < x->count; i++) {
    const uint32_t k = t.order[i] = x->order[i];
    t.asked[k] = 0.0;
    for (uint32_t j = 0; j < x->count; j++) {
      t.matrix[k][x->order[j]] = e->matrix[x->order[j]][k];
    }
  }
  while (t.rank < x->rank) {
    eliminate(&t, t.rank);
  }
  for (uint32_t n = x->rank; n < x->count; n++) {
    const uint32_t l = x->order[n];
    add_impulse(e, l, 1.0);
    for (uint32_t p = 0; p < x->rank; p++) {
      add_impulse(e, x->order[p], 0.0 - x->matrix[x->order[p]][l]);
    }
    for (uint32_t m = x->rank; m < x->count; m++) {
      const uint32_t j = x->order[m];
      x->matrix[j][l] = response(e, j);
      for (uint32_t p = 0; p < x->rank; p++) {
        x->matrix[j][l] -= t.matrix[x->order[p]][j] * response(e, x->order[p]);
      }
    }
    clear_impulses(e, l);
    for (uint32_t p = 0; p < x->rank; p++) {
      clear_impulses(e, x->order[p]);
    }
  }
}

// Eliminates all strands but those that depend on others: next that which has most left of its
// inverse mass, of several alike that which asks for most. Returns false if one has less than none.
static bool eliminate_all(const equations *e, elimination *x) {
  double least = cancelled;
  for (bool goes_on = true; goes_on && x->rank < x->count;) {
    uint32_t best = x->rank;
    double most = -INFINITY, best_asked = 0.0;
    for (uint32_t i = x->rank; i < x->count; i++) {
      const uint32_t k = x->order[i];
      const double left = x->matrix[k][k] / e->own[k], asked = x->asked[k] / e->own[k];
      if (left < -least && !e->is_propped[k]) {
        return false;
      }
      if (left > most + alike || (left > most - alike && asked > best_asked)) {
        best = i;
        most = left;
        best_asked = asked;
      }
    }
    if (most > least) {
      eliminate(x, best);
    } else if (least > dependent) {
      least = dependent;
      resolve(e, x);
    } else {
      goes_on = false;
    }
  }
  for (uint32_t i = x->rank; i < x->count; i++) {
    if (x->matrix[x->order[i]][x->order[i]] < -least * e->own[x->order[i]]) {
      return false;
    }
  }
  return true;
}

// (3b) Of all changes with which the eliminated strands hold finds those nearest to what the
// strands held, in the mean of squares.
static void stay_near(rl_strands *s, elimination *x) {
  elimination z; // of which only what is written here is read
  z.count = x->count - x->rank;
  z.rank = 0;
  for (uint32_t i = 0; i < z.count; i++) {
    const uint32_t k = z.order[i] = x->order[x->rank + i];
    z.asked[k] = held_change(s, k);
    for (uint32_t j = 0; j < z.count; j++) {
      const uint32_t l = x->order[x->rank + j];
      z.matrix[k][l] = k == l ? 1.0 : 0.0;
      for (uint32_t p = 0; p < x->rank; p++) {
        const uint32_t m = x->order[p];
        z.matrix[k][l] += x->matrix[m][k] * x->matrix[m][l];
      }
    }
    for (uint32_t p = 0; p < x->rank; p++) {
      const uint32_t m = x->order[p];
      z.asked[k] += x->matrix[m][k] * (x->asked[m] - held_change(s, m));
    }
  }
  while (z.rank < z.count) {
    eliminate(&z, z.rank);
  }
  for (uint32_t i = 0; i < z.count; i++) {
    s->changes[z.order[i]] = z.asked[z.order[i]];
  }
}

// Solves for the changes of the strands that are not slack. Returns false if there are none.
static bool solve_taut(rl_strands *s, equations *e, elimination *x) {
  begin(s, e, x);
  if (!eliminate_all(e, x)) {
    return false;
  }
  stay_near(s, x);
  for (uint32_t i = 0; i < x->count; i++) {
    e->depends[x->order[i]] = i >= x->rank;
  }
  for (uint32_t i = 0; i < x->rank; i++) {
    const uint32_t k = x->order[i];
    s->changes[k] = x->asked[k];
    for (uint32_t j = x->rank; j < x->count; j++) {
      s->changes[k] -= x->matrix[k][x->order[j]] * s->changes[x->order[j]];
    }
  }
  return true;
}

// What is left of what a strand asks for, with the changes of all.
static double missing(const rl_strands *s, const equations *e, uint32_t k) {
  double sum = e->asked[k];
  for (uint32_t l = 0; l < s->count; l++) {
    sum -= e->matrix[k][l] * s->changes[l];
  }
  return sum;
}

// Whether a strand is taut that pushes, or is shorter than those on which it depends; or slack, and
// asks for more.
static bool is_wrong(const rl_strands *s, const equations *e, uint32_t k) {
  if (!e->takes_part[k]) {
    return false;
  }
  if (e->is_slack[k]) {
    return missing(s, e, k) > s->rounding[k];
  }
  const bool is_short =
      e->depends[k] && s->rows[k]->lower == 0.0 && missing(s, e, k) < -s->rounding[k];
  return is_short || s->changes[k] < lowest(s, k);
}

// Turns such strands over: all of them, or the first. Returns whether there are any.
static bool turn_over(const rl_strands *s, equations *e, bool all) {
  bool turns[RL_STRANDS_TOGETHER], any = false;
  for (uint32_t k = 0; k < s->count; k++) {
    turns[k] = (all || !any) && is_wrong(s, e, k);
    any = any || turns[k];
  }
  for (uint32_t k = 0; k < s->count; k++) {
    e->is_slack[k] = e->is_slack[k] != turns[k];
  }
  return any;
}

// Turns over one of them: a taut one, or else that slack one which asks for most.
static bool turn_worst(const rl_strands *s, equations *e) {
  uint32_t worst = RL_NONE;
  double most = 0.0;
  for (uint32_t k = 0; k < s->count; k++) {
    const double over = !is_wrong(s, e, k) ? 0.0 : e->is_slack[k] ? missing(s, e, k) : INFINITY;
    worst = over > most ? k : worst;
    most = fmax(most, over);
  }
  if (worst != RL_NONE) {
    e->is_slack[worst] = !e->is_slack[worst];
  }
  return worst != RL_NONE;
}

// One after the other, each with what those before it have changed.
static void solve_in_turn(rl_strands *s, const equations *e) {
  for (uint32_t k = 0; k < s->count; k++) {
    s->changes[k] = 0.0;
  }
  for (uint32_t k = 0; k < s->count; k++) {
    const double change = e->takes_part[k] ? missing(s, e, k) / e->matrix[k][k]
                          : is_alone(e, k) ? s->alone[k]
                                           : lowest(s, k);
    s->changes[k] = fmax(change, lowest(s, k));
  }
}

// Turns strands over until none is wrong: of those taken as slack, one by one. Returns whether that
// is so.
static bool find_slack(rl_strands *s, equations *e, elimination *x, bool slack, bool *is_definite) {
  bool goes_on = true;
  *is_definite = true;
  for (uint32_t trial = 0; trial < 3 * s->count && goes_on && *is_definite; trial++) {
    *is_definite = solve_taut(s, e, x);
    goes_on = *is_definite && (slack ? turn_worst(s, e) : turn_over(s, e, trial < s->count));
  }
  return *is_definite && !goes_on;
}

// (3e) Lets slack strands pull that lack nothing, as far as some then depend on others.
static void take_back_load(rl_strands *s, equations *e, elimination *x) {
  bool was_slack[RL_STRANDS_TOGETHER], any = false, is_definite;
  double changes[RL_STRANDS_TOGETHER];
  for (uint32_t k = 0; k < s->count; k++) {
    was_slack[k] = e->is_slack[k];
    changes[k] = s->changes[k];
    if (e->is_slack[k] && missing(s, e, k) >= -s->rounding[k]) {
      e->is_slack[k] = false;
      any = true;
    }
  }
  if (any && (!find_slack(s, e, x, false, &is_definite) || x->rank == x->count)) {
    memcpy(e->is_slack, was_slack, s->count * sizeof *was_slack);
    memcpy(s->changes, changes, s->count * sizeof *changes);
  }
}

// Whether changes are found with which no strand is wrong. All begin as taut, or as slack.
static bool solve_all(rl_strands *s, equations *e, elimination *x, bool slack, bool *is_definite) {
  for (uint32_t k = 0; k < s->count; k++) {
    e->is_slack[k] = slack && e->takes_part[k];
  }
  const bool found = find_slack(s, e, x, slack, is_definite);
  if (found) {
    take_back_load(s, e, x);
  }
  return found;
}

// (7p) Takes the props from strands that others do not hold: they are left out from now on. Returns
// whether there are any.
static bool take_props(const rl_strands *s, const rl_rows *rows, const equations *e) {
  bool any = false;
  for (uint32_t k = 0; k < s->count; k++) {
    any = any || e->is_propped[k];
    if (e->is_propped[k]) {
      rows->propped[s->rows[k]->source] = false;
      s->rows[k]->inverse_mass = 0.0;
    }
  }
  return any;
}

void rl_strands_solve(rl_strands *s, const rl_rows *rows, const rl_point *points) {
  equations e;
  elimination x;
  bool is_definite = true;
  set_up(s, rows, points, &e);
  if (!solve_all(s, &e, &x, false, &is_definite) && take_props(s, rows, &e)) {
    set_up(s, rows, points, &e);
    solve_all(s, &e, &x, false, &is_definite);
  }
  if (!is_definite) { // (3d)
    is_definite = solve_all(s, &e, &x, true, &is_definite);
  }
  for (uint32_t k = 0; k < s->count && !s->moves_along_gradient; k++) {
    rows->unsolved[s->rows[k]->source] = !is_definite && e.takes_part[k];
  }
  if (!is_definite) {
    solve_in_turn(s, &e);
    return;
  }
  for (uint32_t k = 0; k < s->count; k++) { // where rounding decides what is slack
    s->changes[k] = fmax(s->changes[k], lowest(s, k));
  }
}

bool rl_strand_can_change(const rl_model *model, const rl_state *state, const rl_row *row) {
  const uint32_t rope = model->link_rope[row->item];
  return !rl_wrap_is_inert(model, state, rope, row->first_piece, row->piece_count) &&
         !rl_wrap_is_led(model, state, rope, row->first_piece, row->piece_count);
}

bool rl_strand_jams(const rl_model *model, const rl_state *state, const rl_row *row) {
  return row->inverse_mass == 0.0 && row->compliance == 0.0 &&
         rl_strand_can_change(model, state, row);
}

void rl_strands_find_propped(const rl_model *model, const rl_state *state, rl_rows *rows) {
  for (uint32_t n = 0; n < rows->contact_block; n++) {
    rl_strands s;
    for (uint32_t at = 0; rows->blocks[n].strand_count > 0 &&
                          rl_strands_next(&s, rows, &rows->blocks[n], false, &at);) {
      bool jams[RL_STRANDS_TOGETHER];
      for (uint32_t k = 0; k < s.count; k++) {
        rl_row *row = s.rows[k];
        const uint32_t index = model->link_rope[row->item];
        rl_row_evaluate(model, state, rows, row, state->points);
        jams[k] = rl_strand_jams(model, state, row);
        rows->propped[row->source] = jams[k];
        row->inverse_mass =
            jams[k] ? rl_row_gradient_inverse_mass(rows, row, state->points) : row->inverse_mass;
        const bool is_slack =
            !(rl_wrap_piece_tension(model, state, index, row->first_piece) > 0.0) &&
            row->value < -rl_strand_rounding(state, row);
        s.alone[k] = s.multipliers[k] = s.held[k] = 0.0;
        const bool holds = row->compliance == 0.0 && (jams[k] || !is_slack);
        s.softness[k] = holds ? 0.0 : INFINITY;
      }
      equations e;
      elimination x;
      set_up(&s, rows, state->points, &e);
      begin(&s, &e, &x);
      eliminate_all(&e, &x);
      for (uint32_t i = x.rank; i < x.count; i++) { // these jam beside the others, too
        rows->propped[s.rows[x.order[i]]->source] = false;
      }
    }
  }
}

// Whether a winch of a rope runs, or some body under it or at its ends is driven.
static bool is_prescribed(const rl_model *model, const rl_state *state, uint32_t rope) {
  bool any = state->reels && (state->reels[rope][0] != 0.0 || state->reels[rope][1] != 0.0);
  for (uint32_t i = 0; i < state->wrap_counts[rope] + 2 && !any; i++) {
    const uint32_t body = rl_wrap_carrier(model, state, rope, i);
    any = body < model->body_count && model->bodies[body].motion == RL_DRIVEN;
  }
  return any;
}

// Lists the strands with those of a block. Returns false if nothing of their ropes is prescribed.
static bool list_prescribed(rl_strands *s, const rl_model *model, const rl_state *state,
                            rl_rows *rows, uint32_t n) {
  uint32_t at = 0;
  bool any = false;
  if (rl_strands_next(s, rows, &rows->blocks[leader_of(rows, n)], false, &at)) {
    for (uint32_t k = 0; k < s->count && !any; k++) {
      any = is_prescribed(model, state, model->link_rope[s->rows[k]->item]);
    }
  }
  return any;
}

// Returns the rate at which what is prescribed lengthens a strand; 0 if that is round-off [m/s].
static double prescribed_rate(const rl_state *state, const rl_rows *rows, const rl_row *row) {
  double rate = 0.0 - row->reel, speed = fabs(row->reel);
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    const bool moves = state->points[e->slot].w > 0.0;
    rate += moves ? 0.0 : rl_dot(e->gradient, state->velocities[e->slot]);
    speed += moves ? 0.0 : rl_length(state->velocities[e->slot]);
  }
  return fabs(rate) > rl_wrap_rounding * speed ? rate : 0.0;
}

// Returns the tension of a strand that balances a dependent one of tension 1.
static double balancing(const elimination *x, uint32_t k, uint32_t dependent_one) {
  return 0.0 - x->matrix[k][dependent_one];
}

uint64_t rl_strands_drawn_apart(const rl_model *model, const rl_state *state, rl_rows *rows,
                                uint32_t rope) {
  uint32_t first = 0;
  while (first < rows->contact_block && rows->blocks[first].rope != rope) {
    first++;
  }
  rl_strands s;
  if (first == rows->contact_block || !list_prescribed(&s, model, state, rows, first)) {
    return 0;
  }
  uint32_t own = s.count; // its first strand among them
  double rates[RL_STRANDS_TOGETHER];
  for (uint32_t k = s.count; k-- > 0;) {
    own = s.rows[k]->item == model->ropes[rope].first_link ? k : own;
    rl_row_evaluate(model, state, rows, s.rows[k], state->points);
    rates[k] = prescribed_rate(state, rows, s.rows[k]);
    s.alone[k] = s.multipliers[k] = s.held[k] = 0.0;
    const bool is_slack = !(state->multipliers[s.rows[k]->source] > 0.0) &&
                          s.rows[k]->value < -rl_strand_rounding(state, s.rows[k]);
    s.softness[k] = is_slack ? INFINITY : 0.0; // and pulls nothing
  }
  equations e;
  elimination x;
  set_up(&s, rows, state->points, &e);
  begin(&s, &e, &x);
  uint64_t drawn = 0;
  for (uint32_t j = eliminate_all(&e, &x) ? x.rank : x.count; j < x.count; j++) {
    const uint32_t on = x.order[j];
    double rate = rates[on], least = 0.0;
    uint64_t pulls = (uint64_t)1 << on;
    for (uint32_t i = 0; i < x.rank; i++) {
      const uint32_t k = x.order[i];
      const double tension = balancing(&x, k, on);
      rate += tension * rates[k];
      least = fmin(least, tension);
      pulls |= (uint64_t)(tension > no_tension) << k;
    }
    drawn |= least >= -no_tension && rate > 0.0 ? pulls : 0;
  }
  return own < s.count ? drawn >> own : 0;
}
