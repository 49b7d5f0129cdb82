// SPDX-License-Identifier: GPL-3.0-or-later
// Exports a trajectory as one table that has the columns of snapshots.csv for every frame.
#include "export.h"

#include "csv.h"

#include "runs/signals.h"

typedef struct table {
  FILE *out;
  double time;
} table;

// The numbers of a frame, of the run or of its closed form.
typedef struct numbers {
  bool exact;
  const double *points, *tension, *drawn, *position, *rotation;
  const rl_paths *paths;
} numbers;

static void write_line(table *t, const char *item, const char *kind, size_t index, const double *p,
                       double tension) {
  fprintf(t->out, "%.17g,%s,%s,%zu", t->time, item, kind, index);
  const double values[] = {p[0], p[1], p[2], tension};
  for (size_t i = 0; i < 4; i++) {
    rl_csv_number(t->out, values[i]);
  }
  fputc('\n', t->out);
}

// Returns the tension between a vertex and the next [N]; nan: none.
static double tension_from(const rl_rope_record *rope, const double *tensions, size_t vertex) {
  if (rope->parts) { // two vertices for each element
    return vertex % 2 == 0 ? tensions[rope->first_element + vertex / 2] : NAN;
  }
  if (rope->elements == 1) { // one element through all its eyes
    return vertex + 1 < rope->points ? tensions[rope->first_element] : NAN;
  }
  return vertex < rope->elements ? tensions[rope->first_element + vertex] : NAN;
}

static void write_rope(table *t, const rl_trajectory_file *file, const rl_rope_record *rope,
                       const numbers *n) {
  static const char *const kinds[2][2] = {{"node", "eye"}, {"exact_node", "exact_eye"}};
  for (size_t i = 0; i < rope->points; i++) {
    const size_t point = rope->first_point + i;
    write_line(t, rope->name, kinds[n->exact][file->is_eye[point]], i, &n->points[3 * point],
               tension_from(rope, n->tension, i));
  }
}

static void write_body(table *t, const rl_body_record *body, size_t index, const numbers *n) {
  const double *q = &n->rotation[4 * index];
  write_line(t, body->name, n->exact ? "exact_body" : "body", 0, &n->position[3 * index], NAN);
  if (body->turns) {
    const rl_vec3 v = rl_rotation_vector((rl_quat){q[0], q[1], q[2], q[3]});
    write_line(t, body->name, n->exact ? "exact_rotation" : "rotation", 0,
               (double[]){v.x, v.y, v.z}, NAN);
  }
}

static void write_items(table *t, const rl_trajectory_file *file, const numbers *n) {
  for (size_t i = 0; i < file->rope_count; i++) {
    write_rope(t, file, &file->ropes[i], n);
    for (size_t k = n->paths->first[i]; k < n->paths->first[i + 1]; k++) {
      write_line(t, file->ropes[i].name, n->exact ? "exact_path" : "path", k - n->paths->first[i],
                 &n->paths->points[3 * k], n->paths->tension[k]);
    }
  }
  for (size_t i = 0; i < file->body_count; i++) {
    write_body(t, &file->bodies[i], i, n);
  }
}

static void write_drawing(table *t, const rl_rope_record *rope, const double *points) {
  for (size_t i = 0; i < rope->drawn; i++) {
    write_line(t, rope->name, "drawn", i, &points[3 * (rope->first_drawn + i)], NAN);
  }
}

static bool read_numbers(numbers *n, const rl_item_tracks *tracks, size_t frame) {
  bool good = true;
  const struct {
    rl_track *track;
    const double **numbers;
  } parts[] = {{tracks->points, &n->points},
               {tracks->tension, &n->tension},
               {tracks->drawn, &n->drawn},
               {tracks->position, &n->position},
               {tracks->rotation, &n->rotation}};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    *parts[i].numbers = parts[i].track ? rl_track_at(parts[i].track, frame) : NULL;
    good = good && !parts[i].track == !*parts[i].numbers;
  }
  return good;
}

// Writes a frame; false if the trajectory cannot be read.
static bool write_frame(table *t, const rl_trajectory_file *file, size_t frame) {
  numbers run = {.exact = false};
  numbers exact = {.exact = true};
  run.paths = rl_paths_at(file, file->path, frame);
  exact.paths = rl_paths_at(file, file->exact_path, frame);
  if (!run.paths || !exact.paths || !read_numbers(&run, &file->run, frame) ||
      !read_numbers(&exact, &file->exact, frame)) {
    return false;
  }
  t->time = file->times[frame];
  write_items(t, file, &run);
  for (size_t i = 0; run.drawn && i < file->rope_count; i++) {
    write_drawing(t, &file->ropes[i], run.drawn);
  }
  if (exact.points && !isnan(exact.points[0])) { // the closed form has a value
    write_items(t, file, &exact);
  }
  return true;
}

rl_export_outcome rl_export_csv(const rl_trajectory_file *file, const char *path) {
  rl_new_file new;
  if (!rl_new_file_open(&new, path)) {
    return RL_EXPORT_UNWRITTEN;
  }
  table t = {.out = new.out};
  bool good = true;
  fputs("# ropelab trajectory, format 1\ntime_s,item,kind,index,x,y,z,tension_N\n", t.out);
  for (size_t frame = 0; frame < file->frames && good && !rl_run_interrupted(); frame++) {
    good = write_frame(&t, file, frame);
  }
  if (!good || rl_run_interrupted()) {
    rl_new_file_discard(&new);
    return good ? RL_EXPORT_INTERRUPTED : RL_EXPORT_BROKEN;
  }
  return rl_new_file_close(&new) ? RL_EXPORT_DONE : RL_EXPORT_UNWRITTEN;
}
