// SPDX-License-Identifier: GPL-3.0-or-later
// "Did you mean".
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "words.h"

static const char *const keys[] = {"mass", "motion", "position", "stiffness", "slack", "at"};
#define KEY_COUNT (sizeof keys / sizeof keys[0])

static void test_nearest(void **state) {
  (void)state;
  static const struct {
    const char *word;
    const char *expected; // NULL: none is near
  } cases[] = {
      {"mass", "mass"},
      {"mas", "mass"},           // a letter missing
      {"masss", "mass"},         // one too many
      {"mess", "mass"},          // another one
      {"masx", "mass"},          // another one, at the end
      {"amss", "mass"},          // two swapped
      {"MASS", "mass"},          // case does not count
      {"postition", "position"}, // 1 of 9
      {"poziton", "position"},   // 2 of 8
      {"stifness", "stiffness"},
      {"slac", "slack"},
      {"ta", "at"}, // 1 of 2
      {"x", NULL},  // nothing left of it
      {"", NULL},
      {"length", NULL},
      {"notion", "motion"},
      {"moments", NULL}, // 4 of 7 is more than a third
      {"massmassmassmassmassmassmassmassmassmassmassmassmassmass", NULL}, // longer than all words
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const int nearest = rl_nearest_word(cases[i].word, keys, KEY_COUNT);
    const char *observed = nearest < 0 ? "(none)" : keys[nearest];
    const char *expected = cases[i].expected ? cases[i].expected : "(none)";
    if (strcmp(observed, expected) != 0) {
      fail_msg("nearest to '%s': observed '%s', expected '%s'", cases[i].word, observed, expected);
    }
  }
}

static void test_nearest_of_nothing(void **state) {
  (void)state;
  assert_int_equal(rl_nearest_word("mass", keys, 0), -1);
}

static void test_first_of_equals(void **state) {
  (void)state;
  static const char *const words[] = {"left", "lift"};
  assert_int_equal(rl_nearest_word("loft", words, 2), 0);
}

static void check_suggestion(size_t size, const char *word, size_t count, const char *expected) {
  char buffer[128];
  memset(buffer, '#', sizeof buffer);
  rl_suggest(buffer, size, word, keys, count);
  if (strcmp(buffer, expected) != 0 || strlen(buffer) >= size) {
    fail_msg("suggestion for '%s': observed \"%s\", expected \"%s\"", word, buffer, expected);
  }
  assert_int_equal(buffer[size], '#');
}

static void test_suggest(void **state) {
  (void)state;
  check_suggestion(100, "length", 3, "expected one of mass, motion, position");
  check_suggestion(100, "length", 1, "expected mass");
  check_suggestion(100, "length", 0, "");
  check_suggestion(100, "mas", 3, "did you mean 'mass'? expected one of mass, motion, position");
  check_suggestion(100, "mas", 1, "did you mean 'mass'?");
  check_suggestion(100, "ITI", 3,
                   "did you mean 'position'? expected one of mass, motion, position");
  check_suggestion(40, "stiff", KEY_COUNT, "did you mean 'stiffness'?");
  check_suggestion(60, "mas", KEY_COUNT, "did you mean 'mass'? expected one of mass, motion, ...");
  static const char *const scenes[] = {"pendulum", "landing-load", "landing-crate"};
  char buffer[128];
  rl_suggest(buffer, sizeof buffer, "Landing", scenes, 3);
  assert_string_equal(buffer, "expected one of landing-load, landing-crate");
  rl_suggest(buffer, sizeof buffer, "la", scenes, 3);
  assert_string_equal(buffer, "expected one of pendulum, landing-load, landing-crate");
}

static void test_suggest_in_little_room(void **state) {
  (void)state;
  check_suggestion(40, "length", KEY_COUNT, "expected one of mass, motion, ...");
  check_suggestion(10, "mas", KEY_COUNT, "did you m");
  check_suggestion(1, "mas", KEY_COUNT, "");
  for (size_t size = 1; size < 100; size++) {
    char buffer[100];
    memset(buffer, '#', sizeof buffer);
    rl_suggest(buffer, size, "length", keys, KEY_COUNT);
    assert_true(strlen(buffer) < size);
    assert_int_equal(buffer[size], '#');
    const size_t length = strlen(buffer), first = strlen("expected one of mass");
    if (length >= first && !strstr(buffer, keys[KEY_COUNT - 1])) {
      assert_string_equal(buffer + length - 3, "...");
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nearest),
      cmocka_unit_test(test_nearest_of_nothing),
      cmocka_unit_test(test_first_of_equals),
      cmocka_unit_test(test_suggest),
      cmocka_unit_test(test_suggest_in_little_room),
  };
  return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
