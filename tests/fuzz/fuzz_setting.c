// SPDX-License-Identifier: GPL-3.0-or-later
// Text -> settings, one a line, as after --set, applied to a scenario that has a bit of
// everything. A fault that a setting makes is found by its option, or, if it was made elsewhere,
// by a place in the text.
#include "fuzz.h"

#include "available_memory.h"
#include "scenario.h"

#include <gsl/gsl_errno.h>
#include <string.h>

// In place of the machine's: what is larger takes too long here.
size_t rl_available_memory(void) { return (size_t)4 << 20; }

enum { SETTINGS = 8 };

static const char text_of_scene[] =
    "name: settings\ntitle: A title\nduration: 1\nstep: 0.01\ngravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  ball: {mass: 2, position: [0, -1, 0]}\n"
    "  block:\n"
    "    motion: driven\n"
    "    position: [5, 0, 0]\n"
    "    drive: [[0, 5, 0, 0], [1, 6, 0, 0]]\n"
    "    shape: [{box: {size: [1, 1, 1]}, at: [0, 0, 0.1], name: core}]\n"
    "    rope_collide: false\n"
    "ropes:\n"
    "  line: {from: {point: [0, 0, 0]}, to: {body: ball}, over: [{eye: [0.1, -0.5, 0]}]}\n"
    "  chain: {from: {point: [1, 0, 0]}, to: {free: [2, 0, 0]}, mass: 1, segments: 5}\n"
    "probes: [ball.y, line.tension]\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  gsl_set_error_handler_off();
  char *text = malloc(size + 1);
  FUZZ_REQUIRE(text, "out of memory");
  memcpy(text, data, size);
  text[size] = '\0';
  rl_override settings[SETTINGS];
  size_t count = 0;
  for (char *rest = text; rest && count < SETTINGS;) {
    char *line = rest;
    rest = strchr(line, '\n');
    if (rest) {
      *rest++ = '\0';
    }
    char *equals = strchr(line, '=');
    if (equals && equals != line) {
      *equals = '\0';
      settings[count++] = (rl_override){line, equals + 1};
    }
  }
  rl_diagnostic d;
  rl_scenario *scenario = rl_scenario_from_text(text_of_scene, sizeof text_of_scene - 1, "settings",
                                                settings, count, &d);
  FUZZ_REQUIRE(scenario || *d.message, "no message");
  FUZZ_REQUIRE(scenario || count > 0, "%zu:%zu: %s", d.line, d.column, d.message);
  FUZZ_REQUIRE(scenario || d.line > 0 || d.out_of_memory || strstr(d.message, "--set "), "%s",
               d.message);
  rl_scenario_free(scenario);
  free(text);
  return 0;
}
