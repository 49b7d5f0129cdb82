// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "options.h"
#include "results/export.h"
#include "results/files.h"
#include "results/results_folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const rl_usage rl_export_usage = {
    .name = "export",
    .positional = "DIR",
    .doc = "Turns the trajectory of a run, the one in DIR, into files that other programs read."
           "\v"
           "Formats, and where they go without --out:\n"
           "  csv   DIR/trajectory.csv: one table of all positions and tensions\n"
           "  vtk   DIR/vtk: a VTK file a frame, and trajectory.pvd, which ParaView opens\n"
           "  xdmf  DIR/trajectory.xmf: trajectory.h5 described for ParaView, which a run\n"
           "        that was killed did not do\n\n"
           "Examples:\n"
           "  ropelab export out/run-pendulum --to csv\n"
           "  ropelab export out/compare-atwood/atwood/rattle --to vtk --out atwood-vtk",
    .options = "TOf",
    .least = 1,
    .most = 1,
};

static const struct {
  const char *name;
  const char *target; // in DIR
  rl_export_outcome (*write)(const rl_trajectory_file *file, const char *path);
} formats[] = {
    {"csv", "trajectory.csv", rl_export_csv},
    {"vtk", "vtk", rl_export_vtk},
    {"xdmf", RL_XDMF_NAME, rl_export_xdmf},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

static int find_format(const char *name) {
  for (int i = 0; name && i < FORMATS; i++) {
    if (strcmp(formats[i].name, name) == 0) {
      return i;
    }
  }
  fprintf(stderr,
          name ? "ropelab export: --to %s: expected csv, vtk or xdmf\n"
               : "ropelab export: expected --to csv, --to vtk or --to xdmf\n",
          name);
  return -1;
}

static int write_export(const rl_trajectory_file *file, int format, const char *path) {
  switch (formats[format].write(file, path)) {
  case RL_EXPORT_DONE:
    return RL_EXIT_DONE;
  case RL_EXPORT_INTERRUPTED:
    return RL_EXIT_INTERRUPTED;
  case RL_EXPORT_BROKEN:
    fprintf(stderr, "ropelab: %s cannot be read to its end\n", RL_TRAJECTORY_NAME);
    return RL_EXIT_FAILED;
  case RL_EXPORT_IN_THE_WAY:
    fprintf(stderr, "ropelab: %s holds more than an export; it stays\n", path);
    return RL_EXIT_USAGE;
  default:
    fprintf(stderr, "ropelab: cannot write %s: %s\n", path, strerror(errno));
    return RL_EXIT_FAILED;
  }
}

int rl_command_export(int argc, char **argv) {
  static rl_arguments arguments;
  int status = RL_EXIT_FAILED;
  char path[RL_PATH_MAX];
  char message[2 * RL_PATH_MAX];
  if (!rl_arguments_parse(&rl_export_usage, argc, argv, &arguments, &status)) {
    return status;
  }
  const char *folder = arguments.positional[0];
  const int format = find_format(arguments.to);
  if (format < 0) {
    return RL_EXIT_USAGE;
  }
  if (arguments.out ? snprintf(path, sizeof path, "%s", arguments.out) >= RL_PATH_MAX
                    : !rl_path_join(path, folder, formats[format].target)) {
    fprintf(stderr, "ropelab: the name of the target is too long\n");
    return RL_EXIT_USAGE;
  }
  if (rl_folder_has_several_runs(folder)) {
    fprintf(stderr, "ropelab: %s holds several runs; expected the folder of one of them\n", folder);
    return RL_EXIT_USAGE;
  }
  rl_trajectory_file *file = rl_trajectory_open(folder, message, sizeof message);
  if (!file) {
    fprintf(stderr, "ropelab: %s\n", message);
    return RL_EXIT_USAGE;
  }
  if (rl_file_exists(path) && !arguments.force) {
    fprintf(stderr, "ropelab: %s is already there; --force replaces it\n", path);
    status = RL_EXIT_USAGE;
  } else {
    status = write_export(file, format, path);
  }
  rl_trajectory_file_free(file);
  return status;
}
