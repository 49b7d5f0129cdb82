// SPDX-License-Identifier: GPL-3.0-or-later
// What the fuzz targets share. A target is one file fuzz_NAME.c with one function that takes any
// bytes; what it finds wrong ends the program, as a sanitizer does.
//
// They are built in two ways. In every build they are linked with replay.c, and CTest runs each of
// them once over its seeds (`ctest --preset ci -L fuzz`). With clang and libFuzzer they invent
// inputs of their own:
//
//   apt-get install clang-14 libclang-rt-14-dev
//   cmake --preset fuzz && cmake --build --preset fuzz
//   ctest --test-dir build/fuzz -L slow                      60 s each
//   cd build/fuzz/tests/fuzz
//   ./fuzz_scenario -seed_inputs=@scenario.seeds found_scenario   until something is found
//   ./fuzz_scenario crash-...                                     one input again
//
// scenario.dict has the words of a scenario (-dict=FILE). An input that found a fault goes into
// corpus/NAME/ under a name that says what it is.
#ifndef RL_FUZZ_H
#define RL_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Like assert, in every build, with the values that were observed.
#define FUZZ_REQUIRE(condition, ...)                                                               \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: required: %s\nobserved: ", __FILE__, __LINE__, #condition);          \
      fprintf(stderr, __VA_ARGS__);                                                                \
      fputc('\n', stderr);                                                                         \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

#endif
