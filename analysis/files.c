// SPDX-License-Identifier: GPL-3.0-or-later
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

bool rl_path_join(char out[RL_PATH_MAX], const char *folder, const char *name) {
  const int length = snprintf(out, RL_PATH_MAX, "%s/%s", folder, name);
  if (length < 0 || length >= RL_PATH_MAX) {
    errno = ENAMETOOLONG;
    return false;
  }
  return true;
}

bool rl_make_folders(const char *path) {
  char part[RL_PATH_MAX];
  if (*path == '\0' || strlen(path) >= sizeof part) {
    errno = *path ? ENAMETOOLONG : ENOENT;
    return false;
  }
  strcpy(part, path);
  for (char *at = part + 1;; at++) {
    if (*at != '/' && *at != '\0') {
      continue;
    }
    const char end = *at;
    *at = '\0';
    if (mkdir(part, 0777) != 0 && errno != EEXIST) {
      return false;
    }
    *at = end;
    if (end == '\0') {
      break;
    }
  }
  if (!rl_is_folder(path)) {
    errno = ENOTDIR;
    return false;
  }
  return access(path, W_OK | X_OK) == 0;
}

bool rl_lock_folder(const char *path) {
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(folder);
    return false;
  }
  return true; // the lock is open until the process ends
}

bool rl_is_folder(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool rl_file_exists(const char *path) { return access(path, F_OK) == 0; }

bool rl_remove_file(const char *path) { return unlink(path) == 0 || errno == ENOENT; }

bool rl_new_file_open(rl_new_file *file, const char *path) {
  if (snprintf(file->path, sizeof file->path, "%s", path) >= RL_PATH_MAX ||
      snprintf(file->beside, sizeof file->beside, "%s.new", path) >= RL_PATH_MAX) {
    errno = ENAMETOOLONG;
    return false;
  }
  file->out = fopen(file->beside, "w");
  return file->out != NULL;
}

bool rl_new_file_close(rl_new_file *file) {
  int error = ferror(file->out) ? errno : 0;
  if (fclose(file->out) != 0 && error == 0) {
    error = errno;
  }
  if (error == 0 && rename(file->beside, file->path) != 0) {
    error = errno;
  }
  if (error != 0) {
    unlink(file->beside);
  }
  errno = error;
  return error == 0;
}

void rl_new_file_drop(rl_new_file *file) {
  fclose(file->out);
  unlink(file->beside);
}

// The data of an installed program lie at a fixed way from it, wherever the two have been moved to.
// False where there are none, as beside a program that has not been installed.
static bool installed_data(char out[RL_PATH_MAX]) {
  char program[RL_PATH_MAX];
  char folder[RL_PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program);
  if (length <= 0 || (size_t)length >= sizeof program) {
    return false;
  }
  program[length] = '\0';
  *strrchr(program, '/') = '\0';
  return rl_path_join(folder, program, ROPELAB_DATA_FROM_PROGRAM) && realpath(folder, out) &&
         rl_is_folder(out);
}

bool rl_data_path(char out[RL_PATH_MAX], const char *name) {
  char installed[RL_PATH_MAX];
  const char *folder = getenv("ROPELAB_DATA");
  if (!folder || !*folder) {
    folder = installed_data(installed) ? installed : ROPELAB_DATA;
  }
  return rl_path_join(out, folder, name);
}
