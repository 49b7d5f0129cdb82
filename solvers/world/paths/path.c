// SPDX-License-Identifier: GPL-3.0-or-later
// Newton's method for the places on lines and circles and the hinges between round items. Between
// two such nodes the rope has a closed form (path_link.c), so the second derivatives couple
// neighbours only. The equations are numbered as in papers/path.md.
#include "path.h"

#include "../trigonometry.h"

// The gradient is the sine of an angle between two pieces of rope: this is rounding ...
static const double converged = 1e-14;
// ... and this is good enough where rounding of large coordinates leaves no more.
static const double acceptable = 1e-9;
// Below this the path is near, and stays what it is: a path that is the shortest only in a plane is
// not left for another, unless there is none. Above, the search goes downhill.
static const double near = 1e-2;
// Of the length of a line: a place may be as far as this beyond its end; nearer to it than this it
// is in the corner; and of the way there a step goes so much at most.
static const double at_end = 1e-9;
static const double cornered = 1e-8;
static const double most_of_way = 0.9;
// A hinge is not put nearer to a surface than this [radii].
static const double least_gap = 1e-3;
// How far a place on a circle is moved from where the rope is the longest [rad].
static const double nudge = 1e-3;

enum { MOST_ITERATIONS = 200, MOST_HALVINGS = 12 };

// ---------------------------------------------------------------------------------------------
// Items and nodes

static bool is_round(const rl_path_item *item) {
  return item->kind == RL_PATH_SPHERE || item->kind == RL_PATH_CYLINDER;
}

// Item i is followed by a node of its own: it has one place, or is round like the next.
static bool has_node(const rl_path_item *items, size_t count, size_t i) {
  return !is_round(&items[i]) || (i + 1 < count && is_round(&items[i + 1]));
}

static size_t next_node(const rl_path_item *items, size_t count, size_t i) {
  i++;
  while (i < count && !has_node(items, count, i)) {
    i++;
  }
  return i;
}

static void put_node(rl_path_item *item) {
  double s, c;
  rl_path_node *node = &item->node;
  switch (item->kind) {
  case RL_PATH_POINT:
    node->place = item->at;
    node->freedom = 0;
    return;
  case RL_PATH_LINE:
    node->place = rl_add_scaled(item->at, item->along, item->axis);
    node->freedom = node->cornered ? 0 : 1;
    return;
  case RL_PATH_CIRCLE:
    rl_sincos(item->along, &s, &c);
    node->place = rl_add_scaled(rl_add_scaled(item->at, item->radius * c, item->reference),
                                item->radius * s, rl_cross(item->axis, item->reference));
    node->freedom = 1;
    return;
  case RL_PATH_SPHERE:
  case RL_PATH_CYLINDER:
    node->place = item->hinge;
    node->freedom = 2;
    return;
  }
}

// ---------------------------------------------------------------------------------------------
// Length and gradient

// The plane of an arc on a ball is that of the two points and the centre, the way round the one
// that it was.
static bool is_turned(rl_path_item *item, rl_vec3 p, rl_vec3 q) {
  const rl_vec3 a = rl_sub(p, item->at), b = rl_sub(q, item->at);
  const rl_vec3 across = rl_cross(a, b);
  const bool turned = rl_dot(across, item->side) < 0.0;
  // Where both points and the centre are in line, any plane will do: the last one is kept, or the
  // one that was asked for.
  if (rl_dot(across, across) > 1e-28 * rl_dot(a, a) * rl_dot(b, b)) {
    item->side = rl_unit(turned ? rl_scale(-1.0, across) : across);
  } else {
    const rl_vec3 u = rl_unit(a), last = rl_is_zero(item->side) ? item->reference : item->side;
    item->side = rl_unit(rl_add_scaled(last, -rl_dot(last, u), u));
    item->side = rl_is_zero(item->side) ? rl_any_across(u) : item->side;
  }
  return turned;
}

// The wrap on a ball. Below half a turn between the points it may be negative, above it cannot.
// Full turns are counted at the first look and kept: the search may lead far from there.
static bool lay_on_ball(rl_path_item *item, rl_vec3 p, rl_vec3 q, rl_path_arc *arc,
                        rl_path_link *link) {
  if (item->held) {
    const rl_path_round plane = {item->at, item->side, item->radius, false, false};
    arc->wrap = item->wrap;
    return rl_path_over_held(&plane, p, q, arc, link);
  }
  const double middle = is_turned(item, p, q) ? RL_PI : 0.0;
  const rl_path_round round = {item->at, item->side, item->radius, false, item->continues};
  arc->wrap = middle + 2.0 * RL_PI * fmax(item->node.turns, 0.0);
  if (!rl_path_over(&round, p, q, arc, link)) {
    return false;
  }
  if (item->node.turns < 0.0) {
    item->node.turns = fmax(floor((item->wrap - arc->wrap) / (2.0 * RL_PI) + 0.5), 0.0);
    arc->wrap = middle + 2.0 * RL_PI * item->node.turns;
    return rl_path_over(&round, p, q, arc, link);
  }
  return true;
}

static bool lay_on_drum(rl_path_item *item, rl_vec3 p, rl_vec3 q, rl_path_arc *arc,
                        rl_path_link *link) {
  const rl_path_round round = {item->at, rl_scale(item->sense, item->axis), item->radius, true,
                               item->continues};
  arc->wrap = item->wrap;
  return rl_path_over(&round, p, q, arc, link);
}

static bool lay_over(rl_path_item *item, rl_vec3 p, rl_vec3 q, rl_path_link *link) {
  rl_path_arc arc;
  if (item->kind == RL_PATH_SPHERE ? !lay_on_ball(item, p, q, &arc, link)
                                   : !lay_on_drum(item, p, q, &arc, link)) {
    return false;
  }
  item->wrap = arc.wrap;
  item->entry = arc.entry;
  item->exit = arc.exit;
  item->arc = arc.length;
  item->turn = arc.turn;
  item->in = link->direction[0];
  item->out = link->direction[1];
  return true;
}

// Lays all links between the nodes where they are, and returns the length; nan if one cannot be.
static double lay(rl_path_item *items, size_t count) {
  for (size_t i = 0; i < count; i = next_node(items, count, i)) {
    put_node(&items[i]);
  }
  double length = 0.0;
  for (size_t i = 0; i + 1 < count;) {
    const size_t j = next_node(items, count, i);
    rl_path_link *link = &items[i].node.link;
    const rl_vec3 p = items[i].node.place, q = items[j].node.place;
    if (!is_round(&items[i + 1])) {
      rl_path_straight(p, q, link);
    } else if (!lay_over(&items[i + 1], p, q, link)) {
      return NAN;
    }
    length += link->length;
    i = j;
  }
  return length;
}

// The directions in which a node moves. A hinge has no use for one along the rope.
static void direct_node(rl_path_item *item, rl_vec3 in, rl_vec3 out) {
  rl_path_node *node = &item->node;
  node->directions[0] = node->directions[1] = rl_vec(0.0, 0.0, 0.0);
  if (node->freedom == 0) {
    return;
  }
  if (item->kind == RL_PATH_LINE) {
    node->directions[0] = item->axis;
  } else if (item->kind == RL_PATH_CIRCLE) {
    node->directions[0] = rl_unit(rl_cross(item->axis, rl_sub(node->place, item->at)));
  } else if (is_round(item)) {
    rl_vec3 mean = rl_unit(rl_add(in, out));
    mean = rl_is_zero(mean) ? in : mean;
    node->directions[0] = rl_any_across(mean);
    node->directions[1] = rl_cross(mean, node->directions[0]);
  }
}

// Finds the gradients at all nodes and returns the largest component.
static double differentiate(rl_path_item *items, size_t count) {
  double largest = 0.0;
  size_t i = 0;
  for (size_t j = next_node(items, count, 0); j + 1 < count; j = next_node(items, count, j)) {
    rl_path_node *node = &items[j].node;
    const rl_vec3 in = items[i].node.link.direction[1], out = node->link.direction[0];
    direct_node(&items[j], in, out);
    const rl_vec3 pull = rl_sub(in, out);
    for (size_t k = 0; k < 2; k++) {
      node->gradient[k] = rl_dot(pull, node->directions[k]);
      largest = rl_larger(largest, fabs(node->gradient[k]));
    }
    i = j;
  }
  return largest;
}

// ---------------------------------------------------------------------------------------------
// Newton's step

// Adds the second derivative of a link with respect to the place of one of its ends.
static void add_stiffness(const rl_path_link *link, int end, const rl_vec3 directions[2],
                          double sum[2][2]) {
  double n[2], b[2];
  for (int k = 0; k < 2; k++) {
    n[k] = rl_dot(link->normal[end], directions[k]);
    b[k] = rl_dot(link->cross[end], directions[k]);
  }
  for (int k = 0; k < 2; k++) {
    for (int m = 0; m < 2; m++) {
      sum[k][m] += link->normal_stiffness[end] * n[k] * n[m];
      sum[k][m] += link->cross_stiffness[end] * b[k] * b[m];
    }
  }
}

static void couple(const rl_path_link *link, const rl_vec3 from[2], const rl_vec3 to[2],
                   double coupling[2][2]) {
  for (int k = 0; k < 2; k++) {
    for (int m = 0; m < 2; m++) {
      coupling[k][m] =
          -link->normal_coupling * rl_dot(link->normal[0], from[k]) *
              rl_dot(link->normal[1], to[m]) -
          link->cross_coupling * rl_dot(link->cross[0], from[k]) * rl_dot(link->cross[1], to[m]);
    }
  }
}

// Inverts a symmetric block; unused directions have a row of zeros and get the unit. False if it is
// not positive definite.
static bool invert(size_t freedom, double block[2][2], double inverse[2][2]) {
  for (size_t k = freedom; k < 2; k++) {
    block[k][k] = 1.0;
  }
  const double determinant = block[0][0] * block[1][1] - block[0][1] * block[1][0];
  const double scale = determinant != 0.0 ? 1.0 / determinant : 0.0;
  inverse[0][0] = scale * block[1][1];
  inverse[1][1] = scale * block[0][0];
  inverse[0][1] = -scale * block[0][1];
  inverse[1][0] = -scale * block[1][0];
  return block[0][0] > 0.0 && determinant > 0.0;
}

// step -= coupling^T inverse step of the node before: the right side of the elimination.
static void eliminate_before(const rl_path_node *before, rl_path_node *node, double block[2][2]) {
  double times[2][2]; // inverse coupling
  for (int k = 0; k < 2; k++) {
    for (int m = 0; m < 2; m++) {
      times[k][m] = before->inverse[k][0] * before->coupling[0][m] +
                    before->inverse[k][1] * before->coupling[1][m];
    }
  }
  for (int k = 0; k < 2; k++) {
    node->step[k] -= times[0][k] * before->step[0] + times[1][k] * before->step[1];
    for (int m = 0; m < 2; m++) {
      block[k][m] -= before->coupling[0][k] * times[0][m] + before->coupling[1][k] * times[1][m];
    }
  }
}

static void substitute(rl_path_node *node, const rl_path_node *after) {
  double right[2];
  for (int k = 0; k < 2; k++) {
    right[k] = node->step[k];
    if (after) {
      right[k] -= node->coupling[k][0] * after->step[0] + node->coupling[k][1] * after->step[1];
    }
  }
  for (int k = 0; k < 2; k++) {
    node->step[k] = node->inverse[k][0] * right[0] + node->inverse[k][1] * right[1];
  }
}

// Solves (second derivatives + shift) step = -gradient by block elimination, forward here and back
// below. The order of the nodes is that of the rope; back there are no links, so each node leaves
// the index of the one before. False if the matrix is not positive definite.
static bool find_step(rl_path_item *items, size_t count, double shift) {
  bool definite = true;
  size_t i = 0;
  for (size_t j = next_node(items, count, 0); j < count; j = next_node(items, count, j)) {
    rl_path_node *node = &items[j].node;
    rl_path_node *before = &items[i].node;
    node->before = i;
    node->step[0] = node->step[1] = 0.0;
    if (node->freedom > 0) {
      double block[2][2] = {{0.0, 0.0}, {0.0, 0.0}};
      add_stiffness(&before->link, 1, node->directions, block);
      add_stiffness(&node->link, 0, node->directions, block);
      if (items[j].kind == RL_PATH_CIRCLE) { // it moves on a curve
        const rl_vec3 out = rl_unit(rl_sub(node->place, items[j].at));
        const rl_vec3 pull = rl_sub(before->link.direction[1], node->link.direction[0]);
        block[0][0] -= rl_dot(pull, out) / items[j].radius;
      }
      for (size_t k = 0; k < node->freedom; k++) {
        block[k][k] += shift;
        node->step[k] = -node->gradient[k];
      }
      if (before->freedom > 0) {
        couple(&before->link, before->directions, node->directions, before->coupling);
        eliminate_before(before, node, block);
      }
      definite = invert(node->freedom, block, node->inverse) && definite;
    }
    i = j;
  }
  for (size_t j = count - 1; j > 0; j = items[j].node.before) {
    rl_path_node *node = &items[items[j].node.before].node;
    if (node->freedom > 0) {
      substitute(node, items[j].node.freedom > 0 ? &items[j].node : NULL);
    }
  }
  return definite;
}

// ---------------------------------------------------------------------------------------------
// Taking it

static void remember(rl_path_item *items, size_t count) {
  for (size_t i = 0; i < count; i++) {
    items[i].node.start_wrap = items[i].wrap;
    items[i].node.start_side = items[i].side;
  }
  for (size_t i = 0; i < count; i = next_node(items, count, i)) {
    items[i].node.start = items[i].node.place;
    items[i].node.start_along = items[i].along;
    for (size_t k = 0; k < 2; k++) {
      items[i].node.start_directions[k] = items[i].node.directions[k];
    }
  }
}

static void move(rl_path_item *items, size_t count, double share) {
  for (size_t i = 0; i < count; i++) {
    items[i].wrap = items[i].node.start_wrap;
    items[i].side = items[i].node.start_side; // a trial may have led it round a ball
  }
  for (size_t i = 0; i < count; i = next_node(items, count, i)) {
    const rl_path_node *node = &items[i].node;
    if (items[i].kind == RL_PATH_LINE) {
      items[i].along = node->start_along + share * node->step[0];
    } else if (items[i].kind == RL_PATH_CIRCLE) {
      items[i].along = node->start_along + share * node->step[0] / items[i].radius;
    } else if (is_round(&items[i])) {
      items[i].hinge = rl_add_scaled(
          rl_add_scaled(node->start, share * node->step[0], node->start_directions[0]),
          share * node->step[1], node->start_directions[1]);
    }
  }
}

// The rate of the length along the step, and how far the largest one goes, for a circle in radii.
static double slope_along(const rl_path_item *items, size_t count, double *largest) {
  double slope = 0.0;
  *largest = 0.0;
  for (size_t i = next_node(items, count, 0); i + 1 < count; i = next_node(items, count, i)) {
    const rl_path_node *node = &items[i].node;
    for (size_t k = 0; k < node->freedom; k++) {
      slope += node->gradient[k] * node->step[k];
      const double scale = items[i].kind == RL_PATH_CIRCLE ? items[i].radius : INFINITY;
      *largest = rl_larger(*largest, fabs(node->step[k]) / scale);
    }
  }
  return slope;
}

typedef struct search {
  double length, gradient;
  double shift; // [1/m]
  bool downhill;
  bool is_within; // no place goes past the end of its line
  bool cornered;  // one would
} search;

static bool is_far(const search *s) { return s->gradient > (s->downhill ? acceptable : near); }

// How much of the step leads past the end of no line, and whether a place that is there already
// stops it.
static double room_along(const rl_path_item *items, size_t count, bool *stopped) {
  double share = 1.0;
  *stopped = false;
  for (size_t i = next_node(items, count, 0); i + 1 < count; i = next_node(items, count, i)) {
    const rl_path_item *item = &items[i];
    if (item->kind != RL_PATH_LINE) {
      continue;
    }
    const double step = item->node.step[0];
    const double room = step < 0.0 ? item->along : item->length - item->along;
    if (fabs(step) > room + at_end * item->length) {
      *stopped = *stopped || room < cornered * item->length;
      share = fmin(share, most_of_way * fmax(room, 0.0) / fabs(step));
    }
  }
  return share;
}

// Tries the step, halved until it leads to something better; false if it does not.
static bool take_step(rl_path_item *items, size_t count, search *s) {
  double turn;
  const double slope = slope_along(items, count, &turn);
  const double room = s->is_within ? room_along(items, count, &s->cornered) : 1.0;
  if (s->cornered) {
    return false;
  }
  double share = fmin(room, turn > 0.5 ? 0.5 / turn : 1.0);
  remember(items, count);
  const int most = s->gradient > acceptable ? MOST_HALVINGS : 1;
  for (int k = 0; k < most; k++, share *= 0.5) {
    move(items, count, share);
    const double length = lay(items, count);
    const double gradient = isnan(length) ? NAN : differentiate(items, count);
    const bool shorter = slope < 0.0 && length <= s->length + 1e-4 * share * slope;
    const bool longer = is_far(s) && length > s->length * (1.0 + acceptable);
    if ((gradient < 0.5 * s->gradient && !longer) || (is_far(s) && shorter)) {
      s->length = length;
      s->gradient = gradient;
      return true;
    }
  }
  move(items, count, 0.0);
  lay(items, count);
  differentiate(items, count);
  return false;
}

static double off_surface(const rl_path_item *item, rl_vec3 p) {
  rl_vec3 away = rl_sub(p, item->at);
  if (item->kind == RL_PATH_CYLINDER) {
    away = rl_add_scaled(away, -rl_dot(away, item->axis), item->axis);
  }
  return rl_length(away) / item->radius - 1.0;
}

// A hinge is free along the rope, but close to a surface the rope turns fast with it and steps
// would lead inside: each goes to the middle between the surfaces. That makes no link longer.
static void centre_hinges(rl_path_item *items, size_t count) {
  for (size_t i = 1; i + 2 < count; i++) {
    if (is_round(&items[i]) && is_round(&items[i + 1])) {
      const rl_vec3 middle = rl_scale(0.5, rl_add(items[i].exit, items[i + 1].entry));
      const double off = fmin(off_surface(&items[i], middle), off_surface(&items[i + 1], middle));
      items[i].hinge = off > least_gap ? middle : items[i].hinge;
    }
  }
}

static bool iterate(rl_path_item *items, size_t count, search *s) {
  if (is_far(s)) {
    centre_hinges(items, count);
    s->length = lay(items, count);
    s->gradient = differentiate(items, count);
  }
  bool definite = find_step(items, count, s->shift);
  if (is_far(s)) {
    for (int k = 0; k < 40 && !definite; k++) {
      s->shift = s->shift > 0.0 ? 4.0 * s->shift : 1.0 / s->length;
      definite = find_step(items, count, s->shift);
    }
  }
  if (take_step(items, count, s)) {
    s->shift = is_far(s) ? 0.1 * s->shift : 0.0;
    return true;
  }
  if (s->cornered) {
    return false;
  }
  s->shift = s->shift > 0.0 ? 16.0 * s->shift : 1.0 / s->length;
  s->downhill = true;
  return s->gradient > acceptable;
}

// ---------------------------------------------------------------------------------------------
// Where to start from

// The place of an item for a first guess: on the axis of an endless one, where the way between its
// neighbours' places is short.
static void centre_items(rl_path_item *items, size_t count) {
  for (size_t i = 0; i < count; i++) {
    put_node(&items[i]);
    items[i].node.start = is_round(&items[i]) ? items[i].at : items[i].node.place;
  }
  for (int sweep = 0; sweep < 8; sweep++) {
    for (size_t i = 1; i + 1 < count; i++) {
      if (items[i].kind != RL_PATH_CYLINDER) {
        continue;
      }
      const rl_vec3 a = rl_sub(items[i - 1].node.start, items[i].at);
      const rl_vec3 b = rl_sub(items[i + 1].node.start, items[i].at);
      const double along_a = rl_dot(a, items[i].axis), along_b = rl_dot(b, items[i].axis);
      const double off_a = rl_length(rl_add_scaled(a, -along_a, items[i].axis));
      const double off_b = rl_length(rl_add_scaled(b, -along_b, items[i].axis));
      const double both = off_a + off_b;
      const double along = both > 0.0 ? (along_a * off_b + along_b * off_a) / both : along_a;
      items[i].node.start = rl_add_scaled(items[i].at, along, items[i].axis);
    }
  }
}

// The axis about which the rope turns there, of a ball that has none the one by the places beside.
static rl_vec3 turning_axis(rl_path_item *item) {
  if (item->kind == RL_PATH_CYLINDER) {
    return rl_scale(item->sense, item->axis);
  }
  if (rl_is_zero(item->side)) {
    const rl_vec3 in = rl_sub(item->node.start, item[-1].node.start);
    const rl_vec3 out = rl_sub(item[1].node.start, item->node.start);
    item->side = rl_unit(rl_cross(in, out));
  }
  return item->side;
}

static rl_vec3 pushed_out(const rl_path_item *item, rl_vec3 p) {
  rl_vec3 away = rl_sub(p, item->at);
  if (item->kind == RL_PATH_CYLINDER) {
    away = rl_add_scaled(away, -rl_dot(away, item->axis), item->axis);
  }
  const double distance = rl_length(away);
  const double depth = 1.01 * item->radius - distance;
  return depth > 0.0 && distance > 0.0 ? rl_add_scaled(p, depth / distance, away) : p;
}

// Between an item and the next: the middle of their common tangent, as if both were circles about
// their places, across the axes about which the rope turns.
static void guess_hinge(rl_path_item *item) {
  rl_path_item *next = item + 1;
  const rl_vec3 axis1 = turning_axis(item), axis2 = turning_axis(next);
  rl_vec3 from = item->node.start, to = next->node.start;
  for (int k = 0; k < 8; k++) {
    const rl_vec3 along = rl_sub(to, from);
    from = rl_add_scaled(item->node.start, item->radius, rl_unit(rl_cross(along, axis1)));
    to = rl_add_scaled(next->node.start, next->radius, rl_unit(rl_cross(along, axis2)));
  }
  rl_vec3 hinge = rl_scale(0.5, rl_add(from, to));
  for (int k = 0; k < 20; k++) {
    hinge = pushed_out(next, pushed_out(item, hinge));
  }
  item->hinge = hinge;
}

// Those that have no place yet, or all.
static void guess_hinges(rl_path_item *items, size_t count, bool all) {
  bool centred = false;
  for (size_t i = 1; i + 2 < count; i++) {
    if (is_round(&items[i]) && is_round(&items[i + 1]) && (all || rl_is_zero(items[i].hinge))) {
      if (!centred) {
        centre_items(items, count);
        centred = true;
      }
      guess_hinge(&items[i]);
    }
  }
}

static double start(rl_path_item *items, size_t count) {
  for (size_t i = 0; i < count; i++) {
    items[i].node.turns = -1.0;
    items[i].node.cornered = false;
    items[i].corner = 0.0;
  }
  guess_hinges(items, count, false);
  const double length = lay(items, count);
  if (!isnan(length)) {
    return length;
  }
  guess_hinges(items, count, true);
  return lay(items, count);
}

// ---------------------------------------------------------------------------------------------

static void write_places(rl_path_item *items, size_t count) {
  size_t before = 0;
  for (size_t i = 0; i < count; i = next_node(items, count, i)) {
    rl_path_item *item = &items[i];
    if (!is_round(item)) {
      item->entry = item->exit = item->node.place;
      item->in = i > 0 ? items[before].node.link.direction[1] : rl_vec(0.0, 0.0, 0.0);
      item->out = i + 1 < count ? item->node.link.direction[0] : rl_vec(0.0, 0.0, 0.0);
      item->arc = 0.0;
      item->turn = rl_atan2(rl_length(rl_cross(item->in, item->out)), rl_dot(item->in, item->out));
    }
    before = i;
  }
  for (size_t i = 0; i < count; i++) {
    items[i].has_middle = false;
    items[i].piece = i + 1 < count ? rl_distance(items[i].exit, items[i + 1].entry) : 0.0;
    if (i + 1 < count && is_round(&items[i]) && is_round(&items[i + 1])) {
      items[i].hinge = rl_scale(0.5, rl_add(items[i].exit, items[i + 1].entry));
    }
  }
}

// A place that a solve without ends has put past one would balance there.
static void put_within(rl_path_item *items, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (items[i].kind == RL_PATH_LINE) {
      items[i].along = fmin(fmax(items[i].along, 0.0), items[i].length);
    }
  }
}

// A place on a circle where the rope is the longest beside itself balances too, but holds nothing:
// it is moved on a little. Whether there was one.
static bool leave_longest(rl_path_item *items, size_t count) {
  bool circles = false, longest = false;
  for (size_t i = 1; i + 1 < count; i++) {
    circles = circles || items[i].kind == RL_PATH_CIRCLE;
  }
  if (!circles || find_step(items, count, 0.0)) {
    return false;
  }
  for (size_t i = 1; i + 1 < count; i++) {
    if (items[i].kind == RL_PATH_CIRCLE && items[i].node.inverse[0][0] < 0.0) {
      items[i].along += nudge;
      longest = true;
    }
  }
  return longest;
}

static size_t descend(rl_path_item *items, size_t count, search *s) {
  size_t spent = 0;
  s->gradient = differentiate(items, count);
  while (s->gradient > converged && spent < MOST_ITERATIONS) {
    spent++;
    if (!iterate(items, count, s)) {
      break;
    }
  }
  return spent;
}

// ---------------------------------------------------------------------------------------------
// (9a) In a corner

// Two lines that meet: at which end of each, and the middle direction that would balance there,
// as a sum of their axes.
typedef struct corner {
  bool at_far_end[2];
  double shares[2];
  double square; // of that direction
} corner;

static bool find_corner(const rl_path_item *pair, corner *c) {
  if (pair[0].kind != RL_PATH_LINE || pair[1].kind != RL_PATH_LINE) {
    return false;
  }
  const double near_by = at_end * fmin(pair[0].length, pair[1].length);
  for (int k = 0; k < 4; k++) {
    c->at_far_end[0] = (k & 1) != 0;
    c->at_far_end[1] = (k & 2) != 0;
    const rl_vec3 p =
        rl_add_scaled(pair[0].at, c->at_far_end[0] ? pair[0].length : 0.0, pair[0].axis);
    const rl_vec3 q =
        rl_add_scaled(pair[1].at, c->at_far_end[1] ? pair[1].length : 0.0, pair[1].axis);
    if (rl_distance(p, q) < near_by) {
      return true;
    }
  }
  return false;
}

// Puts the places of a pair into its corner, where they stay, or so far from it along each line.
static void put_at_corner(rl_path_item *pair, const corner *c, double off0, double off1) {
  const double off[2] = {off0, off1};
  for (int k = 0; k < 2; k++) {
    pair[k].along = (c->at_far_end[k] ? pair[k].length : 0.0) + off[k];
    pair[k].node.cornered = off0 == 0.0 && off1 == 0.0;
  }
}

// Whether both places balance in the corner: some direction of the piece between them, which has no
// length, pulls along each line as the rope beyond does. It is written down, with the angle between
// the directions in and out of both.
static bool corner_holds(rl_path_item *items, size_t count, size_t i, corner *c) {
  size_t before = i - 1;
  while (!has_node(items, count, before)) {
    before--;
  }
  const rl_vec3 in = items[before].node.link.direction[1];
  const rl_vec3 out = items[i + 1].node.link.direction[0];
  const rl_vec3 a = items[i].axis, b = items[i + 1].axis, across = rl_cross(a, b);
  const double sine = rl_dot(across, across), cosine = rl_dot(a, b);
  const double along_a = rl_dot(in, a), along_b = rl_dot(out, b);
  c->shares[0] = (along_a - cosine * along_b) / sine;
  c->shares[1] = (along_b - cosine * along_a) / sine;
  c->square = c->shares[0] * along_a + c->shares[1] * along_b;
  if (!(c->square <= 1.0)) { // nan: the lines are one
    return false;
  }
  const double side = rl_dot(rl_add(in, out), across) < 0.0 ? -1.0 : 1.0;
  const rl_vec3 flat = rl_add(rl_scale(c->shares[0], a), rl_scale(c->shares[1], b));
  rl_path_link *link = &items[i].node.link;
  link->direction[0] = link->direction[1] =
      rl_add_scaled(flat, side * sqrt((1.0 - c->square) / sine), across);
  items[i].corner = items[i + 1].corner = rl_atan2(rl_length(rl_cross(in, out)), rl_dot(in, out));
  return true;
}

// Where two places have run together at the ends of their lines, and the search with them, they
// stay there as long as that balances. If it does not, the way between them leads where it was to
// pull: they are so far from the corner on the one side or the other.
static size_t turn_corner(rl_path_item *items, size_t count, search *s) {
  static const double offs[] = {0.0, 1e-3, 1e-6};
  size_t spent = 0;
  for (size_t i = 1; i + 2 < count; i++) {
    const double was[2] = {items[i].along, items[i + 1].along};
    corner c;
    if (!find_corner(&items[i], &c)) {
      continue;
    }
    for (size_t k = 0; k < sizeof offs / sizeof offs[0]; k++) {
      const double off = offs[k] * fmin(items[i].length, items[i + 1].length);
      put_at_corner(&items[i], &c, k > 0 ? -off * c.shares[0] : 0.0,
                    k > 0 ? off * c.shares[1] : 0.0);
      *s = (search){.length = lay(items, count)};
      if (isnan(s->length)) {
        break;
      }
      spent += descend(items, count, s);
      if (s->gradient <= acceptable && (k > 0 || corner_holds(items, count, i, &c))) {
        return spent;
      }
      s->gradient = INFINITY;
    }
    for (size_t k = 0; k < 2; k++) {
      items[i + k].along = was[k];
      items[i + k].node.cornered = false;
    }
  }
  lay(items, count);
  return spent;
}

static double solve(rl_path_item *items, size_t count, bool within, size_t *iterations) {
  if (within) {
    put_within(items, count);
  }
  search s = {.length = start(items, count), .is_within = within};
  if (isnan(s.length)) {
    return NAN;
  }
  size_t spent = descend(items, count, &s);
  if (within && s.gradient <= acceptable && !s.cornered && leave_longest(items, count)) {
    s = (search){.length = lay(items, count), .is_within = true, .downhill = true};
    spent += descend(items, count, &s);
  }
  if (!within && s.gradient > acceptable) {
    spent += turn_corner(items, count, &s);
  }
  if (iterations) {
    *iterations += spent;
  }
  write_places(items, count);
  return s.gradient <= acceptable && !s.cornered ? s.length : NAN;
}

double rl_path_solve(rl_path_item *items, size_t count, size_t *iterations) {
  return solve(items, count, false, iterations);
}

double rl_path_solve_within(rl_path_item *items, size_t count, size_t *iterations) {
  return solve(items, count, true, iterations);
}

// ---------------------------------------------------------------------------------------------
// (10) The places on their way

// The pull that balances at a node, of the item there.
static rl_vec3 pull_at(const rl_path_item *items, size_t before, size_t at) {
  return rl_sub(items[before].node.link.direction[1], items[at].node.link.direction[0]);
}

void rl_path_begin_rates(rl_path_item *solved, size_t count) {
  differentiate(solved, count);
  for (size_t i = 0; i < count; i++) {
    solved[i].node.gradient[0] = solved[i].node.gradient[1] = 0.0;
    solved[i].node.step[0] = solved[i].node.step[1] = 0.0;
  }
}

// A hinge stays where it is, a place on a curve goes with that, and its direction as well.
void rl_path_add_change(rl_path_item *solved, const rl_path_item *laid, size_t count,
                        double share) {
  size_t i = 0;
  for (size_t j = next_node(laid, count, 0); j + 1 < count; j = next_node(laid, count, j)) {
    rl_path_node *node = &solved[j].node;
    const rl_vec3 pull = pull_at(laid, i, j);
    const rl_vec3 first = is_round(&laid[j]) ? node->directions[0] : laid[j].node.directions[0];
    node->gradient[0] += share * rl_dot(pull, first);
    node->gradient[1] += share * rl_dot(pull, node->directions[1]);
    i = j;
  }
}

double rl_path_find_rates(rl_path_item *solved, size_t count) {
  double fastest = 0.0;
  find_step(solved, count, 0.0);
  for (size_t i = next_node(solved, count, 0); i + 1 < count; i = next_node(solved, count, i)) {
    const rl_path_node *node = &solved[i].node;
    fastest =
        rl_larger(fastest, sqrt(node->step[0] * node->step[0] + node->step[1] * node->step[1]));
  }
  return fastest;
}

double rl_path_lay(rl_path_item *items, const rl_path_item *solved, size_t count, double time) {
  for (size_t i = 0; i < count; i++) {
    const rl_path_node *node = &solved[i].node;
    items[i].wrap = solved[i].wrap;
    items[i].node.turns = -1.0;
    items[i].node.cornered = false;
    items[i].along = solved[i].along;
    if (items[i].kind == RL_PATH_LINE) {
      items[i].along += time * node->step[0];
    } else if (items[i].kind == RL_PATH_CIRCLE) {
      items[i].along += time * node->step[0] / items[i].radius;
    } else if (is_round(&items[i])) {
      items[i].hinge =
          rl_add_scaled(rl_add_scaled(node->place, time * node->step[0], node->directions[0]),
                        time * node->step[1], node->directions[1]);
    }
  }
  const double length = lay(items, count);
  if (!isnan(length)) {
    differentiate(items, count); // directs the nodes
    write_places(items, count);
  }
  return length;
}
