// SPDX-License-Identifier: GPL-3.0-or-later
#include "trajectory.h"

#include "world/paths/bend.h"

#include <errno.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

enum {
  CHUNK_FRAMES = 64,     // frames in a chunk of the file, written and flushed together
  CHUNK_CONTACTS = 1024, // contacts in a chunk
  BUFFER_BYTES = 1 << 26 // memory for frames: larger scenes have smaller chunks
};

// A dataset that grows along its first dimension; new records are buffered until they are written.
typedef struct stream {
  struct stream *next;
  hid_t dataset, type;
  int rank;
  hsize_t shape[3]; // of the dataset in the file
  size_t bytes;     // size of a record
  size_t count, capacity;
  char *records;
} stream;

// All ropes one after the other, and all bodies; streams without items stay closed.
typedef struct item_streams {
  stream points, tension, drawn;
  stream position, rotation;
} item_streams;

// Per frame: index of the first contact and their number. Then one record per contact.
typedef struct contact_streams {
  stream first, count;
  stream rope, node, is_element, body, position, normal, force;
} contact_streams;

// Per frame: index of the first point of each rope and of the end. Then one record per point.
typedef struct path_streams {
  stream first, points, tension, bend;
  int64_t count; // points so far
} path_streams;

// Per frame, as for contacts. Then one record per bend of a rope around a body.
typedef struct wrap_streams {
  stream first, count;
  stream rope, body, grip, entry, exit, angle, before, after, slip, force;
  int64_t total; // records so far
} wrap_streams;

struct rl_trajectory {
  hid_t file;
  hid_t frames;     // attribute: number of complete frames
  int error;        // errno of the first failed call; all later ones do nothing
  size_t chunk;     // frames in a chunk
  int64_t contacts; // records so far
  stream *streams;  // list of the open streams
  stream time;
  item_streams run, exact;
  contact_streams contact;
  path_streams path, exact_path;
  wrap_streams wrap;
  rl_path_point *path_points; // buffer for the path of one rope
  size_t path_capacity;
};

// ---------------------------------------------------------------------------------------------
// The vertices of a frame

static uint32_t eye_count(const rl_rope *rope) {
  return rope->wrap_capacity > 0 ? 0 : rope->eye_count;
}

bool rl_path_can_part(const rl_rope *rope) { return rope->spare_count > 0 || rope->is_fed; }

uint32_t rl_path_count(const rl_rope *rope) {
  return rl_path_can_part(rope) ? 2 * rope->link_capacity
                                : rl_rope_node_count(rope) + eye_count(rope);
}

bool rl_path_is_eye(const rl_rope *rope, uint32_t vertex) {
  return vertex >= 1 && vertex <= eye_count(rope);
}

rl_vec3 rl_path_position(const rl_model *model, const rl_state *state, uint32_t rope,
                         uint32_t vertex) {
  const rl_rope *r = &model->ropes[rope];
  const uint32_t element = rl_path_can_part(r) ? vertex / 2 : 0;
  if (element >= rl_rope_elements(model, state, rope)) {
    return (rl_vec3){NAN, NAN, NAN};
  }
  if (rl_path_can_part(r)) {
    const rl_link *link = &state->links[r->first_link + element];
    return rl_position(&state->points[vertex % 2 == 0 ? link->a : link->b]);
  }
  if (rl_path_is_eye(r, vertex)) {
    return rl_vertex_position(model, state, model->eyes[r->first_eye + vertex - 1], state->points);
  }
  const uint32_t node = vertex == 0 ? 0 : vertex - eye_count(r);
  const rl_link *links = &state->links[r->first_link];
  return rl_position(&state->points[node == 0 ? links[0].a : links[node - 1].b]);
}

// Returns the number of points of a rope that the solver draws; 0 if it draws none.
static size_t drawn_count(const rl_driver *driver, uint32_t rope) {
  return driver->type->draw
             ? driver->type->draw(driver->memory, driver->model, driver->state, rope, 0.0, NULL, 0)
             : 0;
}

rl_vec3 rl_rotation_vector(rl_quat q) {
  const rl_vec3 v = {q.x, q.y, q.z};
  const double sine = rl_length(v);
  const double angle = 2.0 * atan2(copysign(sine, q.w), fabs(q.w));
  return rl_scale(sine > 0.0 ? angle / sine : 0.0, v);
}

// ---------------------------------------------------------------------------------------------
// Datasets

// Records the errno of the first failed call, which HDF5 leaves as the system set it.
static hid_t check(rl_trajectory *t, hid_t status) {
  if (status < 0 && t->error == 0) {
    t->error = errno ? errno : EIO;
  }
  return status;
}

static void *allocate(rl_trajectory *t, size_t count, size_t size) {
  void *block = calloc(count + 1, size);
  check(t, block ? 0 : -1);
  return block;
}

// Creates properties without timestamps, so that equal runs write equal bytes.
static hid_t create_properties(rl_trajectory *t, hid_t class) {
  const hid_t properties = check(t, H5Pcreate(class));
  check(t, H5Pset_obj_track_times(properties, false));
  return properties;
}

static hid_t create_group(rl_trajectory *t, hid_t parent, const char *name) {
  const hid_t properties = create_properties(t, H5P_GROUP_CREATE);
  const hid_t group = check(t, H5Gcreate2(parent, name, H5P_DEFAULT, properties, H5P_DEFAULT));
  check(t, H5Pclose(properties));
  return group;
}

// Adds an integer attribute to the file and returns it open.
static hid_t add_attribute(rl_trajectory *t, const char *name, int64_t value) {
  const hid_t space = check(t, H5Screate(H5S_SCALAR));
  const hid_t attribute =
      check(t, H5Acreate2(t->file, name, H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT));
  check(t, H5Awrite(attribute, H5T_NATIVE_INT64, &value));
  check(t, H5Sclose(space));
  return attribute;
}

// Writes a one-dimensional dataset that does not change.
static void add_table(rl_trajectory *t, hid_t group, const char *name, hid_t type, size_t count,
                      const void *values) {
  const hid_t properties = create_properties(t, H5P_DATASET_CREATE);
  const hid_t space = check(t, H5Screate_simple(1, (hsize_t[]){count}, NULL));
  const hid_t dataset =
      check(t, H5Dcreate2(group, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  check(t, H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  check(t, H5Dclose(dataset));
  check(t, H5Sclose(space));
  check(t, H5Pclose(properties));
}

// Opens a dataset with records of `rows` x `columns` numbers; 0: without that dimension.
static void open_stream(rl_trajectory *t, stream *s, hid_t group, const char *name, hid_t type,
                        size_t chunk, size_t rows, size_t columns) {
  const size_t numbers = (rows ? rows : 1) * (columns ? columns : 1);
  *s = (stream){.next = t->streams,
                .type = type,
                .rank = 1 + (rows > 0) + (columns > 0),
                .bytes = numbers * H5Tget_size(type),
                .capacity = chunk};
  s->shape[1] = rows ? rows : columns;
  s->shape[2] = columns;
  const hsize_t most[3] = {H5S_UNLIMITED, s->shape[1], s->shape[2]};
  const hsize_t pieces[3] = {chunk, s->shape[1], s->shape[2]};
  const hid_t properties = create_properties(t, H5P_DATASET_CREATE);
  check(t, H5Pset_chunk(properties, s->rank, pieces));
  const hid_t space = check(t, H5Screate_simple(s->rank, s->shape, most));
  s->dataset = check(t, H5Dcreate2(group, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  s->records = allocate(t, chunk, s->bytes);
  t->streams = s;
  check(t, H5Sclose(space));
  check(t, H5Pclose(properties));
}

// Opens a dataset with a record per frame of `numbers` for each item; without items there is none.
static void open_frames(rl_trajectory *t, stream *s, hid_t group, const char *name, size_t items,
                        size_t numbers) {
  if (items > 0) {
    open_stream(t, s, group, name, H5T_NATIVE_DOUBLE, t->chunk, items, numbers);
  }
}

// Returns room for the next record in memory; NULL without such a dataset or when out of memory.
static void *next_record(rl_trajectory *t, stream *s) {
  if (!s->records) {
    return NULL;
  }
  if (s->count == s->capacity) {
    char *more = realloc(s->records, 2 * s->capacity * s->bytes);
    if (check(t, more ? 0 : -1) < 0) {
      return NULL;
    }
    s->records = more;
    s->capacity *= 2;
  }
  return s->records + s->bytes * s->count++;
}

// Appends the buffered records to the dataset.
static void write_stream(rl_trajectory *t, stream *s) {
  const hsize_t start[3] = {s->shape[0], 0, 0};
  const hsize_t count[3] = {s->count, s->shape[1], s->shape[2]};
  if (s->count == 0 || t->error) {
    return;
  }
  s->shape[0] += s->count;
  check(t, H5Dset_extent(s->dataset, s->shape));
  const hid_t file = check(t, H5Dget_space(s->dataset));
  const hid_t memory = check(t, H5Screate_simple(s->rank, count, NULL));
  check(t, H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, count, NULL));
  check(t, H5Dwrite(s->dataset, s->type, memory, file, H5P_DEFAULT, s->records));
  check(t, H5Sclose(memory));
  check(t, H5Sclose(file));
  s->count = 0;
}

// Writes and flushes all buffered records, so that they outlive a kill. The number of frames is
// written last: only then are all of them readable.
static void write_out(rl_trajectory *t) {
  for (stream *s = t->streams; s; s = s->next) {
    write_stream(t, s);
  }
  if (t->error == 0) {
    const int64_t frames = (int64_t)t->time.shape[0];
    check(t, H5Fflush(t->file, H5F_SCOPE_LOCAL));
    check(t, H5Awrite(t->frames, H5T_NATIVE_INT64, &frames));
    check(t, H5Fflush(t->file, H5F_SCOPE_LOCAL));
  }
}

// ---------------------------------------------------------------------------------------------
// The layout of the file

// Writes names as strings of fixed length, padded with zeros.
static void add_names(rl_trajectory *t, hid_t group, const char *const *names, size_t count) {
  size_t length = 1;
  for (size_t i = 0; i < count; i++) {
    length = strlen(names[i]) > length ? strlen(names[i]) : length;
  }
  char *text = allocate(t, count, length);
  const hid_t type = check(t, H5Tcopy(H5T_C_S1));
  check(t, H5Tset_size(type, length));
  check(t, H5Tset_strpad(type, H5T_STR_NULLPAD));
  for (size_t i = 0; text && i < count; i++) {
    memcpy(&text[i * length], names[i], strlen(names[i]));
  }
  add_table(t, group, "name", type, count, text);
  check(t, H5Tclose(type));
  free(text);
}

// Writes the constant properties of the ropes.
static void add_ropes(rl_trajectory *t, hid_t group, const rl_driver *driver) {
  const rl_model *model = driver->model;
  const size_t count = model->rope_count;
  const char **names = allocate(t, count, sizeof *names);
  double *radii = allocate(t, count, sizeof *radii);
  unsigned char *closed = allocate(t, count, sizeof *closed);
  unsigned char *paths = allocate(t, count, sizeof *paths);
  unsigned char *parts = allocate(t, count, sizeof *parts);
  int64_t *first = allocate(t, 3 * (count + 1), sizeof *first);
  int64_t *points = first;
  int64_t *elements = first + count + 1;
  int64_t *drawn = first + 2 * (count + 1);
  if (t->error == 0) {
    for (uint32_t i = 0; i < count; i++) {
      const rl_rope *rope = &model->ropes[i];
      names[i] = rope->name;
      radii[i] = rope->radius;
      closed[i] = rope->closed;
      paths[i] = rope->wrap_capacity > 0;
      parts[i] = rl_path_can_part(rope);
      points[i + 1] = points[i] + rl_path_count(rope);
      elements[i + 1] = elements[i] + rope->link_capacity;
      drawn[i + 1] = drawn[i] + (int64_t)drawn_count(driver, i);
    }
    add_names(t, group, names, count);
    add_table(t, group, "radius_m", H5T_NATIVE_DOUBLE, count, radii);
    add_table(t, group, "closed", H5T_NATIVE_UINT8, count, closed);
    add_table(t, group, "has_path", H5T_NATIVE_UINT8, count, paths);
    add_table(t, group, "parts", H5T_NATIVE_UINT8, count, parts);
    add_table(t, group, "first_point", H5T_NATIVE_INT64, count + 1, points);
    add_table(t, group, "first_element", H5T_NATIVE_INT64, count + 1, elements);
    add_table(t, group, "first_drawn", H5T_NATIVE_INT64, count + 1, drawn);
  }
  free(names);
  free(radii);
  free(closed);
  free(paths);
  free(parts);
  free(first);
}

// Writes which of the points are eyes.
static void add_eyes(rl_trajectory *t, hid_t group, const rl_model *model, size_t points) {
  unsigned char *eyes = allocate(t, points, sizeof *eyes);
  size_t next = 0;
  for (uint32_t i = 0; eyes && i < model->rope_count; i++) {
    for (uint32_t k = 0; k < rl_path_count(&model->ropes[i]); k++) {
      eyes[next++] = rl_path_is_eye(&model->ropes[i], k);
    }
  }
  add_table(t, group, "is_eye", H5T_NATIVE_UINT8, points, eyes);
  free(eyes);
}

static void open_ropes(rl_trajectory *t, hid_t parent, const rl_driver *driver, bool exact) {
  const rl_model *model = driver->model;
  const hid_t group = create_group(t, parent, "ropes");
  size_t points = 0;
  size_t drawn = 0;
  for (uint32_t i = 0; i < model->rope_count; i++) {
    points += rl_path_count(&model->ropes[i]);
    drawn += drawn_count(driver, i);
  }
  add_ropes(t, group, driver);
  add_eyes(t, group, model, points);
  open_frames(t, &t->run.points, group, "points_m", points, 3);
  open_frames(t, &t->run.tension, group, "tension_N", model->link_count, 0);
  open_frames(t, &t->run.drawn, group, "drawn_m", drawn, 3);
  if (exact) {
    open_frames(t, &t->exact.points, group, "exact_points_m", points, 3);
    open_frames(t, &t->exact.tension, group, "exact_tension_N", model->link_count, 0);
  }
  check(t, H5Gclose(group));
}

static void open_bodies(rl_trajectory *t, hid_t parent, const rl_model *model, bool exact) {
  const size_t count = model->body_count;
  const hid_t group = create_group(t, parent, "bodies");
  const char **names = allocate(t, count, sizeof *names);
  unsigned char *turns = allocate(t, count, sizeof *turns);
  for (size_t i = 0; names && turns && i < count; i++) {
    names[i] = model->bodies[i].name;
    turns[i] = model->bodies[i].spin_slot != RL_NONE;
  }
  if (t->error == 0) {
    add_names(t, group, names, count);
    add_table(t, group, "turns", H5T_NATIVE_UINT8, count, turns);
  }
  open_frames(t, &t->run.position, group, "position_m", count, 3);
  open_frames(t, &t->run.rotation, group, "rotation", count, 4);
  if (exact) {
    open_frames(t, &t->exact.position, group, "exact_position_m", count, 3);
    open_frames(t, &t->exact.rotation, group, "exact_rotation", count, 4);
  }
  free(names);
  free(turns);
  check(t, H5Gclose(group));
}

static void open_contacts(rl_trajectory *t, hid_t parent) {
  contact_streams *s = &t->contact;
  const hid_t group = create_group(t, parent, "contacts");
  open_stream(t, &s->first, group, "first", H5T_NATIVE_INT64, t->chunk, 0, 0);
  open_stream(t, &s->count, group, "count", H5T_NATIVE_INT64, t->chunk, 0, 0);
  open_stream(t, &s->rope, group, "rope", H5T_NATIVE_UINT32, CHUNK_CONTACTS, 0, 0);
  open_stream(t, &s->node, group, "node", H5T_NATIVE_UINT32, CHUNK_CONTACTS, 0, 0);
  open_stream(t, &s->is_element, group, "is_element", H5T_NATIVE_UINT8, CHUNK_CONTACTS, 0, 0);
  open_stream(t, &s->body, group, "body", H5T_NATIVE_UINT32, CHUNK_CONTACTS, 0, 0);
  open_stream(t, &s->position, group, "position_m", H5T_NATIVE_DOUBLE, CHUNK_CONTACTS, 0, 3);
  open_stream(t, &s->normal, group, "normal", H5T_NATIVE_DOUBLE, CHUNK_CONTACTS, 0, 3);
  open_stream(t, &s->force, group, "normal_force_N", H5T_NATIVE_DOUBLE, CHUNK_CONTACTS, 0, 0);
  check(t, H5Gclose(group));
}

static void open_path(rl_trajectory *t, path_streams *s, hid_t group, const char *const names[4],
                      size_t ropes) {
  open_stream(t, &s->first, group, names[0], H5T_NATIVE_INT64, t->chunk, ropes + 1, 0);
  open_stream(t, &s->points, group, names[1], H5T_NATIVE_DOUBLE, CHUNK_CONTACTS, 0, 3);
  open_stream(t, &s->tension, group, names[2], H5T_NATIVE_DOUBLE, CHUNK_CONTACTS, 0, 0);
  open_stream(t, &s->bend, group, names[3], H5T_NATIVE_INT32, CHUNK_CONTACTS, 0, 0);
}

static void open_paths(rl_trajectory *t, hid_t parent, const rl_model *model, bool exact) {
  static const char *const names[2][4] = {
      {"first", "points_m", "tension_N", "bend"},
      {"exact_first", "exact_points_m", "exact_tension_N", "exact_bend"}};
  const hid_t group = create_group(t, parent, "paths");
  open_path(t, &t->path, group, names[0], model->rope_count);
  if (exact) {
    open_path(t, &t->exact_path, group, names[1], model->rope_count);
  }
  check(t, H5Gclose(group));
}

static void open_wraps(rl_trajectory *t, hid_t parent) {
  wrap_streams *s = &t->wrap;
  const hid_t group = create_group(t, parent, "wraps");
  open_stream(t, &s->first, group, "first", H5T_NATIVE_INT64, t->chunk, 0, 0);
  open_stream(t, &s->count, group, "count", H5T_NATIVE_INT64, t->chunk, 0, 0);
  open_stream(t, &s->rope, group, "rope", H5T_NATIVE_UINT32, CHUNK_CONTACTS, 0, 0);
  open_stream(t, &s->body, group, "body", H5T_NATIVE_UINT32, CHUNK_CONTACTS, 0, 0);
  open_stream(t, &s->grip, group, "grip", H5T_NATIVE_UINT32, CHUNK_CONTACTS, 0, 0);
  const struct {
    stream *stream;
    const char *name;
    size_t numbers;
  } streams[] = {{&s->entry, "entry_m", 3},         {&s->exit, "exit_m", 3},
                 {&s->angle, "angle", 0},           {&s->before, "tension_before_N", 0},
                 {&s->after, "tension_after_N", 0}, {&s->slip, "slip_m_s", 0},
                 {&s->force, "force_N", 3}};
  for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
    open_stream(t, streams[i].stream, group, streams[i].name, H5T_NATIVE_DOUBLE, CHUNK_CONTACTS, 0,
                streams[i].numbers);
  }
  check(t, H5Gclose(group));
}

// Returns the frames of a chunk: as many as fit into BUFFER_BYTES, at most CHUNK_FRAMES.
static size_t frames_in_chunk(const rl_model *model) {
  const size_t numbers = 8 * ((size_t)model->node_count + model->eye_count + model->body_count);
  const size_t frames = BUFFER_BYTES / (numbers * sizeof(double) + 1);
  return frames < 1 ? 1 : frames < CHUNK_FRAMES ? frames : CHUNK_FRAMES;
}

static hid_t create_file(rl_trajectory *t, const char *path) {
  const hid_t creation = create_properties(t, H5P_FILE_CREATE);
  const hid_t access = check(t, H5Pcreate(H5P_FILE_ACCESS));
  // No lock: other programs may read the file during the run.
  check(t, H5Pset_file_locking(access, false, true));
  const hid_t file = check(t, H5Fcreate(path, H5F_ACC_TRUNC, creation, access));
  check(t, H5Pclose(access));
  check(t, H5Pclose(creation));
  return file;
}

// Keeps HDF5 from printing errors and from flushing again at exit.
static void prepare_library(void) {
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

rl_trajectory *rl_trajectory_create(const char *folder, const rl_driver *driver, bool exact) {
  const rl_model *model = driver->model;
  char path[RL_PATH_MAX];
  rl_trajectory *t = calloc(1, sizeof *t);
  if (!t || !rl_path_join(path, folder, RL_TRAJECTORY_NAME)) {
    free(t);
    return NULL;
  }
  prepare_library();
  errno = 0;
  t->chunk = frames_in_chunk(model);
  t->file = create_file(t, path);
  if (t->error) {
    rl_trajectory_close(t);
    return NULL;
  }
  check(t, H5Aclose(add_attribute(t, "format", RL_TRAJECTORY_FORMAT)));
  t->frames = add_attribute(t, "frames", 0);
  open_stream(t, &t->time, t->file, "time_s", H5T_NATIVE_DOUBLE, t->chunk, 0, 0);
  open_ropes(t, t->file, driver, exact);
  open_bodies(t, t->file, model, exact);
  open_contacts(t, t->file);
  if (model->wrap_capacity > 0) {
    open_paths(t, t->file, model, exact);
    open_wraps(t, t->file);
  }
  write_out(t); // the file is readable from now on, without frames
  if (t->error) {
    rl_trajectory_close(t);
    return NULL;
  }
  return t;
}

// ---------------------------------------------------------------------------------------------
// Frames

static void add_numbers(rl_trajectory *t, stream *s, const double *numbers) {
  double *record = next_record(t, s);
  if (record) {
    memcpy(record, numbers, s->bytes);
  }
}

static void add_index(rl_trajectory *t, stream *s, uint32_t index) {
  uint32_t *record = next_record(t, s);
  if (record) {
    *record = index;
  }
}

static void add_count(rl_trajectory *t, stream *s, int64_t count) {
  int64_t *record = next_record(t, s);
  if (record) {
    *record = count;
  }
}

static void add_gap(rl_trajectory *t, stream *s) {
  double *record = next_record(t, s);
  for (size_t i = 0; record && i < s->bytes / sizeof *record; i++) {
    record[i] = NAN;
  }
}

static void add_points(rl_trajectory *t, stream *s, const rl_model *model, const rl_state *state) {
  double *at = next_record(t, s);
  for (uint32_t i = 0; at && i < model->rope_count; i++) {
    const uint32_t count = rl_path_count(&model->ropes[i]);
    for (uint32_t k = 0; k < count; k++) {
      const rl_vec3 p = rl_path_position(model, state, i, k);
      *at++ = p.x;
      *at++ = p.y;
      *at++ = p.z;
    }
  }
}

static void add_drawing(rl_trajectory *t, stream *s, const rl_driver *driver) {
  // The points are written into the record of doubles directly.
  _Static_assert(sizeof(rl_vec3) == 3 * sizeof(double), "rl_vec3 has a gap");
  rl_vec3 *at = next_record(t, s);
  for (uint32_t i = 0; at && i < driver->model->rope_count; i++) {
    at += driver->type->draw(driver->memory, driver->model, driver->state, i, 0.0, at,
                             drawn_count(driver, i));
  }
}

static void add_bodies(rl_trajectory *t, item_streams *s, const rl_model *model,
                       const rl_state *state) {
  double *at = next_record(t, &s->position);
  for (uint32_t i = 0; at && i < model->body_count; i++) {
    const rl_point *p = &state->points[rl_body_slot(model, i)];
    *at++ = p->x;
    *at++ = p->y;
    *at++ = p->z;
  }
  at = next_record(t, &s->rotation);
  for (uint32_t i = 0; at && i < model->body_count; i++) {
    const rl_quat q = state->rotations[i];
    *at++ = q.x;
    *at++ = q.y;
    *at++ = q.z;
    *at++ = q.w;
  }
}

// Adds the tension of each element; of a massless rope the largest of its pieces.
static void add_tensions(rl_trajectory *t, stream *s, const rl_model *model,
                         const rl_state *state) {
  double *tensions = next_record(t, s);
  if (tensions) {
    memcpy(tensions, state->multipliers, s->bytes);
  }
  for (uint32_t i = 0; tensions && i < model->rope_count; i++) {
    if (rl_rope_elements(model, state, i) == 0) {
      tensions[model->ropes[i].first_link] = NAN; // it came off
    } else if (model->ropes[i].wrap_capacity > 0) {
      tensions[model->ropes[i].first_link] = rl_largest_tension(model, state, i);
    }
  }
}

// Adds ropes and bodies of a state; before the first step (not `started`) there are no tensions.
static void add_items(rl_trajectory *t, item_streams *s, const rl_model *model,
                      const rl_state *state, bool started) {
  add_points(t, &s->points, model, state);
  if (started) {
    add_tensions(t, &s->tension, model, state);
  } else {
    add_gap(t, &s->tension);
  }
  add_bodies(t, s, model, state);
}

// Adds a contact with its position on the surface, under the current position of the rope.
static void add_contact(rl_trajectory *t, const rl_driver *driver, size_t index, double force) {
  contact_streams *s = &t->contact;
  const rl_state *state = driver->state;
  const rl_contact *c = &state->contacts[index];
  rl_row *row = &driver->rows->rows[driver->rows->span_count + index];
  const rl_vec3 p = rl_contact_place(driver->model, state, driver->rows, row);
  add_index(t, &s->rope, c->rope);
  add_index(t, &s->node, rl_is_of_bodies(c) ? c->slot - driver->model->node_count : c->node);
  add_index(t, &s->body, c->body);
  add_numbers(t, &s->position, (double[]){p.x, p.y, p.z});
  add_numbers(t, &s->normal, (double[]){row->normal.x, row->normal.y, row->normal.z});
  add_numbers(t, &s->force, &force);
  unsigned char *is_element = next_record(t, &s->is_element);
  if (is_element) {
    *is_element = c->next != RL_NONE;
  }
}

// Adds the contacts with a positive force.
static void add_contacts(rl_trajectory *t, const rl_driver *driver) {
  const double *forces = &driver->state->multipliers[driver->model->link_count];
  int64_t count = 0;
  for (size_t i = 0; i < driver->state->contact_count; i++) {
    if (forces[i] > 0.0) {
      add_contact(t, driver, i, forces[i]);
      count++;
    }
  }
  add_count(t, &t->contact.first, t->contacts);
  add_count(t, &t->contact.count, count);
  t->contacts += count;
}

// Returns the points of the path of a rope; NULL when out of memory.
static const rl_path_point *find_path(rl_trajectory *t, const rl_model *model,
                                      const rl_state *state, uint32_t rope, size_t *count) {
  *count = rl_path_points(model, state, rope, RL_DRAWN_TURNS, t->path_points, t->path_capacity);
  if (*count > t->path_capacity) {
    free(t->path_points);
    t->path_points = allocate(t, 2 * *count, sizeof *t->path_points);
    t->path_capacity = t->path_points ? 2 * *count : 0;
    rl_path_points(model, state, rope, RL_DRAWN_TURNS, t->path_points, t->path_capacity);
  }
  return t->path_points;
}

static void add_path(rl_trajectory *t, path_streams *s, const rl_model *model,
                     const rl_state *state, uint32_t rope, bool started) {
  size_t count;
  const rl_path_point *points = find_path(t, model, state, rope, &count);
  for (size_t i = 0; points && i < count; i++) {
    const rl_path_point *p = &points[i];
    const double tension = started ? p->tension : NAN;
    add_numbers(t, &s->points, (double[]){p->at.x, p->at.y, p->at.z});
    add_numbers(t, &s->tension, &tension);
    int32_t *bend = next_record(t, &s->bend);
    if (bend) {
      *bend = p->bend == RL_NONE ? -1 : (int32_t)p->bend;
    }
    s->count++;
  }
}

// The grip of a bend before the first step, when friction has not been judged.
static const uint32_t unjudged = 4;

// Adds a record for each bend of a rope around a body.
static void add_wraps(rl_trajectory *t, const rl_model *model, const rl_state *state,
                      uint32_t rope) {
  wrap_streams *s = &t->wrap;
  rl_bends bends = rl_rope_bends(model, state, rope);
  for (rl_bend b; rl_next_bend(&bends, &b);) {
    if (b.is_eye) {
      continue;
    }
    const bool started = state->step > 0;
    const rl_vec3 force = rl_bend_force(&b);
    add_index(t, &s->rope, rope);
    add_index(t, &s->body, b.body);
    add_index(t, &s->grip, started || b.grip == RL_SLIDES ? (uint32_t)b.grip : unjudged);
    add_numbers(t, &s->entry, (double[]){b.entry.x, b.entry.y, b.entry.z});
    add_numbers(t, &s->exit, (double[]){b.exit.x, b.exit.y, b.exit.z});
    add_numbers(t, &s->angle, &b.turn);
    add_numbers(t, &s->before, &(double){started ? b.before : NAN});
    add_numbers(t, &s->after, &(double){started ? b.after : NAN});
    add_numbers(t, &s->slip, &(double){started ? b.slip : NAN});
    add_numbers(t, &s->force,
                started ? (double[]){force.x, force.y, force.z} : (double[]){NAN, NAN, NAN});
    s->total++;
  }
}

// Adds the paths of all ropes over bodies, of the run or of its closed form (`exact`). Without a
// state there are no points.
static void add_paths(rl_trajectory *t, path_streams *s, const rl_model *model,
                      const rl_state *state, bool exact) {
  int64_t *first = next_record(t, &s->first);
  const int64_t wraps = t->wrap.total;
  for (uint32_t r = 0; first && r < model->rope_count; r++) {
    first[r] = s->count;
    if (state && model->ropes[r].wrap_capacity > 0 && rl_rope_elements(model, state, r) > 0) {
      rl_rope_solve_bends(model, state, r);
      add_path(t, s, model, state, r, exact || state->step > 0);
      if (!exact) {
        add_wraps(t, model, state, r);
      }
    }
  }
  if (first) {
    first[model->rope_count] = s->count;
  }
  if (!exact) {
    add_count(t, &t->wrap.first, wraps);
    add_count(t, &t->wrap.count, t->wrap.total - wraps);
  }
}

bool rl_trajectory_is_due(const rl_trajectory *t) { return t->time.count + 1 == t->chunk; }

bool rl_trajectory_add(rl_trajectory *t, const rl_driver *driver, const rl_state *exact) {
  errno = 0;
  if (t->error == 0) {
    add_numbers(t, &t->time, &driver->state->time);
    add_items(t, &t->run, driver->model, driver->state, driver->state->step > 0);
    add_drawing(t, &t->run.drawn, driver);
    if (exact) {
      add_items(t, &t->exact, driver->model, exact, true);
    } else {
      add_gap(t, &t->exact.points);
      add_gap(t, &t->exact.tension);
      add_gap(t, &t->exact.position);
      add_gap(t, &t->exact.rotation);
    }
    add_contacts(t, driver);
    add_paths(t, &t->path, driver->model, driver->state, false);
    add_paths(t, &t->exact_path, driver->model, exact, true);
    const size_t path_bytes = t->path.points.count * t->path.points.bytes;
    if (t->time.count == t->chunk || path_bytes > BUFFER_BYTES) {
      write_out(t);
    }
  }
  errno = t->error;
  return t->error == 0;
}

bool rl_trajectory_close(rl_trajectory *t) {
  errno = 0;
  write_out(t);
  for (stream *s = t->streams; s; s = s->next) {
    check(t, H5Dclose(s->dataset));
    free(s->records);
  }
  check(t, H5Aclose(t->frames));
  check(t, H5Fclose(t->file));
  const int error = t->error;
  free(t->path_points);
  free(t);
  errno = error;
  return error == 0;
}
