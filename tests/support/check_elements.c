// SPDX-License-Identifier: GPL-3.0-or-later
// That the elements of ropes hold together, whatever has parted.
#include "check.h"

#include "world/ropes/elements.h"

#include <stdlib.h>

static bool wrong(char *message, size_t size, const rl_model *model, uint32_t rope, uint32_t i,
                  const char *what) {
  snprintf(message, size, "rope '%s', element %u: %s", model->ropes[rope].name, i, what);
  return false;
}

// Marks the node at one end of an element: bit 0 if an element begins there, bit 1 if one ends.
// Returns what is wrong with it, or NULL.
static const char *mark_node(const rl_model *model, const rl_state *state, uint32_t rope,
                             uint32_t slot, unsigned char mark, unsigned char *marks) {
  if (slot >= model->place_count) {
    return "its node does not exist";
  }
  const double mass = state->masses[slot], w = state->points[slot].w;
  if (w > 0.0 ? fabs(mass * w - 1.0) > 1e-15 : mass != 0.0) {
    return "mass and inverse mass of its node disagree";
  }
  if (slot >= model->node_count || model->node_rope[slot] != rope) {
    return NULL; // shared with others
  }
  if (marks[slot] & mark) {
    return "its node has a place on the rope already";
  }
  marks[slot] = (unsigned char)(marks[slot] | mark);
  return NULL;
}

static bool check_rope(const rl_model *model, const rl_state *state, uint32_t rope,
                       unsigned char *marks, char *message, size_t size) {
  const uint32_t count = rl_rope_elements(model, state, rope);
  for (uint32_t k = 0; state->spares && k < state->spare_counts[rope]; k++) {
    const uint32_t spare = state->spares[model->ropes[rope].first_in_pool + k];
    if (marks[spare] || model->node_rope[spare] != rope || state->points[spare].w != 0.0) {
      return wrong(message, size, model, rope, 0, "a spare node is in use");
    }
    marks[spare] = 3;
  }
  uint32_t nodes = 0, next = RL_NONE;
  for (uint32_t i = 0; i < count; i++) {
    const rl_link *link = &state->links[model->ropes[rope].first_link + i];
    const char *what = mark_node(model, state, rope, link->a, 1, marks);
    what = what ? what : mark_node(model, state, rope, link->b, 2, marks);
    what = what || link->rest > 0.0 ? what : "its rest length is not above 0";
    if (what) {
      return wrong(message, size, model, rope, i, what);
    }
    next = rl_element_next(model, state, rope, i);
    nodes += next == RL_NONE ? 2 : 1;
    if (next != RL_NONE && rl_element_before(model, state, rope, next) != i) {
      return wrong(message, size, model, rope, i, "the way back leads elsewhere");
    }
  }
  return nodes == rl_rope_nodes(model, state, rope) ||
         wrong(message, size, model, rope, count, "nodes and elements do not match");
}

// Checks that eyes are in the order of the rope.
static bool check_eyes(const rl_model *model, const rl_state *state, uint32_t rope, char *message,
                       size_t size) {
  const rl_rope *r = &model->ropes[rope];
  uint32_t last = 0;
  for (uint32_t k = r->first_eye; k < r->first_eye + r->ring_count; k++) {
    const uint32_t i = state->eye_elements[k];
    if (i != RL_NONE && (i < last || i >= rl_rope_elements(model, state, rope))) {
      return wrong(message, size, model, rope, i, "its eye is out of order");
    }
    last = i == RL_NONE ? last : i;
  }
  return true;
}

void check_elements(const rl_driver *driver) {
  const rl_model *model = driver->model;
  const rl_state *state = driver->state;
  char message[256] = "";
  unsigned char *marks = calloc(model->node_count + 1, 1);
  assert_non_null(marks);
  bool good = true;
  for (uint32_t r = 0; r < model->rope_count && good; r++) {
    good = check_rope(model, state, r, marks, message, sizeof message) &&
           check_eyes(model, state, r, message, sizeof message);
  }
  free(marks);
  if (!good) {
    print_error("step %llu: observed %s, expected elements that hold together\n",
                (unsigned long long)state->step, message);
    fail();
  }
}
