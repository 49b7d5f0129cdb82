// SPDX-License-Identifier: GPL-3.0-or-later
#include "state.h"

#include "memory.h"
#include "ropes/elements.h"
#include "rotation.h"

#include <stddef.h>
#include <string.h>

// Places the arrays of the state itself, which is copied, hashed and restored.
static void lay_out_state(const rl_model *m, rl_state *s, rl_carver *c) {
  s->points = rl_carve(c, m->slot_count, sizeof *s->points);
  s->velocities = rl_carve(c, m->slot_count, sizeof *s->velocities);
  s->masses = rl_carve(c, m->slot_count, sizeof *s->masses);
  s->rotations = rl_carve(c, m->body_count, sizeof *s->rotations);
  s->links = rl_carve(c, m->link_count, sizeof *s->links);
  s->multipliers = rl_carve(c, rl_unknown_capacity(m), sizeof *s->multipliers);
  s->contacts = rl_carve(c, m->contact_capacity, sizeof *s->contacts);
  s->frictions = rl_carve(c, m->contact_capacity, sizeof *s->frictions);
  s->slips = m->ropes_rub ? rl_carve(c, m->contact_capacity, sizeof *s->slips) : NULL;
  s->sides = m->tangle_capacity > 0 ? rl_carve(c, m->contact_capacity, sizeof *s->sides) : NULL;
  s->wrap_counts = rl_carve(c, m->wrap_capacity > 0 ? m->rope_count : 0, sizeof *s->wrap_counts);
  s->stand_ins = rl_carve(c, m->wrap_capacity > 0 ? m->rope_count : 0, sizeof *s->stand_ins);
  s->seams = m->has_belts ? rl_carve(c, m->rope_count, sizeof *s->seams) : NULL;
  s->eye_elements = m->has_rings ? rl_carve(c, m->eye_count, sizeof *s->eye_elements) : NULL;
  s->grips = m->rings_rub ? rl_carve(c, m->eye_count, sizeof *s->grips) : NULL;
  s->element_counts =
      m->topology_changes ? rl_carve(c, m->rope_count, sizeof *s->element_counts) : NULL;
  s->spare_counts =
      m->topology_changes ? rl_carve(c, m->rope_count, sizeof *s->spare_counts) : NULL;
  s->spares = m->topology_changes ? rl_carve(c, m->pool_capacity, sizeof *s->spares) : NULL;
  s->drags = m->topology_changes ? rl_carve(c, m->slot_count, sizeof *s->drags) : NULL;
  s->reels = m->is_reeled ? rl_carve(c, m->rope_count, sizeof *s->reels) : NULL;
  s->feeds = m->is_fed ? rl_carve(c, m->link_count, sizeof *s->feeds) : NULL;
  s->fed_links = m->is_fed ? rl_carve(c, m->event_count, sizeof *s->fed_links) : NULL;
  s->pushes = m->is_pushed ? rl_carve(c, m->place_count, sizeof *s->pushes) : NULL;
  s->wraps = rl_carve(c, m->wrap_capacity, sizeof *s->wraps);
}

// Places what follows from the state, and scratch.
static void lay_out_scratch(const rl_model *m, rl_state *s, rl_carver *c) {
  const size_t places = m->wrap_capacity > 0 ? (size_t)m->path_capacity + 2 : 0;
  const size_t solids = m->wrap_capacity > 0 ? m->part_count : 0;
  const size_t ropes = m->wrap_capacity > 0 ? m->rope_count : 0;
  s->items = rl_carve(c, m->wrap_capacity + 2 * ropes, sizeof *s->items);
  s->inputs = rl_carve(c, m->wrap_capacity + 2 * ropes, sizeof *s->inputs);
  s->solved = rl_carve(c, ropes, sizeof *s->solved);
  s->path_lengths = rl_carve(c, ropes, sizeof *s->path_lengths);
  s->old_items = rl_carve(c, places, sizeof *s->old_items);
  s->kept_items = rl_carve(c, places, sizeof *s->kept_items);
  s->left_items = rl_carve(c, places, sizeof *s->left_items);
  s->solids = rl_carve(c, solids, sizeof *s->solids);
  s->grown = rl_carve(c, solids, sizeof *s->grown);
  s->solid_parts = rl_carve(c, solids, sizeof *s->solid_parts);
  s->part_solids = rl_carve(c, solids, sizeof *s->part_solids);
  s->old_wraps = rl_carve(c, places, sizeof *s->old_wraps);
  s->old_lengths = rl_carve(c, places, sizeof *s->old_lengths);
  s->of_pieces = rl_carve(c, places, sizeof *s->of_pieces);
  s->growths = rl_carve(c, m->wrap_capacity + ropes, sizeof *s->growths);
  s->aims = rl_carve(c, ropes > 0 ? rl_unknown_capacity(m) : 0, sizeof *s->aims);
  s->body_order = rl_carve(c, ropes > 0 ? m->body_count : 0, sizeof *s->body_order);
  s->body_places = rl_carve(c, ropes > 0 ? m->body_count : 0, sizeof *s->body_places);
  s->kicked = rl_carve(c, m->has_drag ? m->place_count : 0, sizeof *s->kicked);
}

// Places all arrays in a block, or counts their bytes.
static size_t lay_out(const rl_model *m, rl_state *s, char *block) {
  rl_carver c = {.block = block};
  s->model = m;
  lay_out_state(m, s, &c);
  s->block_size = c.used;
  lay_out_scratch(m, s, &c);
  return c.used;
}

size_t rl_state_bytes(const rl_model *model) {
  rl_state counted;
  return lay_out(model, &counted, NULL);
}

// Sets all ropes to one piece each. The last spare node is taken first.
static void start_elements(const rl_model *model, rl_state *state) {
  memcpy(state->drags, model->drags, model->slot_count * sizeof *state->drags);
  for (uint32_t i = 0; i < model->rope_count; i++) {
    const rl_rope *rope = &model->ropes[i];
    state->element_counts[i] = rope->link_count;
    state->spare_counts[i] = rope->spare_count;
    for (uint32_t k = 0; k < rope->spare_count; k++) {
      state->spares[rope->first_in_pool + k] = rope->first_spare + k;
    }
  }
}

rl_state *rl_state_create(const rl_model *model) {
  rl_state *state = calloc(1, sizeof *state);
  if (!state) {
    return NULL;
  }
  state->block = rl_block_create(lay_out(model, state, NULL), &state->allocation);
  if (!state->block) {
    free(state);
    return NULL;
  }
  lay_out(model, state, state->block);
  memcpy(state->points, model->points, model->slot_count * sizeof *state->points);
  memcpy(state->velocities, model->velocities, model->slot_count * sizeof *state->velocities);
  memcpy(state->masses, model->masses, model->slot_count * sizeof *state->masses);
  for (uint32_t i = 0; i < model->body_count; i++) {
    state->rotations[i] = model->bodies[i].rotation;
  }
  memcpy(state->links, model->links, model->link_count * sizeof *state->links);
  if (model->has_belts) {
    memcpy(state->seams, model->seams, model->rope_count * sizeof *state->seams);
  }
  if (model->has_rings) {
    memcpy(state->eye_elements, model->eye_elements,
           model->eye_count * sizeof *state->eye_elements);
  }
  if (model->topology_changes) {
    start_elements(model, state);
  }
  for (uint32_t i = 0; i < model->event_count && model->is_fed; i++) {
    state->fed_links[i] = RL_NONE;
  }
  for (uint32_t i = 0; i < model->rope_count && model->wrap_capacity > 0; i++) {
    const rl_rope *rope = &model->ropes[i];
    state->wrap_counts[i] = rope->wrap_count;
    memcpy(&state->wraps[rope->first_wrap], &model->wraps[rope->first_wrap],
           rope->wrap_count * sizeof *state->wraps);
  }
  rl_state_place_holds(model, state);
  return state;
}

rl_state *rl_state_carve(const rl_model *model, rl_carver *c) {
  rl_state counted;
  rl_state *state = rl_carve(c, 1, sizeof *state);
  const size_t bytes = lay_out(model, &counted, NULL);
  char *block = rl_carve(c, 1, bytes);
  if (state) {
    lay_out(model, state, block);
    state->block = block;
  }
  return state;
}

void rl_state_free(rl_state *state) {
  if (state) {
    free(state->allocation);
    free(state);
  }
}

// Copies the wraps in use; the rest of the array is zero.
static void copy_wraps(rl_state *to, const rl_state *from) {
  const rl_model *model = from->model;
  for (uint32_t r = 0; r < model->rope_count && model->wrap_capacity > 0; r++) {
    const uint32_t first = model->ropes[r].first_wrap;
    const uint32_t most =
        from->wrap_counts[r] > to->wrap_counts[r] ? from->wrap_counts[r] : to->wrap_counts[r];
    memcpy(&to->wraps[first], &from->wraps[first], most * sizeof *to->wraps);
    to->solved[r] = from->solved[r];
    to->path_lengths[r] = from->path_lengths[r];
    memcpy(&to->items[first + 2 * r], &from->items[first + 2 * r],
           from->solved[r] * sizeof *to->items);
    memcpy(&to->inputs[first + 2 * r], &from->inputs[first + 2 * r],
           from->solved[r] * sizeof *to->inputs);
  }
}

static void copy_numbers(rl_state *to, const rl_state *from) {
  memcpy(to, from, offsetof(rl_state, model)); // the numbers come first
}

void rl_state_copy(rl_state *to, const rl_state *from) {
  copy_wraps(to, from);
  copy_numbers(to, from);
  memcpy(to->block, from->block, (size_t)((char *)from->wraps - (char *)from->block));
}

// Writes the numbers of the struct without its pointers, and the block.
bool rl_state_write(const rl_state *state, FILE *file) {
  rl_state numbers;
  memset(&numbers, 0, sizeof numbers);
  copy_numbers(&numbers, state);
  numbers.block_size = state->block_size;
  return fwrite(&numbers, sizeof numbers, 1, file) == 1 &&
         fwrite(state->block, 1, state->block_size, file) == state->block_size;
}

bool rl_state_read(rl_state *state, FILE *file) {
  rl_state numbers;
  if (fread(&numbers, sizeof numbers, 1, file) != 1 || numbers.block_size != state->block_size) {
    return false;
  }
  copy_numbers(state, &numbers);
  return fread(state->block, 1, state->block_size, file) == state->block_size;
}

// Continues an FNV-1a hash by 64-bit words; arrays are padded with zeros to whole words.
static uint64_t hash_words(uint64_t hash, const void *data, size_t bytes) {
  const unsigned char *at = data;
  for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
    uint64_t word;
    memcpy(&word, at + i, sizeof word);
    hash = rl_hash_word(hash, word);
    hash ^= hash >> 32;
  }
  return hash;
}

uint64_t rl_state_hash(const rl_state *state) {
  uint64_t hash = RL_HASH_START;
  hash = hash_words(hash, &state->time, sizeof state->time);
  hash = hash_words(hash, &state->contact_count, sizeof state->contact_count);
  hash = hash_words(hash, &state->split_count, sizeof state->split_count);
  return hash_words(hash, state->block, state->block_size);
}

bool rl_state_finite(const rl_model *model, const rl_state *state) {
  // A sum is finite only if every term is, overflow apart, which is as bad.
  double total = 0.0;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const rl_point p = state->points[i];
    const rl_vec3 v = state->velocities[i];
    total += fabs(p.x) + fabs(p.y) + fabs(p.z) + fabs(v.x) + fabs(v.y) + fabs(v.z);
  }
  for (uint32_t i = 0; i < model->body_count; i++) {
    const rl_quat r = state->rotations[i];
    total += fabs(r.x) + fabs(r.y) + fabs(r.z) + fabs(r.w);
  }
  return isfinite(total);
}

uint32_t rl_rope_nodes(const rl_model *model, const rl_state *state, uint32_t rope) {
  return state->parted == 0
             ? rl_rope_elements(model, state, rope) + (model->ropes[rope].closed ? 0 : 1)
             : rl_rope_elements(model, state, rope) + rl_rope_ends(model, state, rope);
}

uint32_t rl_rope_node(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i) {
  const rl_link *links = &state->links[model->ropes[rope].first_link];
  if (state->parted == 0) {
    return i == 0 ? links[0].a : links[i - 1].b;
  }
  uint32_t node = 0;
  for (uint32_t k = 0; k < rl_rope_elements(model, state, rope); k++) {
    if (node == i) {
      return links[k].a;
    }
    node++;
    if (rl_element_next(model, state, rope, k) == RL_NONE) {
      if (node == i) {
        return links[k].b;
      }
      node++;
    }
  }
  return RL_NONE;
}

void rl_state_place_holds(const rl_model *model, rl_state *state) {
  for (uint32_t i = 0; i < model->hold_count; i++) {
    const rl_hold *hold = &model->holds[i];
    const uint32_t body = rl_body_slot(model, hold->body);
    const rl_vec3 arm = rl_rotate(state->rotations[hold->body], hold->offset);
    rl_put(&state->points[hold->slot], rl_add(rl_position(&state->points[body]), arm));
    state->velocities[hold->slot] =
        rl_add(state->velocities[body], rl_cross(rl_body_spin(model, state, hold->body), arm));
  }
}

// papers/parting.md (4)
void rl_state_kick(const rl_model *model, rl_state *state, double h) {
  const double *drags = rl_drags(model, state);
  for (uint32_t i = 0; i < model->place_count; i++) {
    const double w = state->points[i].w;
    if (!(w > 0.0)) {
      continue;
    }
    rl_vec3 fall = rl_add_scaled(state->velocities[i], h, model->gravity);
    if (state->pushes) {
      fall = rl_add_scaled(fall, h * w, state->pushes[i]);
    }
    if (drags[i] > 0.0) {
      state->kicked[i] = state->velocities[i];
      const double slowed = 1.0 / (1.0 + h * w * drags[i]);
      fall = rl_scale(slowed, rl_add_scaled(fall, h * w * drags[i], state->wind));
      state->points[i].w = slowed * w;
    }
    state->velocities[i] = fall;
  }
}

double rl_state_settle(const rl_model *model, rl_state *state, double h) {
  const double *drags = rl_drags(model, state);
  double loss = 0.0;
  for (uint32_t i = 0; i < model->place_count; i++) {
    if (drags[i] > 0.0 && state->points[i].w > 0.0) {
      const rl_vec3 through = rl_sub(state->velocities[i], state->wind); // the air
      const rl_vec3 mean = rl_scale(0.5, rl_add(state->kicked[i], state->velocities[i]));
      state->points[i].w = 1.0 / state->masses[i];
      loss += h * drags[i] * rl_dot(through, rl_sub(mean, state->wind));
      state->work -= h * drags[i] * rl_dot(through, state->wind);
    }
  }
  return loss;
}

void rl_state_drift(const rl_model *model, rl_state *state, double h) {
  for (uint32_t i = 0; i < model->place_count; i++) {
    rl_move(&state->points[i], rl_scale(h, state->velocities[i]));
  }
  rl_rotation_drift(model, state, h);
  rl_state_reel(model, state, h);
}

void rl_state_reel(const rl_model *model, rl_state *state, double h) {
  for (uint32_t k = 0; k < model->event_count && state->fed_links; k++) {
    const uint32_t i = rl_fed_link(state, k);
    if (i != RL_NONE) {
      state->links[i].rest += h * state->feeds[i];
      state->links[i].compliance =
          state->links[i].rest / model->ropes[model->link_rope[i]].stiffness;
    }
  }
  for (uint32_t i = 0; i < model->rope_count && state->reels; i++) {
    const rl_rope *rope = &model->ropes[i];
    if (!rope->is_reeled || rope->is_fed || rl_rope_elements(model, state, i) == 0) {
      continue;
    }
    rl_link *link = &state->links[rope->first_link];
    link->rest += h * (state->reels[i][0] + state->reels[i][1]);
    link->compliance = link->rest / rope->stiffness;
    if (rope->wrap_capacity > 0 && state->wrap_counts[i] > 0) { // the last piece is its own
      state->wraps[rope->first_wrap + state->wrap_counts[i] - 1].rest += h * state->reels[i][1];
    }
  }
}

rl_vec3 rl_vertex_position(const rl_model *model, const rl_state *state, rl_vertex vertex,
                           const rl_point *points) {
  if (vertex.slot == RL_NONE) {
    return vertex.offset;
  }
  const rl_vec3 centre = rl_position(&points[vertex.slot]);
  if (!rl_slot_body(model, vertex.slot)) {
    return centre;
  }
  const rl_quat rotation = rl_body_rotation(model, state, points, vertex.slot - model->node_count);
  return rl_add(centre, rl_rotate(rotation, vertex.offset));
}
