// SPDX-License-Identifier: GPL-3.0-or-later
#include "change_text.h"

#include <stdio.h>
#include <string.h>

// Returns the name of the rope end that a change is about.
static const char *end_name(const rl_change *c) {
  const char *other = c->kind == RL_CHANGE_EMPTY ? "inside" : "between";
  return c->element == 0 ? "from" : c->element == 1 ? "to" : other;
}

// Describes the winch that has run out of rope.
static void name_winch(const rl_change *c, const char *rope, char *text, size_t size) {
  if (c->element == RL_NONE) {
    snprintf(text, size, "the winch inside rope '%s'", rope);
  } else {
    snprintf(text, size, "the winch at end '%s' of rope '%s'", end_name(c), rope);
  }
}
json_t *rl_change_to_json(const rl_change *c, const rl_model *model) {
  static const char *const kinds[] = {[RL_CHANGE_TORN] = "torn",
                                      [RL_CHANGE_CUT] = "cut",
                                      [RL_CHANGE_RELEASED] = "released",
                                      [RL_CHANGE_UNMET] = "no spare node",
                                      [RL_CHANGE_UNGROWN] = "no spare node to grow by",
                                      [RL_CHANGE_EMPTY] = "no rope left",
                                      [RL_CHANGE_DRAWN] = "drawn into its eye"};
  json_t *out = json_pack("{s:s, s:f}", "change", kinds[c->kind], "time_s", c->time);
  if (c->rope == RL_NONE) {
    json_object_set_new(out, "body", json_string(model->bodies[c->body].name));
  } else {
    json_object_set_new(out, "rope", json_string(model->ropes[c->rope].name));
  }
  const bool is_of_end =
      c->kind == RL_CHANGE_RELEASED || c->kind == RL_CHANGE_EMPTY || c->kind == RL_CHANGE_DRAWN;
  if (c->rope != RL_NONE && is_of_end) {
    json_object_set_new(out, "end", json_string(end_name(c)));
    if (c->kind == RL_CHANGE_EMPTY) {
      json_object_set_new(out, "length_m", json_real(c->length));
    }
    if (c->kind == RL_CHANGE_DRAWN) {
      json_object_set_new(out, "tension_N", json_real(c->tension));
    }
  } else if (c->rope != RL_NONE) {
    json_object_set_new(out, "element", json_integer(c->element));
    json_object_set_new(out, "tension_N", json_real(c->tension));
  }
  return out;
}

void rl_change_describe(const rl_change *c, const rl_model *model, char *text, size_t size) {
  const char *rope = c->rope == RL_NONE ? "" : model->ropes[c->rope].name;
  size_t used;
  switch (c->kind) {
  case RL_CHANGE_TORN:
    snprintf(text, size, "rope '%s' tore at element %u, at %.6g N", rope, c->element, c->tension);
    break;
  case RL_CHANGE_CUT:
    snprintf(text, size, "rope '%s' was cut at element %u", rope, c->element);
    break;
  case RL_CHANGE_RELEASED:
    if (c->rope == RL_NONE) {
      snprintf(text, size, "body '%s' was let go", model->bodies[c->body].name);
    } else {
      snprintf(text, size, "end '%s' of rope '%s' was let go", end_name(c), rope);
    }
    break;
  case RL_CHANGE_EMPTY:
    name_winch(c, rope, text, size);
    used = strlen(text);
    snprintf(text + used, size - used,
             " has no rope left to take in within a step: %.6g m, and stops", c->length);
    break;
  case RL_CHANGE_DRAWN:
    if (c->element == RL_NONE) {
      snprintf(text, size, "two eyes of rope '%s' are drawn together, at %.6g N, and the run stops",
               rope, c->tension);
    } else {
      snprintf(text, size,
               "end '%s' of rope '%s' is drawn into its eye, at %.6g N, and the run stops",
               end_name(c), rope, c->tension);
    }
    break;
  case RL_CHANGE_UNGROWN:
    snprintf(text, size, "rope '%s' has no spare node left to grow by at element %u%s", rope,
             c->element,
             model->ropes[c->rope].stops_run ? ", and the run stops"
                                             : " and goes on with longer elements there");
    break;
  default:
    snprintf(text, size, "rope '%s' has no spare node left to part at element %u%s", rope,
             c->element,
             model->ropes[c->rope].stops_run ? ", and the run stops" : " and goes on whole");
  }
}
