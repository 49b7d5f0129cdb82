// SPDX-License-Identifier: GPL-3.0-or-later
// Exports the XDMF description of a trajectory: a collection of frames, each with a grid of all
// ropes and one of all bodies. What does not change comes first and is referred to; the numbers are
// in trajectory.h5.
#include "export.h"

// A grid that every frame has.
typedef struct grid {
  const char *name;
  const char *points, *tension;   // datasets; NULL: no tension
  size_t point_count, cell_count; // no points: no such grid
  void (*write_cells)(FILE *out, const rl_trajectory_file *file);
} grid;

// ---------------------------------------------------------------------------------------------
// Cells: type (1: points; 2: polyline), number of vertices, and their indices

static void write_rope_cells(FILE *out, const rl_trajectory_file *file) {
  for (size_t i = 0; i < file->rope_count; i++) {
    const rl_rope_record *rope = &file->ropes[i];
    const size_t width = rl_element_points(rope);
    for (size_t e = 0; e < rope->elements; e++) {
      fprintf(out, "%d %zu", rope->has_path ? 1 : 2, width); // a path has its own grid
      for (size_t k = 0; k < width; k++) {
        fprintf(out, " %zu", rl_element_point(rope, e, k));
      }
      fputc('\n', out);
    }
  }
}

static void write_drawn_cells(FILE *out, const rl_trajectory_file *file) {
  for (size_t i = 0; i < file->rope_count; i++) {
    fprintf(out, "2 %zu", file->ropes[i].drawn);
    for (size_t k = 0; k < file->ropes[i].drawn; k++) {
      fprintf(out, " %zu", file->ropes[i].first_drawn + k);
    }
    fputc('\n', out);
  }
}

static void write_body_cells(FILE *out, const rl_trajectory_file *file) {
  for (size_t i = 0; i < file->body_count; i++) {
    fprintf(out, "1 1 %zu\n", i);
  }
}

// Returns the number of integers that write_cells prints.
static size_t count_numbers(const grid *g, const rl_trajectory_file *file) {
  if (g->write_cells == write_body_cells) {
    return 3 * file->body_count;
  }
  size_t count = 0;
  for (size_t i = 0; i < file->rope_count; i++) {
    const rl_rope_record *rope = &file->ropes[i];
    count += g->write_cells == write_drawn_cells ? 2 + rope->drawn
                                                 : rope->elements * (2 + rl_element_points(rope));
  }
  return count;
}

// ---------------------------------------------------------------------------------------------
// The document

// Writes what all frames share: for each grid its cells, and its points and tensions at all times.
static void write_shared(FILE *out, const rl_trajectory_file *file, const grid *g) {
  const size_t numbers = count_numbers(g, file);
  fprintf(out,
          "<Topology Name=\"%s\" TopologyType=\"Mixed\" NumberOfElements=\"%zu\">"
          "<DataItem Format=\"XML\" NumberType=\"Int\" Dimensions=\"%zu\">\n",
          g->name, g->cell_count, numbers);
  g->write_cells(out, file);
  fprintf(out,
          "</DataItem></Topology>\n<DataItem Name=\"%s points\" Format=\"HDF\" "
          "NumberType=\"Float\" Precision=\"8\" Dimensions=\"%zu %zu 3\">%s:%s</DataItem>\n",
          g->name, file->frames, g->point_count, RL_TRAJECTORY_NAME, g->points);
  if (g->tension) {
    fprintf(out,
            "<DataItem Name=\"%s tension\" Format=\"HDF\" NumberType=\"Float\" Precision=\"8\" "
            "Dimensions=\"%zu %zu\">%s:%s</DataItem>\n",
            g->name, file->frames, g->cell_count, RL_TRAJECTORY_NAME, g->tension);
  }
}

// Writes a grid of one frame. The frame number before the hyperslab is for ParaView's XDMF Reader,
// which caches geometries by their first text and would otherwise not read the next frame.
static void write_grid(FILE *out, const grid *g, size_t frame) {
  fprintf(out,
          "<Grid Name=\"%s\"><Topology Reference=\"/Xdmf/Domain/Topology[@Name='%s']\"/><Geometry>"
          "<DataItem ItemType=\"HyperSlab\" Dimensions=\"1 %zu 3\">%zu<DataItem Dimensions=\"3 3\">"
          "%zu 0 0 1 1 1 1 %zu 3</DataItem>"
          "<DataItem Reference=\"/Xdmf/Domain/DataItem[@Name='%s points']\"/></DataItem>"
          "</Geometry>",
          g->name, g->name, g->point_count, frame, frame, g->point_count, g->name);
  if (g->tension) {
    fprintf(out,
            "<Attribute Name=\"tension_N\" Center=\"Cell\"><DataItem ItemType=\"HyperSlab\" "
            "Dimensions=\"1 %zu\"><DataItem Dimensions=\"3 2\">%zu 0 1 1 1 %zu</DataItem>"
            "<DataItem Reference=\"/Xdmf/Domain/DataItem[@Name='%s tension']\"/></DataItem>"
            "</Attribute>",
            g->cell_count, frame, g->cell_count, g->name);
  }
  fputs("</Grid>\n", out);
}

// The grid of ropes over bodies, whose number of points changes from frame to frame.
typedef struct path_grid {
  const char *name, *points, *tension;
  rl_path_tracks *tracks;
} path_grid;

// Writes the lists of points and tensions at all times, to which the frames refer.
static void write_path_lists(FILE *out, const path_grid *g) {
  const size_t count = rl_track_length(g->tracks->points);
  fprintf(out,
          "<DataItem Name=\"%s points\" Format=\"HDF\" NumberType=\"Float\" Precision=\"8\" "
          "Dimensions=\"%zu 3\">%s:%s</DataItem>\n",
          g->name, count, RL_TRAJECTORY_NAME, g->points);
  fprintf(out,
          "<DataItem Name=\"%s tension\" Format=\"HDF\" NumberType=\"Float\" Precision=\"8\" "
          "Dimensions=\"%zu\">%s:%s</DataItem>\n",
          g->name, count, RL_TRAJECTORY_NAME, g->tension);
}

// Writes one cell per point, so that each has a tension: the line to the next point, or the last
// point of a rope alone.
static void write_path_cells(FILE *out, const rl_trajectory_file *file, const size_t *starts) {
  const size_t count = starts[file->rope_count];
  size_t numbers = 4 * count;
  for (size_t i = 0; i < file->rope_count; i++) {
    numbers -= starts[i + 1] > starts[i] ? 1 : 0;
  }
  fprintf(out,
          "<Topology TopologyType=\"Mixed\" NumberOfElements=\"%zu\"><DataItem Format=\"XML\" "
          "NumberType=\"Int\" Dimensions=\"%zu\">\n",
          count, numbers);
  for (size_t i = 0; i < file->rope_count; i++) {
    for (size_t k = starts[i]; k < starts[i + 1]; k++) {
      if (k + 1 < starts[i + 1]) {
        fprintf(out, "2 2 %zu %zu\n", k, k + 1);
      } else {
        fprintf(out, "1 1 %zu\n", k);
      }
    }
  }
  fputs("</DataItem></Topology>", out);
}

// Writes the grid of one frame; false if the trajectory cannot be read.
static bool write_path_grid(FILE *out, const rl_trajectory_file *file, const path_grid *g,
                            size_t frame) {
  const size_t *starts = rl_path_starts(file, g->tracks, frame);
  const double *first = rl_track_at(g->tracks->first, frame);
  if (!starts || !first) {
    return false;
  }
  const size_t count = starts[file->rope_count];
  if (count == 0) {
    return true; // the closed form has no value
  }
  fprintf(out, "<Grid Name=\"%s\">", g->name);
  write_path_cells(out, file, starts);
  fprintf(out,
          "<Geometry><DataItem ItemType=\"HyperSlab\" Dimensions=\"%zu 3\">%zu<DataItem "
          "Dimensions=\"3 2\">%.0f 0 1 1 %zu 3</DataItem>"
          "<DataItem Reference=\"/Xdmf/Domain/DataItem[@Name='%s points']\"/></DataItem>"
          "</Geometry>",
          count, frame, first[0], count, g->name);
  fprintf(out,
          "<Attribute Name=\"tension_N\" Center=\"Cell\"><DataItem ItemType=\"HyperSlab\" "
          "Dimensions=\"%zu\"><DataItem Dimensions=\"3 1\">%.0f 1 %zu</DataItem>"
          "<DataItem Reference=\"/Xdmf/Domain/DataItem[@Name='%s tension']\"/></DataItem>"
          "</Attribute></Grid>\n",
          count, first[0], count, g->name);
  return true;
}

static bool write_document(FILE *out, const rl_trajectory_file *file, size_t stride) {
  const bool exact = file->exact.points || file->exact.position;
  const grid grids[] = {
      {"ropes", "/ropes/points_m", "/ropes/tension_N", file->points, file->elements,
       write_rope_cells},
      {"bodies", "/bodies/position_m", NULL, file->body_count, file->body_count, write_body_cells},
      {"drawn", "/ropes/drawn_m", NULL, file->drawn, file->rope_count, write_drawn_cells},
      {"exact ropes", "/ropes/exact_points_m", "/ropes/exact_tension_N", exact ? file->points : 0,
       file->elements, write_rope_cells},
      {"exact bodies", "/bodies/exact_position_m", NULL, exact ? file->body_count : 0,
       file->body_count, write_body_cells},
  };
  const size_t count = sizeof grids / sizeof grids[0];
  const path_grid paths[] = {
      {"paths", "/paths/points_m", "/paths/tension_N", file->path},
      {"exact paths", "/paths/exact_points_m", "/paths/exact_tension_N", file->exact_path},
  };
  const size_t path_count = sizeof paths / sizeof paths[0];
  bool good = true;
  fputs("<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\">\n<Domain>\n", out);
  for (size_t i = 0; i < count; i++) {
    if (grids[i].point_count > 0) {
      write_shared(out, file, &grids[i]);
    }
  }
  for (size_t i = 0; i < path_count; i++) {
    if (paths[i].tracks->first) {
      write_path_lists(out, &paths[i]);
    }
  }
  fputs("<Grid Name=\"trajectory\" GridType=\"Collection\" CollectionType=\"Temporal\">\n", out);
  for (size_t frame = 0; frame < file->frames && good; frame += stride) {
    fprintf(out,
            "<Grid GridType=\"Collection\" CollectionType=\"Spatial\"><Time Value=\"%.17g\"/>\n",
            file->times[frame]);
    for (size_t i = 0; i < count; i++) {
      if (grids[i].point_count > 0) {
        write_grid(out, &grids[i], frame);
      }
    }
    for (size_t i = 0; good && i < path_count; i++) {
      good = !paths[i].tracks->first || write_path_grid(out, file, &paths[i], frame);
    }
    fputs("</Grid>\n", out);
  }
  fputs("</Grid>\n</Domain>\n</Xdmf>\n", out);
  return good;
}

static rl_export_outcome write(const rl_trajectory_file *file, const char *path, size_t stride) {
  rl_new_file new;
  if (!rl_new_file_open(&new, path)) {
    return RL_EXPORT_UNWRITTEN;
  }
  if (!write_document(new.out, file, stride)) {
    rl_new_file_discard(&new);
    return RL_EXPORT_BROKEN;
  }
  return rl_new_file_close(&new) ? RL_EXPORT_DONE : RL_EXPORT_UNWRITTEN;
}

rl_export_outcome rl_export_xdmf(const rl_trajectory_file *file, const char *path) {
  return write(file, path, 1);
}

// Limits the number of frames, since each takes one or two kilobytes of text.
rl_export_outcome rl_describe_trajectory(const rl_trajectory_file *file, const char *path) {
  enum { FRAMES_MAX = 250 };
  return write(file, path, file->frames / (FRAMES_MAX + 1) + 1);
}
