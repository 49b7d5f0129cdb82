// SPDX-License-Identifier: GPL-3.0-or-later
#include "path_corner.h"

#include "../trigonometry.h"

// Relative to the length of a line: how near to its end a place counts as in the corner if no full
// step is possible, and how far two are put apart there, by how often they were in this search.
static const double met_within[] = {1e-2, 1e-4, 1e-8};
static const double apart[] = {1e-3, 1e-5};
// The same: ends that are nearer to each other are one corner.
static const double same_corner = 1e-9;
enum { MOST_PARTINGS = 2 };

// Returns the end of a line that is nearer to the place on it [m].
static double near_end(const rl_path_item *item) {
  return item->along > 0.5 * item->length ? item->length : 0.0;
}

// Returns the direction along a line away from that end.
static rl_vec3 outward(const rl_path_item *item) {
  return near_end(item) > 0.0 ? rl_scale(-1.0, item->axis) : item->axis;
}

static bool is_near_end(const rl_path_item *item) {
  return item->kind == RL_PATH_LINE &&
         fabs(item->along - near_end(item)) <= met_within[item->node.parted] * item->length;
}

// Whether the places of a pair have run together at an end of both lines.
static bool have_met(const rl_path_item *pair) {
  return is_near_end(&pair[0]) && is_near_end(&pair[1]) &&
         rl_distance(rl_add_scaled(pair[0].at, near_end(&pair[0]), pair[0].axis),
                     rl_add_scaled(pair[1].at, near_end(&pair[1]), pair[1].axis)) <
             same_corner * fmin(pair[0].length, pair[1].length);
}

// Whether a pair has met that does not stay in its corner yet.
static bool has_newly_met(const rl_path_item *pair) {
  return !(pair[0].node.cornered && pair[1].node.cornered) && have_met(pair);
}

bool rl_path_have_any_met(const rl_path_item *items, size_t count) {
  for (size_t i = 1; i + 2 < count; i++) {
    if (has_newly_met(&items[i])) {
      return true;
    }
  }
  return false;
}

bool rl_path_keep_in_corners(rl_path_item *items, size_t count) {
  bool any = false;
  for (size_t i = 1; i + 2 < count; i++) {
    if (has_newly_met(&items[i])) {
      for (rl_path_item *item = &items[i]; item <= &items[i + 1]; item++) {
        item->along = near_end(item);
        item->node.cornered = true;
      }
      any = true;
    }
  }
  return any;
}

// Extends the range of cosines of the angles between a direction and one edge to that of its angles
// with another edge, c the cosine of the angle between both.
static rl_path_range range_at(rl_path_range r, double c) {
  const double s = sqrt(fmax(1.0 - c * c, 0.0));
  const double low = s * sqrt(fmax(1.0 - r.low * r.low, 0.0));
  const double high = s * sqrt(fmax(1.0 - r.high * r.high, 0.0));
  return (rl_path_range){
      .low = r.low <= -c && -c <= r.high ? -1.0 : fmin(c * r.low - low, c * r.high - high),
      .high = r.low <= c && c <= r.high ? 1.0 : fmax(c * r.low + low, c * r.high + high)};
}

// Returns the unit vector at angles with given cosines to a and b, on a side of their plane.
static rl_vec3 at_angles(rl_vec3 a, rl_vec3 b, double cosine_a, double cosine_b, rl_vec3 side) {
  const rl_vec3 across = rl_cross(a, b);
  const double square = rl_dot(across, across), c = rl_dot(a, b);
  const double alpha = (cosine_a - c * cosine_b) / square;
  const double beta = (cosine_b - c * cosine_a) / square;
  const double rest = fmax(1.0 - alpha * cosine_a - beta * cosine_b, 0.0);
  return rl_add_scaled(rl_add(rl_scale(alpha, a), rl_scale(beta, b)),
                       (rl_dot(side, across) < 0.0 ? -1.0 : 1.0) * sqrt(rest / square), across);
}

// Finds the directions between the places first ... last that balance them in their corner.
// Returns 0 if there are some, or if the places came back as often as they were put apart; else the
// sense in which the last place is pulled along its line: 1 away from the corner, or -1.
static int balance_corner(rl_path_item *items, size_t count, size_t first, size_t last) {
  size_t before = first - 1;
  while (!rl_path_has_node(items, count, before)) {
    before--;
  }
  const rl_vec3 in = items[before].node.link.direction[1];
  const rl_vec3 out = items[last].node.link.direction[0], side = rl_add(in, out);
  const double begin = rl_dot(in, outward(&items[first]));
  double cosine = rl_dot(out, outward(&items[last]));
  bool may_part = items[first].node.parted < MOST_PARTINGS;
  rl_path_range range = {begin, begin};
  items[first].node.range = range;
  for (size_t k = first; k < last; k++) {
    range = range_at(range, rl_dot(outward(&items[k]), outward(&items[k + 1])));
    items[k + 1].node.range = range;
    may_part = may_part && items[k + 1].node.parted < MOST_PARTINGS;
  }
  if (may_part && !(cosine >= range.low && cosine <= range.high)) {
    return cosine > range.high ? 1 : -1;
  }
  for (size_t k = last; k > first; k--) {
    const rl_vec3 a = outward(&items[k - 1]), b = outward(&items[k]);
    const rl_path_range r = range_at((rl_path_range){cosine, cosine}, rl_dot(a, b));
    const rl_path_range *known = &items[k - 1].node.range;
    const double previous = 0.5 * (fmax(r.low, known->low) + fmin(r.high, known->high));
    rl_path_link *link = &items[k - 1].node.link;
    link->direction[0] = link->direction[1] =
        at_angles(a, b, k - 1 == first ? begin : previous, cosine, side);
    cosine = previous;
  }
  items[first].corner = items[last].corner =
      rl_atan2(rl_length(rl_cross(in, out)), rl_dot(in, out));
  return 0;
}

// Puts the places first ... last of a corner apart where the last is pulled in some sense along its
// line: as they lie on a straight rope whose directions are at the limits of the ranges, which gets
// shorter along the last line.
static void put_apart(rl_path_item *items, size_t first, size_t last, int sense) {
  double shortest = items[last].length, largest = 1.0;
  items[last].node.step[0] = sense;
  for (size_t k = last; k > first; k--) {
    const rl_path_range *r = &items[k - 1].node.range, *next = &items[k].node.range;
    const double c = rl_dot(outward(&items[k - 1]), outward(&items[k]));
    const double cosine = sense > 0 ? next->high : next->low;
    const bool at_high = sense > 0 ? r->high <= c : r->low < -c;
    const double previous = at_high ? r->high : r->low;
    const double alpha = previous - c * cosine, beta = cosine - c * previous;
    sense = at_high ? 1 : -1;
    items[k - 1].node.step[0] = sense * fabs(alpha * items[k].node.step[0]);
    largest = fmax(fabs(beta) * largest, fabs(items[k - 1].node.step[0]));
    for (size_t j = k; j <= last; j++) {
      items[j].node.step[0] *= fabs(beta);
    }
    shortest = fmin(shortest, items[k - 1].length);
  }
  for (size_t k = first; k <= last; k++) {
    rl_path_item *item = &items[k];
    const double off = apart[item->node.parted++] * shortest * item->node.step[0] / largest;
    item->along += near_end(item) > 0.0 ? -off : off;
    item->node.cornered = false;
  }
}

bool rl_path_leave_corner(rl_path_item *items, size_t count) {
  for (size_t i = 1; i + 2 < count; i++) {
    const size_t first = i;
    while (items[i].node.cornered && items[i + 1].node.cornered && have_met(&items[i])) {
      i++;
    }
    const int sense = i > first ? balance_corner(items, count, first, i) : 0;
    if (sense != 0) {
      put_apart(items, first, i, sense);
      return true;
    }
  }
  return false;
}
