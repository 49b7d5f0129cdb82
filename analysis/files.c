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

bool rl_data_path(char out[RL_PATH_MAX], const char *name) {
  const char *folder = getenv("ROPELAB_DATA");
  return rl_path_join(out, folder && *folder ? folder : ROPELAB_DATA, name);
}
