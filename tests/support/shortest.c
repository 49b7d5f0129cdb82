// SPDX-License-Identifier: GPL-3.0-or-later
#include "shortest.h"

#include "check.h"

#include "polyline.h"

#include <math.h>
#include <string.h>

enum {
  MOST_CURVES = 256,
  MOST_PLACES = 8192,
  MOST_STOPS = 64,
  MOST_ARC_ENDS = 16,
  EDGE_PLACES = 16, // of the first grid, on the longest edge
  RIM_PLACES = 120,
  CHORDS = 32,     // of an arc, for distances
  FINE_PLACES = 9, // about a place, on each curve near it
};
static const double least_grid = 1e-6; // of the size of the part: the length is good to the square
static const double grazing = 1e-11;   // of the size of the part: as deep a straight piece may be

// ---------------------------------------------------------------------------------------------
// Curves: edges between two faces, or rims. All in the frame of the part.

typedef struct curve {
  rl_vec3 a, b;      // edge
  double z;          // rim
  uint32_t faces[2]; // edge; rim: the end, twice
  double length;
} curve;

typedef struct place {
  rl_vec3 at;
  uint32_t curve; // RL_NONE: an end of the rope
  double length;  // of the way to it
  uint32_t before;
  bool done;
} place;

typedef struct search {
  const rl_part *part;
  curve curves[MOST_CURVES];
  uint32_t curve_count;
  place places[MOST_PLACES]; // the first two are the ends
  uint32_t place_count;
  bool turns[2]; // by which a rope may go round the side: left, right
  double most;
  // The straight pieces of the path that the way has to stay near; NULL: anywhere.
  const rl_path *path;
  const rl_path_solid *solid;
  double reach;
  rl_vec3 arc_ends[MOST_ARC_ENDS]; // of its arcs on the side, near which a rim may be
  uint32_t arc_end_count;
} search;

static void find_edges(search *s) {
  for (uint32_t face = 0; face < rl_path_face_count(s->part); face++) {
    for (uint32_t i = 0; i < rl_path_face_corners(s->part, face); i++) {
      const uint32_t edge = RL_FEATURE_EDGE(face, i), twin = rl_path_edge_twin(s->part, edge);
      if (twin != RL_NONE && RL_FEATURE_FACE(twin) < face) {
        continue;
      }
      assert_true(s->curve_count < MOST_CURVES);
      curve *c = &s->curves[s->curve_count++];
      rl_path_edge_ends(s->part, edge, &c->a, &c->b);
      c->faces[0] = face;
      c->faces[1] = twin == RL_NONE ? face : RL_FEATURE_FACE(twin);
      c->length = rl_distance(c->a, c->b);
    }
  }
}

static void begin(search *s, const rl_path_solid *solid, double most) {
  const rl_part *part = solid->part;
  s->solid = solid;
  s->part = part;
  s->path = NULL;
  s->curve_count = 0;
  s->arc_end_count = 0;
  s->turns[0] = s->turns[1] = true;
  s->most = most;
  if (rl_is_polyhedron(part->shape)) {
    find_edges(s);
    return;
  }
  assert_int_equal(part->shape, RL_CYLINDER);
  for (uint32_t end = 0; end < 2; end++) {
    s->curves[s->curve_count++] = (curve){.z = (end == 0 ? -0.5 : 0.5) * part->length,
                                          .faces = {end, end},
                                          .length = 2.0 * acos(-1.0) * part->radius};
  }
}

static rl_vec3 on_curve(const search *s, const curve *c, double along) {
  if (rl_is_polyhedron(s->part->shape)) {
    return rl_add_scaled(c->a, fmin(fmax(along / c->length, 0.0), 1.0), rl_sub(c->b, c->a));
  }
  const double angle = along / s->part->radius;
  return rl_vec(s->part->radius * cos(angle), s->part->radius * sin(angle), c->z);
}

static double nearest_on(const search *s, const curve *c, rl_vec3 p) {
  if (rl_is_polyhedron(s->part->shape)) {
    const rl_vec3 way = rl_sub(c->b, c->a);
    return fmin(fmax(rl_dot(rl_sub(p, c->a), way) / c->length, 0.0), c->length);
  }
  return s->part->radius * atan2(p.y, p.x);
}

// ---------------------------------------------------------------------------------------------
// The way from one place to another without a place between: INFINITY if there is none.

static bool is_clear(const search *s, rl_vec3 p, rl_vec3 q) {
  rl_surface surface;
  rl_part own = *s->part;
  own.at = rl_vec(0.0, 0.0, 0.0);
  own.rotation = (rl_quat){0.0, 0.0, 0.0, 1.0};
  rl_shape_segment(&own, own.at, own.rotation, p, q, &surface);
  return surface.distance >= -grazing * s->part->bound;
}

static bool sees(const search *s, rl_vec3 p, uint32_t face) {
  return rl_dot(rl_path_face_normal(s->part, face), p) >= rl_path_face_offset(s->part, face);
}

// A place on an edge is seen from outside over either of its faces.
static bool are_joined(const search *s, const place *a, const place *b) {
  if (a->curve == RL_NONE && b->curve == RL_NONE) {
    return is_clear(s, a->at, b->at);
  }
  if (a->curve == RL_NONE || b->curve == RL_NONE) {
    const curve *c = &s->curves[a->curve == RL_NONE ? b->curve : a->curve];
    const rl_vec3 p = a->curve == RL_NONE ? a->at : b->at;
    return sees(s, p, c->faces[0]) || sees(s, p, c->faces[1]);
  }
  const uint32_t *f = s->curves[a->curve].faces, *g = s->curves[b->curve].faces;
  return f[0] == g[0] || f[0] == g[1] || f[1] == g[0] || f[1] == g[1];
}

static double distance_from_piece(const search *s, rl_vec3 p, rl_vec3 from, rl_vec3 to) {
  const rl_vec3 a = rl_path_to_part(s->solid, from), way = rl_sub(rl_path_to_part(s->solid, to), a);
  const double square = rl_dot(way, way);
  const double at = square > 0.0 ? rl_dot(rl_sub(p, a), way) / square : 0.0;
  return rl_distance(p, rl_add_scaled(a, fmin(fmax(at, 0.0), 1.0), way));
}

static double distance_from_path(const search *s, rl_vec3 p) {
  double least = INFINITY;
  for (size_t i = 0; i + 1 < s->path->count; i++) {
    const rl_path_item *item = &s->path->items[i];
    least = fmin(least, distance_from_piece(s, p, item->exit, item[1].entry));
    for (int k = 0; k < CHORDS && item->kind == RL_PATH_CYLINDER; k++) {
      least = fmin(least, distance_from_piece(s, p, place_on_arc(item, (double)k / CHORDS),
                                              place_on_arc(item, (k + 1.0) / CHORDS)));
    }
  }
  return least;
}

static bool is_near(const search *s, rl_vec3 p, rl_vec3 q) {
  bool near = true;
  for (int k = 1; k < 4 && near && s->path; k++) {
    near = distance_from_path(s, rl_add_scaled(p, 0.25 * k, rl_sub(q, p))) <= s->reach;
  }
  return near;
}

// Tangent, side, tangent, unrolled.
static double helix(const search *s, rl_vec3 p, rl_vec3 q, double sense) {
  const double r = s->part->radius, half = 0.5 * s->part->length, pi = acos(-1.0);
  const double away_p = fmax(hypot(p.x, p.y), r), away_q = fmax(hypot(q.x, q.y), r);
  const double before = sqrt(away_p * away_p - r * r), after = sqrt(away_q * away_q - r * r);
  double round = sense * (atan2(q.y, q.x) - atan2(p.y, p.x));
  round = fmod(round + 4.0 * pi, 2.0 * pi) - acos(r / away_p) - acos(r / away_q);
  const double across = before + r * round + after, rise = q.z - p.z;
  const double slack = 1e-12 * s->part->bound;
  const double at_p = p.z + rise * before / across, at_q = q.z - rise * after / across;
  if (!(round >= 0.0) || hypot(p.x, p.y) < r - slack || hypot(q.x, q.y) < r - slack ||
      fabs(at_p) > half + slack || fabs(at_q) > half + slack) {
    return INFINITY;
  }
  if (s->path) {
    const double angle = atan2(p.y, p.x) + sense * acos(r / away_p);
    const rl_vec3 on = rl_vec(r * cos(angle), r * sin(angle), at_p);
    const rl_vec3 middle = rl_vec(r * cos(angle + 0.5 * sense * round),
                                  r * sin(angle + 0.5 * sense * round), 0.5 * (at_p + at_q));
    if (fmax(distance_from_path(s, on), distance_from_path(s, middle)) > s->reach) {
      return INFINITY;
    }
  }
  return hypot(across, rise);
}

static double way_between(const search *s, const place *a, const place *b) {
  if (rl_is_polyhedron(s->part->shape)) {
    return are_joined(s, a, b) && is_near(s, a->at, b->at) ? rl_distance(a->at, b->at) : INFINITY;
  }
  if (a->curve != RL_NONE && a->curve == b->curve) {
    return rl_distance(a->at, b->at);
  }
  double least = INFINITY;
  for (int k = 0; k < 2; k++) {
    least = s->turns[k] ? fmin(least, helix(s, a->at, b->at, k == 0 ? -1.0 : 1.0)) : least;
  }
  const double straight = rl_distance(a->at, b->at);
  return straight < least && is_clear(s, a->at, b->at) && is_near(s, a->at, b->at) ? straight
                                                                                   : least;
}

// ---------------------------------------------------------------------------------------------

static void put_place(search *s, uint32_t index, double along) {
  const rl_vec3 at = on_curve(s, &s->curves[index], along);
  const double least =
      rl_distance(at, s->places[0].at) + rl_distance(at, s->places[1].at); // of any way over it
  if (least <= s->most) {
    assert_true(s->place_count < MOST_PLACES);
    s->places[s->place_count++] = (place){.at = at, .curve = index};
  }
}

static void put_ends(search *s, rl_vec3 from, rl_vec3 to) {
  s->places[0] = (place){.at = from, .curve = RL_NONE};
  s->places[1] = (place){.at = to, .curve = RL_NONE};
  s->place_count = 2;
}

// Dijkstra's method: the shortest ways from place `start` to all others, or as far as `last`.
static void find_ways(search *s, uint32_t start, uint32_t last) {
  for (uint32_t i = 0; i < s->place_count; i++) {
    s->places[i].length = i == start ? 0.0 : INFINITY;
    s->places[i].before = RL_NONE;
    s->places[i].done = false;
  }
  for (;;) {
    uint32_t next = RL_NONE;
    for (uint32_t i = 0; i < s->place_count; i++) {
      const place *p = &s->places[i];
      if (!p->done && p->length < (next == RL_NONE ? INFINITY : s->places[next].length)) {
        next = i;
      }
    }
    if (next == RL_NONE || next == last) {
      break;
    }
    place *from = &s->places[next];
    from->done = true;
    for (uint32_t i = 0; i < s->place_count; i++) {
      place *to = &s->places[i];
      if (to->done || from->length + rl_distance(from->at, to->at) >= to->length) {
        continue;
      }
      const double length = from->length + way_between(s, from, to);
      if (length < to->length) {
        to->length = length;
        to->before = next;
      }
    }
  }
}

// Adds the places of the way that was found to place i, from there on, without the ends.
static void add_stops(const search *s, uint32_t i, place *stops, uint32_t *count) {
  for (; i > 1 && i != RL_NONE; i = s->places[i].before) {
    assert_true(*count < MOST_STOPS);
    stops[(*count)++] = s->places[i];
  }
}

// The shortest way: its length, and its places from the end.
static double find_way(search *s, place *stops, uint32_t *count) {
  find_ways(s, 0, 1);
  *count = 0;
  add_stops(s, s->places[1].before, stops, count);
  return s->places[1].length;
}

// Whether a way leads through places farther than `most` from the stops of another.
static bool goes_farther(const place *way, uint32_t way_count, const place *stops, uint32_t count,
                         double most) {
  bool farther = false;
  for (uint32_t i = 0; i < way_count; i++) {
    double least = INFINITY;
    for (uint32_t k = 0; k < count; k++) {
      least = fmin(least, rl_distance(way[i].at, stops[k].at));
    }
    farther = farther || least > most;
  }
  return farther;
}

// Whether a piece from a place on a rim leads over the side, or to an end of the rope beside it.
static bool is_beside(const search *s, rl_vec3 at, const place *to) {
  const bool below = fabs(to->at.z) < 0.5 * s->part->length;
  return !is_clear(s, at, to->at) ||
         (to->curve == RL_NONE && below && hypot(to->at.x, to->at.y) >= s->part->radius);
}

// Whether a way, its places from the end, comes to a place on a rim from beside the side and goes
// there again: unrolled that is flat, and the rim holds nothing.
static bool passes_rim(const search *s, const place *way, uint32_t count) {
  bool passes = false;
  for (uint32_t i = 0; i < count && s->part->shape == RL_CYLINDER; i++) {
    const place *after = i == 0 ? &s->places[1] : &way[i - 1];
    const place *before = i + 1 == count ? &s->places[0] : &way[i + 1];
    passes = passes || (is_beside(s, way[i].at, before) && is_beside(s, way[i].at, after));
  }
  return passes;
}

static void put_about(search *s, rl_vec3 at, double reach) {
  for (uint32_t k = 0; k < s->curve_count; k++) {
    const double along = nearest_on(s, &s->curves[k], at);
    if (rl_distance(on_curve(s, &s->curves[k], along), at) > reach) {
      continue;
    }
    for (int m = 0; m < FINE_PLACES; m++) {
      put_place(s, k, along + reach * (2.0 * m / (FINE_PLACES - 1) - 1.0));
    }
  }
}

// Finer and finer about the stops, on every curve that comes near them; not finer while the way
// gets shorter through places at the border of the grid, as down a flat valley. Of a way that
// cannot become as short as `enough` [m] not to the end: from here on a place moves by reach (0.6 +
// 0.6^2 + ...) at most, on both of its sides.
static double refine(search *s, place *stops, uint32_t *count, double reach, double enough) {
  const rl_vec3 from = s->places[0].at, to = s->places[1].at;
  double length = INFINITY;
  while (reach > least_grid * s->part->bound) {
    put_ends(s, from, to);
    for (uint32_t i = 0; i < *count; i++) {
      put_about(s, stops[i].at, reach);
    }
    for (uint32_t i = 0; i < s->arc_end_count; i++) {
      put_about(s, s->arc_ends[i], reach);
    }
    uint32_t found;
    place way[MOST_STOPS];
    const double last = length;
    length = find_way(s, way, &found);
    if (isinf(length) || length - 3.0 * reach * found > enough) {
      break;
    }
    reach *= length < last && goes_farther(way, found, stops, *count, 0.7 * reach) ? 1.0 : 0.6;
    memcpy(stops, way, found * sizeof *stops);
    *count = found;
  }
  return isfinite(length) && passes_rim(s, stops, *count) ? INFINITY : length;
}

// Whether the way through place i is not longer than those through its neighbours on the curve.
static bool is_least(const search *s, const double *through, uint32_t i) {
  const place *p = &s->places[i];
  const bool has_before = i > 2 && p[-1].curve == p->curve;
  const bool has_after = i + 1 < s->place_count && p[1].curve == p->curve;
  return isfinite(through[i]) && !(has_before && through[i - 1] <= through[i]) &&
         !(has_after && through[i + 1] < through[i]);
}

// The shortest way need not be the shortest on a grid: each of its places is off by up to half the
// distance of two, which makes it longer by up to one such distance a place. So every way on the
// grid that is not longer than that is refined if it is the shortest of those beside it.
double shortest_of_all(const rl_path_solid *solid, rl_vec3 from, rl_vec3 to, double most) {
  static search s, back, fine;
  static double through[MOST_PLACES];
  double widest = 0.0;
  begin(&s, solid, most);
  put_ends(&s, rl_path_to_part(solid, from), rl_path_to_part(solid, to));
  for (uint32_t k = 0; k < s.curve_count; k++) {
    const int most_places = rl_is_polyhedron(s.part->shape) ? EDGE_PLACES : RIM_PLACES;
    widest = fmax(widest, s.curves[k].length / most_places);
  }
  for (uint32_t k = 0; k < s.curve_count; k++) {
    const int places = (int)ceil(s.curves[k].length / widest);
    for (int i = 0; i < places; i++) {
      put_place(&s, k, s.curves[k].length * (i + 0.5) / places);
    }
  }
  back = s;
  find_ways(&s, 0, RL_NONE);
  find_ways(&back, 1, RL_NONE);
  double coarse = INFINITY, least = way_between(&s, &s.places[0], &s.places[1]);
  for (uint32_t i = 2; i < s.place_count; i++) {
    through[i] = s.places[i].length + back.places[i].length;
    coarse = fmin(coarse, through[i]);
  }
  for (uint32_t i = 2; i < s.place_count; i++) {
    place stops[MOST_STOPS];
    uint32_t count = 0;
    add_stops(&s, i, stops, &count);
    add_stops(&back, back.places[i].before, stops, &count);
    if (is_least(&s, through, i) && through[i] - widest * count <= fmin(least, coarse)) {
      fine = s;
      least = fmin(least, refine(&fine, stops, &count, widest, least));
    }
  }
  return least;
}

// Begins a search for ways beside a path, with the places of the path as stops.
static void begin_beside(search *s, const rl_path_solid *solid, const rl_path *path, place *stops,
                         uint32_t *count) {
  bool turns[2] = {false, false};
  begin(s, solid, INFINITY);
  s->path = path;
  put_ends(s, rl_path_to_part(solid, path->items[0].at),
           rl_path_to_part(solid, path->items[path->count - 1].at));
  *count = 0;
  for (size_t i = 1; i + 1 < path->count; i++) {
    const rl_path_item *item = &path->items[i];
    if (item->kind == RL_PATH_CYLINDER) {
      turns[item->sense > 0.0] = true;
      assert_true(s->arc_end_count + 2 <= MOST_ARC_ENDS);
      s->arc_ends[s->arc_end_count++] = rl_path_to_part(solid, item->entry);
      s->arc_ends[s->arc_end_count++] = rl_path_to_part(solid, item->exit);
    } else {
      assert_true(*count < MOST_STOPS);
      stops[(*count)++] = (place){.at = rl_path_to_part(solid, item->entry)};
    }
  }
  if (turns[0] || turns[1]) {
    memcpy(s->turns, turns, sizeof turns);
  }
}

double shortest_beside(const rl_path_solid *solid, const rl_path *path, double reach) {
  static search s;
  place stops[MOST_STOPS];
  uint32_t count;
  begin_beside(&s, solid, path, stops, &count);
  s.reach = reach;
  return refine(&s, stops, &count, reach, INFINITY);
}

bool holds_beside(const rl_path_solid *solid, const rl_path *path, double reach, double *near,
                  double *far) {
  static search s;
  place stops[MOST_STOPS];
  uint32_t count;
  begin_beside(&s, solid, path, stops, &count);
  s.reach = 0.4 * reach;
  *near = refine(&s, stops, &count, s.reach, INFINITY);
  s.reach = reach;
  *far = refine(&s, stops, &count, s.reach, INFINITY);
  return isfinite(*near) && isfinite(*far) && !(*far < *near - 1e-9);
}
