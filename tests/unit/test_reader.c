// SPDX-License-Identifier: GPL-3.0-or-later
// Reading a scenario: every fault at its place, every key in its place.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exact/common.h"
#include "scenario.h"

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

// The parts that most of the texts below share.
#define HEAD "name: test\nduration: 2.385\nstep: 0.0125\n"
#define BODY "bodies:\n  ball: {mass: 2.385, position: [0, -1.5, 0]}\n"
#define ROPE "ropes:\n  line: {from: {point: [0, 0, 0]}, to: {body: ball}}\n"
#define GOOD HEAD BODY ROPE
#define DRUM                                                                                       \
  HEAD "bodies:\n"                                                                                 \
       "  drum: {motion: fixed, position: [0, 0, 0], shape: {cylinder: {radius: 1, length: 9}}}\n" \
       "  heavy: {mass: 2, position: [-1, -3, 0]}\n"                                               \
       "ropes:\n"                                                                                  \
       "  line: {from: {body: heavy}, to: {point: [1, -3, 0]}, over: [drum]}\n"

// A body or a rope with the given keys, the rest as above.
#define WITH_BODY(keys)                                                                            \
  HEAD "bodies:\n  ball: {mass: 2.385, position: [0, -1.5, 0]}\n  other: {" keys "}\n" ROPE
#define WITH_ROPE(keys) GOOD "  second: {" keys "}\n"
#define ENDS "from: {point: [1, 0, 0]}, to: {free: [2, 0, 0]}"
#define LOOP                                                                                       \
  "closed: true, mass: 1, segments: 4, points: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]"
#define CHAIN ENDS ", mass: 0.75, segments: 2"
#define OVER                                                                                       \
  HEAD                                                                                             \
      "bodies:\n  drum: {motion: fixed, position: [0, -0.1, 0], shape: {sphere: {radius: 0.1}}}\n" \
      "ropes:\n  line: {from: {point: [-1, 0, 0]}, to: {point: [1, 0, 0]}, over: [drum], "         \
      "mass: 0.75, segments: 2, "
#define ROD ", mass: 0.75, segments: 2, bending: 1"

// ---------------------------------------------------------------------------------------------
// Faults. The place of each is marked in its text by a '@', which is taken out before reading.

typedef struct faulty {
  const char *text;
  const char *message; // a part of it
} faulty;

static rl_scenario *read_text(const char *text, rl_diagnostic *diagnostic) {
  return rl_scenario_from_text(text, strlen(text), "test.yaml", NULL, 0, diagnostic);
}

static void position_of_mark(const char *text, size_t mark, size_t *line, size_t *column) {
  *line = 1;
  *column = 1;
  for (size_t i = 0; i < mark; i++) {
    *column = text[i] == '\n' ? 1 : *column + 1;
    *line += text[i] == '\n';
  }
}

static void check_fault(const faulty *expected, bool unsupported) {
  char text[2048];
  assert_true(strlen(expected->text) < sizeof text);
  const char *at = strchr(expected->text, '@');
  size_t line = 0, column = 0;
  strcpy(text, expected->text);
  if (at) {
    const size_t mark = (size_t)(at - expected->text);
    memmove(text + mark, text + mark + 1, strlen(text) - mark);
    position_of_mark(text, mark, &line, &column);
  }
  rl_diagnostic d;
  rl_scenario *scenario = read_text(text, &d);
  if (scenario) {
    rl_scenario_free(scenario);
    fail_msg("observed no fault, expected \"%s\" in\n%s", expected->message, text);
  }
  if (!strstr(d.message, expected->message) || d.unsupported != unsupported || d.line != line ||
      d.column != column) {
    fail_msg("observed %zu:%zu%s: %s\nexpected %zu:%zu%s: ...%s...\nin\n%s", d.line, d.column,
             d.unsupported ? " unsupported" : "", d.message, line, column,
             unsupported ? " unsupported" : "", expected->message, text);
  }
}

static void check_faults(const faulty *cases, size_t count, bool unsupported) {
  for (size_t i = 0; i < count; i++) {
    check_fault(&cases[i], unsupported);
  }
}

static void test_yaml(void **state) {
  (void)state;
  static const faulty cases[] = {
      {"@", "empty"},
      {"# only a comment\n@", "empty"},
      {"# a last line without an end@", "empty"},
      {"@rope\n", "expected a map of keys and values, found 'rope'"},
      {"@[name, test]\n", "expected a map of keys and values, found a list of 2"},
      {GOOD "@---\nname: again\n", "second document"},
      {HEAD "@step: 3\n", "key 'step' comes twice; the first is at line 3"},
      {HEAD BODY "  @ball: {mass: 1}\n" ROPE, "key 'ball' comes twice; the first is at line 5"},
      {HEAD "title: @&a text\n", "anchors (&) and aliases (*)"},
      {HEAD "title: @*a\n", "anchors (&) and aliases (*)"},
      {HEAD "gravity: @&g [0, 0, 0]\n", "anchors (&) and aliases (*)"},
      {HEAD "title: @!!str text\n", "tags (!)"},
      {HEAD "bodies: @!x {}\n", "tags (!)"},
      {HEAD "? @[a, b]\n: 3\n", "a key has to be a word, found a list"},
      {"name: test\nbodies:\n@\tball: {mass: 1}\n", "a tab: indent with spaces"},
      {"name: 'test\n@", "quoted scalar that starts at line 1"},
      {HEAD "gravity: [0, 1, 2\n@", "YAML"},
      {"name: te@\x01st\n", "control characters are not allowed (0x01)"},
      {"name: t@\xff st\n", "not a text file in UTF-8"},
  };
  check_faults(cases, COUNT(cases), false);
  // Columns count characters: 12 of them come before the fault, in 17 bytes.
  rl_diagnostic d;
  assert_null(read_text("name: \xc3\xa4 \xe6\xbc\xa2\xe5\xad\x97 t\xff st\n", &d));
  assert_int_equal(d.column, 13);
}

static void test_top_level(void **state) {
  (void)state;
  static const faulty cases[] = {
      {"@name: test\nstep: 1\n" BODY ROPE, "missing key 'duration'"},
      {"@duration: 1\nstep: 1\n" BODY ROPE, "missing key 'name'"},
      {"@name: test\nduration: 1\n" BODY ROPE, "missing key 'step'"},
      {GOOD "@durration: 1\n", "unknown key 'durration' in the scenario; did you mean 'duration'?"},
      {GOOD "@x: 1\n", "expected one of name, title, about, gravity, duration, step"},
      {GOOD "@\"a\\0b\": 1\n", "unknown key \"a?b\""},
      {"name: @[test]\nduration: 1\nstep: 1\n", "name: expected a short text"},
      {"name: @../test\nduration: 1\nstep: 1\n", "name: expected a short text"},
      {"name: @a/b\nduration: 1\nstep: 1\n", "name: expected a short text"},
      {"name:@ \nduration: 1\nstep: 1\n", "name: expected a short text without '/'"},
      {"name: t\nduration: @0\nstep: 1\n",
       "duration: expected a number greater than 0 [s], found '0'"},
      {"name: t\nduration: 1\nstep: @1e-300\n" BODY ROPE,
       "1 s in steps of 1e-300 s are 1e+300 steps"},
      {"name: t\nduration: 1e308\nstep: @0.1\n" BODY ROPE,
       "1e+308 s in steps of 0.1 s are inf steps"},
      {"name: t\nduration: 1\nstep: @-0.1\n", "step: expected a number greater than 0 [s]"},
      {"name: t\nduration: 1\nstep: @\"0.1\"\n", "found \"0.1\" (a number has no quotes)"},
      {"name: t\nduration: 1\nstep: @0,1\n", "found '0,1' (the decimal sign is a point)"},
      {"name: t\nduration: 1\nstep: @1e-3x\n", "found '1e-3x'"},
      {"name: t\nduration: 1\nstep: @.nan\n", "found '.nan'"},
      {"name: t\nduration: 1\nstep: @nan\n", "found 'nan'"},
      {"name: t\nduration: 1\nstep: @inf\n", "found 'inf'"},
      {"name: t\nduration: 1\nstep: @infinity\n", "found 'infinity'"},
      {"name: t\nduration: 1\nstep: @0x1p3\n", "found '0x1p3'"},
      {"name: t\nduration: 1\nstep: @1e\n", "found '1e'"},
      {"name: t\nduration: 1\nstep: @.\n", "found '.'"},
      {"name: t\nduration: 1\nstep: @1 2\n", "found '1 2'"},
      {"name: t\nduration: 1\nstep: @1e400\n", "found '1e400' (too large)"},
      {"name: t\nduration: 1\nstep: @1e-400\n", "found '1e-400'"},
      {"name: t\nduration: 1\nstep: @true\n", "found 'true'"},
      {"name: t\nduration: 1\nstep:@ \ntitle: a\n", "found nothing"},
      {"name: t\nduration: 1\nstep: @{a: 1}\n", "found a map of 1"},
      {GOOD "gravity: @-9.81\n", "gravity: expected three numbers [x, y, z] [m/s^2]"},
      {GOOD "gravity: @[0, -9.81]\n", "found a list of 2"},
      {GOOD "gravity: @[0, -9, 81, 0]\n", "found a list of 4"},
      {GOOD "gravity: [0, @down, 0]\n", "gravity, y: expected a number [m/s^2], found 'down'"},
      {GOOD "title: @[a]\n", "title: expected text"},
      {GOOD "about: @\"a\\0b\"\n", "about: expected text"},
      {"@" HEAD BODY, "no rope"},
      {HEAD BODY "ropes: @{}\n", "no rope"},
      {HEAD BODY "ropes:@ \n", "no rope"},
      {HEAD BODY "ropes: @[a]\n", "map from the name of each rope to its definition"},
      {HEAD "bodies: @3\n" ROPE, "map from the name of each body to its definition"},
      {HEAD "bodies:\n  @a.b: {mass: 1}\n" ROPE, "name of a body: expected a letter or _"},
      {HEAD "bodies:\n  @3: {mass: 1}\n" ROPE, "name of a body: expected a letter or _"},
      {HEAD "bodies:\n  @\"\": {mass: 1}\n" ROPE, "name of a body: expected a letter or _"},
      {HEAD "bodies:\n  @\"a\\0\": {mass: 1}\n" ROPE, "name of a body: expected a letter or _"},
      {GOOD "  @ball: {" ENDS "}\n", "rope 'ball' has the name of a body"},
  };
  check_faults(cases, COUNT(cases), false);
}

static void test_bodies(void **state) {
  (void)state;
  static const faulty cases[] = {
      {HEAD "bodies:\n  ball: @3\n" ROPE, "body 'ball': expected a map of keys and values"},
      {WITH_BODY("@mas: 1"), "unknown key 'mas' in body 'other'; did you mean 'mass'?"},
      {WITH_BODY("mass: @0"), "mass: expected a number greater than 0 [kg], found '0'"},
      {WITH_BODY("mass: @-1"), "mass: expected a number greater than 0 [kg], found '-1'"},
      {WITH_BODY("mass: 1, motion: @fxied"), "motion: found 'fxied'; did you mean 'fixed'?"},
      {WITH_BODY("mass: 1, motion: @[free]"), "motion: found a list of 1; expected one of free,"},
      {WITH_BODY("mass: 1, inertia: [1, @0, 1]"), "inertia, y: expected a number greater than 0"},
      {WITH_BODY("mass: 1, friction: @-0.1"), "friction: expected a number that is not negative"},
      {WITH_BODY("mass: 1, restitution: @1.1"), "restitution: expected a number from 0 to 1"},
      {WITH_BODY("mass: 1, collide: @yes"), "collide: expected true or false, found 'yes'"},
      {WITH_BODY("mass: 1, rope_collide: @True"), "rope_collide: expected true or false"},
      {WITH_BODY("mass: 1, collide: @\"true\""), "expected true or false, found \"true\""},
      {WITH_BODY("motion: fixed, shape: @ball"), "shape: expected a map"},
      {WITH_BODY("motion: fixed, shape: @[]"), "empty list of parts"},
      {WITH_BODY("motion: fixed, shape: @{}"), "expected one of sphere, capsule, cylinder, box"},
      {WITH_BODY("motion: fixed, shape: {@spere: {}}"), "did you mean 'sphere'?"},
      {WITH_BODY("motion: fixed, shape: {sphere: @{}}"), "sphere: missing key 'radius'"},
      {WITH_BODY("motion: fixed, shape: {sphere: {radius: @0}}"), "radius: expected a number gr"},
      {WITH_BODY("motion: fixed, shape: {sphere: {radius: 1, @length: 1}}"),
       "unknown key 'length'"},
      {WITH_BODY("motion: fixed, shape: {capsule: @{radius: 1}}"), "missing key 'length'"},
      {WITH_BODY("motion: fixed, shape: {box: {size: [1, 1, @-1]}}"), "size, z: expected"},
      {WITH_BODY("motion: fixed, shape: {plane: {normal: @[0, 0, 0]}}"), "expected a direction"},
      {WITH_BODY("motion: fixed, shape: {hull: {points: @[[0, 0, 0]]}}"),
       "a hull needs at least 4"},
      {WITH_BODY("motion: fixed, shape: {hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0],"
                 " [0, 0, 1], [0.5, 0, 0], @[0.1, 0.2, 0.2]]}}"),
       "point 5, from 0, is 0.1 m inside the others, which is not convex"},
      {WITH_BODY("motion: fixed, shape: {prism: {radius: 1, length: 1, sides: @2}}"),
       "sides: expected a whole number from 3 to 128, found '2'"},
      {WITH_BODY("motion: fixed, shape: {prism: {radius: 1, length: 1, sides: @129}}"),
       "sides: expected a whole number from 3 to 128, found '129'"},
      {WITH_BODY("motion: fixed, shape: {prism: {radius: 1, length: 1, sides: @6.5}}"), "sides"},
      {WITH_BODY("motion: fixed, shape: {prism: @{radius: 1, length: 1}}"), "missing key 'sides'"},
      {WITH_BODY("motion: fixed, shape: {sphere: {radius: 1}, @box: {size: [1, 1, 1]}}"),
       "'sphere' and 'box' exclude each other"},
      {WITH_BODY("motion: fixed, shape: [{sphere: {radius: 1}, name: a}, "
                 "{sphere: {radius: 2}, name: @a}]"),
       "'a' is the name of another part"},
      {WITH_BODY("motion: driven, drive: @3"), "drive: expected a list of corners"},
      {WITH_BODY("motion: driven, drive: @[]"), "at least one corner"},
      {WITH_BODY("motion: driven, drive: [@[0, 1, 2]]"), "expected [time, x, y, z]"},
      {WITH_BODY("motion: driven, drive: [[0, 1, 2, @x]]"), "drive, z: expected a number [m]"},
      {WITH_BODY("motion: driven, drive: [[0.5, 1, 2, 3], [@0.5, 1, 2, 3]]"), "later than 0.5 s"},
      {WITH_BODY("motion: driven, velocity: [0, 1, 0], @drive: [[0, 1, 2, 3]]"),
       "'velocity' and 'drive' exclude each other"},
      // Found by the model, reported at the key, or at the body where the key is missing.
      {HEAD
       "bodies:\n  ball: {mass: 1, position: [0, -1, 0]}\n  @other: {position: [1, 0, 0]}\n" ROPE,
       "body 'other': a body that moves freely needs a mass"},
      {WITH_BODY("mass: 1, rotation: @[0, 0, 1]"), "point mass and cannot rotate"},
      {WITH_BODY("motion: fixed, velocity: @[0, 0, 1]"), "a fixed body does not move"},
      {WITH_BODY("motion: driven, inertia: [1, 1, 1], spin: @[0, 1e200, 0]"), "infinite length"},
      {WITH_BODY("mass: 1, motion: @axle"), "turns; expected a shape or an inertia"},
      {WITH_BODY("mass: 1, motion: axle, inertia: [1, 1, 1], velocity: @[0, 1, 0]"),
       "the centre of a body on an axle does not move"},
      {WITH_BODY("mass: 1, motion: axle, inertia: [1, 1, 1], spin: @[0, 1, 1]"),
       "turns about its own z axis only"},
      {WITH_BODY("mass: 1, inertia: @[1, 1, 2.1]"), "larger than the other two together"},
      {WITH_BODY("mass: 1, spin: [1, 0, 0], rope_collide: false, shape: @[{sphere: {radius: 0.1}}, "
                 "{sphere: {radius: 0.1}, at: [0.3, 0, 0]}]"),
       "the mass centre of the shape is at [0.15, 0, 0] in the body's frame"},
      {WITH_BODY("mass: 1, spin: [1, 0, 0], rope_collide: false,"
                 " shape: @{box: {size: [1, 2, 3]}, rotation: [0, 0, 0.3]}"),
       "not principal axes of its shape"},
      {WITH_BODY("mass: 1, spin: [1, 0, 0], rope_collide: false,"
                 " shape: @{plane: {normal: [0, 1, 0]}}"),
       "a plane has no end"},
      {WITH_BODY("mass: 1, drive: @[[0, 1, 2, 3]]"), "only a body with motion: driven"},
  };
  check_faults(cases, COUNT(cases), false);
}

static void test_ends_and_ways(void **state) {
  (void)state;
  static const faulty cases[] = {
      {WITH_ROPE("from: @ball, to: {body: ball}"), "expected {body: NAME}"},
      {WITH_ROPE("from: {body: @bal}, to: {free: [1, 0, 0]}"), "did you mean 'ball'?"},
      {WITH_ROPE("from: {body: @[ball]}, to: {free: [1, 0, 0]}"), "found a list of 1"},
      {WITH_ROPE("from: {@bdy: ball}, to: {free: [1, 0, 0]}"), "did you mean 'body'?"},
      {WITH_ROPE("from: @{}, to: {body: ball}"), "needs one of 'body', 'point', 'free', 'rope'"},
      {WITH_ROPE("from: {point: [0, 0, 0], @body: ball}, to: {body: ball}"),
       "'point' and 'body' exclude each other"},
      {WITH_ROPE("from: {point: [0, 0, 0], @at: [0, 0, 0]}, to: {body: ball}"),
       "'at' needs 'body' beside it"},
      {WITH_ROPE("from: {point: [0, 0, 0], @node: 3}, to: {body: ball}"), "'node' needs 'rope'"},
      {WITH_ROPE("from: {@rope: line}, to: {body: ball}"), "'rope' needs 'node' beside it"},
      {WITH_ROPE("from: {rope: @lime, node: 0}, to: {body: ball}"), "did you mean 'line'?"},
      {WITH_ROPE("from: {rope: @second, node: 0}, to: {body: ball}"), "joined to itself"},
      {WITH_ROPE("from: {rope: line, node: @2}, to: {body: ball}"), "nodes 0 to 1 (or -1"},
      {WITH_ROPE("from: {rope: line, node: @-3}, to: {body: ball}"), "nodes 0 to 1 (or -1"},
      {WITH_ROPE("from: {rope: line, node: @0.5}, to: {body: ball}"), "expected a whole number"},
      {GOOD "  @second: {from: {point: [0, 0, 0]}}\n", "rope 'second': missing key 'to'"},
      {GOOD "  @second: {}\n", "rope 'second': missing key 'from'"},
      {WITH_ROPE("closed: true, @from: {point: [0, 0, 0]}"), "'closed' and 'from' exclude"},
      {WITH_ROPE(LOOP ", @to: {point: [0, 0, 0]}"), "'closed' and 'to' exclude"},
      {WITH_ROPE("closed: @true, mass: 1, segments: 4"), "expected `points`, the corners"},
      {WITH_ROPE("closed: true, mass: 1, segments: 4, hang: @true"), "no ends to hang between"},
      {WITH_ROPE("closed: true, mass: 1, segments: 4, points: @hang"), "no ends to hang between"},
      {WITH_ROPE("closed: true, mass: 1, segments: @2, points: [[0, 0, 0], [1, 0, 0]]"),
       "a closed rope of 2 elements goes there and back"},
      {WITH_ROPE(LOOP ", length: @3.9"), "shorter than its way of 4 m"},
      {WITH_ROPE("closed: true, mass: 1, rest_lengths: [1, 1, 2, 0.5],"
                 " points: @[[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]"),
       "element 3 starts 1 m long with a rest length of 0.5 m"},
      {WITH_ROPE("closed: true, segments: 4, node_masses: @[1, 1, 1, 1, 1],"
                 " points: [[0, 0, 0], [1, 0, 0], [1, 1, 0]]"),
       "expected 4 of them (segments), found 5"},
      {WITH_ROPE(LOOP ", velocities: @[[0, 0, 0]]"), "expected 4 of them (segments), found 1"},
      {WITH_ROPE(LOOP) "  third: {from: {rope: second, node: @4}, to: {body: ball}}\n",
       "rope 'second' has nodes 0 to 3 (or -1, the last, to -4)"},
      {WITH_ROPE(ENDS ", over: @ball"), "over: expected a list of bodies and eyes"},
      {WITH_ROPE(ENDS ", over: [@bell]"), "unknown body 'bell'; did you mean 'ball'?"},
      {WITH_ROPE(ENDS ", over: [@ball]"), "body 'ball' has no shape"},
      {WITH_ROPE(ENDS ", over: [@[0, 0, 0]]"), "or {eye: [x, y, z]}, found a list"},
      {WITH_ROPE(ENDS ", over: [@{}]"), "needs 'body' or 'eye'"},
      {WITH_ROPE(ENDS ", over: [@{at: [0, 0, 0]}]"), "needs 'body' or 'eye'"},
      {WITH_ROPE(ENDS ", over: [{eye: @[0, 0]}]"), "eye: expected three numbers"},
      {WITH_ROPE(ENDS ", over: [{eye: [0, 0, 0], @body: ball}]"), "'eye' and 'body' exclude"},
      {WITH_ROPE(ENDS ", over: [{eye: [0, 0, 0], @turns: 2}]"), "'eye' and 'turns' exclude"},
      {WITH_ROPE(ENDS ", over: [{body: ball, @friction: 0.2}]"), "only an eye"},
      {WITH_ROPE(ENDS ", over: [{body: ball, part: @knob}]"), "no part with a name"},
      {WITH_ROPE(ENDS ", over: [{body: ball, turns: @-1}]"), "turns: expected a whole number"},
      {WITH_ROPE(ENDS ", over: [{body: ball, side: @[0, 0, 0]}]"), "side: expected a direction"},
      {OVER "points: @hang}\n", "a rope through an eye or over a body does not hang freely"},
      {OVER "points: [[-1, 0, 0], [1, 0, 0]], length: @1.5}\n", "shorter than its way of 2 m"},
      {OVER "points: @[[-1, 0, 0], [0.2, 0, 0]]}\n", "the last point is 0.8 m away"},
      {OVER "points: [[-1, 0, 0], [1, 0, 0]], rope_collide: true, radius: @0.01}\n",
       "no two elements of the rope can touch"},
  };
  check_faults(cases, COUNT(cases), false);
}

static void test_ropes(void **state) {
  (void)state;
  static const faulty cases[] = {
      {WITH_ROPE(ENDS ", @lenght: 1"),
       "unknown key 'lenght' in rope 'second'; did you mean 'length'"},
      {WITH_ROPE(ENDS ", segments: @2.5"), "segments: expected a whole number from 0 to 10000000"},
      {WITH_ROPE(ENDS ", segments: @-1"), "segments: expected a whole number"},
      {WITH_ROPE(ENDS ", segments: @10000001"), "segments: expected a whole number"},
      {WITH_ROPE(ENDS ", segments: @twenty"), "segments: expected a number, found 'twenty'"},
      {WITH_ROPE(ENDS ", length: @0"), "length: expected a number greater than 0 [m]"},
      {WITH_ROPE(ENDS ", mass: @-1"), "mass: expected a number that is not negative [kg]"},
      {WITH_ROPE(ENDS ", stiffness: @0"), "stiffness: expected a number greater than 0 [N]"},
      {WITH_ROPE(ENDS ", damping: @-1"), "damping: expected a number that is not negative [N s]"},
      {WITH_ROPE(ENDS ", radius: @-1"), "radius: expected a number that is not negative [m]"},
      {WITH_ROPE(ENDS ", break_tension: @0"),
       "break_tension: expected a number greater than 0 [N]"},
      {WITH_ROPE(ENDS ", lumping: @haf"), "lumping: found 'haf'; did you mean 'half'?"},
      {WITH_ROPE(ENDS ", compression: @1"), "compression: expected true or false"},
      {WITH_ROPE(ENDS ", pool: @-1"), "pool: expected a whole number"},
      {WITH_ROPE(ENDS ", pool_exhausted: @halt"), "expected one of stop, continue"},
      {WITH_ROPE(ENDS ", rest_lengths: @1"), "rest_lengths: expected a list of numbers"},
      {WITH_ROPE(ENDS ", rest_lengths: @[]"),
       "rest_lengths: expected 1 to 10000000 of them, found 0"},
      {WITH_ROPE(ENDS ", rest_lengths: [1, @0]"), "rest_lengths: expected a number greater than 0"},
      {WITH_ROPE(ENDS ", segments: 3, rest_lengths: @[1, 1]"), "expected 3 of them"},
      {WITH_ROPE(ENDS ", segments: 2, node_masses: @[1, 1]"), "expected 3 of them (segments + 1)"},
      {WITH_ROPE(ENDS ", segments: 2, node_masses: [1, @0, 1]"), "greater than 0 [kg]"},
      {WITH_ROPE(ENDS ", @node_masses: [1, 1]"), "'node_masses' needs 'segments' beside it"},
      {WITH_ROPE(CHAIN ", velocities: @[[0, 0, 0]]"), "velocities: expected 3 of them"},
      {WITH_ROPE(CHAIN ", velocities: [[0, 0, 0], @1, [0, 0, 0]]"), "expected three numbers"},
      {WITH_ROPE(CHAIN ", points: @[[0, 0, 0]]"), "points: expected at least 2"},
      {WITH_ROPE(CHAIN ", points: @catenary"), "points: expected a list of vectors"},
      {WITH_ROPE(CHAIN ", hang: @down"), "hang: expected true or false"},
      {WITH_ROPE(CHAIN ", @pivot: [0, 0, 0]"), "'pivot' needs a 'spin' about it"},
      {WITH_ROPE(CHAIN ", length: 1, @slack: 1"), "'length' and 'slack' exclude each other"},
      {WITH_ROPE(CHAIN ", slack: 1, @length: 1"), "'slack' and 'length' exclude each other"},
      {WITH_ROPE(ENDS ", length: 1, @rest_lengths: [1]"), "exclude each other"},
      {WITH_ROPE(CHAIN ", @node_masses: [1, 1, 1]"), "'mass' and 'node_masses' exclude each other"},
      {WITH_ROPE(CHAIN ", damping: 1, @damping_ratio: 1"), "exclude each other"},
      {WITH_ROPE(CHAIN ", drag: 1, @drag_per_length: 1"), "exclude each other"},
      {WITH_ROPE(CHAIN ", velocity: [0, 0, 0], @velocities: []"), "exclude each other"},
      {WITH_ROPE(CHAIN ", hang: true, @points: hang"), "exclude each other"},
      // Found by the model.
      {WITH_ROPE(
           CHAIN) "events: [{at: 0, cut: {rope: line, segment: 0}}, {from: 0, until: 1, winch: "
                  "{rope: second, end: @to, rate: 1}}]\n",
       "a winch on rope 'second' has nothing to stand on: that end is free; expected `at_length`"},
      {WITH_ROPE(ENDS ", segments: @3"), "rope 'second': a rope with segments needs a mass"},
      {WITH_ROPE(ENDS ", mass: @3"), "rope 'second': a rope with mass needs segments; expected"},
      {WITH_ROPE("from: {point: [1, 0, 0]}, to: {free: [2, 0, 0], clamp: @[1, 0, 0]}" ROD),
       "hold the direction of an end; expected one of these"},
      {WITH_ROPE("from: {point: [1, 0, 0], clamp: @[-1, 0, 0]}, to: {free: [2, 0, 0]}" ROD),
       "expected another direction of the clamp"},
      {WITH_ROPE("from: {point: [1, 0, 0]}, to: {point: [2, 0, 0], clamp: @[-1, 0, 0]}" ROD),
       "expected another direction of the clamp"},
      {WITH_BODY("motion: fixed, shape: {sphere: {radius: @1e-300}}"),
       "body 'other': 1e-300 m are beyond the range of numbers; expected above 1e-75 m and below"},
      {WITH_BODY("motion: fixed, shape: [{sphere: {radius: 1}}, {capsule: {radius: @1e80, length: "
                 "1}}]"),
       "1e+80 m are beyond"},
      {WITH_BODY("motion: fixed, shape: {capsule: {radius: 1, length: @1e-80}}"), "1e-80 m are"},
      {WITH_BODY("motion: fixed, shape: {cylinder: {radius: @1e-75, length: 1}}"), "1e-75 m are"},
      {WITH_BODY("motion: fixed, shape: {cylinder: {radius: 1, length: @1e75}}"), "1e+75 m are"},
      {WITH_BODY("motion: fixed, shape: {box: {size: [1, @1e-80, 1]}}"), "1e-80 m are beyond"},
      {WITH_BODY("motion: fixed, shape: {hull: {points: @[[0, 0, 0], [1e-80, 0, 0], [0, 1e-80, 0], "
                 "[0, 0, 1e-80]]}}"),
       "the points of the hull are 1e-80 m apart, beyond the range of numbers"},
      {WITH_ROPE(CHAIN ", radius: @1e-80"), "rope 'second': 1e-80 m are beyond"},
      {WITH_ROPE(ENDS ", mass: 1, rest_lengths: [1, @1e-80]"), "1e-80 m are beyond the range"},
      {WITH_ROPE(CHAIN ", bending: @1e300"), "beyond the range of numbers; expected less than"},
      {WITH_BODY("mass: @1e-320"), "body 'other': 9.99989e-321 kg are beyond the range of numbers"},
      {WITH_BODY("mass: @1e308"), "expected m, 1/m, m |g| and m L^2 below 1e+150, with L = 0 m"},
      {WITH_BODY("mass: @1e-3, position: [1e77, 0, 0]"), "with L = 1e+77 m, the distance"},
      {WITH_BODY("mass: @1e150, motion: axle, shape: {sphere: {radius: 1}}"), "1e+150 kg are"},
      {WITH_BODY("mass: 1, spin: [0, 0, 1], inertia: @[1e-320, 1e-320, 1e-320]"),
       "moments of inertia from 9.99989e-321 to 9.99989e-321 kg m^2 are beyond"},
      {WITH_ROPE(ENDS ", segments: 4, mass: @1e-150, hang: true"), "rope 'second': 1e-150 kg are"},
      {WITH_ROPE(ENDS ", segments: 4, mass: @2e-150"), "rope 'second': 5e-151 kg are beyond"},
      {WITH_ROPE(ENDS ", segments: 2, node_masses: @[1, 1e-320, 1]"), "9.99989e-321 kg are beyond"},
      {HEAD "gravity: [0, -1e149, 0]\nbodies: {ball: {mass: @10, position: [0, -1.5, 0]}}\n" ROPE,
       "10 kg are beyond the range of numbers"},
      {WITH_ROPE(CHAIN ", radius: @0.5, rope_collide: true"),
       "no two elements of the rope can touch"},
      {WITH_ROPE(CHAIN ", radius: @0, rope_collide: true"), "expected one above 0 m"},
      {WITH_ROPE("from: {point: [1, 0, 0]}, to: {point: [2, 0, 0]}, rope_collide: @true"),
       "a massless rope does not touch ropes"},
      {WITH_ROPE(CHAIN ", length: @0.5"), "shorter than its way of 1 m"},
      {WITH_ROPE(CHAIN ", slack: @-0.5"), "negative slack is pretension and needs a stiffness"},
      {WITH_ROPE("from: {point: [1, 0, 0]}, to: @{free: [1, 0, 0]}, mass: 1, segments: 2"),
       "both ends are at the same place"},
  };
  check_faults(cases, COUNT(cases), false);
}

static void test_events(void **state) {
  (void)state;
  static const faulty cases[] = {
      {GOOD "events: @{at: 1}\n", "events: expected a list"},
      {GOOD "events: [@3]\n", "an event: expected a map"},
      {GOOD "events: [@{at: 1}]\n", "an event needs one of cut, release, winch, force, wind"},
      {GOOD "events: [{at: 1, @cutt: {}}]\n", "did you mean 'cut'?"},
      {GOOD "events: [{at: @-1, wind: [0, 0, 0]}]\n", "at: expected a number that is not negative"},
      {GOOD "events: [@{cut: {rope: line, segment: 0}}]\n", "a cut has a time 'at'"},
      {GOOD "events: [{at: 1, @until: 2, release: {body: ball}}]\n", "a release has a time 'at'"},
      {GOOD "events: [{@at: 1, wind: [1, 0, 0]}]\n", "a wind has times 'from' and 'until'"},
      {GOOD "events: [{from: 2, until: @1, wind: [1, 0, 0]}]\n", "expected a time later than"},
      {GOOD "events: [{at: 1, cut: {rope: @lin, segment: 0}}]\n", "did you mean 'line'?"},
      {GOOD "events: [{at: 1, cut: {rope: line, segment: @1}}]\n", "the one segment 0, found 1"},
      {GOOD "events: [{at: 1, cut: @{rope: line}}]\n", "a cut of a rope needs 'segment'"},
      {GOOD "events: [{at: 1, cut: @{}}]\n", "a cut needs {rope, segment}, {plane} or {swipe}"},
      {GOOD "events: [{at: 1, cut: {plane: @{point: [0, 0, 0]}}}]\n", "missing key 'normal'"},
      {GOOD "events: [{at: 1, cut: {swipe: @{from: [0, 0, 0]}}}]\n", "a swipe: missing key 'to'"},
      {GOOD "events: [{at: 1, cut: {swipe: {from: [0, 0, 0], to: @[0, 0, 0], view: [0, 0, 1]}}}]\n",
       "seen along 'view' it is where 'from' is"},
      {GOOD
       "events: [{at: 1, cut: {swipe: {from: [0, 1, 0], to: @[0, 1, 2], view: [0, 0, -1]}}}]\n",
       "seen along 'view' it is where 'from' is"},
      {GOOD "events: [{at: 1, cut: {swipe: {from: [-1e200, 0, 0], to: @[1e200, 0, 0], "
            "view: [0, 0, 1]}}}]\n",
       "so far from 'from' that their distance cannot be computed"},
      {GOOD "events: [{at: 1, cut: {swipe: {from: [0, 1, 0], to: [0, 0, 0], view: [0, 0, 1], "
            "duration: @-1}}}]\n",
       "duration: expected a number that is not negative"},
      {GOOD "events: [{at: 1, cut: {swipe: {from: [0, 1, 0], to: [0, 0, 0], view: [0, 0, 1], "
            "@duraton: 1}}}]\n",
       "did you mean 'duration'?"},
      {GOOD "events: [{at: 1, release: @{rope: line}}]\n", "needs {rope, end} or {body}"},
      {GOOD "events: [{at: 1, release: {rope: line, end: @tip}}]\n", "end: found 'tip'"},
      {GOOD "events: [{at: 1, release: {body: @ball}}]\n", "body 'ball' is not fixed"},
      {WITH_BODY("motion: fixed") "events: [{at: 1, release: {body: @other}}]\n", "has no mass"},
      {WITH_BODY(
           "motion: fixed") "events: [{from: 0, until: 1, force: {body: @other, value: [1, 0, "
                            "0]}}]\n",
       "body 'other', which is held; expected one that can move"},
      {WITH_ROPE(CHAIN) "events: [{at: 1, release: {rope: second, end: @to}}]\n", "nothing holds"},
      {WITH_ROPE(CHAIN ", break_tensions: @[5]"), "expected 2 of them (segments), found 1"},
      {WITH_ROPE(CHAIN ", break_tensions: [5, @0]"), "break_tensions"},
      {WITH_ROPE(CHAIN ", break_tension: 5, @break_tensions: [5, 6]"), "exclude each other"},
      {WITH_ROPE(CHAIN ", pool_exhausted: @go"), "pool_exhausted: found 'go'"},
      {GOOD "events: [{from: 0, until: 1, winch: @{rope: line, end: to}}]\n", "missing key 'rate'"},
      {GOOD "events: [{from: 0, until: 1, winch: @{rope: line, rate: 1}}]\n",
       "'end' or 'at_length'"},
      {GOOD "events: [{from: 0, until: 1, force: @{body: ball}}]\n", "missing key 'value'"},
      {GOOD "events: [{at: 1, cut: {rope: line, segment: 0}, @release: {body: ball}}]\n",
       "'cut' and 'release' exclude each other"},
  };
  check_faults(cases, COUNT(cases), false);
}

static void test_probes_and_exact(void **state) {
  (void)state;
  static const faulty cases[] = {
      {GOOD "probes: @ball.y\n", "probes: expected a list of names, found 'ball.y'"},
      {GOOD "probes: [@[ball.y]]\n", "expected a name as in body.y or rope.tension"},
      {GOOD "probes: [ball.y, @ball.q]\n", "unknown quantity of a body 'q'; expected one of x, y,"},
      {GOOD "probes: [ball.y, @bal.y]\n", "no body or rope 'bal'; did you mean 'ball'?"},
      {GOOD "probes: [ball.y, line.rest, @ball.y]\n", "probe 'ball.y' comes twice"},
      {WITH_ROPE(LOOP) "events: [{at: 1, release: {rope: second, end: @to}}]\n",
       "rope 'second' is closed and has none"},
      {WITH_ROPE(LOOP) "events: [{from: 0, until: 1, winch: {rope: second, end: @to, rate: 1}}]\n",
       "rope 'second' is closed and has none"},
      {WITH_ROPE(LOOP) "probes: [second.node.-4.x, @second.node.4.x]\n", "expected 0 to 3"},
      {WITH_ROPE(LOOP) "probes: [second.tension.3, @second.tension.to]\n",
       "a closed rope has no ends, so no 'to'; expected 'tension'"},
      {WITH_ROPE(LOOP) "probes: [@second.tip.x]\n", "no ends, so no 'tip'; expected 'node.i'"},
      {WITH_ROPE(LOOP) "probes: [@second.sag]\n", "no ends, so no 'sag'"},
      {WITH_ROPE(LOOP) "probes: [@second.angle]\n", "no ends, so no 'angle'"},
      {GOOD "exact: @pendulum\n", "expected one closed form and its arguments"},
      {GOOD "exact: @{}\n", "expected one closed form and its arguments"},
      {GOOD "exact: {@pendulm: {rope: line}}\n", "did you mean 'pendulum'?"},
      {GOOD "exact: {pendulum: @3}\n", "closed form 'pendulum': expected a map"},
      {GOOD "exact: {pendulum: @{}}\n", "closed form 'pendulum': missing key 'rope'"},
      {GOOD "exact: {pendulum: {@body: ball}}\n", "unknown key 'body'"},
      {GOOD "exact: {pendulum: {rope: @ball}}\n", "unknown rope 'ball'"},
      {GOOD "events: [{from: 0.5, until: 1, force: {body: ball, value: [1, 0, 0]}}]\nexact: "
            "@{pendulum: {rope: line}}\n",
       "no closed form knows of events"},
      {GOOD "gravity: [0, 0, 0]\nexact: @{pendulum: {rope: line}}\n", "exact: pendulum: "},
      {DRUM "probes: [line.wrap.drum, @line.force.drun]\n", "no body 'drun'; did you mean 'drum'"},
      {DRUM "probes: [@line.entry.heavy.x]\n", "the rope touches no body 'heavy'; expected drum"},
      {GOOD "probes: [@line.wrap.ball]\n",
       "the rope touches no body 'ball'; the rope can touch none"},
  };
  check_faults(cases, COUNT(cases), false);
}

#define RING                                                                                       \
  "  ring: {closed: true, mass: 1, segments: 4,\n"                                                 \
  "         points: [[5, 0, 0], [6, 0, 0], [6, 1, 0], [5, 1, 0]]}\n"

// A rope with mass over a drum; RING: with a closed one beside it.
#define DRAPED                                                                                     \
  HEAD "bodies:\n"                                                                                 \
       "  drum: {motion: fixed, position: [0, 0, 0], shape: {cylinder: {radius: 1, length: 9}}}\n" \
       "ropes:\n"                                                                                  \
       "  rope: {from: {free: [-2, 1.5, 0]}, to: {free: [2, 1.5, 0]}, mass: 1, segments: 8}\n"

static void test_unsupported(void **state) {
  (void)state;
  static const faulty cases[] = {
      {WITH_ROPE(ENDS ", node_masses: [1, 2, 3], segments: 2") "events: [{from: 0, until: 1, "
                                                               "winch: @{rope: second, end: from, "
                                                               "rate: 1}}]\n",
       "whose elements or nodes differ"},
      {WITH_ROPE("from: {point: [1, 0, 0]}, to: {free: [3, 0, 0]}, mass: 1, segments: 9, "
                 "over: [@{eye: [2, 0, 0], friction: 0.3}]") "events: [{from: 0, until: 1, winch: "
                                                             "{rope: second, end: from, rate: 1}}]"
                                                             "\n",
       "winches on ropes with mass that rub in an eye"},
      {WITH_ROPE("from: {point: [1, 0, 0]}, to: {point: [3, 0, 0]}, over: [{eye: [2, 0, 0], "
                 "friction: 0.3}]") "events: [{from: 0, until: 1, winch: {rope: second, at_length: "
                                    "@0.5, rate: 1}}]\n",
       "winches inside massless ropes that rub"},
      {WITH_ROPE("closed: @true, over: [{eye: [0, 0, 0]}, {eye: [1, 0, 0]}], mass: 1, segments: 9"),
       "closed ropes with mass that pass eyes"},
      {DRAPED RING "probes: [ring.slip.drum, @ring.wrap.drum]\n", "wrap angle of a closed rope"},
  };
  check_faults(cases, COUNT(cases), true);
}

// What is invalid is reported before what is unsupported, wherever it stands.
static void test_invalid_before_unsupported(void **state) {
  (void)state;
  static const faulty cases[] = {
      {WITH_ROPE(LOOP ", over: [{eye: [0, 0, 0]}]") "probes: [@bal.y]\n", "no body or rope"},
      {GOOD "events: [{from: 0, until: 1, winch: {rope: line, at_length: 0.5, rate: 1}}]\n"
            "exact: {@nothing: {}}\n",
       "closed form"},
      {WITH_ROPE(CHAIN ", pool: 3, pool_exhausted: stop, length: @0.5"), "shorter than its way"},
      {WITH_ROPE(CHAIN
                 ", length: @0.5") "events: [{from: 0, until: 1, winch: {rope: line, at_length: "
                                   "0.5, rate: 1}}]\n",
       "shorter"},
      {DRAPED RING "probes: [ring.wrap.drum, @rope.wrap.drun]\n", "did you mean 'drum'?"},
      {DRAPED RING "probes: [ring.wrap.drum]\nexact: {@nothing: {}}\n", "closed form"},
  };
  check_faults(cases, COUNT(cases), false);
}

// ---------------------------------------------------------------------------------------------
// What is right

static rl_scenario *read_good(const char *text, const rl_override *overrides, size_t count) {
  rl_diagnostic d;
  rl_scenario *scenario =
      rl_scenario_from_text(text, strlen(text), "test.yaml", overrides, count, &d);
  if (!scenario) {
    fail_msg("observed %zu:%zu: %s\nexpected no fault in\n%s", d.line, d.column, d.message, text);
  }
  return scenario;
}

static void check_number(const char *what, double observed, double expected) {
  if (!(observed == expected)) {
    fail_msg("%s: observed %.17g, expected %.17g", what, observed, expected);
  }
}

static void test_good(void **state) {
  (void)state;
  static const char *const texts[] = {
      GOOD,
      "\xEF\xBB\xBF" GOOD,
      HEAD "bodies:\nevents:\nprobes:\nropes:\n  line: {" CHAIN "}\n",
      HEAD "bodies: {}\nevents: []\nprobes: []\nropes:\n  line: {" CHAIN "}\n",
      "%YAML 1.1\n---\n" GOOD "...\n",
      "{\"name\": \"json\", \"duration\": 1, \"step\": 0.1, \"ropes\": {\"line\": {\"from\": "
      "{\"point\": [0, 0, 0]}, \"to\": {\"point\": [1, 0, 0]}}}}",
      "name: r\r\nduration: 1\r\nstep: 0.1\r\nropes:\r\n  line: {" CHAIN "}\r\n",
      GOOD "title: \xc3\xa4 \xe6\xbc\xa2\nabout: >\n  folded\n  text\n",
      ROPE BODY HEAD, // any order
      WITH_ROPE("closed: false, " CHAIN),
      WITH_ROPE(LOOP ", lumping: equal, stiffness: 50, slack: -0.1, spin: [0, 0, 1]"),
      WITH_ROPE("closed: true, mass: 1, rest_lengths: [1, 1, 1], points: [[0, 0, 0], [1, 0, 0]],"
                " velocities: [[0, 0, 1], [0, 1, 0], [1, 0, 0]]"),
      WITH_ROPE(ENDS ", segments: 2, rest_lengths: [0.5, 0.75], node_masses: [1, 2, 3]"),
      WITH_ROPE(CHAIN ", slack: -0.1, stiffness: 100, damping_ratio: 0.1"),
      WITH_ROPE(CHAIN ", hang: false, pool: 0, drag: 0, bending: 0"),
      WITH_BODY("motion: fixed, shape: [{box: {size: [1, 2, 3]}, at: [0, 9, 0], name: a-b_3}], "
                "rope_collide: false"),
      WITH_BODY("motion: driven, drive: [[0, 1, 2, 3], [1.5, 1, 2, 4]]"),
      GOOD "exact: none\n",
      GOOD "exact: {pendulum: {rope: line}}\n",
  };
  for (size_t i = 0; i < COUNT(texts); i++) {
    rl_scenario_free(read_good(texts[i], NULL, 0));
  }
}

static void test_numbers(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double expected;
  } cases[] = {{"2.385", 2.385},
               {"+2.385", 2.385},
               {"1e-3", 1e-3},
               {"2E+2", 200.0},
               {".5", 0.5},
               {"5.", 5.0},
               {"007", 7.0},
               {"1.5e-100", 1.5e-100},
               {"0.1", 0.1},
               {"1e22", 1e22},
               {"12345678901234567890", 12345678901234567890.0}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    const rl_override set = {"bodies.ball.mass", cases[i].text};
    rl_scenario *scenario = read_good(GOOD, &set, 1);
    check_number(cases[i].text, scenario->definition.bodies[0].mass, cases[i].expected);
    rl_scenario_free(scenario);
  }
}

static void test_top_level_values(void **state) {
  (void)state;
  rl_scenario *scenario = read_good(GOOD, NULL, 0);
  assert_string_equal(scenario->file, "test.yaml");
  assert_string_equal(scenario->name, "test");
  assert_string_equal(scenario->title, "");
  assert_string_equal(scenario->about, "");
  check_number("duration", scenario->duration, 2.385);
  check_number("step", scenario->step, 0.0125);
  check_number("gravity, y", scenario->definition.gravity.y, -9.81);
  assert_non_null(scenario->model);
  assert_null(scenario->exact);
  assert_int_equal(scenario->probe_count, 0);
  rl_scenario_free(scenario);
}

static void test_body_values(void **state) {
  (void)state;
  rl_scenario *scenario = read_good(
      HEAD "bodies:\n"
           "  b: {motion: driven, position: [1.5, 2.5, 3.5], velocity: [-1, -2, -3], mass: 7.5,\n"
           "      friction: 0, restitution: 0.25, collide: false, rope_collide: false,\n"
           "      shape: [{box: {size: [1, 2, 3]}, at: [4, 5, 6], rotation: [0.1, 0.2, 0.3]},\n"
           "              {capsule: {radius: 0.5, length: 2}, name: pin},\n"
           "              {plane: {normal: [0, 2, 0]}},\n"
           "              {prism: {radius: 2, length: 3, sides: 4}}]}\n"
           "  a: {mass: 1, position: [0, -9, 0]}\n"
           "ropes:\n  line: {from: {body: a}, to: {point: [0, 0, 0]}}\n",
      NULL, 0);
  assert_int_equal(scenario->definition.body_count, 2);
  const rl_body_definition *b = &scenario->definition.bodies[0];
  assert_string_equal(b->name, "b");
  assert_int_equal(b->motion, RL_DRIVEN);
  check_number("position, z", b->position.z, 3.5);
  check_number("velocity, y", b->velocity.y, -2.0);
  check_number("mass", b->mass, 7.5);
  check_number("friction", b->friction, 0.0);
  check_number("restitution", b->restitution, 0.25);
  assert_false(b->collide);
  assert_false(b->rope_collide);
  assert_true(isnan(b->inertia.x));
  assert_int_equal(b->part_count, 4);
  assert_int_equal(b->parts[0].shape, RL_BOX);
  check_number("size, y", b->parts[0].size.y, 2.0);
  check_number("at, z", b->parts[0].at.z, 6.0);
  check_number("rotation, x", b->parts[0].rotation.x, 0.1);
  assert_null(b->parts[0].name);
  assert_int_equal(b->parts[1].shape, RL_CAPSULE);
  check_number("length", b->parts[1].length, 2.0);
  assert_string_equal(b->parts[1].name, "pin");
  assert_int_equal(b->parts[2].shape, RL_PLANE);
  assert_int_equal(b->parts[3].shape, RL_HULL);
  assert_int_equal(b->parts[3].point_count, 8);
  check_number("first edge, x", b->parts[3].points[0].x, 2.0);
  check_number("first edge, z", b->parts[3].points[1].z, 1.5);
  assert_true(fabs(b->parts[3].points[2].y - 2.0) < 1e-15);
  const rl_body_definition *a = &scenario->definition.bodies[1];
  assert_int_equal(a->motion, RL_FREE);
  assert_true(a->collide && a->rope_collide);
  assert_true(isnan(a->friction));
  rl_scenario_free(scenario);
}

static void test_rope_values(void **state) {
  (void)state;
  rl_scenario *scenario = read_good(
      HEAD "bodies:\n  a: {mass: 1, position: [0, -9, 0]}\n  f: {motion: fixed}\n"
           "ropes:\n"
           "  chain: {from: {body: f, at: [0.5, 0, 0]}, to: {free: [2.5, 0, 0]}, mass: 1.5,\n"
           "          segments: 1e1, length: 3, lumping: equal, damping: 0.125, radius: 0.02,\n"
           "          stiffness: 450, compression: true, friction: 0.25, velocity: [1, 2, 3],\n"
           "          spin: [0, 0, 4], pivot: [5, 6, 7]}\n"
           "  line: {from: {body: a}, to: {point: [3, 0, 0]}, slack: 0.375,\n"
           "         over: [{eye: [1, 2, 3]}, {body: f, at: [4, 5, 6], friction: 0}]}\n"
           "  list: {from: {point: [0, 0, 0]}, to: {point: [1, 0, 0]}, rest_lengths: [0.5, 0.75],\n"
           "         node_masses: [1, 2, 4], points: [[0, 0, 0], [0.5, 0, 0], [1, 0, 0]],\n"
           "         velocities: [[0, 0, 0], [0, 7, 0], [0, 0, 0]]}\n",
      NULL, 0);
  const rl_rope_definition *chain = &scenario->definition.ropes[0];
  assert_int_equal(chain->from.kind, RL_END_BODY);
  assert_int_equal(chain->from.body, 1);
  check_number("from, at, x", chain->from.at.x, 0.5);
  assert_int_equal(chain->to.kind, RL_END_FREE);
  check_number("to, x", chain->to.at.x, 2.5);
  assert_int_equal(chain->segments, 10);
  check_number("length", chain->length, 3.0);
  assert_int_equal(chain->lumping, RL_LUMP_EQUAL);
  check_number("damping", chain->damping, 0.125);
  check_number("stiffness", chain->stiffness, 450.0);
  check_number("radius", chain->radius, 0.02);
  check_number("friction", chain->friction, 0.25);
  assert_true(chain->compression);
  check_number("velocity, y", chain->velocity.y, 2.0);
  check_number("spin, z", chain->spin.z, 4.0);
  check_number("pivot, x", chain->pivot.x, 5.0);
  assert_int_equal(chain->pose, RL_POSE_STRAIGHT);
  const rl_rope_definition *line = &scenario->definition.ropes[1];
  assert_int_equal(line->to.kind, RL_END_POINT);
  assert_true(isnan(line->length) && isnan(line->stiffness) && isnan(line->pivot.x));
  check_number("slack", line->slack, 0.375);
  assert_int_equal(line->waypoint_count, 2);
  assert_true(line->waypoints[0].is_eye && line->waypoints[0].body == RL_NONE &&
              isnan(line->waypoints[0].friction));
  check_number("eye, z", line->waypoints[0].at.z, 3.0);
  assert_true(line->waypoints[1].is_eye && line->waypoints[1].body == 1);
  check_number("eye, friction", line->waypoints[1].friction, 0.0);
  const rl_rope_definition *list = &scenario->definition.ropes[2];
  assert_int_equal(list->segments, 2);
  check_number("rest_lengths, 1", list->rest_lengths[1], 0.75);
  check_number("node_masses, 2", list->node_masses[2], 4.0);
  assert_int_equal(list->pose, RL_POSE_POINTS);
  check_number("points, 1", list->points[1].x, 0.5);
  check_number("velocities, 1", list->velocities[1].y, 7.0);
  rl_scenario_free(scenario);
}

// ---------------------------------------------------------------------------------------------
// --set

static void test_overrides(void **state) {
  (void)state;
  const rl_override sets[] = {
      {"bodies.ball.mass", "4.5"},
      {"bodies.extra", "{mass: 3, position: [9, 9, 9]}"},
      {"ropes.line.damping", "0.75"}, // a new key
      {"ropes.line.over", "[{eye: [7, 7, 7]}]"},
      {"ropes.line.over.0.eye", "[1, 2, 3]"}, // into a list, and into what was set before
      {"ropes.line.over.0.eye.1", "-2"},
      {"duration", "9"},
      {"duration", "5"}, // the last one holds
      {"gravity", "[0, -1, 0]"},
  };
  rl_scenario *scenario = read_good(GOOD, sets, COUNT(sets));
  check_number("mass", scenario->definition.bodies[0].mass, 4.5);
  assert_int_equal(scenario->definition.body_count, 2);
  check_number("damping", scenario->definition.ropes[0].damping, 0.75);
  check_number("eye, x", scenario->definition.ropes[0].waypoints[0].at.x, 1.0);
  check_number("eye, y", scenario->definition.ropes[0].waypoints[0].at.y, -2.0);
  check_number("duration", scenario->duration, 5.0);
  check_number("gravity", scenario->definition.gravity.y, -1.0);
  rl_scenario_free(scenario);
}

static void test_faulty_overrides(void **state) {
  (void)state;
  static const struct {
    const char *path, *value, *message;
  } cases[] = {
      {"bodies.ball.mas", "3",
       "--set bodies.ball.mas=3: unknown key 'mas' in body 'ball'; did you"},
      {"bodies.ball.mass", "-3", "--set bodies.ball.mass=-3: mass: expected a number greater"},
      {"bodies.bal.mass", "3",
       "--set bodies.bal.mass=3: there is no body 'bal'; did you mean 'ball'"},
      {"ropes.lime.length", "3", "there is no rope 'lime'; did you mean 'line'?"},
      {"bodies.ball.mass.x", "3", "'mass' is neither a map nor a list"},
      {"bodies.ball.position.3", "1", "'3': expected the index of an item, 0 to 2"},
      {"bodies.ball.position.y", "1", "'y': expected the index of an item, 0 to 2"},
      {"bodies.ball.position.-1", "1", "'-1': expected the index of an item, 0 to 2"},
      {"bodies.ball.position.99999999999999999999", "1", "expected the index of an item, 0 to 2"},
      {"bodies..mass", "1", "expected keys joined by dots"},
      {"", "1", "expected keys joined by dots"},
      {"a.", "1", "expected keys joined by dots"},
      {"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r", "1", "more than 16 keys"},
      {"duration", "", "--set duration=: empty"},
      {"duration", "[1", "--set duration=[1: YAML"},
      {"duration", "&a 1", "anchors"},
      {"duration", "--- 1\n--- 2", "second document"},
      {"duration", "\xff", "UTF-8"},
      {"ropes.line.length", "1", "--set ropes.line.length=1: rope 'line': the rope is 1 m long"},
      {"ropes.line.to.point", "[1, 0, 0]", "'body' and 'point' exclude each other"},
      {"probes", "[x.y]", "--set probes=[x.y]: probe 'x.y': no body or rope 'x'"},
      {"exact.pendulum.rope", "lin", "--set exact.pendulum.rope=lin: unknown rope 'lin'"},
      {"x", "a very long text that is not shown to its end because nobody needs it",
       "...: unknown"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    const rl_override set = {cases[i].path, cases[i].value};
    rl_diagnostic d;
    rl_scenario *scenario = rl_scenario_from_text(GOOD, strlen(GOOD), "test.yaml", &set, 1, &d);
    if (scenario || !strstr(d.message, cases[i].message) || d.line != 0 ||
        strncmp(d.message, "--set ", 6) != 0) {
      fail_msg("--set %s=%s: observed %zu: %s\nexpected 0: ...%s...", cases[i].path, cases[i].value,
               d.line, scenario ? "(no fault)" : d.message, cases[i].message);
    }
  }
}

// A fault of the file stays where it is, also with an override beside it.
static void test_override_elsewhere(void **state) {
  (void)state;
  const rl_override set = {"bodies.ball.mass", "3"};
  const char *text = GOOD "stp: 1\n";
  rl_diagnostic d;
  assert_null(rl_scenario_from_text(text, strlen(text), "test.yaml", &set, 1, &d));
  assert_int_equal(d.line, 8);
  assert_int_equal(d.column, 1);
}

// ---------------------------------------------------------------------------------------------
// Limits, files, printing

static void check_message(const char *what, const rl_scenario *scenario, const rl_diagnostic *d,
                          const char *message) {
  if (scenario || !strstr(d->message, message)) {
    fail_msg("%s: observed \"%s\", expected ...%s...", what, scenario ? "(no fault)" : d->message,
             message);
  }
}

static void test_deep_nesting(void **state) {
  (void)state;
  static const char *const openings[] = {"[", "- ", "{a: ", "? ", "[{a: ", "[\n"};
  const size_t depth = 20000;
  for (size_t i = 0; i < COUNT(openings); i++) {
    const size_t width = strlen(openings[i]);
    char *text = malloc(depth * width);
    assert_non_null(text);
    for (size_t k = 0; k < depth; k++) {
      memcpy(text + k * width, openings[i], width);
    }
    rl_diagnostic d;
    rl_scenario *scenario = rl_scenario_from_text(text, depth * width, "deep", NULL, 0, &d);
    free(text);
    check_message(openings[i], scenario, &d, "nested too deeply");
  }
}

static void test_large(void **state) {
  (void)state;
  const size_t length = RL_SCENARIO_BYTES_MAX + 1;
  char *text = calloc(length, 1);
  assert_non_null(text);
  rl_diagnostic d;
  rl_scenario *scenario = rl_scenario_from_text(text, length, "large", NULL, 0, &d);
  free(text);
  check_message("large text", scenario, &d, "larger than 16 MiB");
}

static void test_long_names(void **state) {
  (void)state;
  static const char format[] =
      HEAD BODY "ropes:\n  ? %.*s\n"
                "  : {from: {point: [0, 0, 0]}, to: {body: ball}, mass: 1, segments: 4}\n"
                "exact: {pendulum: {rope: %.*s}}\n";
  char name[2000], text[sizeof name * 2 + sizeof format];
  memset(name, 'r', sizeof name);
  name[1999] = '\0';
  for (int length = 199; length < 2000; length += 1800) {
    snprintf(text, sizeof text, format, length, name, length, name);
    rl_diagnostic d;
    rl_scenario *scenario = read_text(text, &d);
    check_message(text, scenario, &d,
                  length == 199 ? "found segments with mass"
                                : "name of a rope: expected at most 199 characters, found 1999");
  }
  const char *const found[] = {NULL, "a rope", "a ball"};
  char message[16], whole[64];
  assert_false(rl_exact_fits(found, 3, message, sizeof message, "expected %s", name));
  assert_false(rl_exact_fits(found, 3, message, 13, "expected none"));
  assert_string_equal(message, "expected non");
  assert_false(rl_exact_fits(found, 3, message, sizeof message, "expected none"));
  assert_string_equal(message, "expected none; ");
  assert_false(rl_exact_fits(found, 3, whole, sizeof whole, "expected none"));
  assert_string_equal(whole, "expected none; found a rope, a ball");
  assert_true(rl_exact_fits(found, 1, whole, sizeof whole, "expected none"));
}

static void test_files(void **state) {
  (void)state;
  rl_diagnostic d;
  rl_scenario *scenario = rl_scenario_from_file("/nowhere/at/all.yaml", NULL, 0, &d);
  check_message("missing file", scenario, &d, "cannot be opened: ");
  assert_int_equal(d.line, 0);
  scenario = rl_scenario_from_file("/", NULL, 0, &d);
  check_message("folder", scenario, &d, "cannot be ");
  assert_false(d.unsupported || d.out_of_memory);
}

static void check_print(const char *text, const char *expected) {
  rl_diagnostic d;
  assert_null(read_text(text, &d));
  FILE *file = tmpfile();
  assert_non_null(file);
  rl_diagnostic_print(file, "dir/test.yaml", &d);
  rewind(file);
  char observed[2048] = "";
  const size_t length = fread(observed, 1, sizeof observed - 1, file);
  observed[length] = 0;
  fclose(file);
  if (strcmp(observed, expected) != 0) {
    fail_msg("observed\n%sexpected\n%s", observed, expected);
  }
}

static void test_print(void **state) {
  (void)state;
  check_print(WITH_BODY("mas: 1"),
              "dir/test.yaml:6:11: error: unknown key 'mas' in body 'other'; did you mean 'mass'?\n"
              "  other: {mas: 1}\n"
              "          ^\n");
  check_print(WITH_ROPE("closed: true, mass: 1, segments: 9, over: [{eye: [1, 0, 0]}]"),
              "dir/test.yaml:8:20: error: unsupported: rope 'second': not supported by this "
              "version: closed ropes with mass that pass eyes or bodies\n"
              "  second: {closed: true, mass: 1, segments: 9, over: [{eye: [1, 0, 0]}]}\n"
              "                   ^\n");
  // Tabs stay, so that the caret lines up; characters count once; controls are not printed.
  check_print(HEAD "title:\t[\xc3\xa4,\t\xe6\xbc\xa2, \"\\e\"]\n",
              "dir/test.yaml:4:8: error: title: expected text, found a list of 3\n"
              "title:\t[\xc3\xa4,\t\xe6\xbc\xa2, \"\\e\"]\n"
              "      \t^\n");
  check_print(HEAD "title: \x1b[31m\n",
              "dir/test.yaml:4:8: error: not a text file in UTF-8: control characters are not "
              "allowed (0x1B)\n"
              "title: ?[31m\n"
              "       ^\n");
  check_print(HEAD "\"\\e[31m\\x9b\\u202e\": 1\n",
              "dir/test.yaml:4:1: error: unknown key \"?[31m??\" in the scenario; expected one of "
              "name, title, about, gravity, duration, step, bodies, ropes, events, probes, exact\n"
              "\"\\e[31m\\x9b\\u202e\": 1\n"
              "^\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_yaml),
      cmocka_unit_test(test_top_level),
      cmocka_unit_test(test_bodies),
      cmocka_unit_test(test_ends_and_ways),
      cmocka_unit_test(test_ropes),
      cmocka_unit_test(test_events),
      cmocka_unit_test(test_probes_and_exact),
      cmocka_unit_test(test_unsupported),
      cmocka_unit_test(test_invalid_before_unsupported),
      cmocka_unit_test(test_good),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_top_level_values),
      cmocka_unit_test(test_body_values),
      cmocka_unit_test(test_rope_values),
      cmocka_unit_test(test_overrides),
      cmocka_unit_test(test_faulty_overrides),
      cmocka_unit_test(test_override_elsewhere),
      cmocka_unit_test(test_deep_nesting),
      cmocka_unit_test(test_large),
      cmocka_unit_test(test_long_names),
      cmocka_unit_test(test_files),
      cmocka_unit_test(test_print),
  };
  return cmocka_run_group_tests_name("reader", tests, NULL, NULL);
}
