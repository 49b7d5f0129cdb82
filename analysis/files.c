// SPDX-License-Identifier: GPL-3.0-or-later
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

bool rl_folder_is_locked(const char *path) {
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool locked = folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (folder >= 0) {
    close(folder);
  }
  return locked;
}

bool rl_is_folder(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool rl_file_exists(const char *path) { return access(path, F_OK) == 0; }

long long rl_file_size(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 ? (long long)status.st_size : -1;
}

bool rl_copy_file(const char *from, const char *to) {
  char bytes[1 << 16];
  FILE *in = fopen(from, "rb"), *out = in ? fopen(to, "wb") : NULL;
  bool good = out != NULL;
  for (size_t count = 1; good && count > 0;) {
    count = fread(bytes, 1, sizeof bytes, in);
    good = fwrite(bytes, 1, count, out) == count && !ferror(in);
  }
  if (in) {
    fclose(in);
  }
  return out && fclose(out) == 0 && good;
}

bool rl_remove_file(const char *path) { return unlink(path) == 0 || errno == ENOENT; }

// ---------------------------------------------------------------------------------------------
// Files that hold whole lines whenever the process is killed. The system gives up a write between
// two pages of the file when SIGKILL is there, and only there. So what crosses a page is written by
// a child, which that signal does not reach.

typedef struct lines {
  int file;
  off_t page; // bytes
  off_t end;
} lines;

// Number of the error; 0: all of it is in the file.
static int write_all(int file, const char *text, size_t size) {
  while (size > 0) {
    const ssize_t written = write(file, text, size);
    if (written < 0 && errno != EINTR) {
      return errno;
    }
    text += written > 0 ? written : 0;
    size -= written > 0 ? (size_t)written : 0;
  }
  return 0;
}

static int write_by_child(int file, const char *text, size_t size) {
  const pid_t child = vfork(); // no copy of a large process for a line of text
  if (child == 0) {
    _exit(write_all(file, text, size));
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EAGAIN;
}

static ssize_t lines_write(void *cookie, const char *text, size_t size) {
  lines *l = cookie;
  const bool crosses = size > 0 && l->end / l->page != (l->end + (off_t)size - 1) / l->page;
  const int error = (crosses ? write_by_child : write_all)(l->file, text, size);
  l->end += (off_t)size;
  errno = error;
  return error == 0 ? (ssize_t)size : 0;
}

static int lines_close(void *cookie) {
  lines *l = cookie;
  const int status = close(l->file);
  free(l);
  return status;
}

FILE *rl_lines_open(const char *path, size_t longest) {
  lines *l = malloc(sizeof *l);
  if (!l) {
    return NULL;
  }
  *l =
      (lines){open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), sysconf(_SC_PAGESIZE), 0};
  const cookie_io_functions_t functions = {.write = lines_write, .close = lines_close};
  FILE *out = l->file >= 0 ? fopencookie(l, "w", functions) : NULL;
  if (!out) {
    const int error = errno;
    lines_close(l);
    errno = error;
    return NULL;
  }
  setvbuf(out, NULL, _IOLBF, longest);
  return out;
}

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
