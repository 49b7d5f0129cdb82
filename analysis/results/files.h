// SPDX-License-Identifier: GPL-3.0-or-later
// Files and folders: made with their parents, written beside and renamed, found among the shipped.
#ifndef RL_FILES_H
#define RL_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define RL_PATH_MAX 4096

// Joins folder and name with a '/'; false if the result does not fit into RL_PATH_MAX.
bool rl_path_join(char out[RL_PATH_MAX], const char *folder, const char *name);

// Makes a folder and its parents. False with errno set.
bool rl_make_folders(const char *path);
// The same for results. False with a message.
bool rl_make_results_folder(const char *path);

// Whether there is a folder, or nothing in its way; else false with a message.
bool rl_has_room_for_folder(const char *path);

// A file for text that grows line by line. Lines are gathered for up to a tenth of a second; if the
// process is killed, each is in the file as a whole or not at all.
typedef struct rl_lines {
  FILE *out;  // where to write, without the ends of lines; NULL: not open
  int error;  // errno of the first write that failed; what follows is lost
  char *text; // that is gathered
  size_t size;
  int file;
  long long end;    // of the file [bytes]
  double passed_on; // when the last lines were [s]
} rl_lines;

// False with errno set.
bool rl_lines_open(rl_lines *lines, const char *path);

// Ends a line.
void rl_lines_end(rl_lines *lines);

// Brings what is gathered into the file now; only between lines.
void rl_lines_pass_on(rl_lines *lines);

// False with errno set if anything is not in the file.
bool rl_lines_close(rl_lines *lines);

// Keeps a folder to this process, and to those that it starts, until they end, however they end.
// False if another has it. Where the file system knows no locks there is none.
bool rl_lock_folder(const char *path);

// Whether another process keeps it.
bool rl_folder_is_locked(const char *path);

bool rl_file_exists(const char *path);
long long rl_file_size(const char *path); // [bytes]; -1: there is none
bool rl_is_folder(const char *path);

// False with errno set; what is there is overwritten.
bool rl_copy_file(const char *from, const char *to);

// Removes a file; true when it is not there afterwards.
bool rl_remove_file(const char *path);

// A file that is written beside its place and moves there when it is complete.
typedef struct rl_new_file {
  FILE *out;
  char path[RL_PATH_MAX], beside[RL_PATH_MAX];
} rl_new_file;

// Both false with errno set, and then nothing is left beside.
bool rl_new_file_open(rl_new_file *file, const char *path);
bool rl_new_file_close(rl_new_file *file);

// Gives it up.
void rl_new_file_drop(rl_new_file *file);

// The path of a file that belongs to ropelab ("scenarios/atwood.yaml"): below $ROPELAB_DATA if
// that is set, else where it was installed with the program, else in the folder that the program
// was built from.
bool rl_data_path(char out[RL_PATH_MAX], const char *name);

#endif
