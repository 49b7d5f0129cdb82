// SPDX-License-Identifier: GPL-3.0-or-later
// The matrix of an implicit step, (6) of papers/penalty-implicit.md and (3) of papers/convex.md,
// and the solution for moves and forces.
#include "implicit.h"

#include "../paths/wrap.h"
#include "../ropes/flexure.h"

#include <string.h>

// Least diagonals of rows relative to their inverse masses. They change the iterations, not the
// solution. Contacts need one because a box rests on more corners than necessary; strands, because
// everything they couple may be behind them in the matrix, so that they have no other pivot. That
// is the root of the rounding: a smaller one would cost as many digits of the balance.
static const double contact_softness = 1e-9, strand_softness = 1e-7;

// Relative tolerance of the friction of slipping contacts, (13) of papers/convex.md.
static const double followed = 1e-3;

// (16) of papers/convex.md: adds what the gradient of a row at the end of the step has beyond that
// of the middle, along which its force acts.
static void assemble_end(rl_implicit *p, const rl_link *link, uint32_t m) {
  const rl_vec3 change = rl_sub(p->ways[link->b], p->ways[link->a]);
  const rl_vec3 beyond = rl_scale(1.0 / link->rest, change);
  const uint32_t a = p->kkt.slot_place[link->a], b = p->kkt.slot_place[link->b];
  if (a != RL_NONE) {
    rl_kkt_add_to_row(&p->kkt, p->kkt.row_place[m], a, rl_scale(-1.0, beyond));
  }
  if (b != RL_NONE) {
    rl_kkt_add_to_row(&p->kkt, p->kkt.row_place[m], b, beyond);
  }
}

static void assemble_link(rl_implicit *p, const rl_link *link, uint32_t m) {
  const uint32_t a = p->kkt.slot_place[link->a], b = p->kkt.slot_place[link->b];
  const uint32_t row = p->kkt.row_place[m];
  const rl_bent_link *bent = &p->links[m];
  const double force = fmax(p->forces[m], 0.0); // compression would make the matrix indefinite
  const double round = force * bent->round, along = force * bent->along;
  if (a != RL_NONE) {
    rl_kkt_add_gradient(&p->kkt, row, a, rl_scale(-1.0, bent->gradient));
    rl_kkt_add_block(&p->kkt, a, a, round, along, bent->gradient);
  }
  if (b != RL_NONE) {
    rl_kkt_add_gradient(&p->kkt, row, b, bent->gradient);
    rl_kkt_add_block(&p->kkt, b, b, round, along, bent->gradient);
  }
  if (a != RL_NONE && b != RL_NONE) {
    rl_kkt_add_block(&p->kkt, a > b ? a : b, a > b ? b : a, -round, -along, bent->gradient);
  }
  if (p->integrator == RL_MIDPOINT && rl_implicit_is_square(p, m)) {
    assemble_end(p, link, m);
  }
}

// (6c) Adds the geometric stiffness of a straight piece that pulls with a force, as of an element.
static void bend_piece(rl_implicit *p, double force, const uint32_t slots[2],
                       const rl_vec3 ends[2]) {
  const rl_vec3 d = rl_sub(ends[1], ends[0]);
  const double length = rl_length(d), s = length > 0.0 ? force / length : 0.0;
  const rl_vec3 u = rl_unit(d);
  uint32_t places[2];
  for (size_t e = 0; e < 2; e++) {
    places[e] = slots[e] == RL_NONE ? RL_NONE : p->kkt.slot_place[slots[e]];
    if (places[e] != RL_NONE && slots[0] != slots[1]) {
      rl_kkt_add_block(&p->kkt, places[e], places[e], s, -s, u);
    }
  }
  if (places[0] != RL_NONE && places[1] != RL_NONE && slots[0] != slots[1]) {
    const bool ordered = places[0] > places[1];
    rl_kkt_add_block(&p->kkt, places[ordered ? 0 : 1], places[ordered ? 1 : 0], -s, s, u);
  }
}

// Adds that of all pieces of a span. That of the spins of bodies is left out; the iteration
// converges without it.
static void bend_span(rl_implicit *p, const rl_model *model, const rl_state *state,
                      const rl_rows *rows, const rl_row *row) {
  const uint32_t rope = model->link_rope[row->item];
  double force = fmax(p->forces[row->source], 0.0);
  for (uint32_t i = 0; i + 1 < row->vertex_count; i++) {
    const rl_vertex *v = &rows->vertices[row->first_vertex + i];
    const uint32_t slots[2] = {v[0].slot, v[1].slot};
    rl_vec3 ends[2];
    if (row->piece_count > 0) { // over bodies
      const uint32_t piece = row->first_piece + i;
      force *= i > 0 ? rl_wrap_tension_ratio(model, state, rope, piece - 1) : 1.0;
      rl_wrap_piece_ends(model, state, rope, piece, ends);
    } else if (rl_is_zero(rl_row_guide(row, i))) {
      ends[0] = rl_vertex_position(model, state, v[0], state->points);
      ends[1] = rl_vertex_position(model, state, v[1], state->points);
    } else { // the length of a guided piece is linear
      continue;
    }
    bend_piece(p, force, slots, ends);
  }
}

static void assemble_row(rl_implicit *p, const rl_model *model, const rl_state *state,
                         const rl_rows *rows, const rl_row *row) {
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    const uint32_t place = p->kkt.slot_place[e->slot];
    if (place != RL_NONE) {
      const uint32_t own = p->kkt.row_place[row->source];
      rl_kkt_add_gradient(&p->kkt, own, place, e->gradient);
      rl_kkt_add_to_force(&p->kkt, own, place, rl_sub(e->force, e->gradient));
    }
  }
  if (row->kind == RL_ROW_SPAN) {
    bend_span(p, model, state, rows, row);
  }
}

static void assemble_friction(rl_implicit *p, const rl_rows *rows) {
  for (uint32_t k = 0; k < 2 * p->tangents.tangents_count; k++) {
    const rl_tangents *t = &p->tangents.tangents[k / 2];
    const uint32_t m = t->first + k % 2;
    const rl_row *row = &rows->rows[t->row];
    for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count && p->active[m];
         i++) {
      const rl_entry *e = &rows->entries[i];
      const uint32_t place = p->kkt.slot_place[e->slot];
      if (place != RL_NONE) {
        rl_kkt_add_gradient(
            &p->kkt, p->kkt.row_place[m], place,
            rl_scale(-1.0, rl_contact_share(row, e, p->frictions[k / 2].tangents[k % 2])));
      }
    }
    p->kkt.diagonal[p->kkt.row_place[m]] = p->active[m] ? -p->diagonal[m] : -1.0;
  }
}

// Adds J^T J / c of two entries of a flexure: positive semidefinite, which the exact second
// derivative of the energy need not be (papers/bending.md (7)).
static void assemble_pair(rl_implicit *p, const rl_flexure *f, const rl_flexure_entry *a,
                          const rl_flexure_entry *b) {
  const uint32_t row = p->kkt.slot_place[a->slot], column = p->kkt.slot_place[b->slot];
  for (uint32_t i = 0; i < 3; i++) {
    for (uint32_t j = 0; j < (a == b ? i + 1 : 3); j++) {
      const double sum = a->jacobian[0][i] * b->jacobian[0][j] +
                         a->jacobian[1][i] * b->jacobian[1][j] +
                         a->jacobian[2][i] * b->jacobian[2][j];
      rl_kkt_add(&p->kkt, row + i, column + j, sum / f->compliance);
    }
  }
}

static void assemble_bending(rl_implicit *p, const rl_model *model, const rl_state *state) {
  for (rl_flexure f = {.derives = true}; rl_flexure_next(model, state, state->points, &f);) {
    for (uint32_t i = 0; i < f.entry_count; i++) {
      for (uint32_t k = 0; k <= i && rl_implicit_moves(p, f.entries[i].slot); k++) {
        if (rl_implicit_moves(p, f.entries[k].slot)) {
          assemble_pair(p, &f, &f.entries[i], &f.entries[k]);
        }
      }
    }
  }
}

static double least_softness(const rl_row *row) {
  return row->kind == RL_ROW_CONTACT ? contact_softness
         : row->piece_count > 0      ? strand_softness
                                     : 0.0;
}

// Whether a rope slips with friction, so that forces and gradients of its strands differ.
static bool slips(const rl_rows *rows) {
  for (uint32_t k = 0; k < rows->row_count; k++) {
    const rl_row *row = &rows->rows[k];
    const uint32_t end = row->first_entry + (row->kind == RL_ROW_SPAN ? row->entry_count : 0);
    for (uint32_t i = row->first_entry; i < end; i++) {
      if (!rl_is_zero(rl_sub(rows->entries[i].force, rows->entries[i].gradient))) {
        return true;
      }
    }
  }
  return false;
}

bool rl_implicit_factor(rl_implicit *p, const rl_model *model, const rl_state *state,
                        const rl_rows *rows, bool bends) {
  rl_kkt_clear(&p->kkt, p->integrator != RL_MIDPOINT && !slips(rows));
  for (uint32_t i = 0; i < model->slot_count; i++) {
    for (uint32_t axis = 0; axis < 3 && rl_implicit_moves(p, i); axis++) {
      p->kkt.diagonal[p->kkt.slot_place[i] + axis] = p->inertia[i];
    }
  }
  for (uint32_t k = 0; k < model->link_count && state->element_counts; k++) {
    p->kkt.diagonal[p->kkt.row_place[k]] = -1.0;
  }
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      p->kkt.diagonal[p->kkt.row_place[k]] = p->active[k] ? -p->diagonal[k] : -1.0;
      if (p->active[k]) {
        assemble_link(p, &state->links[k], k);
      }
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      const rl_row *row = &rows->rows[k];
      const uint32_t m = row->source;
      const double least = least_softness(row) * p->weights[m] * p->h * p->h;
      p->kkt.diagonal[p->kkt.row_place[m]] = p->active[m] ? -fmax(p->diagonal[m], least) : -1.0;
      if (p->active[m]) {
        assemble_row(p, model, state, rows, row);
      }
    }
  }
  assemble_friction(p, rows);
  if (bends) {
    assemble_bending(p, model, state);
  }
  return rl_kkt_factor(&p->kkt);
}

static void set_right_side(rl_implicit *p, const rl_model *model) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const uint32_t place = p->kkt.slot_place[i];
    if (place != RL_NONE) {
      p->solution[place] = -p->imbalance[i].x;
      p->solution[place + 1] = -p->imbalance[i].y;
      p->solution[place + 2] = -p->imbalance[i].z;
    }
  }
  const uint32_t rows = p->row_count + 2 * p->tangents.tangents_count;
  for (uint32_t m = 0; m < rows; m++) {
    p->solution[p->kkt.row_place[m]] = p->active[m] ? p->right[m] : 0.0;
  }
}

// Adds changes of friction along the slips to the right side.
static void add_slips(rl_implicit *p, const rl_rows *rows, const double *changes) {
  for (uint32_t k = 0; k < p->tangents.tangents_count; k++) {
    const rl_row *row = &rows->rows[p->tangents.tangents[k].row];
    const rl_vec3 pull = rl_scale(changes[k], p->frictions[k].tangents[0]);
    for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
      const rl_entry *e = &rows->entries[i];
      const uint32_t place = p->kkt.slot_place[e->slot];
      if (place != RL_NONE) {
        const rl_vec3 share = rl_contact_share(row, e, pull);
        p->solution[place] += share.x;
        p->solution[place + 1] += share.y;
        p->solution[place + 2] += share.z;
      }
    }
  }
}

// Reads the changes of friction along the slips that follow from those of the contact forces in the
// solution.
static void read_slips(const rl_implicit *p, double *changes) {
  for (uint32_t k = 0; k < p->tangents.tangents_count; k++) {
    const rl_tangents *t = &p->tangents.tangents[k];
    changes[k] = p->active[t->normal] ? t->coefficient * rl_implicit_change(p, t->normal) : 0.0;
  }
}

static double dot(const double *a, const double *b, uint32_t n) {
  double sum = 0.0;
  for (uint32_t i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

// a += s b
static void add_scaled(double *a, double s, const double *b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    a[i] += s * b[i];
  }
}

// Computes F f: the changes of friction that follow from changes f of friction.
static void respond(rl_implicit *p, const rl_rows *rows, const double *changes, double *response) {
  memset(p->solution, 0, p->kkt.count * sizeof *p->solution);
  add_slips(p, rows, changes);
  rl_kkt_solve(&p->kkt, p->solution);
  read_slips(p, response);
}

// Extends the Krylov basis by a vector orthogonal to those before; finds its column of the
// Hessenberg matrix.
static void extend(rl_implicit *p, const rl_rows *rows, int j, double *column) {
  const uint32_t n = p->tangents.tangents_count;
  double *next = &p->krylov[(size_t)(j + 1) * n];
  const double *last = &p->krylov[(size_t)j * n];
  respond(p, rows, last, next);
  for (uint32_t k = 0; k < n; k++) {
    next[k] = last[k] - next[k];
  }
  for (int i = 0; i <= j; i++) {
    column[i] = dot(next, &p->krylov[(size_t)i * n], n);
    add_scaled(next, -column[i], &p->krylov[(size_t)i * n], n);
  }
  column[j + 1] = sqrt(dot(next, next, n));
  for (uint32_t k = 0; k < n && column[j + 1] > 0.0; k++) {
    next[k] /= column[j + 1];
  }
}

// (13) of papers/convex.md: solves (I - F) f = f0, with f0 in the solution, by the method of
// generalized minimal residuals (GMRES) with Givens rotations. Leaves f in `follows`.
static void follow(rl_implicit *p, const rl_rows *rows) {
  enum { MOST = RL_IMPLICIT_KRYLOV };
  const uint32_t n = p->tangents.tangents_count;
  double h[MOST][MOST + 1], cosine[MOST], sine[MOST], left[MOST + 1];
  read_slips(p, p->krylov);
  const double size = sqrt(dot(p->krylov, p->krylov, n));
  memset(p->follows, 0, n * sizeof *p->follows);
  if (!(size > 0.0)) {
    return;
  }
  for (uint32_t k = 0; k < n; k++) {
    p->krylov[k] /= size;
  }
  left[0] = size;
  int count = 0;
  while (count < MOST && fabs(left[count]) > followed * size) {
    double *column = h[count];
    extend(p, rows, count, column);
    for (int i = 0; i < count; i++) {
      const double upper = column[i];
      column[i] = cosine[i] * upper + sine[i] * column[i + 1];
      column[i + 1] = cosine[i] * column[i + 1] - sine[i] * upper;
    }
    const double length =
        sqrt(column[count] * column[count] + column[count + 1] * column[count + 1]);
    if (!(length > 0.0)) {
      break;
    }
    cosine[count] = column[count] / length;
    sine[count] = column[count + 1] / length;
    column[count] = length;
    left[count + 1] = -sine[count] * left[count];
    left[count] *= cosine[count];
    count++;
  }
  for (int i = count; i-- > 0;) {
    for (int k = i + 1; k < count; k++) {
      left[i] -= h[k][i] * left[k];
    }
    left[i] /= h[i][i];
    add_scaled(p->follows, left[i], &p->krylov[(size_t)i * n], n);
  }
}

void rl_implicit_solve(rl_implicit *p, const rl_model *model, const rl_rows *rows) {
  set_right_side(p, model);
  rl_kkt_solve(&p->kkt, p->solution);
  follow(p, rows);
  if (dot(p->follows, p->follows, p->tangents.tangents_count) > 0.0) {
    set_right_side(p, model);
    add_slips(p, rows, p->follows);
    rl_kkt_solve(&p->kkt, p->solution);
  }
}

void rl_implicit_move(rl_implicit *p, const rl_model *model, rl_state *state, double s) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const uint32_t place = p->kkt.slot_place[i];
    if (place != RL_NONE) {
      const double *dx = &p->solution[place];
      rl_move(&state->points[i], (rl_vec3){s * dx[0], s * dx[1], s * dx[2]});
    }
  }
  const double h2 = p->h * p->h;
  for (uint32_t k = 0; k < p->tangents.tangents_count; k++) {
    rl_friction *f = &p->frictions[k];
    for (uint32_t i = 0; i < 2; i++) {
      const double change = rl_implicit_change(p, p->tangents.tangents[k].first + i);
      f->total = rl_add_scaled(f->total, s * h2 * change, f->tangents[i]);
    }
    f->total = rl_add_scaled(f->total, s * h2 * p->follows[k], f->tangents[0]);
  }
}
