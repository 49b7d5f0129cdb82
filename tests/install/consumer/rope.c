// SPDX-License-Identifier: GPL-3.0-or-later
#include <ropelab/ropelab.h>
#include <stdio.h>

int main(void) {
  rl_body_definition load = rl_body_defaults();
  load.name = "load";
  load.mass = 2.0;
  load.position = rl_vec(0.0, -1.0, 0.0);

  rl_rope_definition rope = rl_rope_defaults();
  rope.name = "line";
  rope.from = (rl_end){.kind = RL_END_POINT, .at = {0.0, 0.0, 0.0}};
  rope.to = (rl_end){.kind = RL_END_BODY, .body = 0};
  rope.mass = 0.5;
  rope.segments = 10;

  const rl_definition scene = {.gravity = {0.0, -9.81, 0.0},
                               .body_count = 1,
                               .bodies = &load,
                               .rope_count = 1,
                               .ropes = &rope};
  rl_fault fault;
  rl_model *model = rl_model_create(&scene, &fault);
  if (!model) {
    fprintf(stderr, "%s: %s\n", fault.field ? fault.field : "model", fault.message);
    return 1;
  }
  const rl_solver_type *solver = rl_solver_find("pbd-direct");
  rl_driver *driver = rl_driver_create(model, solver, NULL, 1.0 / 240.0);
  for (int i = 0; driver && i < 240 && rl_driver_step(driver) > 0; i++) {
  }
  if (driver) {
    printf("tension at the top %.6f N, at the load %.6f N\n",
           rl_rope_tension(model, driver->state, 0, 0),
           rl_rope_tension(model, driver->state, 0, 9));
  }
  rl_driver_free(driver);
  rl_model_free(model);
  return 0;
}
