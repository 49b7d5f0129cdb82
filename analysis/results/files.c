// SPDX-License-Identifier: GPL-3.0-or-later
#include "files.h"

#include "runs/timing.h"

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

bool rl_make_results_folder(const char *folder) {
  if (rl_make_folders(folder)) {
    return true;
  }
  const char *why = strerror(errno);
  char target[RL_PATH_MAX];
  if (readlink(folder, target, sizeof target) > 0 && !rl_file_exists(folder)) {
    why = "a link to what is not there";
  }
  fprintf(stderr, "ropelab: cannot %s %s: %s\n",
          rl_is_folder(folder) ? "write into" : "make the folder", folder, why);
  return false;
}

bool rl_has_room_for_folder(const char *path) {
  char part[RL_PATH_MAX];
  struct stat status;
  snprintf(part, sizeof part, "%s", path);
  for (char *slash; lstat(part, &status) != 0 && (slash = strrchr(part, '/'));) {
    *slash = '\0';
  }
  const bool taken = lstat(part, &status) == 0 && !rl_is_folder(part);
  if (taken) {
    fprintf(stderr, "ropelab: %s is in the way: found a file, expected a folder\n", part);
  }
  return !taken;
}

bool rl_lock_folder(const char *path) {
  // Without O_CLOEXEC: the process that draws the report writes into the folder too.
  const int folder = open(path, O_RDONLY | O_DIRECTORY);
  if (folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(folder);
    return false;
  }
  return true; // the lock lasts until this process and its children have ended
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

bool rl_file_is_older(const char *path, const char *than) {
  struct stat a, b;
  return stat(path, &a) == 0 && stat(than, &b) == 0 &&
         (a.st_mtim.tv_sec < b.st_mtim.tv_sec ||
          (a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec < b.st_mtim.tv_nsec));
}

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
// Files that hold whole lines even if the process is killed: SIGKILL can interrupt a write, but
// only between two pages of the file. Text that crosses a page boundary is therefore written by a
// child process, which that signal does not reach and which holds the lock of the folder until it
// is done. Starting it takes longer than a line, so many lines are written at a time.

// Limits of the buffer: time since the last write [s], and bytes.
static const double longest_wait = 0.1;
enum { MOST_WAITING = 1 << 16 };

// Writes all of the text; returns errno, 0 on success.
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
  const pid_t child = vfork(); // does not copy the memory of a large process
  if (child == 0) {
    _exit(write_all(file, text, size));
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EAGAIN;
}

// Cuts the file after its last whole line, when a full disk has interrupted a write.
static void drop_partial_line(const rl_lines *l) {
  off_t there = lseek(l->file, 0, SEEK_CUR);
  while (there > l->end && l->text[there - l->end - 1] != '\n') {
    there--;
  }
  if (there >= l->end) {
    (void)!ftruncate(l->file, there); // the error of the write is reported
  }
}

void rl_lines_flush(rl_lines *l) {
  const off_t size = ftello(l->out);
  l->flushed = rl_seconds_now();
  if (size == 0 || l->error != 0) {
    return;
  }
  if (size < 0 || fflush(l->out) != 0 || ferror(l->out)) {
    l->error = ENOMEM;
    return;
  }
  const off_t page = sysconf(_SC_PAGESIZE);
  const bool crosses = l->end / page != (l->end + size - 1) / page;
  l->error = (crosses ? write_by_child : write_all)(l->file, l->text, (size_t)size);
  if (l->error != 0) {
    drop_partial_line(l);
  }
  l->end += size;
  rewind(l->out);
}

void rl_lines_end(rl_lines *l) {
  fputc('\n', l->out);
  if (ftello(l->out) >= MOST_WAITING || rl_seconds_now() - l->flushed >= longest_wait) {
    rl_lines_flush(l);
  }
}

bool rl_lines_open(rl_lines *l, const char *path) {
  *l = (rl_lines){.file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
  l->out = l->file >= 0 ? open_memstream(&l->text, &l->size) : NULL;
  if (l->file >= 0 && !l->out) {
    close(l->file);
  }
  return l->out != NULL;
}

bool rl_lines_close(rl_lines *l) {
  if (!l->out) {
    return true;
  }
  rl_lines_flush(l);
  fclose(l->out);
  free(l->text);
  if (close(l->file) != 0 && l->error == 0) {
    l->error = errno;
  }
  errno = l->error;
  return l->error == 0;
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

void rl_new_file_discard(rl_new_file *file) {
  fclose(file->out);
  unlink(file->beside);
}

// Finds the data of an installed program by their path relative to it, which holds when both are
// moved. Returns false for a program that has not been installed.
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
