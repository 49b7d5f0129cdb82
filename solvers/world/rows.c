// SPDX-License-Identifier: GPL-3.0-or-later
#include "rows_internal.h"

#include "memory.h"
#include "paths/strands.h"
#include "paths/wrap.h"
#include "ropes/eyes.h"
#include "ropes/rope_contact.h"

static size_t lay_out(const rl_model *m, rl_rows *rows, char *block) {
  rl_carver c = {.block = block};
  rows->blocks = rl_carve(&c, 4 * (size_t)m->rope_count + m->event_count + 2 * m->eye_count + 1,
                          sizeof *rows->blocks);
  rows->rows = rl_carve(&c, m->row_capacity, sizeof *rows->rows);
  rows->vertices = rl_carve(&c, m->vertex_capacity, sizeof *rows->vertices);
  rows->joints = rl_carve(&c, m->wrap_capacity > 0 ? m->vertex_capacity : 0, sizeof *rows->joints);
  rows->entries = rl_carve(&c, m->entry_capacity, sizeof *rows->entries);
  rows->momentum = rl_carve(&c, m->slot_count, sizeof *rows->momentum);
  rows->feet = rl_carve(&c, m->contact_capacity, sizeof *rows->feet);
  rows->contact_before = rl_carve(&c, m->contact_capacity, sizeof *rows->contact_before);
  rows->approaches = rl_carve(&c, m->contact_capacity, sizeof *rows->approaches);
  rows->crowds = rl_carve(&c, m->body_count, sizeof *rows->crowds);
  rows->near_bodies = rl_carve(&c, m->body_count, sizeof *rows->near_bodies);
  rows->old.contacts = rl_carve(&c, m->contact_capacity, sizeof *rows->old.contacts);
  rows->bounces =
      rl_carve(&c, m->pair_count > 0 ? 2 * rl_unknown_capacity(m) : 0, sizeof *rows->bounces);
  rows->old.multipliers = rl_carve(&c, m->contact_capacity, sizeof *rows->old.multipliers);
  rows->old.frictions = rl_carve(&c, m->contact_capacity, sizeof *rows->old.frictions);
  rows->old.slips = rl_carve(&c, m->ropes_rub ? m->contact_capacity : 0, sizeof *rows->old.slips);
  rows->old.sides =
      rl_carve(&c, m->tangle_capacity > 0 ? m->contact_capacity : 0, sizeof *rows->old.sides);
  rows->islands = rl_carve(&c, (size_t)m->slot_count + 1, sizeof *rows->islands);
  const bool has_pairs = m->pair_count > 0;
  rows->warmths = rl_carve(&c, has_pairs ? (size_t)m->slot_count + 1 : 0, sizeof *rows->warmths);
  rows->starts = rl_carve(&c, has_pairs ? m->slot_count : 0, sizeof *rows->starts);
  rows->catches = rl_carve(&c, m->wrap_capacity > 0 ? m->rope_count : 0, sizeof *rows->catches);
  const bool has_splits = m->split_capacity > 0;
  rows->strands = rl_carve(&c, has_splits ? (size_t)m->rope_count + m->split_capacity : 0,
                           sizeof *rows->strands);
  rows->propped = rl_carve(&c, has_splits ? rl_unknown_capacity(m) : 0, sizeof *rows->propped);
  rows->unsolved = rl_carve(&c, has_splits ? rl_unknown_capacity(m) : 0, sizeof *rows->unsolved);
  rows->carried = rl_carve(&c, has_splits ? m->body_count : 0, sizeof *rows->carried);
  rows->crossings = NULL;
  if (m->tangle_capacity > 0) {
    rows->crossings = rl_carve(&c, m->contact_capacity, sizeof *rows->crossings);
  }
  rows->tangle = m->tangle_capacity > 0 ? rl_tangle_carve(m, &c) : NULL;
  return c.used;
}

// Adds the entries of what is at a slot to a row.
static void add_entries(const rl_model *model, rl_rows *rows, rl_row *row, uint32_t slot) {
  if (slot == RL_NONE) {
    return;
  }
  rl_entry *entries = &rows->entries[row->first_entry];
  const rl_body *body = rl_slot_body(model, slot);
  for (uint32_t i = 0; i < row->entry_count && row->piece_count > 0; i++) {
    if (entries[i].slot == slot) { // a strand comes back to it: one entry sums both
      return;
    }
  }
  entries[row->entry_count++] = (rl_entry){.slot = slot};
  if (body && body->spin_slot != RL_NONE) {
    entries[row->entry_count++] = (rl_entry){.slot = body->spin_slot};
    row->has_spins = true;
  }
}

void rl_row_add_vertex(const rl_model *model, rl_rows *rows, rl_row *row, rl_vertex vertex) {
  rows->vertices[row->first_vertex + row->vertex_count++] = vertex;
  add_entries(model, rows, row, vertex.slot);
}

// Returns the present elements, or without a state those of the start.
static const rl_link *links_of(const rl_model *model, const rl_state *state) {
  return state ? state->links : model->links;
}

static void add_span(const rl_model *model, const rl_state *state, rl_rows *rows, uint32_t index,
                     uint32_t link, double lower) {
  const rl_rope *rope = &model->ropes[index];
  const rl_link *element = &links_of(model, state)[link];
  rl_row *row = rl_rows_add(rows, RL_ROW_SPAN, link, link);
  row->lower = lower;
  row->compliance = element->compliance;
  rl_row_add_vertex(model, rows, row, rl_node_vertex(model, element->a));
  uint32_t first = rope->first_eye;
  const uint32_t eyes = rope->massless
                            ? rope->eye_count
                            : rl_element_eyes(model, state, index, link - rope->first_link, &first);
  for (uint32_t i = first; i < first + eyes; i++) {
    rl_row_add_vertex(model, rows, row, model->eyes[i]);
  }
  rl_row_add_vertex(model, rows, row, rl_node_vertex(model, element->b));
}

// Adds the row of a strand of a rope over bodies, from a piece to the next wrap that sticks, or the
// end.
static void add_strand(const rl_model *model, const rl_state *state, rl_rows *rows, uint32_t index,
                       uint32_t first_piece, uint32_t source) {
  const rl_rope *rope = &model->ropes[index];
  const rl_wrap *wraps = &state->wraps[rope->first_wrap];
  const uint32_t count = state->wrap_counts[index];
  const bool is_loop = rl_wraps_is_loop(model, index);
  const uint32_t pieces = rl_wrap_strand_pieces(model, state, index, first_piece);
  rl_row *row = rl_rows_add(rows, RL_ROW_SPAN, source, rope->first_link);
  row->first_piece = first_piece;
  row->piece_count = pieces;
  const bool inert =
      (is_loop && count == 0) || rl_wrap_is_inert(model, state, index, first_piece, pieces);
  for (uint32_t i = first_piece; i <= first_piece + pieces; i++) { // item i stands before piece i
    if (inert) {
      rl_row_add_vertex(model, rows, row, (rl_vertex){RL_NONE, {0.0, 0.0, 0.0}});
      continue;
    }
    if ((i == 0 && !is_loop) || i == count + 1) {
      rl_row_add_vertex(model, rows, row, rl_node_vertex(model, rope->ends[i == 0 ? 0 : 1]));
      continue;
    }
    const uint32_t slot = rl_wrap_slot(model, state, index, i);
    rl_row_add_vertex(model, rows, row, (rl_vertex){slot, {0.0, 0.0, 0.0}});
  }
  // (19c) of balls.md: beyond a plane that yields the other end of its arc counts as well.
  if (!inert && first_piece > 0 && wraps[first_piece - 1].yields) {
    add_entries(model, rows, row, rl_wrap_slot(model, state, index, first_piece - 1));
  }
  if (!inert && first_piece + pieces <= count && wraps[first_piece + pieces - 1].yields) {
    add_entries(model, rows, row, rl_wrap_slot(model, state, index, first_piece + pieces + 1));
  }
}

// Adds the strands of a rope beyond the first, in a block of their own. `own`: that of the first.
static void add_splits(const rl_model *model, rl_state *state, rl_rows *rows, rl_block *own) {
  const uint32_t index = own->rope;
  const rl_wrap *wraps = &state->wraps[model->ropes[index].first_wrap];
  rl_block *block = &rows->blocks[rows->block_count];
  *block = (rl_block){.first_row = rows->row_count, .rope = index};
  for (uint32_t i = 0; i + 1 < rl_wraps_piece_count(model, state, index);
       i++) { // a loop ends at the first
    if (wraps[i].grip == RL_STICKS) {
      const size_t source = rl_unknown_count(model, state);
      add_strand(model, state, rows, index, i + 1, (uint32_t)source);
      state->multipliers[source] = wraps[i].tension;
      state->split_count++;
      block->row_count++;
    }
  }
  own->splits = block->row_count > 0 ? rows->block_count : 0;
  rows->block_count += block->row_count > 0 ? 1 : 0;
}

// Counts the strands of ropes over bodies that pull on each slot.
static void count_strands(rl_rows *rows) {
  rl_vec3 *counts = rows->momentum; // zero between uses
  for (int pass = 0; pass < 3; pass++) {
    for (uint32_t k = 0; k < rows->row_count; k++) {
      const rl_row *row = &rows->rows[k];
      const uint32_t end = row->first_entry + (row->piece_count > 0 ? row->entry_count : 0);
      for (rl_entry *e = &rows->entries[row->first_entry]; e < &rows->entries[end]; e++) {
        double *count = &counts[e->slot].x;
        if (pass == 0) {
          *count += 1.0;
        } else if (pass == 1) {
          e->strands = (uint32_t)*count;
        } else {
          *count = 0.0;
        }
      }
    }
  }
}

void rl_rows_add_splits(const rl_model *model, rl_state *state, rl_rows *rows) {
  rows->block_count = rows->contact_block + 1;
  state->split_count = 0;
  for (uint32_t n = 0; n < rows->contact_block && model->split_capacity > 0; n++) {
    const uint32_t rope = rows->blocks[n].rope;
    if (model->ropes[rope].rubs && model->ropes[rope].wrap_capacity > 0) {
      add_splits(model, state, rows, &rows->blocks[n]);
      if (isinf(model->ropes[rope].stiffness) && !rl_wraps_is_loop(model, rope)) {
        rl_strands_note_inert(model, state, rows, &rows->blocks[n]);
      }
    }
  }
  if (model->split_capacity > 0) {
    rl_strands_join(model, state, rows);
  }
  count_strands(rows);
}

// Whether a winch feeds an element now.
static bool is_fed(const rl_model *model, const rl_state *state, uint32_t link) {
  bool is_fed = false;
  for (uint32_t i = 0; i < model->event_count && state && state->fed_links; i++) {
    is_fed = is_fed || state->fed_links[i] == link;
  }
  return is_fed;
}

static bool is_apart(const rl_model *model, const rl_link *links, const rl_block *block) {
  bool is_apart = true;
  for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
    const uint32_t slots[2] = {links[k].a, links[k].b};
    for (size_t i = 0; i < 2; i++) {
      is_apart =
          is_apart && slots[i] < model->node_count && model->node_rope[slots[i]] == block->rope;
    }
  }
  return is_apart;
}

// Adds the blocks and rows of a rope. All elements are plain links but the first and last, and
// those on winches and in eyes, which may need a row.
static void add_rope(const rl_model *model, const rl_state *state, rl_rows *rows, uint32_t index) {
  const rl_rope *rope = &model->ropes[index];
  const rl_link *links = links_of(model, state);
  const uint32_t count = rl_rope_elements(model, state, index);
  if (count == 0) { // it came off
    return;
  }
  if (rope->wrap_capacity > 0) {
    rows->blocks[rows->block_count++] =
        (rl_block){.first_row = rows->row_count, .row_count = 1, .rope = index};
    add_strand(model, state, rows, index, 0, rope->first_link);
    return;
  }
  const uint32_t first = rope->first_link, last = first + count - 1;
  const bool special_first = rope->eye_count > 0 || (rope->is_reeled && rope->massless) ||
                             rl_moving_hold(model, links[first].a);
  const bool special_last = rl_moving_hold(model, links[last].b);
  const double lower = rope->compression ? -INFINITY : 0.0;
  for (uint32_t k = first; k <= last;) { // blocks of links that end in a row, or with the rope
    rl_block *block = &rows->blocks[rows->block_count++];
    *block =
        (rl_block){.first_link = k, .first_row = rows->row_count, .lower = lower, .rope = index};
    for (; k <= last && block->row_count == 0; k++) {
      const bool special = (k == first && special_first) || (k == last && special_last) ||
                           (rope->is_fed && is_fed(model, state, k)) ||
                           rl_element_is_in_eye(model, state, index, k - first);
      if (special) {
        add_span(model, state, rows, index, k, lower);
        block->row_count = 1;
      } else {
        block->link_count++;
      }
    }
    block->is_apart = is_apart(model, links, block);
  }
}

void rl_rows_add_ropes(const rl_model *model, const rl_state *state, rl_rows *rows) {
  rows->row_count = rows->block_count = 0;
  for (uint32_t i = 0; i < model->rope_count; i++) {
    add_rope(model, state, rows, i);
  }
  rows->span_count = rows->row_count;
  rows->topology = state ? state->topology : 0;
  rows->rings = rl_eyes_hash(model, state);
  // Contacts come after all ropes.
  rows->contact_block = rows->block_count++;
  rows->blocks[rows->contact_block] = (rl_block){.first_row = rows->row_count, .rope = RL_NONE};
}

size_t rl_rows_bytes(const rl_model *model) {
  rl_rows counted;
  return lay_out(model, &counted, NULL);
}

rl_rows *rl_rows_create(const rl_model *model) {
  rl_rows *rows = calloc(1, sizeof *rows);
  if (!rows) {
    return NULL;
  }
  char *block = rl_block_create(lay_out(model, rows, NULL), &rows->allocation);
  if (!block) {
    free(rows);
    return NULL;
  }
  lay_out(model, rows, block);
  rows->structure = 1;
  rows->substep_end = 1.0;
  if (model->wrap_capacity == 0) {
    rl_rows_add_ropes(model, NULL, rows);
  }
  return rows;
}

void rl_rows_free(rl_rows *rows) {
  if (rows) {
    free(rows->allocation);
    free(rows);
  }
}

// ---------------------------------------------------------------------------------------------
// Residual

// Returns the residual with C of every row at `points`, or with C + dt dC/dt of the rows as they
// are if there are `velocities`.
static double residual(const rl_model *model, const rl_state *state, rl_rows *rows,
                       const rl_point *points, const rl_vec3 *velocities, const double *multipliers,
                       double scale, double dt) {
  double largest = 0.0;
  rl_rows_stand(rows);
  for (uint32_t i = 0; i < rows->block_count; i++) {
    const rl_block *block = &rows->blocks[i];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      const rl_link *link = &state->links[k];
      const rl_link_value v = rl_link_evaluate(link, points);
      const double lambda = scale * multipliers[k];
      double value = v.value - link->compliance * lambda;
      if (velocities) {
        value += dt * rl_dot(v.d, rl_sub(velocities[link->b], velocities[link->a]));
      }
      largest = rl_larger(largest,
                          rl_row_residual(value, dt * dt * v.inverse_mass * lambda, block->lower));
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      if (!velocities || rl_row_is_crossing(rows, row)) { // of the others the entries are there
        rl_row_evaluate(model, state, rows, row, points);
      }
      const double lambda = scale * multipliers[row->source];
      double value = row->value - row->compliance * lambda;
      if (velocities) {
        value += dt * rl_row_rate(rows, row, velocities);
      }
      largest = rl_larger(largest,
                          rl_row_residual(value, dt * dt * row->inverse_mass * lambda, row->lower));
    }
  }
  rl_rows_move(rows);
  return largest;
}

double rl_residual(const rl_model *model, const rl_state *state, rl_rows *rows,
                   const rl_point *points, const double *multipliers, double scale, double dt) {
  return residual(model, state, rows, points, NULL, multipliers, scale, dt);
}

double rl_residual_velocity(const rl_model *model, const rl_state *state, rl_rows *rows,
                            const rl_vec3 *velocities, const double *multipliers, double scale,
                            double dt) {
  return residual(model, state, rows, state->points, velocities, multipliers, scale, dt);
}
