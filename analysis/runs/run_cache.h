// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that studies have in common - references, which cost most - kept beside their folders: one
// folder for each entry, called by a hash of all that decides about its numbers. An entry appears
// by renaming a complete folder and is never changed, so that studies may be killed, or run at the
// same time.
#ifndef RL_RUN_CACHE_H
#define RL_RUN_CACHE_H

#include "results/files.h"
#include "results/manifest.h"

// The folder beside DIR; false if its name is too long.
bool rl_cache_path(char cache[RL_PATH_MAX], const char *folder);

// Something else of a run that is costly to make, such as its states: one file of bytes, of a
// manifest that says under "kept" what they are. To read it; NULL: it is not there, or not whole.
FILE *rl_cache_open(const char *cache, const json_t *manifest);

// Keeps it, as `write` writes it, and closes the manifest; false of that: it is not kept.
void rl_cache_keep(const char *cache, json_t *manifest, bool (*write)(void *context, FILE *file),
                   void *context);

// Puts the run that the manifest describes into its folder, if it is there; run.json comes last,
// and says where it is from. False if it is not, or not whole.
bool rl_cache_fetch(const char *cache, const json_t *manifest, const char *folder);

// Keeps a run that is complete. What cannot be kept is not: nobody waits for it.
void rl_cache_store(const char *cache, const json_t *manifest, const char *folder);

#endif
