// SPDX-License-Identifier: GPL-3.0-or-later
#include "polyline.h"

#include "check.h"

#include "world/trigonometry.h"

enum { MOST_VERTICES = 4096, SWEEPS = 12, CHORDS = 16 };

typedef struct polyline {
  size_t count;
  rl_vec3 at[MOST_VERTICES], across[MOST_VERTICES];
} polyline;

static void add_vertex(polyline *line, rl_vec3 p) {
  if (line->count == 0 || rl_distance(line->at[line->count - 1], p) > 1e-7) {
    assert_true(line->count < MOST_VERTICES);
    line->at[line->count++] = p;
  }
}

rl_vec3 place_on_arc(const rl_path_item *item, double share) {
  const rl_vec3 axis =
      item->kind == RL_PATH_SPHERE ? item->side : rl_scale(item->sense, item->axis);
  const rl_vec3 spoke = rl_sub(item->entry, item->at);
  const double rise = rl_dot(rl_sub(item->exit, item->entry), axis);
  const rl_quat turn = rl_quat_from_vector(rl_scale(share * item->wrap, axis));
  return rl_add_scaled(rl_add(item->at, rl_rotate(turn, spoke)), share * rise, axis);
}

static void lay(polyline *line, const rl_path_item *items, size_t count, size_t chords) {
  line->count = 0;
  for (size_t i = 0; i < count; i++) {
    add_vertex(line, items[i].entry);
    if (items[i].kind == RL_PATH_SPHERE || items[i].kind == RL_PATH_CYLINDER) {
      const size_t turns = (size_t)(1.0 + fabs(items[i].wrap) / RL_PI);
      for (size_t k = 1; k <= chords * turns; k++) {
        add_vertex(line, place_on_arc(&items[i], (double)k / (double)(chords * turns)));
      }
    }
    for (size_t k = 1; i + 1 < count && k < chords / 8; k++) {
      const double share = (double)k / (double)(chords / 8);
      add_vertex(line,
                 rl_add_scaled(items[i].exit, share, rl_sub(items[i + 1].entry, items[i].exit)));
    }
  }
  for (size_t i = 1; i + 1 < line->count; i++) {
    line->across[i] = rl_unit(rl_sub(line->at[i + 1], line->at[i - 1]));
  }
}

static void pull_vertex(polyline *line, size_t i, polyline_surface surface, const void *bodies) {
  const rl_vec3 a = line->at[i - 1], way = rl_sub(line->at[i + 1], a), across = line->across[i];
  const double through = rl_dot(way, across);
  if (!(through > 0.0)) {
    return;
  }
  const double share = rl_dot(rl_sub(line->at[i], a), across) / through;
  rl_vec3 p = rl_add_scaled(a, share, way);
  for (int k = 0; k < 4; k++) {
    const rl_surface s = surface(bodies, p);
    const rl_vec3 out = rl_add_scaled(s.normal, -rl_dot(s.normal, across), across);
    if (s.distance >= 0.0 || rl_dot(out, out) < 1e-6) {
      break;
    }
    p = rl_add_scaled(p, -s.distance / rl_dot(out, out), out);
  }
  line->at[i] = p;
}

static double pulled_length(polyline *line, polyline_surface surface, const void *bodies) {
  for (int k = 0; k < SWEEPS; k++) {
    for (size_t i = 1; i + 1 < line->count; i++) {
      pull_vertex(line, i, surface, bodies);
    }
    for (size_t i = line->count - 2; i > 0; i--) {
      pull_vertex(line, i, surface, bodies);
    }
  }
  double length = 0.0;
  for (size_t i = 1; i < line->count; i++) {
    length += rl_distance(line->at[i - 1], line->at[i]);
  }
  return length;
}

double tight_length(const rl_path_item *items, size_t count, polyline_surface surface,
                    const void *bodies) {
  static polyline line;
  lay(&line, items, count, CHORDS);
  const double coarse = pulled_length(&line, surface, bodies);
  lay(&line, items, count, 2 * CHORDS);
  const double fine = pulled_length(&line, surface, bodies);
  return (4.0 * fine - coarse) / 3.0;
}

double deepest_place(const rl_path_item *items, size_t count, polyline_surface surface,
                     const void *bodies) {
  static polyline line;
  double deepest = -INFINITY;
  lay(&line, items, count, 4 * CHORDS);
  for (size_t i = 0; i < line.count; i++) {
    deepest = fmax(deepest, -surface(bodies, line.at[i]).distance);
  }
  return deepest;
}
