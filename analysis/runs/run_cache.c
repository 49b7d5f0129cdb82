// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_cache.h"

#include "results/trajectory.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char cache_name[] = "ropelab-references";

// The files of a run beside run.json.
static const char *const files[] = {"series.csv", "iterations.csv", "snapshots.csv",
                                    RL_TRAJECTORY_NAME, RL_XDMF_NAME};

enum { FILES = sizeof files / sizeof files[0] };

bool rl_cache_path(char cache[RL_PATH_MAX], const char *folder) {
  size_t length = strlen(folder);
  while (length > 1 && folder[length - 1] == '/') {
    length--;
  }
  while (length > 0 && folder[length - 1] != '/') {
    length--;
  }
  const int written = length > 0
                          ? snprintf(cache, RL_PATH_MAX, "%.*s%s", (int)length, folder, cache_name)
                          : snprintf(cache, RL_PATH_MAX, "%s", cache_name);
  return written < RL_PATH_MAX;
}

// Computes FNV-1a over `count` bytes.
static uint64_t hash(uint64_t value, const void *bytes, size_t count) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < count; i++) {
    value = rl_hash_word(value, at[i]);
  }
  return value;
}

// Hashes the bytes of the program, which identify it if its sources were changed.
static uint64_t hash_program(void) {
  char bytes[1 << 16];
  uint64_t value = RL_HASH_START;
  FILE *program = fopen("/proc/self/exe", "rb");
  for (size_t count = 1; program && count > 0;) {
    count = fread(bytes, 1, sizeof bytes, program);
    value = hash(value, bytes, count);
  }
  if (program) {
    fclose(program);
  }
  return value;
}

// Returns everything that determines the numbers of a run, without the solver's label. NULL: out of
// memory.
static json_t *content(const json_t *manifest) {
  json_t *identity = rl_manifest_identity(manifest);
  json_t *solver = json_deep_copy(json_object_get(identity, "solver"));
  json_object_del(solver, "label");
  json_object_set_new(identity, "solver", solver);
  const char *commit = json_string_value(json_object_get(identity, "commit"));
  if (!commit || strstr(commit, "dirty") || strcmp(commit, "unknown") == 0) {
    json_object_set_new(identity, "program", json_integer((json_int_t)hash_program()));
  }
  return identity;
}

// Writes the path of the folder of an entry.
static bool entry_path(char path[RL_PATH_MAX], const char *cache, const json_t *manifest) {
  json_t *identity = content(manifest);
  char *text = json_dumps(identity, JSON_SORT_KEYS | JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(identity);
  bool good = text != NULL;
  if (good) {
    const uint64_t key = hash(RL_HASH_START, text, strlen(text));
    good = snprintf(path, RL_PATH_MAX, "%s/%016llx", cache, (unsigned long long)key) <
           RL_PATH_MAX - 8; // with room for ".new"
  }
  free(text);
  return good;
}

// Copies the files of a run that exist, except run.json.
static bool copy_files(const char *from, const char *to) {
  char source[RL_PATH_MAX], target[RL_PATH_MAX];
  bool good = true;
  for (size_t i = 0; i < FILES && good; i++) {
    good = rl_path_join(source, from, files[i]) && rl_path_join(target, to, files[i]) &&
           (!rl_file_exists(source) || rl_copy_file(source, target));
  }
  return good;
}

static bool is_same(const json_t *there, const json_t *manifest, const char *path) {
  json_t *a = content(there), *b = content(manifest);
  const char *status = json_string_value(json_object_get(there, "status"));
  const bool same = a && b && json_equal(a, b) && status && strcmp(status, "done") == 0 &&
                    rl_manifest_is_whole(there, path);
  json_decref(a);
  json_decref(b);
  return same;
}

bool rl_cache_fetch(const char *cache, const json_t *manifest, const char *folder) {
  static const char *const own[] = {"solver", "scenario_file", "command", "comparison"};
  char path[RL_PATH_MAX], file[RL_PATH_MAX];
  json_t *there = entry_path(path, cache, manifest) && rl_path_join(file, path, "run.json")
                      ? json_load_file(file, 0, NULL)
                      : NULL;
  bool fetched = there && is_same(there, manifest, path) && copy_files(path, folder);
  if (fetched) {
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
      json_object_set(there, own[i], json_object_get(manifest, own[i]));
    }
    json_object_set_new(there, "cached_from", json_string(path));
    fetched = rl_manifest_is_whole(there, folder) && rl_manifest_write(there, folder);
  }
  if (there && !fetched) {
    rl_run_remove_result(folder);
  }
  json_decref(there);
  return fetched;
}

// Whether a complete entry exists; an incomplete one is removed.
static bool is_kept(const char *path, const json_t *manifest) {
  char file[RL_PATH_MAX];
  json_t *there = rl_path_join(file, path, "run.json") ? json_load_file(file, 0, NULL) : NULL;
  const bool kept = there && is_same(there, manifest, path);
  json_decref(there);
  if (!kept && rl_is_folder(path)) {
    rl_run_remove_result(path);
    rmdir(path);
  }
  return kept;
}

// Fills a folder beside with `fill` and renames it to that of the entry.
static void make_entry(const char *cache, const json_t *manifest,
                       bool (*fill)(const char *beside, void *context), void *context) {
  char path[RL_PATH_MAX], beside[RL_PATH_MAX + 8];
  if (!entry_path(path, cache, manifest) || is_kept(path, manifest)) {
    return;
  }
  snprintf(beside, sizeof beside, "%s.new", path);
  // Files of a killed process are overwritten; a running one holds the lock.
  if (!rl_make_folders(beside) || !rl_lock_folder(beside) || !rl_run_remove_result(beside)) {
    return;
  }
  if (!fill(beside, context) || rename(beside, path) != 0) {
    rl_run_remove_result(beside);
    rmdir(beside);
  }
}

typedef struct finished_run {
  const json_t *manifest;
  const char *folder;
} finished_run;

static bool copy_run(const char *beside, void *context) {
  const finished_run *run = context;
  return copy_files(run->folder, beside) && rl_manifest_write(run->manifest, beside);
}

void rl_cache_store(const char *cache, const json_t *manifest, const char *folder) {
  finished_run run = {manifest, folder};
  make_entry(cache, manifest, copy_run, &run);
}

typedef struct kept {
  json_t *manifest;
  bool (*write)(void *context, FILE *file);
  void *context;
} kept;

static bool write_kept(const char *beside, void *context) {
  const kept *k = context;
  char path[RL_PATH_MAX];
  FILE *file = rl_path_join(path, beside, RL_KEPT_NAME) ? fopen(path, "wb") : NULL;
  bool good = file && k->write(k->context, file);
  good = file && fclose(file) == 0 && good;
  if (good) {
    rl_manifest_finish(k->manifest, "done", "kept for studies", NULL, 0);
    rl_manifest_enter_files(k->manifest, beside);
  }
  return good && rl_manifest_write(k->manifest, beside);
}

void rl_cache_keep(const char *cache, json_t *manifest, bool (*write)(void *context, FILE *file),
                   void *context) {
  kept k = {manifest, write, context};
  make_entry(cache, manifest, write_kept, &k);
}

FILE *rl_cache_open(const char *cache, const json_t *manifest) {
  char path[RL_PATH_MAX], file[RL_PATH_MAX];
  json_t *there = entry_path(path, cache, manifest) && rl_path_join(file, path, "run.json")
                      ? json_load_file(file, 0, NULL)
                      : NULL;
  const bool same = there && is_same(there, manifest, path);
  json_decref(there);
  return same && rl_path_join(file, path, RL_KEPT_NAME) ? fopen(file, "rb") : NULL;
}
