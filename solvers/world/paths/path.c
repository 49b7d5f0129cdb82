// SPDX-License-Identifier: GPL-3.0-or-later
// Newton's method for the nodes of a path: places on lines and circles, and hinges between round
// items. Between two nodes the rope has a closed form (path_link.c), so second derivatives couple
// neighbours only. Equation numbers are those of papers/path.md.
#include "path.h"

#include "../trigonometry.h"
#include "path_corner.h"
#include "path_nip.h"

// The gradient is the sine of an angle between two pieces of rope. The search ends below this ...
static const double converged = 1e-14;
// ... and accepts this where rounding of large coordinates allows no less.
static const double acceptable = 1e-9;
// Below this full Newton steps are taken, so that a path which is shortest only in a plane is kept.
// Above it every step must shorten the rope.
static const double near = 1e-2;
// Relative to the length of a line: how far beyond its end a place may be; how near to its end it
// counts as in the corner; and the largest share of the distance to the end that a step may take.
static const double at_end = 1e-9;
static const double cornered = 1e-8;
static const double most_of_way = 0.9;
// A hinge is not put nearer to a surface than this [radii].
static const double least_gap = 1e-3;
// (9d) Two places on a circle that are nearer and run together have met, if no full step is
// possible [rad].
static const double met_within = 1e-2;
// By how much a place on a circle is moved from where the rope is locally longest [rad].
static const double nudge = 1e-3;
// Way downhill of a place after which the pieces are looked at, and its largest step [rad; lengths
// of a line]; the largest angle by which the plane of an arc on a ball turns in such a step [rad].
static const double stride = 0.05, most_tilt = 0.2;

enum { MOST_ITERATIONS = 200, MOST_HALVINGS = 12, MOST_TURNS = 20 };

// ---------------------------------------------------------------------------------------------
// Items and nodes

static size_t next_node(const rl_path_item *items, size_t count, size_t i) {
  i++;
  while (i < count && !rl_path_has_node(items, count, i)) {
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
    if (node->nipped) {
      const rl_path_nip nip = rl_path_find_nip(item, item->hinge);
      node->place = nip.place;
      node->freedom = nip.freedom;
    }
    return;
  }
}

// ---------------------------------------------------------------------------------------------
// Length and gradient

// Sets the side of a ball: the normal of the plane through p, q and the centre, with the sense in
// which p turns to q by less than pi, or its opposite. Of these the one nearer to the old side is
// taken; returns whether that is the opposite, a wrap of more than half a turn.
static bool find_side(rl_path_item *item, rl_vec3 p, rl_vec3 q) {
  const rl_vec3 a = rl_sub(p, item->at), b = rl_sub(q, item->at);
  const rl_vec3 across = rl_cross(a, b);
  const bool turned = rl_dot(across, item->side) < 0.0;
  // If p, q and the centre are in line every plane is possible: the old one is kept, or that of the
  // reference.
  if (rl_dot(across, across) > 1e-28 * rl_dot(a, a) * rl_dot(b, b)) {
    item->side = rl_unit(turned ? rl_scale(-1.0, across) : across);
  } else {
    const rl_vec3 u = rl_unit(a), last = rl_is_zero(item->side) ? item->reference : item->side;
    item->side = rl_unit(rl_add_scaled(last, -rl_dot(last, u), u));
    item->side = rl_is_zero(item->side) ? rl_any_across(u) : item->side;
  }
  return turned;
}

// Lays a link over a ball. The wrap angle may be negative only if the angle between the points is
// below half a turn. The number of full turns is found in the first call and kept in the search.
static bool lay_on_ball(rl_path_item *item, rl_vec3 p, rl_vec3 q, rl_path_arc *arc,
                        const bool nipped[2], rl_path_link *link) {
  if (item->held) {
    const rl_path_round plane = {.centre = item->at,
                                 .axis = item->side,
                                 .radius = item->radius,
                                 .nipped = {nipped[0], nipped[1]}};
    arc->wrap = item->wrap;
    return rl_path_over_held(&plane, p, q, arc, link);
  }
  const double middle = find_side(item, p, q) ? RL_PI : 0.0;
  const rl_path_round round = {.centre = item->at,
                               .axis = item->side,
                               .radius = item->radius,
                               .continues = item->continues,
                               .nipped = {nipped[0], nipped[1]}};
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
                        const bool nipped[2], rl_path_link *link) {
  const rl_path_round round = {.centre = item->at,
                               .axis = rl_scale(item->sense, item->axis),
                               .radius = item->radius,
                               .endless = true,
                               .continues = item->continues,
                               .nipped = {nipped[0], nipped[1]}};
  arc->wrap = item->wrap;
  return rl_path_over(&round, p, q, arc, link);
}

static bool lay_over(rl_path_item *item, rl_vec3 p, rl_vec3 q, const bool nipped[2],
                     rl_path_link *link) {
  rl_path_arc arc;
  if (item->kind == RL_PATH_SPHERE ? !lay_on_ball(item, p, q, &arc, nipped, link)
                                   : !lay_on_drum(item, p, q, &arc, nipped, link)) {
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

// (15) Whether a node counts as on the surface of a round item beside it where it is inside.
static bool is_nipped_at(const rl_path_item *node, const rl_path_item *item) {
  return rl_path_is_round(node) ? node->node.nipped : rl_path_can_nip(node, item);
}

// (1) Lays all links between the nodes at their places, and returns the length [m]; nan if there is
// no path.
static double lay(rl_path_item *items, size_t count) {
  for (size_t i = 0; i < count; i = next_node(items, count, i)) {
    put_node(&items[i]);
  }
  double length = 0.0;
  for (size_t i = 0; i + 1 < count;) {
    const size_t j = next_node(items, count, i);
    rl_path_link *link = &items[i].node.link;
    const rl_vec3 p = items[i].node.place, q = items[j].node.place;
    const bool nipped[2] = {is_nipped_at(&items[i], &items[i + 1]),
                            is_nipped_at(&items[j], &items[i + 1])};
    if (!rl_path_is_round(&items[i + 1])) {
      rl_path_straight(p, q, link);
    } else if (!lay_over(&items[i + 1], p, q, nipped, link)) {
      return NAN;
    }
    length += link->length;
    i = j;
  }
  return length;
}

// Sets the directions in which a node moves: the tangent of its curve; of a hinge two across the
// rope.
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
  } else if (node->nipped) {
    node->directions[0] = rl_path_find_nip(item, node->place).along;
  } else if (rl_path_is_round(item)) {
    rl_vec3 mean = rl_unit(rl_add(in, out));
    mean = rl_is_zero(mean) ? in : mean;
    node->directions[0] = rl_any_across(mean);
    node->directions[1] = rl_cross(mean, node->directions[0]);
  }
}

// (1) Finds the gradients of the length at all nodes and returns the largest component.
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

// Inverts a symmetric block; rows of unused directions are replaced by those of the unit matrix.
// Returns false if the block is not positive definite.
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

// Eliminates the node before: block -= coupling^T inverse coupling, step -= coupling^T inverse
// step of the node before.
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

// Solves (second derivatives + shift) step = -gradient by block elimination along the rope, forward
// and back; on the way forward each node keeps the index of the one before. Returns false if the
// matrix is not positive definite.
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
      if (items[j].kind == RL_PATH_CIRCLE) { // the curvature of the circle
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
// Step control

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
    items[i].side = items[i].node.start_side; // a trial may have changed the sense on a ball
  }
  for (size_t i = 0; i < count; i = next_node(items, count, i)) {
    const rl_path_node *node = &items[i].node;
    if (items[i].kind == RL_PATH_LINE) {
      items[i].along = node->start_along + share * node->step[0];
    } else if (items[i].kind == RL_PATH_CIRCLE) {
      items[i].along = node->start_along + share * node->step[0] / items[i].radius;
    } else if (rl_path_is_round(&items[i])) {
      items[i].hinge = rl_add_scaled(
          rl_add_scaled(node->start, share * node->step[0], node->start_directions[0]),
          share * node->step[1], node->start_directions[1]);
    }
  }
}

// Returns the derivative of the length along the step, and the `largest` step of a place on a
// circle [rad], `lines`: or on a line [lengths].
static double slope_along(const rl_path_item *items, size_t count, bool lines, double *largest) {
  double slope = 0.0;
  *largest = 0.0;
  for (size_t i = next_node(items, count, 0); i + 1 < count; i = next_node(items, count, i)) {
    const rl_path_node *node = &items[i].node;
    for (size_t k = 0; k < node->freedom; k++) {
      slope += node->gradient[k] * node->step[k];
      const double scale = items[i].kind == RL_PATH_CIRCLE          ? items[i].radius
                           : lines && items[i].kind == RL_PATH_LINE ? items[i].length
                                                                    : INFINITY;
      *largest = rl_larger(*largest, fabs(node->step[k]) / scale);
    }
  }
  return slope;
}

typedef struct search {
  double length, gradient;
  double shift;   // Levenberg's, on the diagonal [1/m]
  bool downhill;  // also near the solution, because a full step has failed
  bool is_within; // places stay between the ends of their lines
  bool stays;     // ends where a full step near the solution fails
  bool creeps;    // downhill; ends after a short way
  double way;     // gone, as a sum of slope_along()'s largest steps and of tilts
  bool halved;    // the last step was, or none could be taken
  bool cornered;  // a place would go past the end of its line
} search;

static bool is_far(const search *s) { return s->gradient > (s->downhill ? acceptable : near); }

// Returns the share of the step with which no place passes the end of its line; 0 if a place that
// is at the end already would, which then stays there.
static double room_along(rl_path_item *items, size_t count) {
  double share = 1.0;
  for (size_t i = next_node(items, count, 0); i + 1 < count; i = next_node(items, count, i)) {
    rl_path_item *item = &items[i];
    if (item->kind != RL_PATH_LINE || item->node.cornered) {
      continue;
    }
    const double step = item->node.step[0];
    const double room = step < 0.0 ? item->along : item->length - item->along;
    if (fabs(step) > room + at_end * item->length) {
      item->node.cornered = room < cornered * item->length;
      if (item->node.cornered) {
        return 0.0;
      }
      share = fmin(share, most_of_way * fmax(room, 0.0) / fabs(step));
    }
  }
  return share;
}

// Returns the largest angle by which the plane of an arc on a ball has turned in the step [rad].
static double tilt_of(const rl_path_item *items, size_t count) {
  double most = 0.0;
  for (size_t i = 1; i + 1 < count; i++) {
    if (items[i].kind == RL_PATH_SPHERE) {
      most = rl_larger(most, rl_distance(items[i].side, items[i].node.start_side));
    }
  }
  return most;
}

// Takes the step, halved until it reduces the gradient or, far from the solution, the length.
// Returns false if it does neither; then nothing has moved.
static bool take_step(rl_path_item *items, size_t count, search *s) {
  double turn;
  const double slope = slope_along(items, count, s->creeps, &turn);
  const double most_turn = s->creeps ? stride : 0.5;
  const double room = s->is_within ? room_along(items, count) : 1.0;
  if (room == 0.0) {
    s->cornered = true;
    s->downhill = s->creeps = false;
    s->length = lay(items, count);
    s->gradient = differentiate(items, count);
    return true;
  }
  double share = fmin(room, turn > most_turn ? most_turn / turn : 1.0);
  remember(items, count);
  const int most = s->gradient > acceptable ? MOST_HALVINGS : 1;
  for (int k = 0; k < most; k++, share *= 0.5) {
    move(items, count, share);
    const double length = lay(items, count);
    const double gradient = isnan(length) ? NAN : differentiate(items, count);
    const bool shorter = slope < 0.0 && length <= s->length + 1e-4 * share * slope;
    const bool longer = is_far(s) && length > s->length * (1.0 + acceptable);
    const double tilt = s->creeps ? tilt_of(items, count) : 0.0;
    if (tilt > most_tilt && k + 1 < most) {
      continue;
    }
    if ((gradient < 0.5 * s->gradient && !longer) || (is_far(s) && shorter)) {
      s->length = length;
      s->gradient = gradient;
      s->halved = k > 0;
      s->way += share * turn + tilt;
      return true;
    }
  }
  s->halved = true;
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

// Moves each hinge to the middle of its straight piece, which makes no link longer: a hinge may be
// anywhere along the piece, but close to a surface the tangent turns fast and steps would lead
// inside.
static void centre_hinges(rl_path_item *items, size_t count) {
  for (size_t i = 1; i + 2 < count; i++) {
    if (rl_path_is_round(&items[i]) && rl_path_is_round(&items[i + 1])) {
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
  if (s->stays && !is_far(s)) {
    return false;
  }
  s->shift = s->shift > 0.0 ? 16.0 * s->shift : 1.0 / s->length;
  s->downhill = true;
  return s->gradient > acceptable;
}

// ---------------------------------------------------------------------------------------------
// The first guess

// Sets a place for each item: of a ball its centre, of a cylinder a point of its axis where the way
// between the places of its neighbours is short.
static void centre_items(rl_path_item *items, size_t count) {
  for (size_t i = 0; i < count; i++) {
    put_node(&items[i]);
    items[i].node.start = rl_path_is_round(&items[i]) ? items[i].at : items[i].node.place;
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

// Returns the axis about which the rope turns on a round item; of a ball whose side is unknown that
// of the places beside it.
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

// Guesses the hinge between an item and the next: the middle of their common tangent, as if both
// were circles about their places, across the axes about which the rope turns.
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

// Guesses the hinges that are unknown, or all.
static void guess_hinges(rl_path_item *items, size_t count, bool all) {
  bool centred = false;
  for (size_t i = 1; i + 2 < count; i++) {
    if (rl_path_is_round(&items[i]) && rl_path_is_round(&items[i + 1]) &&
        (all || rl_is_zero(items[i].hinge))) {
      if (!centred) {
        centre_items(items, count);
        centred = true;
      }
      guess_hinge(&items[i]);
    }
  }
}

// Starts the search and returns the length [m]. If the hinges that are known lead to no path, all
// are guessed anew, and then put into the nips.
static double start(rl_path_item *items, size_t count) {
  for (size_t i = 0; i < count; i++) {
    items[i].node.turns = -1.0;
    items[i].node.cornered = false;
    items[i].node.nipped = false;
    items[i].node.parted = 0;
    items[i].corner = 0.0;
  }
  guess_hinges(items, count, false);
  rl_path_nip_hinges(items, count, false);
  double length = lay(items, count);
  if (!isnan(length)) {
    return length;
  }
  guess_hinges(items, count, true);
  length = lay(items, count);
  return isnan(length) && rl_path_nip_hinges(items, count, true) ? lay(items, count) : length;
}

// ---------------------------------------------------------------------------------------------

// (15) Whether the rope is nipped between an item and the next.
static bool has_no_piece(const rl_path_item *item) {
  const rl_path_item *next = item + 1;
  if (rl_path_is_round(item) && rl_path_is_round(next)) {
    return item->node.nipped;
  }
  return rl_path_can_nip(item, next) &&
         ((rl_path_is_round(item) && off_surface(item, next->entry) <= 0.0) ||
          (rl_path_is_round(next) && off_surface(next, item->exit) <= 0.0));
}

static void write_places(rl_path_item *items, size_t count) {
  size_t before = 0;
  for (size_t i = 0; i < count; i = next_node(items, count, i)) {
    rl_path_item *item = &items[i];
    if (!rl_path_is_round(item)) {
      item->entry = item->exit = item->node.place;
      item->in = i > 0 ? items[before].node.link.direction[1] : rl_vec(0.0, 0.0, 0.0);
      item->out = i + 1 < count ? item->node.link.direction[0] : rl_vec(0.0, 0.0, 0.0);
      item->arc = 0.0;
      item->turn = rl_atan2(rl_length(rl_cross(item->in, item->out)), rl_dot(item->in, item->out));
      if (item->node.cornered && !(item->corner > 0.0)) { // in between at a corner
        item->turn = 0.0;
      }
    }
    before = i;
  }
  for (size_t i = 0; i < count; i++) {
    items[i].has_middle = false;
    items[i].piece = i + 1 < count && !has_no_piece(&items[i])
                         ? rl_distance(items[i].exit, items[i + 1].entry)
                         : 0.0;
    if (i + 1 < count && rl_path_is_round(&items[i]) && rl_path_is_round(&items[i + 1])) {
      items[i].hinge = rl_scale(0.5, rl_add(items[i].exit, items[i + 1].entry));
    }
  }
}

// Moves places that a solve without bounds has put beyond the ends of their lines to the ends.
static void put_within(rl_path_item *items, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (items[i].kind == RL_PATH_LINE) {
      items[i].along = fmin(fmax(items[i].along, 0.0), items[i].length);
    }
  }
}

// Nudges places on circles where the rope is locally longest, a balance that holds nothing. Returns
// whether there was one.
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

// ---------------------------------------------------------------------------------------------
// Where places meet: (9a) in corners, (9d) on circles

// (9d) Whether two places on a circle run together: then nothing stops them until they meet.
static bool have_met_on_circle(const rl_path_item *items, size_t count) {
  for (size_t i = 1; i + 2 < count; i++) {
    const rl_path_item *a = &items[i], *b = a + 1;
    if (a->kind == RL_PATH_CIRCLE && b->kind == RL_PATH_CIRCLE && a->part == b->part &&
        a->feature == b->feature) {
      const double way = remainder(b->along - a->along, 2.0 * RL_PI);
      if (fabs(way) < met_within && a->node.gradient[0] * way < 0.0 &&
          b->node.gradient[0] * way > 0.0) {
        return true;
      }
    }
  }
  return false;
}

static bool has_crept(const search *s) { return s->creeps && s->way > stride && is_far(s); }

static size_t descend(rl_path_item *items, size_t count, search *s) {
  size_t spent = 0;
  s->gradient = differentiate(items, count);
  while (s->gradient > converged && spent < MOST_ITERATIONS) {
    spent++;
    if (!iterate(items, count, s) || has_crept(s) ||
        (s->halved && (have_met_on_circle(items, count) ||
                       (!s->is_within && rl_path_have_any_met(items, count))))) {
      break;
    }
  }
  return spent;
}

// Continues a search in which places have run together in corners: they stay there, and when all
// else balances, those of a corner that does not are put apart. Returns the number of iterations.
static size_t turn_corners(rl_path_item *items, size_t count, search *s) {
  size_t spent = 0;
  for (int k = 0; k < MOST_TURNS; k++) {
    if (!rl_path_keep_in_corners(items, count) &&
        (s->gradient > acceptable || !rl_path_leave_corner(items, count))) {
      return spent;
    }
    *s = (search){.length = lay(items, count), .gradient = INFINITY};
    if (isnan(s->length)) {
      return spent;
    }
    spent += descend(items, count, s);
  }
  s->gradient = INFINITY;
  return spent;
}

// `stuck`, in: whether to go on downhill, by a short way; out: whether the search has ended where
// a full step near the solution fails, or after such a way. NULL: go on to the end.
static double solve(rl_path_item *items, size_t count, bool within, bool *stuck,
                    size_t *iterations) {
  const bool creeps = stuck && *stuck;
  const search begin = {
      .is_within = within, .stays = stuck && !creeps, .creeps = creeps, .downhill = creeps};
  search s = begin;
  if (stuck) {
    *stuck = false;
  }
  if (within) {
    put_within(items, count);
  }
  s.length = start(items, count);
  if (isnan(s.length)) {
    return NAN;
  }
  size_t spent = descend(items, count, &s);
  if (!s.cornered && !has_crept(&s) &&
      (s.gradient > acceptable ? rl_path_nip_hinges(items, count, true)
                               : rl_path_open_nips(items, count))) {
    s = begin;
    s.length = lay(items, count);
    if (isnan(s.length)) {
      return NAN;
    }
    spent += descend(items, count, &s);
  }
  if (within && s.gradient <= acceptable && !s.cornered && leave_longest(items, count)) {
    s = (search){.length = lay(items, count), .is_within = true, .downhill = true};
    spent += descend(items, count, &s);
  }
  if (!within && s.gradient > acceptable) {
    spent += turn_corners(items, count, &s);
  }
  if (iterations) {
    *iterations += spent;
  }
  if (stuck) {
    *stuck = !s.cornered && s.gradient > acceptable && (has_crept(&s) || !is_far(&s));
  }
  write_places(items, count);
  return s.gradient <= acceptable && !s.cornered ? s.length : NAN;
}

double rl_path_begin(rl_path_item *items, size_t count) { return start(items, count); }

double rl_path_solve(rl_path_item *items, size_t count, size_t *iterations) {
  return solve(items, count, false, NULL, iterations);
}

double rl_path_solve_within(rl_path_item *items, size_t count, bool *stuck, size_t *iterations) {
  return solve(items, count, true, stuck, iterations);
}

// ---------------------------------------------------------------------------------------------
// (10) Rates of the places

// Returns in - out at a node, whose components along its directions are 0 at balance.
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

// A hinge stays where it is; a place on a curve moves with the curve, and so does its tangent.
void rl_path_add_change(rl_path_item *solved, const rl_path_item *laid, size_t count,
                        double share) {
  size_t i = 0;
  for (size_t j = next_node(laid, count, 0); j + 1 < count; j = next_node(laid, count, j)) {
    rl_path_node *node = &solved[j].node;
    const rl_vec3 pull = pull_at(laid, i, j);
    const rl_vec3 first =
        rl_path_is_round(&laid[j]) ? node->directions[0] : laid[j].node.directions[0];
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

bool rl_path_leave_saddles(rl_path_item *items, size_t count) {
  bool any = false;
  for (size_t i = 1; i + 1 < count; i++) {
    rl_path_item *item = &items[i];
    if (item->kind == RL_PATH_SPHERE && !item->held && !item->continues &&
        rl_path_is_past_half(item)) {
      item->reference = item->side;
      item->side = rl_vec(0.0, 0.0, 0.0);
      any = true;
    }
  }
  return any;
}

double rl_path_lay(rl_path_item *items, const rl_path_item *solved, size_t count, double time) {
  for (size_t i = 0; i < count; i++) {
    const rl_path_node *node = &solved[i].node;
    items[i].wrap = solved[i].wrap;
    items[i].node.turns = -1.0;
    items[i].node.cornered = false;
    items[i].node.nipped = node->nipped;
    items[i].along = solved[i].along;
    if (items[i].kind == RL_PATH_LINE) {
      items[i].along += time * node->step[0];
    } else if (items[i].kind == RL_PATH_CIRCLE) {
      items[i].along += time * node->step[0] / items[i].radius;
    } else if (rl_path_is_round(&items[i])) {
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
