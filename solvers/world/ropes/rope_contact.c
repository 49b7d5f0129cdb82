// SPDX-License-Identifier: GPL-3.0-or-later
#include "rope_contact_internal.h"

#include "../model/definition.h"

// Relative to the contact distance: axes nearer to each other than this define no normal.
static const double touching_axes = 1e-9;

// Share of the penetration at the start of a step that is removed in it: all at once would throw
// the ropes apart (Baumgarte stabilisation; Catto 2014 uses the same value).
static const double recovery = 0.2;

// Margin, relative to the length of an element, for deciding that two elements are nearest at an
// end: less may be rounding if they are nearly parallel.
static const double end_guard = 1e-4;

// Relative to the contact distance: elements with a smaller gap have met. Elements that only graze
// approach by ever smaller advances, and count as met after so many.
static const double meeting_gap = 1e-3;
enum { ADVANCES = 32 };

// Returns the largest relative speed of an end of one element and an end of another [m/s].
static double closing_speed(const rl_tangle_motion *a, const rl_tangle_motion *b) {
  double square = 0.0;
  for (size_t i = 0; i < 4; i++) {
    const rl_vec3 v = rl_sub(a->ends[i / 2], b->ends[i % 2]);
    square = rl_larger(square, rl_dot(v, v));
  }
  return sqrt(square);
}

// Returns the first end of an element some time later, if it moves uniformly [m].
static rl_vec3 from_after(const rl_tangle *t, uint32_t i, double time) {
  return rl_add_scaled(t->axes[i].at.from, time, t->motions[i].ends[0]);
}

// Returns the axis of an element some time later, if it moves uniformly.
static rl_segment axis_after(const rl_tangle *t, uint32_t i, double time) {
  const rl_vec3 turning = rl_sub(t->motions[i].ends[1], t->motions[i].ends[0]);
  return rl_segment_from(from_after(t, i, time), rl_add_scaled(t->axes[i].at.way, time, turning));
}

// The nearest points of two elements at a time after the start of the step [s].
typedef struct meeting {
  rl_nearest at;
  double distance, time;
} meeting;

static rl_nearest nearest_now(const rl_tangle *t, const rl_tangle_pair *p) {
  return rl_segments_nearest(&t->axes[p->later].at, &t->axes[p->earlier].at);
}

static meeting meeting_now(rl_nearest at) { return (meeting){at, rl_length(at.way), 0.0}; }

static meeting meeting_after(const rl_tangle *t, const rl_tangle_pair *p, double time) {
  const rl_segment a = axis_after(t, p->later, time), b = axis_after(t, p->earlier, time);
  const rl_nearest n = rl_segments_nearest(&a, &b);
  return (meeting){n, rl_length(n.way), time};
}

// Returns the contact distance of a pair, the sum of the radii [m].
static double radii(const rl_tangle *t, const rl_tangle_pair *p) {
  return t->axes[p->later].radius + t->axes[p->earlier].radius;
}

// (6) Returns the earliest time at which two elements that are apart can be within the contact
// distance [s]: planes across the vector between them separate the elements, and approach no faster
// than the ends do.
static double earliest(const rl_tangle *t, const rl_tangle_pair *p, const meeting *m) {
  const rl_vec3 *v = t->motions[p->later].ends, *w = t->motions[p->earlier].ends;
  const rl_vec3 n = rl_scale(1.0 / m->distance, m->at.way);
  const double speed =
      rl_larger(rl_dot(n, w[0]), rl_dot(n, w[1])) + rl_larger(-rl_dot(n, v[0]), -rl_dot(n, v[1]));
  const double gap = m->distance - radii(t, p);
  return speed > 0.0 ? m->time + gap / speed : INFINITY;
}

static bool is_fast(const rl_tangle *t, const rl_tangle_pair *p) {
  return t->fast[p->later] || t->fast[p->earlier];
}

// (6) Finds where two elements that are apart meet within the step if they move uniformly, by
// conservative advancement. Returns false if they do not, or if neither is fast, so that their
// present positions are enough.
static bool find_meeting(const rl_tangle *t, const rl_tangle_pair *p, meeting *m) {
  const double sum = radii(t, p);
  if (m->distance <= sum || !is_fast(t, p)) {
    return false;
  }
  meeting next = *m;
  for (int i = 0; i < ADVANCES && next.distance > (1.0 + meeting_gap) * sum; i++) {
    const double time = earliest(t, p, &next);
    if (!(time < t->dt)) {
      return false;
    }
    next = meeting_after(t, p, time);
  }
  *m = next;
  return true;
}

// Whether the element `beside` exists and is no neighbour of the partner.
static bool goes_on_apart(const rl_tangle *t, uint32_t beside, uint32_t partner) {
  return beside != RL_NONE &&
         !rl_tangle_are_neighbours(&t->elements[beside], &t->elements[partner]);
}

// Whether a contact at an end of an element is redundant, because the element beside that end has
// it: the distance along a rope is least inside an element or at a node, and a node belongs to the
// element behind it. `way`: from the partner to this element [m].
static inline bool end_is_idle(const rl_tangle *t, uint32_t index, uint32_t partner,
                               double fraction, rl_vec3 way, double time) {
  const rl_tangle_element *e = &t->elements[index];
  if (fraction >= 1.0) {
    return goes_on_apart(t, e->after, partner);
  }
  if (!(fraction <= 0.0) || !goes_on_apart(t, e->before, partner)) {
    return false;
  }
  const rl_vec3 from = from_after(t, e->before, time);
  return rl_dot(rl_sub(from, from_after(t, index, time)), way) < 0.0;
}

static bool later_is_idle(const rl_tangle *t, const rl_tangle_pair *p, const rl_nearest *n,
                          double time) {
  return end_is_idle(t, p->later, p->earlier, n->first, n->way, time);
}

static bool earlier_is_idle(const rl_tangle *t, const rl_tangle_pair *p, const rl_nearest *n,
                            double time) {
  return end_is_idle(t, p->earlier, p->later, n->second, rl_scale(-1.0, n->way), time);
}

static bool is_idle(const rl_tangle *t, const rl_tangle_pair *p, const rl_nearest *n, double time) {
  return later_is_idle(t, p, n, time) || earlier_is_idle(t, p, n, time);
}

// (7) Returns by how much ends can move in sum while the other element stays beyond the plane
// through `end` across `way` [m]; negative if it is not beyond it now.
static double beyond(rl_vec3 end, rl_vec3 way, const rl_segment *other) {
  const rl_vec3 from = rl_sub(other->from, end), to = rl_add(from, other->way);
  const double first = rl_dot(from, way), second = rl_dot(to, way);
  const double least = first < second ? first : second;
  if (!(least > 0.0)) {
    return -1.0;
  }
  const double length = rl_length(way);
  const double scale = length + sqrt(rl_larger(rl_dot(from, from), rl_dot(to, to)));
  return fmin(0.5 * length, 0.5 * least / scale - end_guard * length);
}

// (7) Returns by how much ends can move in sum while a contact at an end of an element stays
// redundant [m]; negative if unknown.
static double idle_slack(const rl_tangle *t, uint32_t index, uint32_t partner, double fraction) {
  const rl_segment *at = &t->axes[index].at, *other = &t->axes[partner].at;
  if (fraction >= 1.0) {
    return beyond(rl_segment_end(at), at->way, other);
  }
  const uint32_t before = t->elements[index].before;
  const double slack = beyond(at->from, rl_scale(-1.0, at->way), other);
  return before + 1 != index || !(slack > 0.0)
             ? -1.0
             : fmin(slack, beyond(at->from, rl_sub(t->axes[before].at.from, at->from), other));
}

// (7) Sets the range up to which a pair that is no contact now cannot become one: elements approach
// no further than they move; and while the contact is redundant, `slack`, its distance does not
// matter.
static void set_aside(const rl_tangle *t, const rl_tangle_pair *p, const rl_nearest *n,
                      double slack, rl_tangle_listed *l) {
  const double sum = radii(t, p), moved = t->moved[p->later] + t->moved[p->earlier];
  const double most = fmin(t->axes[p->later].radius, t->axes[p->earlier].radius);
  const double idle =
      slack > 0.0 ? sum + rl_tangle_margin(sum, t->dt, 0.0) + fmin(slack, most) : 0.0;
  const double until = (1.0 - rl_tangle_rounding) * (moved + rl_larger(rl_length(n->way), idle));
  l->until = until > (double)l->until ? (float)until : l->until;
}

// (2) Returns the normal, from the earlier to the later element. If their axes have passed through
// each other, it stays on the side on which they were, as long as they overlap.
static rl_vec3 find_normal(const rl_tangle *t, const rl_tangle_pair *p, const rl_nearest *n,
                           double distance, rl_vec3 side) {
  const double sum = radii(t, p);
  rl_vec3 normal = rl_scale(distance > 0.0 ? 1.0 / distance : 0.0, n->way);
  if (!(distance > touching_axes * sum)) {
    const rl_vec3 u = t->axes[p->later].at.way, v = t->axes[p->earlier].at.way;
    normal = rl_unit(rl_cross(rl_unit(u), rl_unit(v)));
    normal = rl_is_zero(normal) ? side : normal;
    normal = rl_is_zero(normal) ? rl_across(rl_unit(u)) : normal;
  }
  const bool inside = n->first > 0.0 && n->first < 1.0 && n->second > 0.0 && n->second < 1.0;
  const bool crossed = rl_dot(normal, side) < 0.0 && (inside || distance < sum);
  return crossed ? rl_scale(-1.0, normal) : normal;
}

// (2)
static void find_foot(const rl_rows *rows, const rl_tangle_pair *p, const meeting *m, bool idle,
                      rl_vec3 side, rl_foot *foot) {
  const double sum = radii(rows->tangle, p);
  foot->normal = find_normal(rows->tangle, p, &m->at, m->distance, side);
  foot->fraction = m->at.first;
  foot->other_fraction = m->at.second;
  foot->is_idle = idle;
  foot->radius = sum;
  const double depth = rl_larger(sum - rl_dot(foot->normal, m->at.way), 0.0);
  foot->kept_depth = rows->keeps_depth ? (1.0 - recovery) * depth : 0.0;
}

// (4) Whether two elements can touch within the step; a redundant contact only counts within the
// travel.
static bool can_touch(const rl_tangle *t, const rl_tangle_pair *p, double distance, bool idle) {
  const double sum = radii(t, p);
  if (distance <= sum + rl_tangle_margin(sum, t->dt, 0.0) && !idle) {
    return true;
  }
  const double travel =
      2.0 * t->dt * (closing_speed(&t->motions[p->later], &t->motions[p->earlier]) + t->fall);
  return distance <= sum + (idle ? travel : rl_tangle_margin(sum, t->dt, travel));
}

// Returns the side of an old contact between these two elements or their neighbours, for a contact
// that has slid from one element to the next; 0 if there was none.
static rl_vec3 inherited_side(const rl_old_contacts *old, const rl_contact *contact) {
  const rl_contact *all = old->contacts;
  uint64_t i = old->at;
  while (i > 0 && all[i - 1].rope == contact->rope && all[i - 1].node + 1 >= contact->node) {
    i--;
  }
  for (; i < old->count && all[i].rope == contact->rope && all[i].node <= contact->node + 1; i++) {
    const uint32_t apart = all[i].other > contact->other ? all[i].other - contact->other
                                                         : contact->other - all[i].other;
    if (rl_is_of_ropes(&all[i]) && apart <= 1) {
      return old->sides[i];
    }
  }
  return (rl_vec3){0.0, 0.0, 0.0};
}

// Adds the contact of a pair, whose nearest points now are `nearest`, if it is one. Returns false
// if there is no room.
static bool detect_elements(const rl_model *model, rl_state *state, rl_rows *rows,
                            const rl_tangle_pair *p, rl_nearest nearest) {
  rl_tangle *t = rows->tangle;
  meeting m = meeting_now(nearest);
  const double distance = m.distance;
  const bool meets = !rows->lists_idle && find_meeting(t, p, &m);
  const bool idle = is_idle(t, p, &m.at, m.time);
  if (idle && !rows->lists_idle) {
    return true;
  }
  if (!meets && !can_touch(t, p, distance, idle)) {
    return true;
  }
  if (t->contact_count == model->tangle_capacity) {
    return false;
  }
  const rl_tangle_element *e = &t->elements[p->later];
  const rl_contact contact = {.rope = e->rope,
                              .node = e->place,
                              .slot = e->slots[0],
                              .next = e->slots[1],
                              .body = RL_NONE,
                              .other = t->elements[p->earlier].link};
  const uint64_t i = state->contact_count;
  rl_foot *foot = rl_contact_add(model, state, rows, &contact);
  const bool known = rows->contact_before[i] != RL_NONE;
  const bool deep = distance < 0.5 * radii(t, p);
  const rl_vec3 side = known  ? rows->old.sides[rows->old.at]
                       : deep ? inherited_side(&rows->old, &contact)
                              : rl_vec(0.0, 0.0, 0.0);
  find_foot(rows, p, &m, idle, side, foot);
  state->sides[i] = foot->normal;
  t->members[i] = *p;
  t->contact_count++;
  return true;
}

bool rl_detect_ropes(const rl_model *model, rl_state *state, rl_rows *rows, uint32_t index) {
  const rl_tangle *t = rows->tangle;
  const float range = t->ranges[index];
  bool complete = true;
  for (uint32_t k = t->first[index]; k < t->first[index + 1] && complete; k++) {
    rl_tangle_listed *l = &t->pairs[k];
    if (l->until > range + t->ranges[l->earlier]) { // true for most pairs
      continue;
    }
    const rl_tangle_pair p = {index, l->earlier};
    const rl_nearest nearest = nearest_now(t, &p);
    if (rows->lists_idle || is_fast(t, &p)) {
      complete = detect_elements(model, state, rows, &p, nearest);
      continue;
    }
    const bool later = later_is_idle(t, &p, &nearest, 0.0);
    const bool earlier = later ? false : earlier_is_idle(t, &p, &nearest, 0.0);
    if (later || earlier) {
      const double slack = later ? idle_slack(t, index, l->earlier, nearest.first)
                                 : idle_slack(t, l->earlier, index, nearest.second);
      set_aside(t, &p, &nearest, slack, l);
    } else {
      complete = detect_elements(model, state, rows, &p, nearest);
    }
  }
  return complete;
}

void rl_detect_ropes_again(const rl_model *model, const rl_state *state, rl_rows *rows,
                           uint64_t contact) {
  const rl_tangle *t = rows->tangle;
  const rl_tangle_pair *p = &t->members[contact];
  const meeting m = meeting_now(nearest_now(t, p));
  rl_foot *foot = &rows->feet[contact];
  find_foot(rows, p, &m, is_idle(t, p, &m.at, 0.0), foot->normal, foot);
  rl_row_freeze(model, state, rows, &rows->rows[rows->span_count + contact]);
}

double rl_rope_pair_friction(const rl_model *model, const rl_contact *contact) {
  return rl_pair_friction(model->ropes[contact->rope].friction,
                          model->ropes[model->link_rope[contact->other]].friction);
}

void rl_add_rope_row(const rl_model *model, const rl_state *state, rl_rows *rows,
                     const rl_contact *contact, uint32_t i) {
  const rl_link *other = &state->links[contact->other];
  rl_row *row = rl_rows_add(rows, RL_ROW_CONTACT, model->link_count + i, i);
  row->friction = rl_rope_pair_friction(model, contact);
  const uint32_t slots[4] = {contact->slot, contact->next, other->a, other->b};
  bool between_nodes = true;
  for (size_t k = 0; k < 4; k++) {
    between_nodes = between_nodes && rl_node_vertex(model, slots[k]).slot < model->node_count;
  }
  for (uint32_t k = 0; k < 4 && between_nodes; k++) { // rl_row_evaluate fills in the entries
    rows->vertices[row->first_vertex + k] = (rl_vertex){slots[k], {0.0, 0.0, 0.0}};
  }
  for (size_t k = 0; k < 4 && !between_nodes; k++) {
    rl_row_add_vertex(model, rows, row, rl_node_vertex(model, slots[k]));
  }
  row->vertex_count = 4;
  row->entry_count = between_nodes ? 4 : row->entry_count;
  rl_row_freeze(model, state, rows, row);
}
