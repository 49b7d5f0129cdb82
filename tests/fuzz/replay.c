// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a fuzz target once over files and over all files of folders.
#define _GNU_SOURCE
#include "fuzz.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

static size_t replayed = 0;

static void replay_file(const char *path) {
  FILE *in = fopen(path, "rb");
  FUZZ_REQUIRE(in, "%s cannot be opened", path);
  char *text = NULL;
  size_t size = 0;
  FILE *copy = open_memstream(&text, &size);
  FUZZ_REQUIRE(copy, "out of memory");
  for (int c; (c = getc(in)) != EOF;) {
    putc(c, copy);
  }
  fclose(in);
  fclose(copy);
  // In a block of exactly its size, so that a sanitizer sees a read beyond its end.
  uint8_t *exact = malloc(size > 0 ? size : 1);
  FUZZ_REQUIRE(exact, "out of memory");
  memcpy(exact, text, size);
  fprintf(stderr, "%s\n", path);
  LLVMFuzzerTestOneInput(exact, size);
  replayed++;
  free(exact);
  free(text);
}

static void replay(const char *path) {
  DIR *folder = opendir(path);
  if (!folder) {
    replay_file(path);
    return;
  }
  for (struct dirent *entry; (entry = readdir(folder));) {
    char *inside = NULL;
    if (entry->d_name[0] != '.' && asprintf(&inside, "%s/%s", path, entry->d_name) > 0) {
      replay(inside);
    }
    free(inside);
  }
  closedir(folder);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    replay(argv[i]);
  }
  printf("%zu inputs\n", replayed);
  return replayed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
