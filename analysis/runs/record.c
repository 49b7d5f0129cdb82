// SPDX-License-Identifier: GPL-3.0-or-later
#include "record.h"

#include "results/csv.h"
#include "results/export.h"
#include "world/paths/bend.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rl_recorder {
  const rl_scenario *scenario;
  const char *folder;
  rl_lines series, iterations, snapshots;
  rl_trajectory *trajectory;
  rl_state *exact_state; // NULL without a closed form
  void *exact;
  double *exact_tensions; // [unknowns] sums of tensions over a step
  bool comes_to_rest;     // the closed form is a state of rest in which the run does not start
  double kept;            // the closed form's invariant at the start
  double *angles;         // [2 x probes] last unwrapped angles, simulated and exact
  rl_momentum start;
  bool is_free;
  int error; // errno of the first write that failed
  rl_summary summary;
};

const rl_column rl_columns[] = {
    {"time_s", "time since the start"},
    {"kinetic_J", "kinetic energy of all that moves"},
    {"gravity_J", "potential energy in gravity, zero at the origin"},
    {"elastic_J", "energy in elastic ropes and in a method's own springs"},
    {"bending_J", "bending energy of ropes"},
    {"work_J",
     "work done from outside since the start: driven bodies, forces, wind, what is let go"},
    {"dissipated_J",
     "dissipated by physics since the start: dampers, drag, friction, inelastic catches"},
    {"energy_J", "kinetic + gravity + elastic + bending"},
    {"energy_error_J", "energy - energy at the start - work + dissipated: the method's own error"},
    {"stretch_max", "largest max(0, length / rest - 1) of an element or span"},
    {"stretch_rms", "root mean square of the same over all elements"},
    {"length_error_m", "largest excess over rest of an inextensible element"},
    {"penetration_max_m",
     "deepest node, element or straight piece of a rope, or body, inside a body"},
    {"tension_max_N", "largest tension of an element, or of a piece of a massless rope"},
    {"momentum_x", "momentum of all that moves [kg m/s]"},
    {"momentum_y", "the same"},
    {"momentum_z", "the same"},
    {"angular_x", "angular momentum about the origin of all that moves [kg m^2/s]"},
    {"angular_y", "the same"},
    {"angular_z", "the same"},
    {"residual_m", "max over rows, as the step solves them, of |min(-C, W lambda)|, |C| for rods"},
    {"iterations", "of this step, over all substeps"},
    {"row_evals", "evaluations of a row by the method in this step"},
    {"error_estimate_m", "of the positions since the start, where the method has an estimate"},
    {NULL, NULL},
};

// `alpha` of rl_solver_type.draw: a step is a whole number of substeps, so no time is left over.
static const double left_over = 0.0;

static bool open_in(rl_lines *lines, const char *folder, const char *name) {
  char path[RL_PATH_MAX];
  return rl_path_join(path, folder, name) && rl_lines_open(lines, path);
}

static void write_headers(rl_recorder *r) {
  FILE *out = r->series.out;
  fputs("# ropelab series, format 1; `ropelab list metrics` defines the columns\n", out);
  for (size_t i = 0; rl_columns[i].name; i++) {
    fprintf(out, i == 0 ? "%s" : ",%s", rl_columns[i].name);
  }
  for (size_t i = 0; i < r->scenario->probe_count; i++) {
    fprintf(out, ",%s", r->scenario->probe_names[i]);
    if (r->exact) {
      fprintf(out, ",%s.exact,%s.error", r->scenario->probe_names[i], r->scenario->probe_names[i]);
    }
  }
  if (r->exact && r->scenario->exact->invariant) {
    const char *form = r->scenario->exact->name;
    fprintf(out, ",%s.invariant,%s.invariant.exact,%s.invariant.error", form, form, form);
  }
  fputs(r->exact ? ",exact_error" : "", out);
  rl_lines_end(&r->series);
  fputs("# ropelab residuals within steps, format 1\nstep,iteration,residual_m", r->iterations.out);
  rl_lines_end(&r->iterations);
  fputs("# ropelab positions at chosen times, format 1\ntime_s,item,kind,index,x,y,z",
        r->snapshots.out);
  rl_lines_end(&r->snapshots);
}

static bool create_exact(rl_recorder *r, const rl_driver *driver) {
  const rl_exact_type *form = r->scenario->exact;
  char message[256];
  if (!form) {
    return true;
  }
  r->exact = calloc(1, form->size);
  r->exact_state = rl_state_create(driver->model);
  r->exact_tensions = calloc(rl_unknown_capacity(driver->model) + 1, sizeof *r->exact_tensions);
  if (!r->exact || !r->exact_state || !r->exact_tensions ||
      !form->init(r->exact, driver->model, r->scenario->exact_arguments, message, sizeof message)) {
    return false;
  }
  r->kept = form->invariant ? form->invariant(r->exact, driver->model, r->exact_state) : NAN;
  return true;
}

rl_recorder *rl_recorder_create(const char *folder, const rl_scenario *scenario,
                                const rl_driver *driver) {
  rl_recorder *r = calloc(1, sizeof *r);
  if (!r) {
    return NULL;
  }
  r->folder = folder;
  r->scenario = scenario;
  r->start = rl_state_momentum(driver->model, driver->state);
  r->is_free = rl_model_keeps_momentum(driver->model);
  r->summary.energy_scale = driver->energy_scale;
  r->summary.momentum_drift = r->is_free ? 0.0 : NAN;
  r->summary.exact_error_max = NAN;
  r->angles = malloc(2 * (scenario->probe_count + 1) * sizeof *r->angles);
  for (size_t i = 0; r->angles && i < 2 * scenario->probe_count; i++) {
    r->angles[i] = NAN;
  }
  const bool open = open_in(&r->series, folder, "series.csv") &&
                    open_in(&r->iterations, folder, "iterations.csv") &&
                    open_in(&r->snapshots, folder, "snapshots.csv");
  r->trajectory = open ? rl_trajectory_create(folder, driver, scenario->exact != NULL) : NULL;
  if (!r->angles || !r->trajectory || !create_exact(r, driver)) {
    const int error = errno;
    rl_recorder_close(r, NULL);
    errno = error;
    return NULL;
  }
  write_headers(r);
  return r;
}

static void watch(rl_summary *s, const rl_recorder *r, const rl_metrics *m, double residual) {
  s->energy_error = m->energy_error;
  s->energy_error_max = rl_larger(s->energy_error_max, fabs(m->energy_error));
  s->energy_gain_max = rl_larger(s->energy_gain_max, m->energy_error);
  s->energy_loss_max = rl_larger(s->energy_loss_max, -m->energy_error);
  s->given_back_max = rl_larger(s->given_back_max, s->dissipated - m->dissipated);
  s->dissipated = m->dissipated;
  const double left = m->work - m->dissipated + fmin(m->energy_error, 0.0);
  s->energy_left_max = rl_larger(s->energy_left_max, left);
  s->stretch_max = rl_larger(s->stretch_max, m->stretch_max);
  s->stretch_end = m->stretch_max;
  s->length_error_max = rl_larger(s->length_error_max, m->length_error);
  s->penetration_max = rl_larger(s->penetration_max, m->penetration_max);
  s->overlap = m->overlap.share > s->overlap.share ? m->overlap : s->overlap;
  s->tension_max = rl_larger(s->tension_max, m->tension_max);
  s->residual = residual;
  if (r->is_free && m->momentum_scale > 0.0) {
    s->momentum_scale = rl_larger(s->momentum_scale, m->momentum_scale);
    const double drift = rl_distance(m->momentum.linear, r->start.linear) / s->momentum_scale;
    s->momentum_drift = rl_larger(s->momentum_drift, drift);
  }
}

static void note_error(rl_recorder *r, int error) { r->error = r->error ? r->error : error; }

static double probe_value(const rl_recorder *r, const rl_driver *driver, const rl_state *state,
                          size_t i, size_t which) {
  const rl_probe probe = r->scenario->probes[i];
  if (rl_probe_needs_step(probe) && state == driver->state && state->step == 0) {
    return NAN;
  }
  if (state == r->exact_state && rl_probe_is_contact(driver->model, probe)) {
    const rl_exact_type *form = r->scenario->exact;
    return form->contact ? form->contact(r->exact, driver->model, driver->state->time, probe) : NAN;
  }
  double value = rl_probe_value(driver->model, state, probe);
  if (rl_probe_is_angle(probe)) {
    double *last = &r->angles[2 * i + which];
    value = *last = rl_unwrap(value, *last);
  }
  return value;
}

// Finds the exact state now. A recorded tension is an impulse over the length of the step, so the
// exact tension is the mean over the step too, from the form itself or by Simpson's rule. Comparing
// with the tension at the end of the step would be of first order for every method.
static bool find_exact(rl_recorder *r, const rl_driver *driver) {
  if (!r->exact) {
    return false;
  }
  const rl_exact_type *form = r->scenario->exact;
  const double now = driver->state->time;
  if (form->mean && driver->state->step > 0) {
    const bool holds = form->at(r->exact, driver->model, now, r->exact_state);
    form->mean(r->exact, driver->model, now - driver->dt, now, r->exact_state);
    return holds;
  }
  static const double weights[] = {1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0};
  rl_state *state = r->exact_state;
  const size_t count = rl_unknown_count(driver->model, state);
  const bool started = driver->state->step > 0;
  double *sums = r->exact_tensions;
  memset(sums, 0, count * sizeof *sums);
  bool known = false;
  for (int k = started ? 0 : 2; k <= 2; k++) {
    const double t = now - 0.5 * (2 - k) * driver->dt;
    known = form->at(r->exact, driver->model, t, state);
    for (size_t i = 0; i < count; i++) {
      sums[i] += (started ? weights[k] : 1.0) * state->multipliers[i];
    }
  }
  memcpy(state->multipliers, sums, count * sizeof *sums);
  return known;
}

// Writes the closed form's invariant beside its value at the start; returns the absolute error.
static double write_invariant(const rl_recorder *r, const rl_driver *driver) {
  const rl_exact_type *form = r->scenario->exact;
  if (!form->invariant) {
    return NAN;
  }
  const double value = form->invariant(r->exact, driver->model, driver->state);
  rl_csv_number(r->series.out, value);
  rl_csv_number(r->series.out, r->kept);
  rl_csv_number(r->series.out, value - r->kept);
  return fabs(value - r->kept);
}

// Updates the summary's exact error. A closed form of rest that does not hold at the start counts
// only at the end of the run.
static void watch_exact(rl_recorder *r, const rl_driver *driver, double error) {
  static const double same_start = 1e-6; // scenarios give positions to about that precision [m]
  double *most = &r->summary.exact_error_max;
  if (driver->state->step == 0) {
    r->comes_to_rest = error > same_start;
  } else {
    *most = r->comes_to_rest ? error : fmax(*most, error);
  }
}

// Writes the probes and the exact error of a row: the largest error of positions and lengths, which
// are continuous. Forces, and velocities at an impact, jump: an event that is a moment late is an
// error as large as the jump, for any method. They count only where no positions or lengths are
// probed.
static void write_probes(rl_recorder *r, const rl_driver *driver, bool known) {
  double lengths = NAN, others = NAN; // fmax() ignores a nan beside a number
  for (size_t i = 0; i < r->scenario->probe_count; i++) {
    const double value = probe_value(r, driver, driver->state, i, 0);
    rl_csv_number(r->series.out, value);
    if (r->exact) {
      const double exact = known ? probe_value(r, driver, r->exact_state, i, 1) : NAN;
      rl_csv_number(r->series.out, exact);
      rl_csv_number(r->series.out, value - exact);
      double *largest = rl_probe_is_length(r->scenario->probes[i]) ? &lengths : &others;
      *largest = fmax(*largest, fabs(value - exact));
    }
  }
  if (r->exact) {
    others = fmax(others, write_invariant(r, driver));
    const double error = isnan(lengths) ? others : lengths;
    rl_csv_number(r->series.out, error);
    watch_exact(r, driver, error);
  }
}

void rl_record_row(rl_recorder *r, const rl_driver *driver, bool with_frame) {
  const rl_metrics m = rl_metrics_of(driver);
  const rl_step_info *info = &driver->info;
  const bool started = driver->state->step > 0; // there is no tension before the first step
  const double residual = started ? info->residual : NAN;
  const double estimate = started ? info->error_estimate : NAN;
  watch(&r->summary, r, &m, residual);
  r->summary.error_estimate = estimate;
  const double tension = started ? m.tension_max : NAN;
  const double values[] = {m.energy.kinetic,
                           m.energy.gravity,
                           m.energy.elastic,
                           m.energy.bending,
                           m.work,
                           m.dissipated,
                           m.energy_total,
                           m.energy_error,
                           m.stretch_max,
                           m.stretch_rms,
                           m.length_error,
                           m.penetration_max,
                           tension,
                           m.momentum.linear.x,
                           m.momentum.linear.y,
                           m.momentum.linear.z,
                           m.momentum.angular.x,
                           m.momentum.angular.y,
                           m.momentum.angular.z,
                           residual};
  _Static_assert(1 + sizeof values / sizeof values[0] + 3 ==
                     sizeof rl_columns / sizeof rl_columns[0] - 1,
                 "time, values and the last three are the columns");
  fprintf(r->series.out, "%.17g", driver->state->time);
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    rl_csv_number(r->series.out, values[i]);
  }
  fprintf(r->series.out, ",%llu,%llu", (unsigned long long)info->iterations,
          (unsigned long long)info->row_evaluations);
  rl_csv_number(r->series.out, estimate);
  const bool known = find_exact(r, driver);
  write_probes(r, driver, known);
  rl_lines_end(&r->series);
  if (with_frame && rl_trajectory_is_due(r->trajectory)) {
    rl_lines_flush(&r->series); // every frame in the file has its row in series.csv
  }
  note_error(r, r->series.error);
  if (with_frame && !rl_trajectory_add(r->trajectory, driver, known ? r->exact_state : NULL)) {
    note_error(r, errno);
  }
}

void rl_record_trace(rl_recorder *r, const rl_driver *driver) {
  for (size_t i = 0; i < driver->info.trace_count; i++) {
    fprintf(r->iterations.out, "%llu,%zu", (unsigned long long)driver->state->step, i + 1);
    rl_csv_number(r->iterations.out, driver->info.trace[i]);
    rl_lines_end(&r->iterations);
  }
  note_error(r, r->iterations.error);
}

// Writes a line of snapshots.csv; `index` counts the vertices of the rope, eyes included.
static void write_position(rl_recorder *r, double time, const char *item, const char *prefix,
                           const char *kind, uint32_t index, rl_vec3 p) {
  fprintf(r->snapshots.out, "%.17g,%s,%s%s,%u,%.17g,%.17g,%.17g", time, item, prefix, kind, index,
          p.x, p.y, p.z);
  rl_lines_end(&r->snapshots);
}

// Writes the path of a rope that can lie on bodies.
static void write_path(rl_recorder *r, const rl_model *model, const rl_state *state, double time,
                       const char *prefix, uint32_t rope) {
  rl_rope_solve_bends(model, state, rope);
  const size_t count = rl_path_points(model, state, rope, RL_DRAWN_TURNS, NULL, 0);
  rl_path_point *points = malloc((count + 1) * sizeof *points);
  if (!points) {
    note_error(r, ENOMEM);
    return;
  }
  rl_path_points(model, state, rope, RL_DRAWN_TURNS, points, count);
  for (size_t i = 0; i < count; i++) {
    write_position(r, time, model->ropes[rope].name, prefix, "path", (uint32_t)i, points[i].at);
  }
  free(points);
}

// Whether a rope that can part is apart before a vertex that begins an element.
static bool is_gap(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t vertex) {
  return model->ropes[rope].spare_count > 0 && vertex % 2 == 0 &&
         rl_element_before(model, state, rope, vertex / 2) == RL_NONE;
}

// Whether a point is left out: of long ropes every k-th point and the last are written, enough for
// a figure. trajectory.h5 has all points.
static bool is_thinned_out(size_t index, size_t count) {
  enum { POINTS_MAX = 10000 };
  const size_t stride = count / (POINTS_MAX + 1) + 1;
  return index % stride != 0 && index + 1 != count;
}

// Whether a vertex is thinned out; eyes, and the ends of pieces, never are.
static bool is_left_out(const rl_model *model, const rl_state *state, uint32_t rope,
                        uint32_t vertex) {
  const rl_rope *r = &model->ropes[rope];
  if (!rl_path_can_part(r)) {
    return is_thinned_out(vertex, rl_path_count(r)) && !rl_path_is_eye(r, vertex);
  }
  return is_thinned_out(vertex / 2, rl_rope_elements(model, state, rope)) &&
         !is_gap(model, state, rope, vertex) && !is_gap(model, state, rope, vertex + 1);
}

static void write_positions(rl_recorder *r, const rl_model *model, const rl_state *state,
                            double time, const char *prefix) {
  for (uint32_t i = 0; i < model->rope_count; i++) {
    const rl_rope *rope = &model->ropes[i];
    for (uint32_t k = 0; k < rl_path_count(rope); k++) {
      if (is_left_out(model, state, i, k)) {
        continue;
      }
      if (k > 0 && is_gap(model, state, i, k)) {
        write_position(r, time, rope->name, prefix, "node", k, (rl_vec3){NAN, NAN, NAN});
      }
      write_position(r, time, rope->name, prefix, rl_path_is_eye(rope, k) ? "eye" : "node", k,
                     rl_path_position(model, state, i, k));
    }
    if (rope->wrap_capacity > 0 && rl_rope_elements(model, state, i) > 0) {
      write_path(r, model, state, time, prefix, i);
    }
  }
  for (uint32_t i = 0; i < model->body_count; i++) {
    write_position(r, time, model->bodies[i].name, prefix, "body", 0,
                   rl_position(&state->points[rl_body_slot(model, i)]));
    if (model->bodies[i].spin_slot != RL_NONE) {
      write_position(r, time, model->bodies[i].name, prefix, "rotation", 0,
                     rl_rotation_vector(state->rotations[i]));
    }
  }
}

// Writes a rope as the solver's original draws it, where that is not through its nodes.
static void write_drawing(rl_recorder *r, const rl_driver *driver, uint32_t rope) {
  const rl_solver_type *type = driver->type;
  const rl_model *model = driver->model;
  const rl_state *state = driver->state;
  const size_t count = type->draw(driver->memory, model, state, rope, left_over, NULL, 0);
  rl_vec3 *points = malloc((count + 1) * sizeof *points);
  if (!points) {
    note_error(r, ENOMEM);
    return;
  }
  type->draw(driver->memory, model, state, rope, left_over, points, count);
  for (size_t i = 0; i < count; i++) {
    if (!is_thinned_out(i, count)) {
      write_position(r, state->time, model->ropes[rope].name, "", "drawn", (uint32_t)i, points[i]);
    }
  }
  free(points);
}

void rl_record_snapshot(rl_recorder *r, const rl_driver *driver) {
  const double time = driver->state->time;
  write_positions(r, driver->model, driver->state, time, "");
  for (uint32_t i = 0; driver->type->draw && i < driver->model->rope_count; i++) {
    write_drawing(r, driver, i);
  }
  if (r->exact && r->scenario->exact->at(r->exact, driver->model, time, r->exact_state)) {
    write_positions(r, driver->model, r->exact_state, time, "exact_");
  }
  note_error(r, r->snapshots.error);
}

rl_summary *rl_recorder_summary(rl_recorder *r) { return &r->summary; }

bool rl_recorder_is_good(const rl_recorder *r) { return r->error == 0; }

static void close_file(rl_recorder *r, rl_lines *lines) {
  if (!rl_lines_close(lines)) {
    note_error(r, errno);
  }
}

// Closes the trajectory and writes its XDMF description.
static bool close_trajectory(rl_recorder *r) {
  char path[RL_PATH_MAX];
  char message[RL_PATH_MAX + 64];
  if (!rl_trajectory_close(r->trajectory) || !rl_path_join(path, r->folder, RL_XDMF_NAME)) {
    return false;
  }
  rl_trajectory_file *file = rl_trajectory_open(r->folder, message, sizeof message);
  const bool written = file && rl_describe_trajectory(file, path) == RL_EXPORT_DONE;
  const int error = written || errno ? errno : EIO;
  rl_trajectory_file_free(file);
  errno = error;
  return written;
}

bool rl_recorder_close(rl_recorder *r, rl_summary *summary) {
  if (summary) {
    *summary = r->summary;
  }
  close_file(r, &r->series);
  close_file(r, &r->iterations);
  close_file(r, &r->snapshots);
  if (r->trajectory && !close_trajectory(r)) {
    note_error(r, errno);
  }
  const int error = r->error;
  rl_state_free(r->exact_state);
  free(r->exact);
  free(r->exact_tensions);
  free(r->angles);
  free(r);
  errno = error;
  return error == 0;
}
