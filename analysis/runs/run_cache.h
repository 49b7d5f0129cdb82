// SPDX-License-Identifier: GPL-3.0-or-later
// The cache of runs that studies share, such as expensive references. It lies beside their folders
// and has one folder per entry, named by a hash of everything that determines the run's numbers.
// Entries appear by renaming a complete folder and never change, so studies can be killed and can
// run concurrently.
#ifndef RL_RUN_CACHE_H
#define RL_RUN_CACHE_H

#include "results/files.h"
#include "results/manifest.h"

// Writes the path of the cache beside `folder`; false if it is too long.
bool rl_cache_path(char cache[RL_PATH_MAX], const char *folder);

// Opens stored data of a run, such as its states; the manifest says under "kept" what they are.
// NULL: there is no such entry, or it is incomplete.
FILE *rl_cache_open(const char *cache, const json_t *manifest);

// Stores data as `write` writes them and completes the manifest. If `write` returns false, or on
// any error, nothing is stored.
void rl_cache_keep(const char *cache, json_t *manifest, bool (*write)(void *context, FILE *file),
                   void *context);

// Copies the stored files of the run that the manifest describes into its folder, run.json last,
// which records where they are from. False if there is no complete entry.
bool rl_cache_fetch(const char *cache, const json_t *manifest, const char *folder);

// Stores a complete run. Errors are ignored: a run that is not stored is made again.
void rl_cache_store(const char *cache, const json_t *manifest, const char *folder);

#endif
