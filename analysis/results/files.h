// SPDX-License-Identifier: GPL-3.0-or-later
// Files and folders: paths, folders with their parents, files that appear by renaming, line-wise
// text files, locks, and the program's own data.
#ifndef RL_FILES_H
#define RL_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define RL_PATH_MAX 4096

// Joins folder and name with a '/'; false if the result does not fit into RL_PATH_MAX.
bool rl_path_join(char out[RL_PATH_MAX], const char *folder, const char *name);

// Makes a writable folder and its parents. Returns false with errno set.
bool rl_make_folders(const char *path);
// The same with a message on stderr.
bool rl_make_results_folder(const char *path);

// Whether `path` is a folder or can become one; otherwise prints what is in the way.
bool rl_has_room_for_folder(const char *path);

// A text file that is written line by line. Lines are buffered for up to a tenth of a second; even
// if the process is killed, the file holds each of them as a whole or not at all.
typedef struct rl_lines {
  FILE *out;  // stream for the text of a line, without its end; NULL: not open
  int error;  // errno of the first failed write; what follows is lost
  char *text; // buffered lines
  size_t size;
  int file;
  long long end;  // size of the file [bytes]
  double flushed; // time of the last write [s]
} rl_lines;

// Opens the file, emptied. Returns false with errno set.
bool rl_lines_open(rl_lines *lines, const char *path);

// Ends the line that was written to `out`.
void rl_lines_end(rl_lines *lines);

// Writes all buffered lines to the file now; only call it between lines.
void rl_lines_flush(rl_lines *lines);

// Writes the rest and closes the file. Returns false with errno set if anything was lost.
bool rl_lines_close(rl_lines *lines);

// Locks a folder for this process and its children until all of them have ended. Returns false if
// another process holds the lock; on a file system without locks always true.
bool rl_lock_folder(const char *path);

// Whether another process holds the lock of the folder.
bool rl_folder_is_locked(const char *path);

bool rl_file_exists(const char *path);
long long rl_file_size(const char *path); // [bytes]; -1: there is none

// Whether a file was written before another one; both are there.
bool rl_file_is_older(const char *path, const char *than);
bool rl_is_folder(const char *path);

// Copies a file over `to`. Returns false with errno set.
bool rl_copy_file(const char *from, const char *to);

// Removes a file; true if it does not exist afterwards.
bool rl_remove_file(const char *path);

// A file that is written beside its final path and renamed when it is complete.
typedef struct rl_new_file {
  FILE *out;
  char path[RL_PATH_MAX], beside[RL_PATH_MAX];
} rl_new_file;

// Opens the file beside, and closes and renames it. Both return false with errno set and leave no
// file beside.
bool rl_new_file_open(rl_new_file *file, const char *path);
bool rl_new_file_close(rl_new_file *file);

// Discards the file.
void rl_new_file_discard(rl_new_file *file);

// Finds a data file of the program ("scenarios/atwood.yaml"): below $ROPELAB_DATA if that is set,
// else where it was installed with the program, else in the source folder of the build.
bool rl_data_path(char out[RL_PATH_MAX], const char *name);

#endif
