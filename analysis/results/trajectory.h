// SPDX-License-Identifier: GPL-3.0-or-later
// trajectory.h5: the whole motion of a run, frame by frame, at times of rows of series.csv;
// analysis/README.md has its layout. One part writes it while a run goes on, one reads it again.
// trajectory.xmf, which lets ParaView find its way in it, is written from the file alone.
#ifndef RL_TRAJECTORY_H
#define RL_TRAJECTORY_H

#include "files.h"
#include "world/driver.h"

#define RL_TRAJECTORY_NAME "trajectory.h5"
#define RL_XDMF_NAME "trajectory.xmf"

enum { RL_TRAJECTORY_FORMAT = 1 };

// ---------------------------------------------------------------------------------------------
// What a frame holds

// The vertices of a rope: its nodes, and behind the first of them the eyes that a massless rope
// runs through. One that can lie on bodies has its two ends here, and its whole path elsewhere, for
// that changes its number of points. A rope that can part has two points for each of its elements,
// where that begins and where it ends. Nan: a massless rope that came off.
uint32_t rl_path_count(const rl_rope *rope);
bool rl_path_parts(const rl_rope *rope);
bool rl_path_is_eye(const rl_rope *rope, uint32_t vertex);
rl_vec3 rl_path_position(const rl_model *model, const rl_state *state, uint32_t rope,
                         uint32_t vertex);

// Axis times angle of a rotation, the shorter way round [rad].
rl_vec3 rl_rotation_vector(rl_quat q);

// ---------------------------------------------------------------------------------------------
// Writing

typedef struct rl_trajectory rl_trajectory;

// Makes the file in a folder; `exact`: with a closed form beside. NULL with errno set.
rl_trajectory *rl_trajectory_create(const char *folder, const rl_driver *driver, bool exact);

// Whether the next frame goes into the file with those that wait.
bool rl_trajectory_is_due(const rl_trajectory *trajectory);

// Adds the state now as a frame, and that of the closed form (NULL: it does not hold, nan). False
// with errno set once something could not be written.
bool rl_trajectory_add(rl_trajectory *trajectory, const rl_driver *driver, const rl_state *exact);

// Writes what is still in memory and closes the file. False with errno set if anything was lost.
bool rl_trajectory_close(rl_trajectory *trajectory);

// ---------------------------------------------------------------------------------------------
// Reading

// The numbers of one dataset, frame by frame.
typedef struct rl_track rl_track;

// A rope, and which of all points, elements and drawn points are its own.
typedef struct rl_rope_record {
  const char *name;
  bool closed, has_path; // has_path: it can lie on bodies
  bool parts;            // it can part: two points for each element
  size_t first_point, points, first_element, elements, first_drawn, drawn;
} rl_rope_record;

// Points of an element: its two nodes, or where a massless rope has eyes its whole path.
static inline size_t rl_element_points(const rl_rope_record *rope) {
  return rope->elements == 1 ? rope->points : 2;
}

// Which of all points is the k-th of an element; a loop goes on to node 0.
static inline size_t rl_element_point(const rl_rope_record *rope, size_t element, size_t k) {
  return rope->first_point + (rope->parts ? 2 * element + k : (element + k) % rope->points);
}

typedef struct rl_body_record {
  const char *name;
  bool turns;
} rl_body_record;

// Of the run or its closed form; NULL where there is nothing of the kind.
typedef struct rl_item_tracks {
  rl_track *points, *tension, *drawn; // of all ropes
  rl_track *position, *rotation;      // of all bodies
} rl_item_tracks;

// The paths of all ropes that can lie on bodies at one frame, one after the other.
typedef struct rl_paths {
  size_t *first;   // [ropes + 1] rope r has the points first[r] ... first[r + 1] - 1
  double *points;  // 3 each [m]
  double *tension; // from each point to the next [N]
  size_t capacity; // of points
} rl_paths;

typedef struct rl_path_tracks {
  rl_track *first, *points, *tension;
  rl_paths now;
} rl_path_tracks;

typedef struct rl_trajectory_file {
  long long handle; // of the open file
  size_t frames, rope_count, body_count, points, elements, drawn;
  double *times;         // [frames] [s]
  unsigned char *is_eye; // [points]
  rl_rope_record *ropes;
  rl_body_record *bodies;
  char *rope_names, *body_names;
  rl_item_tracks run, exact;
  rl_path_tracks *path, *exact_path;
} rl_trajectory_file;

// Opens the file in a folder; of a run that was killed it holds what was flushed. NULL with a
// message about what is wrong with it.
rl_trajectory_file *rl_trajectory_open(const char *folder, char *message, size_t size);
void rl_trajectory_file_free(rl_trajectory_file *file);

// The numbers of one frame, until the next call for this track. NULL if they cannot be read.
const double *rl_track_at(rl_track *track, size_t frame);

// How many records a track has.
size_t rl_track_length(const rl_track *track);

// Where the path of each rope begins among those of one frame, and the last one ends, until the
// next call for these tracks; NULL if they cannot be read.
const size_t *rl_path_starts(const rl_trajectory_file *file, rl_path_tracks *tracks, size_t frame);

// The paths of one frame, until the next call for these tracks; where there are none, no rope has
// points. NULL if they cannot be read.
const rl_paths *rl_paths_at(const rl_trajectory_file *file, rl_path_tracks *tracks, size_t frame);

#endif
