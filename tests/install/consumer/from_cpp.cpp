// SPDX-License-Identifier: GPL-3.0-or-later
// The library from C++: a massless rope over an eye, two weights, exact acceleration g/3.
#include <ropelab/ropelab.h>

#include <cstdio>
#include <cstring>
#include <memory>

static_assert(RL_VERSION_MAJOR == 0 && RL_VERSION_MINOR >= 1, "made for 0.1");

int main() {
  const double masses[] = {2.0, 1.0};
  const char *const names[] = {"heavy", "light"};
  rl_body_definition bodies[2];
  for (int i = 0; i < 2; i++) {
    bodies[i] = rl_body_defaults();
    bodies[i].name = names[i];
    bodies[i].mass = masses[i];
    bodies[i].position = rl_vec(i == 0 ? -0.1 : 0.1, -6.0, 0.0);
  }
  rl_waypoint eyes[2];
  for (int i = 0; i < 2; i++) {
    eyes[i] = rl_waypoint_defaults();
    eyes[i].is_eye = true;
    eyes[i].at = rl_vec(i == 0 ? -0.1 : 0.1, 0.0, 0.0);
  }
  rl_rope_definition rope = rl_rope_defaults();
  rope.name = "line";
  rope.from.kind = rope.to.kind = RL_END_BODY;
  rope.from.body = 0;
  rope.to.body = 1;
  rope.waypoint_count = 2;
  rope.waypoints = eyes;
  rl_definition scene = {};
  scene.gravity = rl_vec(0.0, -9.81, 0.0);
  scene.body_count = 2;
  scene.bodies = bodies;
  scene.rope_count = 1;
  scene.ropes = &rope;
  rl_fault fault;
  const std::unique_ptr<rl_model, void (*)(rl_model *)> model(rl_model_create(&scene, &fault),
                                                              rl_model_free);
  if (!model) {
    std::fprintf(stderr, "%s\n", fault.message);
    return 1;
  }
  const std::unique_ptr<rl_driver, void (*)(rl_driver *)> driver(
      rl_driver_create(model.get(), rl_solver_find("impulse"), nullptr, 0.01), rl_driver_free);
  for (int i = 0; i < 50; i++) {
    if (rl_driver_step(driver.get()) < 0) {
      return 1;
    }
  }
  std::printf("%s: acceleration %.6f m/s^2\n", RL_VERSION,
              driver->state->velocities[rl_body_slot(model.get(), 0)].y / driver->state->time);
  return 0;
}
