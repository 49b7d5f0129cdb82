// SPDX-License-Identifier: GPL-3.0-or-later
// trajectory.h5: the motion of a run, frame by frame, at times of rows of series.csv;
// analysis/README.md has its layout. The first part of this header writes the file during a run,
// the second reads it. trajectory.xmf, the description for ParaView, is made from the file alone.
#ifndef RL_TRAJECTORY_H
#define RL_TRAJECTORY_H

#include "files.h"
#include "world/driver.h"

#define RL_TRAJECTORY_NAME "trajectory.h5"
#define RL_XDMF_NAME "trajectory.xmf"

enum { RL_TRAJECTORY_FORMAT = 1 };

// ---------------------------------------------------------------------------------------------
// The vertices of a frame

// The vertices of a rope in a frame are its nodes with the eyes of a massless rope after the first
// node. A rope that can lie on bodies has only its two ends here: its path, whose number of points
// changes, is stored separately. A rope that can part or is fed has two vertices for each element,
// its start and its end. The positions are nan where an element does not exist.
uint32_t rl_path_count(const rl_rope *rope);
bool rl_path_can_part(const rl_rope *rope);
bool rl_path_is_eye(const rl_rope *rope, uint32_t vertex);
rl_vec3 rl_path_position(const rl_model *model, const rl_state *state, uint32_t rope,
                         uint32_t vertex);

// Returns the rotation vector, axis times angle, with an angle of at most pi [rad].
rl_vec3 rl_rotation_vector(rl_quat q);

// ---------------------------------------------------------------------------------------------
// Writing

typedef struct rl_trajectory rl_trajectory;

// Creates the file in a folder, with datasets for the closed form if `exact`. NULL with errno set.
rl_trajectory *rl_trajectory_create(const char *folder, const rl_driver *driver, bool exact);

// Whether adding the next frame will write the buffered frames to the file.
bool rl_trajectory_is_due(const rl_trajectory *trajectory);

// Adds the current state as a frame, and the state of the closed form (NULL: it does not hold;
// nan). Returns false with errno set after any failed write.
bool rl_trajectory_add(rl_trajectory *trajectory, const rl_driver *driver, const rl_state *exact);

// Writes the buffered frames and closes the file. Returns false with errno set if anything was
// lost.
bool rl_trajectory_close(rl_trajectory *trajectory);

// ---------------------------------------------------------------------------------------------
// Reading

// One dataset, read frame by frame.
typedef struct rl_track rl_track;

// A rope and its ranges among all points, elements and drawn points.
typedef struct rl_rope_record {
  const char *name;
  bool closed, has_path; // closed: a loop; has_path: it can lie on bodies
  bool parts;            // it can part: two points for each element
  size_t first_point, points, first_element, elements, first_drawn, drawn;
} rl_rope_record;

// The number of points of an element: its two nodes, or all points of a massless rope with eyes.
static inline size_t rl_element_points(const rl_rope_record *rope) {
  return rope->elements == 1 ? rope->points : 2;
}

// The index among all points of the k-th point of an element; a loop continues at node 0.
static inline size_t rl_element_point(const rl_rope_record *rope, size_t element, size_t k) {
  return rope->first_point + (rope->parts ? 2 * element + k : (element + k) % rope->points);
}

typedef struct rl_body_record {
  const char *name;
  bool turns;
} rl_body_record;

// The tracks of a run or of its closed form; NULL: no such dataset.
typedef struct rl_item_tracks {
  rl_track *points, *tension, *drawn; // of all ropes
  rl_track *position, *rotation;      // of all bodies
} rl_item_tracks;

// The paths in one frame of all ropes that can lie on bodies, one after the other.
typedef struct rl_paths {
  size_t *first;   // [ropes + 1] rope r has the points first[r] ... first[r + 1] - 1
  double *points;  // [3 x points] [m]
  double *tension; // [points] from each point to the next [N]
  size_t capacity; // of `points` and `tension`, in points
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

// Opens the file in a folder; that of a killed run ends with the last flushed frame. Returns NULL
// with a message about what is wrong.
rl_trajectory_file *rl_trajectory_open(const char *folder, char *message, size_t size);
void rl_trajectory_file_free(rl_trajectory_file *file);

// Returns the numbers of one frame, valid until the next call for this track; NULL on read errors.
const double *rl_track_at(rl_track *track, size_t frame);

// The number of records of a track.
size_t rl_track_length(const rl_track *track);

// Returns [ropes + 1] where the path of each rope begins among those of one frame, the total last;
// valid until the next call for these tracks. NULL on read errors.
const size_t *rl_path_starts(const rl_trajectory_file *file, rl_path_tracks *tracks, size_t frame);

// Returns the paths of one frame, valid until the next call for these tracks; without such tracks
// no rope has points. NULL on read errors.
const rl_paths *rl_paths_at(const rl_trajectory_file *file, rl_path_tracks *tracks, size_t frame);

#endif
