// SPDX-License-Identifier: GPL-3.0-or-later
// Reads events.
#include "fields.h"

// The keys of an event.
typedef struct event {
  double at, from, until;
  uint32_t body, rope;
  size_t segment;
  unsigned end;
  double rate, max_tension, at_length, duration;
  rl_vec3 point, normal, value, wind, swipe_from, swipe_to, view;
} event;

static const char *const ends[] = {"from", "to", NULL};

static bool read_body_index(rl_reader *reader, const rl_tree *node, void *target) {
  return rl_read_body_name(reader, node, target);
}

static bool read_rope_index(rl_reader *reader, const rl_tree *node, void *target) {
  return rl_read_rope_name(reader, node, target);
}

#define AT(member) offsetof(event, member)
#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static const rl_field plane_fields[] = {
    {"point", RL_FIELD_VECTOR, true, RL_ANY, "m", AT(point), NULL, NULL},
    {"normal", RL_FIELD_VECTOR, true, RL_ANY, "1", AT(normal), NULL, NULL},
};

static bool read_plane(rl_reader *reader, const rl_tree *node, void *target) {
  event *e = target;
  return rl_read_fields(reader, node, node, "a cutting plane", plane_fields, COUNT(plane_fields),
                        e) &&
         rl_check_direction(reader, rl_tree_value(node, "normal"), "normal", e->normal);
}

static const rl_field swipe_fields[] = {
    {"from", RL_FIELD_VECTOR, true, RL_ANY, "m", AT(swipe_from), NULL, NULL},
    {"to", RL_FIELD_VECTOR, true, RL_ANY, "m", AT(swipe_to), NULL, NULL},
    {"view", RL_FIELD_VECTOR, true, RL_ANY, "1", AT(view), NULL, NULL},
    {"duration", RL_FIELD_NUMBER, false, RL_NOT_NEGATIVE, "s", AT(duration), NULL, NULL},
};

static bool read_swipe(rl_reader *reader, const rl_tree *node, void *target) {
  event *e = target;
  if (!rl_read_fields(reader, node, node, "a swipe", swipe_fields, COUNT(swipe_fields), e) ||
      !rl_check_direction(reader, rl_tree_value(node, "view"), "view", e->view)) {
    return false;
  }
  const rl_vec3 way = rl_sub(e->swipe_to, e->swipe_from);
  if (!isfinite(rl_length(way))) {
    return rl_fail(reader, rl_tree_value(node, "to"),
                   "to: so far from 'from' that their distance cannot be computed; expected a "
                   "nearer point");
  }
  return rl_length(rl_cross(rl_unit(way), rl_unit(e->view))) > 1e-9 ||
         rl_fail(
             reader, rl_tree_value(node, "to"),
             "to: seen along 'view' it is where 'from' is, and nothing is cut; expected a point "
             "beside it");
}

static const rl_field cut_fields[] = {
    {"rope", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(rope), NULL, read_rope_index},
    {"segment", RL_FIELD_COUNT, false, RL_ANY, "1", AT(segment), NULL, NULL},
    {"plane", RL_FIELD_OTHER, false, RL_ANY, NULL, 0, NULL, read_plane},
    {"swipe", RL_FIELD_OTHER, false, RL_ANY, NULL, 0, NULL, read_swipe},
};

static bool check_cut_segment(rl_reader *reader, const rl_tree *node, const event *e) {
  const rl_tree *segment = rl_tree_value(node, "segment");
  if (!segment) {
    return rl_fail(reader, node, "a cut of a rope needs 'segment'");
  }
  const size_t count = reader->rope_definitions[e->rope].segments;
  if (count <= 1 && e->segment > 0) {
    return rl_fail(reader, segment, "segment: rope '%.40s' has the one segment 0, found %zu",
                   reader->rope_names[e->rope], e->segment);
  }
  if (count > 1 && e->segment >= count) {
    return rl_fail(reader, segment, "segment: rope '%.40s' has segments 0 to %zu, found %zu",
                   reader->rope_names[e->rope], count - 1, e->segment);
  }
  return true;
}

static bool read_cut(rl_reader *reader, const rl_tree *node, void *target) {
  event *e = target;
  if (!rl_read_fields(reader, node, node, "a cut", cut_fields, COUNT(cut_fields), e) ||
      !rl_check_exclusive(reader, node, "rope", "plane") ||
      !rl_check_exclusive(reader, node, "rope", "swipe") ||
      !rl_check_exclusive(reader, node, "segment", "plane") ||
      !rl_check_exclusive(reader, node, "segment", "swipe") ||
      !rl_check_exclusive(reader, node, "plane", "swipe")) {
    return false;
  }
  if (rl_tree_value(node, "rope")) {
    return check_cut_segment(reader, node, e);
  }
  if (!rl_tree_value(node, "plane") && !rl_tree_value(node, "swipe")) {
    return rl_fail(reader, node, "a cut needs {rope, segment}, {plane} or {swipe}");
  }
  return true;
}

static const rl_field release_fields[] = {
    {"rope", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(rope), NULL, read_rope_index},
    {"end", RL_FIELD_CHOICE, false, RL_ANY, NULL, AT(end), ends, NULL},
    {"body", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(body), NULL, read_body_index},
};

// Checks that a rope has ends to release or to feed.
static bool check_rope_end(rl_reader *reader, const rl_tree *node, const event *e) {
  const rl_tree *end = rl_tree_value(node, "end");
  if (end && rl_tree_value(node, "rope") && reader->rope_definitions[e->rope].closed) {
    return rl_fail(reader, end, "end: rope '%.40s' is closed and has none",
                   reader->rope_names[e->rope]);
  }
  return true;
}

static bool read_release(rl_reader *reader, const rl_tree *node, void *target) {
  if (!rl_read_fields(reader, node, node, "a release", release_fields, COUNT(release_fields),
                      target) ||
      !rl_check_exclusive(reader, node, "rope", "body") ||
      !rl_check_exclusive(reader, node, "end", "body")) {
    return false;
  }
  const bool rope = rl_tree_value(node, "rope") && rl_tree_value(node, "end");
  if (!rope && !rl_tree_value(node, "body")) {
    return rl_fail(reader, node, "a release needs {rope, end} or {body}");
  }
  return check_rope_end(reader, node, target);
}

static const rl_field winch_fields[] = {
    {"rope", RL_FIELD_OTHER, true, RL_ANY, NULL, AT(rope), NULL, read_rope_index},
    {"end", RL_FIELD_CHOICE, false, RL_ANY, NULL, AT(end), ends, NULL},
    {"at_length", RL_FIELD_NUMBER, false, RL_NOT_NEGATIVE, "m", AT(at_length), NULL, NULL},
    {"rate", RL_FIELD_NUMBER, true, RL_ANY, "m/s", AT(rate), NULL, NULL},
    {"max_tension", RL_FIELD_NUMBER, false, RL_POSITIVE, "N", AT(max_tension), NULL, NULL},
};

static bool read_winch(rl_reader *reader, const rl_tree *node, void *target) {
  if (!rl_read_fields(reader, node, node, "a winch", winch_fields, COUNT(winch_fields), target)) {
    return false;
  }
  if (!rl_tree_value(node, "end") && !rl_tree_value(node, "at_length")) {
    return rl_fail(reader, node, "a winch needs 'end' or 'at_length'");
  }
  return check_rope_end(reader, node, target);
}

static const rl_field force_fields[] = {
    {"body", RL_FIELD_OTHER, true, RL_ANY, NULL, AT(body), NULL, read_body_index},
    {"value", RL_FIELD_VECTOR, true, RL_ANY, "N", AT(value), NULL, NULL},
};

static bool read_force(rl_reader *reader, const rl_tree *node, void *target) {
  return rl_read_fields(reader, node, node, "a force", force_fields, COUNT(force_fields), target);
}

static const rl_field event_fields[] = {
    {"cut", RL_FIELD_OTHER, false, RL_ANY, NULL, 0, NULL, read_cut},
    {"release", RL_FIELD_OTHER, false, RL_ANY, NULL, 0, NULL, read_release},
    {"winch", RL_FIELD_OTHER, false, RL_ANY, NULL, 0, NULL, read_winch},
    {"force", RL_FIELD_OTHER, false, RL_ANY, NULL, 0, NULL, read_force},
    {"wind", RL_FIELD_VECTOR, false, RL_ANY, "m/s", AT(wind), NULL, NULL},
    {"at", RL_FIELD_NUMBER, false, RL_NOT_NEGATIVE, "s", AT(at), NULL, NULL},
    {"from", RL_FIELD_NUMBER, false, RL_NOT_NEGATIVE, "s", AT(from), NULL, NULL},
    {"until", RL_FIELD_NUMBER, false, RL_NOT_NEGATIVE, "s", AT(until), NULL, NULL},
};

#undef AT

// The actions, which are the first of event_fields. The first MOMENTARY_COUNT of them happen at a
// time, the others last from one time to another.
enum { CUT, RELEASE, WINCH, FORCE, WIND, ACTION_COUNT, MOMENTARY_COUNT = WINCH };

// Returns the index of the only action of an event; ACTION_COUNT with a fault.
static size_t find_action(rl_reader *reader, const rl_tree *node) {
  size_t action = ACTION_COUNT;
  for (size_t i = 0; i < ACTION_COUNT; i++) {
    const char *name = event_fields[i].name;
    if (!rl_tree_value(node, name)) {
      continue;
    }
    if (action < ACTION_COUNT &&
        !rl_check_exclusive(reader, node, event_fields[action].name, name)) {
      return ACTION_COUNT;
    }
    action = i;
  }
  if (action == ACTION_COUNT) {
    rl_fail(reader, node, "an event needs one of cut, release, winch, force, wind");
  }
  return action;
}

static bool check_times(rl_reader *reader, const rl_tree *node, const event *e, size_t action) {
  static const char *const keys[] = {"at", "from", "until"};
  const bool momentary = action < MOMENTARY_COUNT;
  for (size_t i = 0; i < COUNT(keys); i++) {
    const bool wanted = (i == 0) == momentary;
    const rl_tree *key = rl_tree_key(node, keys[i]);
    if (wanted != (key != NULL)) {
      return rl_fail(reader, key ? key : node, "a %s has %s", event_fields[action].name,
                     momentary ? "a time 'at'" : "times 'from' and 'until'");
    }
  }
  if (!momentary && e->until <= e->from) {
    return rl_fail(reader, rl_tree_value(node, "until"),
                   "until: expected a time later than 'from', %g s, found %g", e->from, e->until);
  }
  return true;
}

// Converts an event to the form of the driver; its keys decide between the kinds of cuts and
// releases.
static rl_event make_event(const rl_tree *node, const event *e, size_t action) {
  const rl_tree *what = rl_tree_value(node, event_fields[action].name);
  rl_event out = {.from = action < MOMENTARY_COUNT ? e->at : e->from, .until = e->until};
  out.rope = e->rope;
  out.body = e->body;
  switch (action) {
  case CUT:
    out.kind = rl_tree_value(what, "rope")    ? RL_EVENT_CUT
               : rl_tree_value(what, "plane") ? RL_EVENT_CUT_PLANE
                                              : RL_EVENT_CUT_SWIPE;
    out.element = (uint32_t)e->segment;
    out.point = out.kind == RL_EVENT_CUT_PLANE ? e->point : e->swipe_from;
    out.normal = out.kind == RL_EVENT_CUT_PLANE ? e->normal : e->view;
    out.to = e->swipe_to;
    out.duration = e->duration;
    break;
  case RELEASE:
    out.kind = rl_tree_value(what, "rope") ? RL_EVENT_RELEASE_END : RL_EVENT_RELEASE_BODY;
    out.end = e->end;
    break;
  case WINCH:
    out.kind = RL_EVENT_WINCH;
    out.end = e->end;
    out.is_inside = rl_tree_value(what, "at_length") != NULL;
    out.at_length = e->at_length;
    out.rate = e->rate;
    out.max_tension = rl_tree_value(what, "max_tension") ? e->max_tension : INFINITY;
    break;
  case FORCE:
    out.kind = RL_EVENT_FORCE;
    out.value = e->value;
    break;
  default:
    out.kind = RL_EVENT_WIND;
    out.value = e->wind;
  }
  return out;
}

// Checks that bodies and ropes of an event suit it.
static bool check_named(rl_reader *reader, const rl_tree *node, const rl_event *e) {
  if (e->kind == RL_EVENT_RELEASE_BODY) {
    const rl_body_definition *body = &reader->body_definitions[e->body];
    const rl_tree *at = rl_tree_value(rl_tree_value(node, "release"), "body");
    return (body->motion == RL_FIXED ||
            rl_fail(reader, at, "release: body '%.40s' is not fixed; expected one that is",
                    body->name)) &&
           (!isnan(body->mass) ||
            rl_fail(reader, at,
                    "release: body '%.40s' has no mass; expected one that has, for the "
                    "time when it is free",
                    body->name));
  }
  if (e->kind == RL_EVENT_RELEASE_END) {
    const rl_rope_definition *rope = &reader->rope_definitions[e->rope];
    const rl_end *end = e->end == 0 ? &rope->from : &rope->to;
    const rl_tree *at = rl_tree_value(rl_tree_value(node, "release"), "end");
    return end->kind != RL_END_FREE ||
           rl_fail(reader, at, "end: nothing holds this end of rope '%.40s'", rope->name);
  }
  return true;
}

static bool read_event(rl_reader *reader, const rl_tree *node, rl_event *out) {
  event e = {0};
  if (!rl_read_fields(reader, node, node, "an event", event_fields, COUNT(event_fields), &e)) {
    return false;
  }
  const size_t action = find_action(reader, node);
  if (action == ACTION_COUNT || !check_times(reader, node, &e, action)) {
    return false;
  }
  *out = make_event(node, &e, action);
  return check_named(reader, node, out);
}

bool rl_read_events(rl_reader *reader, const rl_tree *events, rl_definition *definition) {
  if (!events || rl_tree_is_nothing(events)) {
    return true;
  }
  if (!rl_expect_list(reader, events, "events", "events")) {
    return false;
  }
  rl_event *list = rl_allocate(reader, events->count, sizeof *list);
  for (size_t i = 0; i < events->count; i++) {
    if (!list || !read_event(reader, events->items[i], &list[i])) {
      return false;
    }
    definition->event_count++;
  }
  definition->events = list;
  return true;
}
