// SPDX-License-Identifier: GPL-3.0-or-later
#include "curvature.h"

#include "contacts.h"

#include "world/paths/wrap.h"
#include "world/rotation.h"

#include <string.h>

// (7) h over L/V, the time in which anything moves by the smallest of the radii and pieces.
static const double displacement = 0.01;

// Of the scene's size: distance moved between the two lengths from which the slip of an elastic
// rope is computed; the error is of the order of its square.
static const double slip_displacement = 1e-5;

// Of the scene's size: a shorter piece leads over a seam, from one surface on to the next, and its
// length is round-off.
static const double no_piece = 1e-12;

// Position and velocity of a vertex, and its acceleration when those of its body, linear and
// angular, are 0.
typedef struct moving_vertex {
  rl_vec3 at, velocity, turning;
} moving_vertex;

static moving_vertex vertex_on_its_way(const rl_equations *e, rl_vertex vertex) {
  moving_vertex v = {.at = vertex.offset};
  if (vertex.slot == RL_NONE) {
    return v;
  }
  v.at = rl_position(&e->state->points[vertex.slot]);
  v.velocity = e->state->velocities[vertex.slot];
  if (rl_slot_body(e->model, vertex.slot)) {
    const uint32_t body = vertex.slot - e->model->node_count;
    const rl_point *points = e->state->points;
    const rl_vec3 arm =
        rl_rotate(rl_body_rotation(e->model, e->state, points, body), vertex.offset);
    const rl_vec3 spin = rl_trial_spin(e->model, e->state, points, body);
    const rl_vec3 turn = rl_cross(spin, arm);
    v.at = rl_add(v.at, arm);
    v.velocity = rl_add(v.velocity, turn);
    v.turning = rl_cross(spin, turn);
  }
  return v;
}

// (5) Returns the part of one straight piece.
static double piece_curvature(moving_vertex from, moving_vertex to) {
  const rl_vec3 piece = rl_sub(to.at, from.at), way = rl_sub(to.velocity, from.velocity);
  const double length = rl_length(piece);
  if (!(length > 0.0)) {
    return 0.0;
  }
  const rl_vec3 d = rl_scale(1.0 / length, piece);
  const double along = rl_dot(d, way);
  const rl_vec3 across = rl_add_scaled(way, -along, d);
  return rl_dot(across, across) / length + rl_dot(d, rl_sub(to.turning, from.turning));
}

static double span_curvature(const rl_equations *e, const rl_row *row) {
  const rl_vertex *vertices = &e->rows->vertices[row->first_vertex];
  moving_vertex from = vertex_on_its_way(e, vertices[0]);
  double sum = 0.0;
  for (uint32_t i = 1; i < row->vertex_count; i++) {
    const moving_vertex to = vertex_on_its_way(e, vertices[i]);
    const rl_vec3 guide = rl_row_guide(row, i - 1);
    sum += rl_is_zero(guide) ? piece_curvature(from, to)
                             : rl_dot(guide, rl_sub(to.turning, from.turning));
    from = to;
  }
  return sum;
}

static double link_curvature(const rl_equations *e, const rl_link *link) {
  const rl_vec3 none = {0.0, 0.0, 0.0};
  const rl_point *points = e->state->points;
  const rl_vec3 *v = e->state->velocities;
  return piece_curvature((moving_vertex){rl_position(&points[link->a]), v[link->a], none},
                         (moving_vertex){rl_position(&points[link->b]), v[link->b], none});
}

// Returns the rate of what has the gradients `with` in the motion of what a plane that yields
// depends on, with the path at `points` in the items.
static double rate_with(const rl_equations *e, uint32_t rope, uint32_t wrap, const rl_point *points,
                        const rl_yield *yield, const rl_vec3 with[2]) {
  const uint32_t ball = rl_wrap_slot(e->model, e->state, rope, wrap + 1);
  double rate = 0.0;
  for (uint32_t k = 0; k < 2; k++) {
    const uint32_t slot = rl_wrap_slot(e->model, e->state, rope, wrap + 2 * k);
    const rl_vec3 at = yield->ends[k];
    const rl_vec3 end = rl_trial_velocity(e->model, e->state, points, slot, at);
    const rl_vec3 beside = rl_trial_velocity(e->model, e->state, points, ball, at);
    rate += rl_dot(with[k], rl_sub(end, beside));
  }
  return rate;
}

double rl_equations_yielding(const rl_equations *e, uint32_t rope, uint32_t wrap,
                             rl_vec3 *turning) {
  rl_wrap_solve_path(e->model, e->state, rope, e->state->points);
  const rl_yield y = rl_wrap_yield(e->model, e->state, rope, wrap);
  const uint32_t body = e->state->wraps[e->model->ropes[rope].first_wrap + wrap].body;
  const rl_quat r = rl_body_rotation(e->model, e->state, e->state->points, body);
  *turning =
      rl_rotate_inverse(r, rl_scale(rate_with(e, rope, wrap, e->state->points, &y, y.turn), y.on));
  return rate_with(e, rope, wrap, e->state->points, &y, y.more);
}

// Turns the planes that yield to where they are after a time, at their present rate.
static void turn_planes(const rl_equations *e, double time) {
  for (uint32_t k = 0; k < e->plane_count; k++) {
    const rl_plane *plane = &e->planes[k];
    e->state->wraps[e->model->ropes[plane->rope].first_wrap + plane->wrap].side =
        rl_unit(rl_add_scaled(plane->here, time, plane->turning));
  }
}

// Keeps the planes that yield, and the rates at which they turn.
static void keep_planes(rl_equations *e) {
  for (uint32_t k = 0; k < e->plane_count; k++) {
    rl_plane *plane = &e->planes[k];
    plane->here = e->state->wraps[e->model->ropes[plane->rope].first_wrap + plane->wrap].side;
    rl_equations_yielding(e, plane->rope, plane->wrap, &plane->turning);
  }
}

// Returns the share of a strand in the rates of the planes that yield on it and at its ends.
static double share_of_yields(const rl_equations *e, const rl_row *row, const rl_point *points) {
  const uint32_t rope = e->model->link_rope[row->item];
  const rl_wrap *wraps = &e->state->wraps[e->model->ropes[rope].first_wrap];
  double rate = 0.0;
  for (uint32_t k = 0; k <= row->piece_count && row->entry_count > 0; k++) {
    const uint32_t wrap = row->first_piece + k - 1;
    if (wrap < e->state->wrap_counts[rope] && wraps[wrap].yields) {
      const rl_yield y = rl_wrap_yield(e->model, e->state, rope, wrap);
      rate += rl_wrap_yield_share(e->model, e->state, rope, wrap, k == 0 ? 1 : 0) *
              rate_with(e, rope, wrap, points, &y, y.more);
    }
  }
  return rate;
}

// Returns the rate at which the pieces of a strand get longer by the motion of what they lead from
// and to, with the path at `points` in the items. `slips`, or NULL: the rate up to each wrap is
// subtracted there, which gives the speed of the rope over it.
static double pieces_rate(const rl_equations *e, const rl_row *row, const rl_point *points,
                          double *slips) {
  const rl_vertex *vertices = &e->rows->vertices[row->first_vertex];
  const rl_path_item *items =
      &rl_path_items(e->state, e->model->link_rope[row->item])[row->first_piece];
  double rate = 0.0;
  for (uint32_t k = 0; k < row->piece_count; k++) {
    const rl_path_item *from = &items[k], *to = &items[k + 1];
    const rl_vec3 leaves =
        rl_trial_velocity(e->model, e->state, points, vertices[k].slot, from->exit);
    const rl_vec3 arrives =
        rl_trial_velocity(e->model, e->state, points, vertices[k + 1].slot, to->entry);
    rate += rl_dot(to->in, arrives) - rl_dot(from->out, leaves);
    if (slips && k + 1 < row->piece_count) {
      slips[row->first_piece + k] -= rate;
    }
  }
  return rate;
}

double rl_row_speed(const rl_equations *e, const rl_row *row) {
  double speed = 0.0;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const uint32_t slot = e->rows->entries[i].slot;
    speed += slot < e->model->place_count ? rl_length(e->state->velocities[slot]) : 0.0;
  }
  for (uint32_t i = 0; i < e->model->body_count && row->has_spins; i++) {
    const double bound = e->model->bodies[i].bound;
    const double arm = isfinite(bound) ? bound : e->model->reach;
    speed += rl_length(rl_body_spin(e->model, e->state, i)) * arm;
  }
  return speed;
}

// Returns how far the middle of a ball is from the line between the neighbours of the wrap on it:
// as far as these can move before the plane of the shortest path turns round [m].
static double line_beside(const rl_path_item *item) {
  const rl_vec3 p = rl_sub(item[-1].exit, item->at), q = rl_sub(item[1].entry, item->at);
  return rl_length(rl_cross(p, q)) / rl_distance(p, q);
}

// Solves the path of a strand; returns the smallest of its pieces and radii, L of (7) [m]; beside a
// plane that yields, also of the distances of the ball from the lines between its neighbours.
static double strand_size(rl_equations *e, const rl_row *row) {
  const rl_path_item *items = rl_path_items(e->state, e->model->link_rope[row->item]);
  double size = e->model->reach;
  rl_wrap_solve_path(e->model, e->state, e->model->link_rope[row->item], e->state->points);
  for (uint32_t k = row->first_piece; k <= row->first_piece + row->piece_count; k++) {
    const bool last = k == row->first_piece + row->piece_count;
    size = items[k].radius > 0.0 ? fmin(size, items[k].radius) : size;
    const bool is_seam = last || !(items[k].piece > no_piece * e->model->reach);
    size = is_seam ? size : fmin(size, items[k].piece);
  }
  for (uint32_t k = 0; k < e->plane_count; k++) {
    const rl_plane *plane = &e->planes[k];
    const bool same = plane->rope == e->model->link_rope[row->item];
    size = same ? fmin(size, line_beside(&items[plane->wrap + 1])) : size;
  }
  return size;
}

// Whether a strand is a whole rope over one round body that is fixed.
static bool is_one_arc(const rl_equations *e, const rl_row *row) {
  const uint32_t rope = e->model->link_rope[row->item];
  const rl_wrap *wrap = &e->state->wraps[e->model->ropes[rope].first_wrap];
  const rl_path_item *item = &rl_path_items(e->state, rope)[1];
  return row->piece_count == 2 && e->state->wrap_counts[rope] == 1 && wrap->body != RL_NONE &&
         e->model->bodies[wrap->body].motion == RL_FIXED &&
         (item->kind == RL_PATH_SPHERE || item->kind == RL_PATH_CYLINDER);
}

// (5b) Returns (dJ/dt) v of such a strand.
static double arc_curvature(const rl_equations *e, const rl_row *row) {
  const rl_path_link *link = &rl_path_items(e->state, e->model->link_rope[row->item])->node.link;
  const moving_vertex ends[2] = {
      vertex_on_its_way(e, e->rows->vertices[row->first_vertex]),
      vertex_on_its_way(e, e->rows->vertices[row->first_vertex + row->piece_count])};
  double normal[2], cross[2], sum = 0.0;
  for (int i = 0; i < 2; i++) {
    normal[i] = rl_dot(link->normal[i], ends[i].velocity);
    cross[i] = rl_dot(link->cross[i], ends[i].velocity);
    sum += link->normal_stiffness[i] * normal[i] * normal[i] +
           link->cross_stiffness[i] * cross[i] * cross[i] +
           (i == 0 ? -1.0 : 1.0) * rl_dot(link->direction[i], ends[i].turning);
  }
  return sum - 2.0 * link->normal_coupling * normal[0] * normal[1] -
         2.0 * link->cross_coupling * cross[0] * cross[1];
}

void rl_displace(const rl_equations *e, const rl_point *from, double h, rl_point *to) {
  for (uint32_t i = 0; i < e->model->slot_count; i++) {
    to[i] = from[i];
    rl_move(&to[i], rl_scale(h, e->rates[i]));
  }
}

// (7a) Copies the path to old_items, finds the rates of its places there, and returns the largest.
static double places_speed(rl_equations *e, uint32_t rope, double h) {
  const rl_state *state = e->state;
  const rl_path_item *items = rl_path_items(state, rope);
  const size_t count = (size_t)state->wrap_counts[rope] + 2;
  memcpy(state->old_items, items, count * sizeof *items);
  rl_path_begin_rates(state->old_items, count);
  for (int k = -4; k <= 4; k++) {
    if (k != 0) {
      rl_displace(e, e->state->points, k * h, e->displaced);
      rl_wrap_lay_path(e->model, state, rope, e->displaced, 0.0);
      rl_path_add_change(state->old_items, items, count, rl_difference_share(k) / h);
      e->evaluations++;
    }
  }
  return rl_path_find_rates(state->old_items, count);
}

// (7) Returns (dJ/dt) v of a strand over bodies: the derivative of its rate along the motion at
// constant velocities, with the places of its path moving as well.
static double strand_curvature(rl_equations *e, rl_row *row) {
  const uint32_t rope = e->model->link_rope[row->item];
  double sum = 0.0;
  if (e->state->wrap_counts[rope] == 0) {
    return span_curvature(e, row);
  }
  const double size = strand_size(e, row), speed = rl_row_speed(e, row);
  if (is_one_arc(e, row)) {
    return arc_curvature(e, row);
  }
  if (!(speed > rl_no_speed * e->speed)) {
    return 0.0;
  }
  const double places = places_speed(e, rope, displacement * size / speed);
  const double h = displacement * size / fmax(speed, places);
  keep_planes(e);
  for (int k = -4; k <= 4; k++) {
    if (k != 0) {
      rl_displace(e, e->state->points, k * h, e->displaced);
      turn_planes(e, k * h);
      rl_wrap_lay_path(e->model, e->state, rope, e->displaced, k * h);
      const double rate =
          pieces_rate(e, row, e->displaced, NULL) + share_of_yields(e, row, e->displaced);
      sum += rl_difference_share(k) * rate;
      e->evaluations++;
    }
  }
  for (uint32_t k = 0; k < e->plane_count; k++) {
    e->state->wraps[e->model->ropes[e->planes[k].rope].first_wrap + e->planes[k].wrap].side =
        e->planes[k].here;
  }
  return sum / h;
}

// Computes the slips of an elastic rope by differences of the rest lengths of its pieces. If its
// path ends within the difference, another path of another length is found on that side, and the
// other side alone is taken.
static void elastic_slips(const rl_equations *e, uint32_t rope, double *slips) {
  const rl_model *model = e->model;
  const double moves = slip_displacement * model->reach;
  const double h = moves / fmax(e->speed, rl_no_speed);
  rl_displace(e, e->state->points, -h, e->earlier);
  rl_displace(e, e->state->points, h, e->displaced);
  const double here = rl_wrap_solve_path(model, e->state, rope, e->state->points);
  const double back = fabs(rl_wrap_solve_path(model, e->state, rope, e->earlier) - here);
  const double on = fabs(rl_wrap_solve_path(model, e->state, rope, e->displaced) - here);
  const double most = 2.0 * moves * (e->state->wrap_counts[rope] + 2);
  const bool ends = !(on <= most), begins = !ends && !(back <= most);
  rl_wraps_slip_rates(model, e->state, rope, begins ? e->state->points : e->earlier,
                      ends ? e->state->points : e->displaced, ends || begins ? h : 2.0 * h, slips);
}

void rl_equations_slips(const rl_equations *e, uint32_t rope, double *slips) {
  if (rl_wraps_flow_dissipates(e->model, rope)) {
    elastic_slips(e, rope, slips);
    return;
  }
  rl_wrap_solve_path(e->model, e->state, rope, e->state->points);
  memset(slips, 0, e->state->wrap_counts[rope] * sizeof *slips);
  for (uint32_t k = 0; k < e->rows->row_count; k++) {
    const rl_row *row = &e->rows->rows[k];
    if (row->piece_count == 0 || e->model->link_rope[row->item] != rope) {
      continue;
    }
    for (uint32_t i = 0; i + 1 < row->piece_count && row->first_piece == 0; i++) {
      slips[i] = e->state->reels ? e->state->reels[rope][0] : 0.0; // a winch pays out
    }
    pieces_rate(e, row, e->state->points, slips);
  }
}

void rl_curvatures_find(rl_equations *e) {
  for (uint32_t n = 0; n < e->rows->block_count; n++) {
    const rl_block *block = &e->rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      e->curvatures[k] = link_curvature(e, &e->state->links[k]);
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &e->rows->rows[k];
      if (row->kind == RL_ROW_SPAN) {
        e->curvatures[row->source] =
            row->piece_count > 0 ? strand_curvature(e, row) : span_curvature(e, row);
      }
    }
  }
  if (e->model->contact_capacity > 0) {
    rl_contacts_curve(e);
  }
}
