// SPDX-License-Identifier: GPL-3.0-or-later
#include "islands.h"

// Of a unit force: what a row pulls all that it joins, and more than rounding, is from outside.
static const double outer_pull = 1e-9;

uint32_t rl_island_of(rl_rows *rows, uint32_t slot) {
  uint32_t *islands = rows->islands;
  while (islands[slot] != slot) {
    islands[slot] = islands[islands[slot]];
    slot = islands[slot];
  }
  return slot;
}

void rl_islands_join(rl_rows *rows, uint32_t slot, uint32_t other) {
  rows->islands[rl_island_of(rows, slot)] = rl_island_of(rows, other);
}

static void join_row(const rl_model *model, rl_rows *rows, const rl_row *row) {
  const rl_entry *entries = &rows->entries[row->first_entry];
  rl_vec3 pull = {0.0, 0.0, 0.0};
  for (uint32_t i = 0; i < row->entry_count; i++) {
    rl_islands_join(rows, entries[0].slot, entries[i].slot);
    pull = entries[i].slot < model->place_count ? rl_add(pull, entries[i].force) : pull;
  }
  if (rl_length(pull) > outer_pull) {
    rl_islands_join(rows, entries[0].slot, model->slot_count);
  }
}

void rl_islands_find(const rl_model *model, const rl_state *state, rl_rows *rows) {
  const uint32_t outside = model->slot_count;
  rows->islands[outside] = outside;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    rows->islands[i] = state->points[i].w > 0.0 ? i : outside;
  }
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      rl_islands_join(rows, state->links[k].a, state->links[k].b);
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      join_row(model, rows, &rows->rows[k]);
    }
  }
}
