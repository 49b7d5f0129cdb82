// SPDX-License-Identifier: GPL-3.0-or-later
#include "trajectory.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_FRAMES = 64 }; // frames read at a time

struct rl_track {
  hid_t dataset;
  int rank;
  size_t frames, width; // records, and numbers in a record
  hsize_t shape[3];
  size_t first, count; // records in memory
  double *numbers;
};

// ---------------------------------------------------------------------------------------------
// Tracks

static void track_free(rl_track *track) {
  if (track) {
    H5Dclose(track->dataset);
    free(track->numbers);
    free(track);
  }
}

// Opens a dataset of at least `frames` records; NULL: there is none.
static rl_track *track_open(hid_t group, const char *name, size_t frames) {
  rl_track *track = calloc(1, sizeof *track);
  if (!track) {
    return NULL;
  }
  track->frames = frames;
  track->dataset = H5Dopen2(group, name, H5P_DEFAULT);
  const hid_t space = H5Dget_space(track->dataset);
  track->rank = H5Sget_simple_extent_ndims(space);
  const bool fits = track->rank >= 1 && track->rank <= 3 &&
                    H5Sget_simple_extent_dims(space, track->shape, NULL) == track->rank;
  H5Sclose(space);
  if (!fits || track->shape[0] < frames) {
    track_free(track);
    return NULL;
  }
  track->width = 1;
  for (int i = 1; i < track->rank; i++) {
    track->width *= track->shape[i];
  }
  return track;
}

// Returns transfer properties with a small conversion buffer: HDF5 clears it, by default a
// megabyte, in every read.
static hid_t small_transfer(void) {
  const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
  H5Pset_buffer(transfer, 1 << 14, NULL, NULL);
  return transfer;
}

static bool read_rows(const rl_track *track, size_t first, size_t count, double *numbers) {
  const hsize_t start[3] = {first, 0, 0};
  const hsize_t size[3] = {count, track->shape[1], track->shape[2]};
  const hid_t file = H5Dget_space(track->dataset);
  const hid_t memory = H5Screate_simple(track->rank, size, NULL);
  const hid_t transfer = small_transfer();
  const bool done =
      H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
      H5Dread(track->dataset, H5T_NATIVE_DOUBLE, memory, file, transfer, numbers) >= 0;
  H5Pclose(transfer);
  H5Sclose(memory);
  H5Sclose(file);
  return done;
}

const double *rl_track_at(rl_track *track, size_t frame) {
  if (frame < track->first || frame >= track->first + track->count) {
    const size_t left = track->frames - frame;
    const size_t count = left < BLOCK_FRAMES ? left : BLOCK_FRAMES;
    if (!track->numbers) {
      track->numbers = malloc(BLOCK_FRAMES * track->width * sizeof *track->numbers);
    }
    track->count = 0;
    if (!track->numbers || !read_rows(track, frame, count, track->numbers)) {
      return NULL;
    }
    track->first = frame;
    track->count = count;
  }
  return &track->numbers[(frame - track->first) * track->width];
}

size_t rl_track_length(const rl_track *track) { return track->frames; }

// ---------------------------------------------------------------------------------------------
// Paths

// Makes room for `count` points; false when out of memory.
static bool hold_points(rl_paths *paths, size_t count) {
  if (count > paths->capacity) {
    free(paths->points);
    free(paths->tension);
    paths->points = malloc(3 * count * sizeof *paths->points);
    paths->tension = malloc(count * sizeof *paths->tension);
    paths->capacity = paths->points && paths->tension ? count : 0;
  }
  return count <= paths->capacity;
}

const size_t *rl_path_starts(const rl_trajectory_file *file, rl_path_tracks *tracks, size_t frame) {
  rl_paths *now = &tracks->now;
  if (!now->first) {
    now->first = calloc(file->rope_count + 1, sizeof *now->first);
  }
  if (!now->first || !tracks->first) {
    return now->first;
  }
  const double *first = rl_track_at(tracks->first, frame);
  const double end = (double)tracks->points->frames;
  for (size_t i = 0; first && i <= file->rope_count; i++) {
    if (!(first[i] >= first[i > 0 ? i - 1 : 0] && first[i] >= 0.0 && first[i] <= end)) {
      return NULL;
    }
    now->first[i] = (size_t)(first[i] - first[0]);
  }
  return first ? now->first : NULL;
}

const rl_paths *rl_paths_at(const rl_trajectory_file *file, rl_path_tracks *tracks, size_t frame) {
  rl_paths *now = &tracks->now;
  const size_t *starts = rl_path_starts(file, tracks, frame);
  const size_t count = starts ? starts[file->rope_count] : 0;
  if (count == 0) {
    return starts ? now : NULL;
  }
  const size_t first = (size_t)*rl_track_at(tracks->first, frame);
  return hold_points(now, count) && read_rows(tracks->points, first, count, now->points) &&
                 read_rows(tracks->tension, first, count, now->tension)
             ? now
             : NULL;
}

// Opens a list to which each frame adds any number of records.
static rl_track *list_open(hid_t group, const char *name, size_t width) {
  rl_track *track = track_open(group, name, 0);
  if (track && track->width != width) {
    track_free(track);
    return NULL;
  }
  if (track) {
    track->frames = (size_t)track->shape[0];
  }
  return track;
}

static bool open_path(const rl_trajectory_file *file, rl_path_tracks *tracks, hid_t group,
                      const char *const names[3]) {
  tracks->first = track_open(group, names[0], file->frames);
  tracks->points = list_open(group, names[1], 3);
  tracks->tension = list_open(group, names[2], 1);
  if (!tracks->first && !tracks->points && !tracks->tension) {
    return true; // the file has no paths
  }
  return tracks->first && tracks->points && tracks->tension &&
         tracks->first->width == file->rope_count + 1 &&
         tracks->tension->frames >= tracks->points->frames;
}

static bool open_paths(rl_trajectory_file *file) {
  static const char *const names[2][3] = {{"first", "points_m", "tension_N"},
                                          {"exact_first", "exact_points_m", "exact_tension_N"}};
  const hid_t group = H5Gopen2(file->handle, "paths", H5P_DEFAULT);
  file->path = calloc(1, sizeof *file->path);
  file->exact_path = calloc(1, sizeof *file->exact_path);
  const bool good = file->path && file->exact_path &&
                    (group < 0 || (open_path(file, file->path, group, names[0]) &&
                                   open_path(file, file->exact_path, group, names[1])));
  H5Gclose(group);
  return good;
}

static void paths_free(rl_path_tracks *tracks) {
  if (tracks) {
    track_free(tracks->first);
    track_free(tracks->points);
    track_free(tracks->tension);
    free(tracks->now.first);
    free(tracks->now.points);
    free(tracks->now.tension);
    free(tracks);
  }
}

// ---------------------------------------------------------------------------------------------
// The file

static bool read_int(hid_t group, const char *name, int *value) {
  const hid_t attribute = H5Aopen(group, name, H5P_DEFAULT);
  const bool done = H5Aread(attribute, H5T_NATIVE_INT, value) >= 0;
  H5Aclose(attribute);
  return done;
}

// Reads a table of `count` numbers; a `count` of 0 accepts any length and is set to it. NULL: the
// file is broken.
static double *read_table(hid_t group, const char *name, size_t *count) {
  rl_track *track = track_open(group, name, *count);
  double *numbers = NULL;
  if (track && track->rank == 1 && (*count == 0 || *count == track->shape[0])) {
    *count = track->frames = (size_t)track->shape[0];
    numbers = calloc(*count + 1, sizeof *numbers);
  }
  for (size_t i = 0; numbers && i < *count; i++) {
    const double *number = rl_track_at(track, i);
    if (!number) {
      free(numbers);
      numbers = NULL;
      break;
    }
    numbers[i] = *number;
  }
  track_free(track);
  return numbers;
}

// Reads names into one buffer, each ended by a zero, `*stride` bytes apart. NULL: the file is
// broken.
static char *read_names(hid_t group, size_t *count, size_t *stride) {
  const hid_t dataset = H5Dopen2(group, "name", H5P_DEFAULT);
  const hid_t space = H5Dget_space(dataset);
  const hid_t type = H5Dget_type(dataset);
  const hssize_t names = H5Sget_simple_extent_npoints(space);
  const size_t length = H5Tget_class(type) == H5T_STRING ? H5Tget_size(type) : 0;
  const hid_t memory = H5Tcopy(H5T_C_S1);
  char *text = names >= 0 && length > 0 ? calloc((size_t)names + 1, length + 1) : NULL;
  if (H5Tset_size(memory, length + 1) < 0 ||
      (text && H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0)) {
    free(text);
    text = NULL;
  }
  *count = text ? (size_t)names : 0;
  *stride = length + 1;
  H5Tclose(memory);
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(dataset);
  return text;
}

// Reads where the items of each rope begin: rope_count + 1 numbers that do not decrease. NULL: the
// file is broken.
static double *read_first(const rl_trajectory_file *file, hid_t group, const char *name,
                          size_t *total) {
  size_t count = file->rope_count + 1;
  double *first = read_table(group, name, &count);
  bool good = first && first[0] == 0.0;
  for (size_t i = 0; good && i < file->rope_count; i++) {
    good = first[i + 1] >= first[i];
  }
  if (!good) {
    free(first);
    return NULL;
  }
  *total = (size_t)first[file->rope_count];
  return first;
}

static bool read_ropes(rl_trajectory_file *file, hid_t group) {
  size_t stride = 0;
  file->rope_names = read_names(group, &file->rope_count, &stride);
  file->ropes = calloc(file->rope_count + 1, sizeof *file->ropes);
  double *points = read_first(file, group, "first_point", &file->points);
  double *elements = read_first(file, group, "first_element", &file->elements);
  double *drawn = read_first(file, group, "first_drawn", &file->drawn);
  size_t count = file->rope_count;
  size_t eye_count = file->points;
  double *closed = read_table(group, "closed", &count);
  size_t path_count = count;
  double *paths = read_table(group, "has_path", &path_count);
  // Files from before ropes could part do not have this table.
  size_t part_count = count;
  const bool has_parts = H5Lexists(group, "parts", H5P_DEFAULT) > 0;
  double *parts =
      has_parts ? read_table(group, "parts", &part_count) : calloc(count + 1, sizeof *parts);
  double *eyes = read_table(group, "is_eye", &eye_count);
  file->is_eye = calloc(file->points + 1, 1);
  bool good = file->rope_names && file->ropes && points && elements && drawn && closed && paths &&
              path_count == count && parts && part_count == count && eyes && file->is_eye &&
              count == file->rope_count && eye_count == file->points;
  for (size_t i = 0; good && i < file->rope_count; i++) {
    file->ropes[i] = (rl_rope_record){.name = &file->rope_names[i * stride],
                                      .closed = closed[i] != 0.0,
                                      .has_path = paths[i] != 0.0,
                                      .parts = parts[i] != 0.0,
                                      .first_point = (size_t)points[i],
                                      .points = (size_t)(points[i + 1] - points[i]),
                                      .first_element = (size_t)elements[i],
                                      .elements = (size_t)(elements[i + 1] - elements[i]),
                                      .first_drawn = (size_t)drawn[i],
                                      .drawn = (size_t)(drawn[i + 1] - drawn[i])};
  }
  for (size_t i = 0; good && i < file->rope_count; i++) {
    good = !file->ropes[i].parts || file->ropes[i].points == 2 * file->ropes[i].elements;
  }
  for (size_t i = 0; good && i < file->points; i++) {
    file->is_eye[i] = eyes[i] != 0.0;
  }
  free(points);
  free(elements);
  free(drawn);
  free(closed);
  free(paths);
  free(parts);
  free(eyes);
  return good;
}

static bool read_bodies(rl_trajectory_file *file, hid_t group) {
  size_t stride = 0;
  file->body_names = read_names(group, &file->body_count, &stride);
  file->bodies = calloc(file->body_count + 1, sizeof *file->bodies);
  size_t count = file->body_count;
  double *turns = read_table(group, "turns", &count);
  const bool good = file->body_names && file->bodies && turns && count == file->body_count;
  for (size_t i = 0; good && i < file->body_count; i++) {
    file->bodies[i] = (rl_body_record){&file->body_names[i * stride], turns[i] != 0.0};
  }
  free(turns);
  return good;
}

// Whether a track has `numbers` for each of the items; without items it need not exist.
static bool fits(const rl_track *track, size_t items, size_t numbers) {
  return items == 0 || (track && track->width == items * numbers);
}

static bool open_tracks(rl_trajectory_file *file, hid_t ropes, hid_t bodies) {
  rl_item_tracks *run = &file->run;
  rl_item_tracks *exact = &file->exact;
  run->points = track_open(ropes, "points_m", file->frames);
  run->tension = track_open(ropes, "tension_N", file->frames);
  run->drawn = track_open(ropes, "drawn_m", file->frames);
  run->position = track_open(bodies, "position_m", file->frames);
  run->rotation = track_open(bodies, "rotation", file->frames);
  exact->points = track_open(ropes, "exact_points_m", file->frames);
  exact->tension = track_open(ropes, "exact_tension_N", file->frames);
  exact->position = track_open(bodies, "exact_position_m", file->frames);
  exact->rotation = track_open(bodies, "exact_rotation", file->frames);
  const bool has_exact = exact->points || exact->position;
  return fits(run->points, file->points, 3) && fits(run->tension, file->elements, 1) &&
         fits(run->drawn, file->drawn, 3) && fits(run->position, file->body_count, 3) &&
         fits(run->rotation, file->body_count, 4) &&
         (!has_exact ||
          (fits(exact->points, file->points, 3) && fits(exact->tension, file->elements, 1) &&
           fits(exact->position, file->body_count, 3) &&
           fits(exact->rotation, file->body_count, 4)));
}

// Reads the times of all complete frames; a killed run may have left more times than frames.
static bool read_times(rl_trajectory_file *file) {
  int frames = -1;
  bool good = read_int(file->handle, "frames", &frames) && frames >= 0;
  file->frames = good ? (size_t)frames : 0;
  file->times = calloc(file->frames + 1, sizeof *file->times);
  rl_track *track = track_open(file->handle, "time_s", file->frames);
  good = good && file->times && track && track->rank == 1;
  for (size_t i = 0; good && i < file->frames; i++) {
    const double *time = rl_track_at(track, i);
    good = time != NULL;
    file->times[i] = good ? *time : 0.0;
  }
  track_free(track);
  return good;
}

static bool read_content(rl_trajectory_file *file) {
  const hid_t ropes = H5Gopen2(file->handle, "ropes", H5P_DEFAULT);
  const hid_t bodies = H5Gopen2(file->handle, "bodies", H5P_DEFAULT);
  const bool good = read_times(file) && read_ropes(file, ropes) && read_bodies(file, bodies) &&
                    open_tracks(file, ropes, bodies) && open_paths(file);
  H5Gclose(ropes);
  H5Gclose(bodies);
  return good;
}

rl_trajectory_file *rl_trajectory_open(const char *folder, char *message, size_t size) {
  char path[RL_PATH_MAX];
  int format = 0;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  if (!rl_path_join(path, folder, RL_TRAJECTORY_NAME) || !rl_file_exists(path)) {
    snprintf(message, size, "no %s in %s; `ropelab run` writes it", RL_TRAJECTORY_NAME, folder);
    return NULL;
  }
  rl_trajectory_file *file = calloc(1, sizeof *file);
  if (!file) {
    snprintf(message, size, "out of memory");
    return NULL;
  }
  file->handle = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file->handle < 0 || !read_int(file->handle, "format", &format)) {
    snprintf(message, size, "%s cannot be read: it is no trajectory, or was cut", path);
  } else if (format != RL_TRAJECTORY_FORMAT) {
    snprintf(message, size, "%s has format %d; this version reads %d", path, format,
             RL_TRAJECTORY_FORMAT);
  } else if (!read_content(file)) {
    snprintf(message, size, "%s is broken", path);
  } else {
    return file;
  }
  rl_trajectory_file_free(file);
  return NULL;
}

static void items_free(rl_item_tracks *items) {
  track_free(items->points);
  track_free(items->tension);
  track_free(items->drawn);
  track_free(items->position);
  track_free(items->rotation);
}

void rl_trajectory_file_free(rl_trajectory_file *file) {
  if (file) {
    items_free(&file->run);
    items_free(&file->exact);
    paths_free(file->path);
    paths_free(file->exact_path);
    H5Fclose(file->handle);
    free(file->times);
    free(file->is_eye);
    free(file->ropes);
    free(file->bodies);
    free(file->rope_names);
    free(file->body_names);
    free(file);
  }
}
