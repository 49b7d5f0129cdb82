// SPDX-License-Identifier: GPL-3.0-or-later
// Trajectories in the file formats of other programs.
#ifndef RL_EXPORT_H
#define RL_EXPORT_H

#include "trajectory.h"

typedef enum rl_export_outcome {
  RL_EXPORT_DONE,
  RL_EXPORT_BROKEN,      // the trajectory cannot be read
  RL_EXPORT_UNWRITTEN,   // errno is set
  RL_EXPORT_IN_THE_WAY,  // a folder with other files stands there
  RL_EXPORT_INTERRUPTED, // by a signal
} rl_export_outcome;

// Each writes beside `path` and renames; an existing export is replaced only by a complete one.
rl_export_outcome rl_export_csv(const rl_trajectory_file *file, const char *path);
rl_export_outcome rl_export_vtk(const rl_trajectory_file *file, const char *path);
rl_export_outcome rl_export_xdmf(const rl_trajectory_file *file, const char *path);

// Writes the description that a run leaves: rl_export_xdmf with every k-th frame, so that there are
// at most 250.
rl_export_outcome rl_describe_trajectory(const rl_trajectory_file *file, const char *path);

#endif
