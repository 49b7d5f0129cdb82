// SPDX-License-Identifier: GPL-3.0-or-later
// Where two shapes overlap, against libccd, which knows of a shape only how far it reaches in a
// direction. "Why not libccd" in papers/bodies.md has what `test_ccd long` prints.
#include "check.h"

#include "world/bodies/manifold.h"
#include "world/trigonometry.h"

#include <ccd/ccd.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int scenes = 3; // pairs of shapes for each pair of kinds

enum { SPHERE, CAPSULE, CYLINDER, BOX, HULL, KINDS };
static const char *const kinds[] = {"sphere", "capsule", "cylinder", "box", "hull"};

// A shape of random size, as text.
static void random_shape(uint64_t *seed, int kind, char *text, size_t size) {
  const double r = between(seed, 0.05, 0.3), l = between(seed, 0.1, 0.8);
  if (kind == SPHERE) {
    snprintf(text, size, "sphere: {radius: %.17g}", r);
  } else if (kind == BOX) {
    snprintf(text, size, "box: {size: [%.17g, %.17g, %.17g]}", l, 2.0 * r, between(seed, 0.1, 0.8));
  } else if (kind == HULL) {
    size_t used = (size_t)snprintf(text, size, "hull: {points: [");
    const int count = 4 + (int)between(seed, 0.0, 16.0);
    for (int i = 0; i < count; i++) { // on an ellipsoid
      const rl_vec3 p = random_direction(seed);
      used += (size_t)snprintf(text + used, size - used, "%s[%.17g, %.17g, %.17g]",
                               i > 0 ? ", " : "", l * p.x, r * p.y, 0.3 * p.z);
    }
    snprintf(text + used, size - used, "]}");
  } else {
    snprintf(text, size, "%s: {radius: %.17g, length: %.17g}", kinds[kind], r, l);
  }
}

// The point of a part that is farthest in a direction.
static rl_vec3 support(const rl_solid *s, rl_vec3 direction) {
  const rl_part *part = s->part;
  const rl_vec3 d = rl_rotate_inverse(s->rotation, direction);
  const double half = copysign(0.5 * part->length, d.z);
  rl_vec3 p = rl_scale(part->radius, rl_unit(d));
  if (part->shape == RL_CAPSULE) {
    p.z += half;
  } else if (part->shape == RL_CYLINDER) {
    p = rl_scale(part->radius, rl_unit(rl_vec(d.x, d.y, 0.0)));
    p.z = half;
  } else if (part->shape == RL_BOX) {
    p = rl_vec(copysign(part->half.x, d.x), copysign(part->half.y, d.y),
               copysign(part->half.z, d.z));
  } else if (part->shape == RL_HULL) {
    p = part->points[0];
    for (uint32_t i = 1; i < part->point_count; i++) {
      p = rl_dot(part->points[i], d) > rl_dot(p, d) ? part->points[i] : p;
    }
  }
  return rl_add(s->position, rl_rotate(s->rotation, rl_add(part->at, p)));
}

static void ccd_support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *found) {
  const rl_vec3 p = support(object, rl_vec(direction->v[0], direction->v[1], direction->v[2]));
  ccdVec3Set(found, p.x, p.y, p.z);
}

static void ccd_middle(const void *object, ccd_vec3_t *found) {
  const rl_solid *s = object;
  const rl_vec3 p = rl_add(s->position, rl_rotate(s->rotation, rl_shape_middle(s->part)));
  ccdVec3Set(found, p.x, p.y, p.z);
}

// How far a has to be pushed along a unit vector out of b until the two are apart.
static double push_along(const rl_solid *a, const rl_solid *b, rl_vec3 n) {
  return rl_dot(n, rl_sub(support(b, n), support(a, rl_scale(-1.0, n))));
}

// The least push near a direction: random turns, smaller where they do not help.
static double least_push(const rl_solid *a, const rl_solid *b, rl_vec3 *n, uint64_t *seed) {
  double best = push_along(a, b, *n);
  for (double size = 0.3; size > 1e-7; size *= 0.6) {
    for (int i = 0; i < 10; i++) {
      const rl_vec3 tried = rl_unit(rl_add_scaled(*n, size, random_direction(seed)));
      const double push = push_along(a, b, tried);
      if (push < best) {
        best = push;
        *n = tried;
        i = -1;
      }
    }
  }
  return best;
}

typedef struct answer {
  bool overlap;
  double depth;   // [m]
  rl_vec3 normal; // out of b
  double seconds; // what it took
} answer;

static answer of_ropelab(const rl_solid *a, const rl_solid *b) {
  rl_touch touches[RL_TOUCHES];
  const clock_t start = clock();
  const size_t count = rl_manifold_find(a, b, 10.0, touches);
  answer r = {.depth = -INFINITY, .seconds = (double)(clock() - start) / CLOCKS_PER_SEC};
  for (size_t i = 0; i < count; i++) {
    if (-touches[i].gap > r.depth) {
      r.depth = -touches[i].gap;
      r.normal = rl_scale(touches[i].swapped ? -1.0 : 1.0, touches[i].normal);
    }
  }
  r.overlap = r.depth > 0.0;
  return r;
}

static answer of_libccd(const rl_solid *a, const rl_solid *b, double tolerance) {
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.support1 = ccd.support2 = ccd_support;
  ccd.center1 = ccd.center2 = ccd_middle;
  ccd.epa_tolerance = tolerance * tolerance; // of squares of distances, whatever its name
  ccd_vec3_t direction, place;
  answer r = {.depth = -INFINITY};
  const clock_t start = clock();
  r.overlap = ccdGJKPenetration(a, b, &ccd, &r.depth, &direction, &place) == 0;
  r.seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  if (r.overlap) {
    r.normal = rl_unit(rl_vec(-direction.v[0], -direction.v[1], -direction.v[2]));
    r.overlap = !rl_is_zero(r.normal); // touching, and nothing more is known
  }
  return r;
}

// What was seen of one of the two, of the size of the smaller part.
typedef struct tally {
  int wrong, off; // overlap missed or made up; depth or push off by more than 1e-3
  double wrong_by, depth, push, seconds;
} tally;

static void count(tally *t, const answer *r, const rl_solid *a, const rl_solid *b, double truth,
                  double size) {
  t->seconds += r->seconds;
  if (r->overlap != (truth > 0.0)) {
    t->wrong++;
    t->wrong_by = fmax(t->wrong_by, fabs(truth) / size);
  } else if (r->overlap) {
    const double depth = fabs(r->depth - truth) / size;
    const double push = (push_along(a, b, r->normal) - truth) / size;
    t->off += fmax(depth, push) > 1e-3 ? 1 : 0;
    t->depth = fmax(t->depth, depth);
    t->push = fmax(t->push, push);
  }
}

// Thrown together at random, and then pushed apart until they overlap by less than 2 % of the
// smaller one, or miss each other by less than half a percent. Truth is the least push that is
// found from both answers and anywhere. A face goes before an edge that is better by 1e-3.
static void overlaps_are_those_of_libccd(void **unused) {
  (void)unused;
  uint64_t seed = 11;
  for (int i = 0; i < KINDS; i++) {
    for (int k = i; k < KINDS; k++) {
      tally ours[2] = {{0}}, theirs[2] = {{0}}; // deep, shallow
      const int poses = 20;
      for (int scene = 0; scene < scenes; scene++) {
        char first[2000], second[2000];
        random_shape(&seed, i, first, sizeof first);
        random_shape(&seed, k, second, sizeof second);
        rl_scenario *s = scenario_from(
            "name: p\nduration: 1\nstep: 0.01\nbodies:\n"
            "  a: {motion: fixed, rope_collide: false, collide: false, shape: {%s}}\n"
            "  b: {motion: fixed, rope_collide: false, collide: false, shape: {%s}}\n"
            "ropes: {r: {from: {point: [0, 50, 0]}, to: {point: [0, 49, 0]}, slack: 0.1}}\n",
            first, second);
        for (int pose = 0; pose < poses; pose++) {
          const rl_solid a = {s->model->bodies[0].parts, random_in_cube(&seed, 0.2),
                              rl_quat_from_vector(random_in_cube(&seed, 3.0))};
          rl_solid b = {s->model->bodies[1].parts,
                        {0.0, 0.0, 0.0},
                        rl_quat_from_vector(random_in_cube(&seed, 3.0))};
          const double reach = a.part->bound + b.part->bound;
          b.position =
              rl_add_scaled(a.position, between(&seed, 0.0, reach), random_direction(&seed));
          const double size = fmin(a.part->bound, b.part->bound);
          for (int shallow = 0; shallow < 2; shallow++) {
            const answer us = of_ropelab(&a, &b), ccd = of_libccd(&a, &b, 1e-3);
            rl_vec3 best = us.normal;
            double truth = least_push(&a, &b, &best, &seed);
            for (int start = 0; start < 4; start++) {
              rl_vec3 n = start == 0 && ccd.overlap ? ccd.normal : random_direction(&seed);
              const double push = least_push(&a, &b, &n, &seed);
              best = push < truth ? n : best;
              truth = fmin(push, truth);
            }
            count(&ours[shallow], &us, &a, &b, truth, size);
            count(&theirs[shallow], &ccd, &a, &b, truth, size);
            b.position =
                rl_add_scaled(b.position, between(&seed, -0.005, 0.02) * size - truth, best);
          }
        }
        rl_scenario_free(s);
      }
      for (int shallow = 0; shallow < 2; shallow++) {
        const tally *t[] = {&ours[shallow], &theirs[shallow]};
        print_message("%-8s %-8s %s", kinds[i], kinds[k], shallow ? "shallow" : "deep   ");
        for (int which = 0; which < 2; which++) {
          print_message(" | %s: %d wrong (%.2g), %d of %d off, depth %.2g, push %.2g, %.2f us",
                        which == 0 ? "ropelab" : "libccd", t[which]->wrong, t[which]->wrong_by,
                        t[which]->off, scenes * poses, t[which]->depth, t[which]->push,
                        1e6 * t[which]->seconds / (scenes * poses));
        }
        print_message("\n");
        check_below(t[0]->wrong_by, 1.1e-3);
        check_below(t[0]->depth, 1.1e-3);
        check_below(t[0]->push, 1.1e-3);
      }
    }
  }
}

int main(int argc, char **argv) {
  scenes = argc > 1 && strcmp(argv[1], "long") == 0 ? 30 : scenes;
  const struct CMUnitTest tests[] = {cmocka_unit_test(overlaps_are_those_of_libccd)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
