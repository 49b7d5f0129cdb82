// SPDX-License-Identifier: GPL-3.0-or-later
// Exports a trajectory as VTK files: polygonal data of the whole scene for each frame, and a
// collection with the times. Numbers are in base64, since VTK reads no nan from text.
#include "export.h"

#include "runs/signals.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COLLECTION "trajectory.pvd"

typedef enum cell_kind { ROPE, BODY, DRAWN, EXACT_ROPE, EXACT_BODY } cell_kind;

// The arrays of one file. Point cells are numbered before lines, as VTK requires.
typedef struct scene {
  double *points; // [3 x point_count] [m]
  int64_t *connectivity, *offsets;
  double *tension;
  int32_t *kinds, *items;
  size_t point_count, index_count, vert_count, cell_count;
  size_t path_room; // number of points of paths that fit
} scene;

// ---------------------------------------------------------------------------------------------
// The scene of a frame

static bool scene_create(scene *s, const rl_trajectory_file *file, size_t path_room) {
  const size_t points = 2 * file->points + file->drawn + 2 * file->body_count + path_room;
  const size_t cells = 2 * file->elements + file->rope_count + 2 * file->body_count + path_room;
  const size_t indices = 4 * file->elements + points + 2 * path_room;
  *s = (scene){.path_room = path_room,
               .points = calloc(3 * points + 1, sizeof *s->points),
               .connectivity = calloc(indices + 1, sizeof *s->connectivity),
               .offsets = calloc(cells + 1, sizeof *s->offsets),
               .tension = calloc(cells + 1, sizeof *s->tension),
               .kinds = calloc(cells + 1, sizeof *s->kinds),
               .items = calloc(cells + 1, sizeof *s->items)};
  return s->points && s->connectivity && s->offsets && s->tension && s->kinds && s->items;
}

static void scene_free(scene *s) {
  free(s->points);
  free(s->connectivity);
  free(s->offsets);
  free(s->tension);
  free(s->kinds);
  free(s->items);
}

// Ends a cell that consists of the indices added since the last one.
static void end_cell(scene *s, cell_kind kind, size_t item, double tension) {
  s->offsets[s->cell_count] = (int64_t)s->index_count;
  s->kinds[s->cell_count] = (int32_t)kind;
  s->items[s->cell_count] = (int32_t)item;
  s->tension[s->cell_count++] = tension;
}

// Adds points and returns the index of the first.
static size_t add_points(scene *s, const double *points, size_t count) {
  const size_t first = s->point_count;
  if (count > 0) {
    memcpy(&s->points[3 * first], points, 3 * count * sizeof *points);
  }
  s->point_count += count;
  return first;
}

static void add_index(scene *s, size_t point) {
  s->connectivity[s->index_count++] = (int64_t)point;
}

static void add_bodies(scene *s, const rl_trajectory_file *file, const double *positions,
                       cell_kind kind) {
  const size_t first = add_points(s, positions, file->body_count);
  for (size_t i = 0; i < file->body_count; i++) {
    add_index(s, first + i);
    end_cell(s, kind, file->rope_count + i, NAN);
  }
}

static void add_ropes(scene *s, const rl_trajectory_file *file, const double *points,
                      const double *tensions, cell_kind kind) {
  const size_t first = add_points(s, points, file->points);
  for (size_t i = 0; i < file->rope_count; i++) {
    const rl_rope_record *rope = &file->ropes[i];
    for (size_t e = 0; e < rope->elements && !rope->has_path; e++) {
      for (size_t k = 0; k < rl_element_points(rope); k++) {
        add_index(s, first + rl_element_point(rope, e, k));
      }
      end_cell(s, kind, i, tensions[rope->first_element + e]);
    }
  }
}

// Adds a line for each segment of the paths, with its own tension.
static void add_paths(scene *s, const rl_trajectory_file *file, const rl_paths *paths,
                      cell_kind kind) {
  const size_t first = add_points(s, paths->points, paths->first[file->rope_count]);
  for (size_t i = 0; i < file->rope_count; i++) {
    for (size_t k = paths->first[i]; k + 1 < paths->first[i + 1]; k++) {
      add_index(s, first + k);
      add_index(s, first + k + 1);
      end_cell(s, kind, i, paths->tension[k]);
    }
  }
}

static void add_drawings(scene *s, const rl_trajectory_file *file, const double *points) {
  const size_t first = add_points(s, points, file->drawn);
  for (size_t i = 0; i < file->rope_count; i++) {
    for (size_t k = 0; k < file->ropes[i].drawn; k++) {
      add_index(s, first + file->ropes[i].first_drawn + k);
    }
    end_cell(s, DRAWN, i, NAN);
  }
}

// Returns the numbers of a frame; NULL if there is no such track, or on read errors, which also
// clear `good`.
static const double *numbers_at(rl_track *track, size_t frame, bool *good) {
  const double *numbers = track ? rl_track_at(track, frame) : NULL;
  *good = *good && !track == !numbers;
  return numbers;
}

// Makes room for the paths of a frame. Returns false when out of memory.
static bool make_room(scene *s, const rl_trajectory_file *file, const rl_paths *run,
                      const rl_paths *exact) {
  const size_t count = run->first[file->rope_count] + exact->first[file->rope_count];
  if (count > s->path_room) {
    scene_free(s);
    return scene_create(s, file, 2 * count);
  }
  return true;
}

// Fills the arrays with a frame; false if the trajectory cannot be read.
static bool fill_scene(scene *s, const rl_trajectory_file *file, size_t frame) {
  bool good = true;
  const rl_item_tracks *run = &file->run;
  const rl_item_tracks *form = &file->exact;
  const double *position = numbers_at(run->position, frame, &good);
  const double *points = numbers_at(run->points, frame, &good);
  const double *tension = numbers_at(run->tension, frame, &good);
  const double *drawn = numbers_at(run->drawn, frame, &good);
  const double *exact_position = numbers_at(form->position, frame, &good);
  const double *exact_points = numbers_at(form->points, frame, &good);
  const double *exact_tension = numbers_at(form->tension, frame, &good);
  const bool exact = exact_points && !isnan(exact_points[0]); // the closed form has a value
  const rl_paths *paths = rl_paths_at(file, file->path, frame);
  const rl_paths *exact_paths = rl_paths_at(file, file->exact_path, frame);
  good = good && paths && exact_paths && make_room(s, file, paths, exact_paths);
  s->point_count = s->index_count = s->cell_count = s->vert_count = 0;
  if (good && position) {
    add_bodies(s, file, position, BODY);
  }
  if (good && exact && exact_position) {
    add_bodies(s, file, exact_position, EXACT_BODY);
  }
  s->vert_count = s->cell_count;
  if (good && points) {
    add_ropes(s, file, points, tension, ROPE);
    add_paths(s, file, paths, ROPE);
  }
  if (good && drawn) {
    add_drawings(s, file, drawn);
  }
  if (good && exact) {
    add_ropes(s, file, exact_points, exact_tension, EXACT_ROPE);
    add_paths(s, file, exact_paths, EXACT_ROPE);
  }
  return good;
}

// ---------------------------------------------------------------------------------------------
// The file of a frame

// Encodes up to three bytes at `at`, of `left` that remain, as four letters of base64.
static void write_letters(FILE *out, const unsigned char *at, size_t left) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned b = left > 1 ? at[1] : 0;
  const unsigned c = left > 2 ? at[2] : 0;
  const unsigned word = (unsigned)at[0] << 16 | b << 8 | c;
  const char letters[] = {digits[word >> 18], digits[word >> 12 & 63],
                          left > 1 ? digits[word >> 6 & 63] : '=',
                          left > 2 ? digits[word & 63] : '='};
  fwrite(letters, 1, sizeof letters, out);
}

// Writes an array in VTK's binary form: its number of bytes and the bytes, as one base64 stream.
static void write_array(FILE *out, const char *type, const char *name, int components,
                        const void *data, size_t bytes) {
  const unsigned char *at = data;
  const uint64_t size = bytes;
  unsigned char start[9] = {0};
  const size_t taken = bytes > 0 ? 1 : 0; // 8 bytes of size and 1 of data fill three groups
  memcpy(start, &size, sizeof size);
  memcpy(&start[sizeof size], at, taken);
  fprintf(out, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">",
          type, name, components);
  for (size_t i = 0; i < sizeof size + taken; i += 3) {
    write_letters(out, &start[i], sizeof size + taken - i);
  }
  for (size_t i = taken; i < bytes; i += 3) {
    write_letters(out, &at[i], bytes - i);
  }
  fputs("</DataArray>\n", out);
}

// Writes cells first ... first + count - 1 and makes their offsets count from the first of them.
static void write_cells(FILE *out, const char *tag, scene *s, size_t first, size_t count) {
  const size_t begin = first ? (size_t)s->offsets[first - 1] : 0;
  const size_t end = first + count ? (size_t)s->offsets[first + count - 1] : 0;
  fprintf(out, "<%s>\n", tag);
  write_array(out, "Int64", "connectivity", 1, &s->connectivity[begin],
              (end - begin) * sizeof *s->connectivity);
  for (size_t i = first; i < first + count; i++) {
    s->offsets[i] -= (int64_t)begin;
  }
  write_array(out, "Int64", "offsets", 1, &s->offsets[first], count * sizeof *s->offsets);
  fprintf(out, "</%s>\n", tag);
}

static bool is_little_endian(void) { return *(const unsigned char *)&(const uint16_t){1} == 1; }

static void write_scene(FILE *out, scene *s, double time) {
  const size_t lines = s->cell_count - s->vert_count;
  fprintf(out,
          "<?xml version=\"1.0\"?>\n"
          "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n"
          "<PolyData>\n<FieldData>\n",
          is_little_endian() ? "LittleEndian" : "BigEndian");
  fprintf(out,
          "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">"
          "%.17g</DataArray>\n</FieldData>\n<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" "
          "NumberOfLines=\"%zu\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<Points>\n",
          time, s->point_count, s->vert_count, lines);
  write_array(out, "Float64", "Points", 3, s->points, 3 * s->point_count * sizeof *s->points);
  fputs("</Points>\n", out);
  write_cells(out, "Lines", s, s->vert_count, lines); // before Verts, which changes the offsets
  write_cells(out, "Verts", s, 0, s->vert_count);
  fputs("<CellData Scalars=\"tension_N\">\n", out);
  write_array(out, "Float64", "tension_N", 1, s->tension, s->cell_count * sizeof *s->tension);
  write_array(out, "Int32", "kind", 1, s->kinds, s->cell_count * sizeof *s->kinds);
  write_array(out, "Int32", "item", 1, s->items, s->cell_count * sizeof *s->items);
  fputs("</CellData>\n</Piece>\n</PolyData>\n</VTKFile>\n", out);
}

// ---------------------------------------------------------------------------------------------
// The folder

static bool write_collection(const rl_trajectory_file *file, const char *folder) {
  char path[RL_PATH_MAX];
  rl_new_file new;
  if (!rl_path_join(path, folder, COLLECTION) || !rl_new_file_open(&new, path)) {
    return false;
  }
  fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n",
        new.out);
  for (size_t i = 0; i < file->frames; i++) {
    fprintf(new.out, "<DataSet timestep=\"%.17g\" file=\"frame-%06zu.vtp\"/>\n", file->times[i], i);
  }
  fputs("</Collection>\n</VTKFile>\n", new.out);
  return rl_new_file_close(&new);
}

static rl_export_outcome write_frames(const rl_trajectory_file *file, const char *folder,
                                      scene *s) {
  for (size_t i = 0; i < file->frames; i++) {
    char name[64];
    char path[RL_PATH_MAX];
    rl_new_file new;
    if (rl_run_interrupted()) {
      return RL_EXPORT_INTERRUPTED;
    }
    if (!fill_scene(s, file, i)) {
      return RL_EXPORT_BROKEN;
    }
    snprintf(name, sizeof name, "frame-%06zu.vtp", i);
    if (!rl_path_join(path, folder, name) || !rl_new_file_open(&new, path)) {
      return RL_EXPORT_UNWRITTEN;
    }
    write_scene(new.out, s, file->times[i]);
    if (!rl_new_file_close(&new)) {
      return RL_EXPORT_UNWRITTEN;
    }
  }
  return write_collection(file, folder) ? RL_EXPORT_DONE : RL_EXPORT_UNWRITTEN;
}

static bool is_ours(const char *name) {
  return strcmp(name, COLLECTION) == 0 || strcmp(name, COLLECTION ".new") == 0 ||
         (strncmp(name, "frame-", 6) == 0 && strstr(name, ".vtp"));
}

// Whether there is no such folder, or one that holds nothing but an export; with `remove`, removes
// it.
static bool clear_folder(const char *path, bool remove) {
  DIR *directory = opendir(path);
  char inside[RL_PATH_MAX];
  if (!directory) {
    return errno == ENOENT;
  }
  bool good = true;
  for (struct dirent *entry = NULL; good && (entry = readdir(directory));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
      continue;
    }
    good = is_ours(entry->d_name) &&
           (!remove || (rl_path_join(inside, path, entry->d_name) && rl_remove_file(inside)));
  }
  closedir(directory);
  return good && (!remove || rmdir(path) == 0);
}

rl_export_outcome rl_export_vtk(const rl_trajectory_file *file, const char *path) {
  char beside[RL_PATH_MAX];
  scene s = {0};
  if (snprintf(beside, sizeof beside, "%s.new", path) >= RL_PATH_MAX) {
    errno = ENAMETOOLONG;
    return RL_EXPORT_UNWRITTEN;
  }
  if (!clear_folder(path, false) || !clear_folder(beside, true)) {
    return RL_EXPORT_IN_THE_WAY;
  }
  rl_export_outcome outcome = RL_EXPORT_UNWRITTEN;
  if (scene_create(&s, file, 0) && rl_make_folders(beside)) {
    outcome = write_frames(file, beside, &s);
    if (outcome == RL_EXPORT_DONE && (!clear_folder(path, true) || rename(beside, path) != 0)) {
      outcome = RL_EXPORT_UNWRITTEN;
    }
  }
  const int error = errno;
  if (outcome != RL_EXPORT_DONE) {
    clear_folder(beside, true);
  }
  scene_free(&s);
  errno = error;
  return outcome;
}
