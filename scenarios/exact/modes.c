// SPDX-License-Identifier: GPL-3.0-or-later
#include "modes.h"

#include <gsl/gsl_eigen.h>
#include <gsl/gsl_errno.h>

// Fills in M^-1/2 K M^-1/2.
static void fill(gsl_matrix *matrix, const rl_exact_modes *modes, const double *springs) {
  gsl_matrix_set_zero(matrix);
  for (uint32_t i = 0; i < modes->count; i++) {
    const double root = modes->roots[i];
    gsl_matrix_set(matrix, i, i, (springs[i] + springs[i + 1]) / (root * root));
    if (i > 0) {
      const double beside = -springs[i] / (root * modes->roots[i - 1]);
      gsl_matrix_set(matrix, i, i - 1, beside);
      gsl_matrix_set(matrix, i - 1, i, beside);
    }
  }
}

static void project(rl_exact_modes *modes, const gsl_vector *values, const gsl_matrix *vectors,
                    const rl_vec3 *displacements, const rl_vec3 *velocities) {
  const uint32_t n = modes->count;
  for (uint32_t k = 0; k < n; k++) {
    modes->frequencies[k] = sqrt(fmax(gsl_vector_get(values, k), 0.0));
    modes->positions[k] = modes->velocities[k] = (rl_vec3){0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < n; i++) {
      const double shape = gsl_matrix_get(vectors, i, k), share = shape * modes->roots[i];
      modes->shapes[(size_t)n * k + i] = shape;
      modes->positions[k] = rl_add_scaled(modes->positions[k], share, displacements[i]);
      modes->velocities[k] = rl_add_scaled(modes->velocities[k], share, velocities[i]);
    }
  }
}

bool rl_exact_modes_init(rl_exact_modes *modes, uint32_t count, const double *masses,
                         const double *springs, const rl_vec3 *displacements,
                         const rl_vec3 *velocities, char *message, size_t size) {
  modes->count = count;
  for (uint32_t i = 0; i < count; i++) {
    modes->roots[i] = sqrt(masses[i]);
  }
  gsl_matrix *matrix = gsl_matrix_alloc(count, count), *vectors = gsl_matrix_alloc(count, count);
  gsl_vector *values = gsl_vector_alloc(count);
  gsl_eigen_symmv_workspace *workspace = gsl_eigen_symmv_alloc(count);
  int status = GSL_ENOMEM;
  if (matrix && vectors && values && workspace) {
    fill(matrix, modes, springs);
    status = gsl_eigen_symmv(matrix, values, vectors, workspace);
    gsl_eigen_symmv_sort(values, vectors, GSL_EIGEN_SORT_VAL_ASC);
    project(modes, values, vectors, displacements, velocities);
  }
  gsl_eigen_symmv_free(workspace);
  gsl_vector_free(values);
  gsl_matrix_free(vectors);
  gsl_matrix_free(matrix);
  return status == GSL_SUCCESS ||
         rl_exact_refuse(message, size, "no modes found: %s", gsl_strerror(status));
}

void rl_exact_modes_at(const rl_exact_modes *modes, double t, uint32_t i, rl_vec3 *displacement,
                       rl_vec3 *velocity) {
  rl_vec3 x = {0.0, 0.0, 0.0}, v = x;
  for (uint32_t k = 0; k < modes->count; k++) {
    const double w = modes->frequencies[k];
    const double share = modes->shapes[(size_t)modes->count * k + i] / modes->roots[i];
    const double c = cos(w * t), s = sin(w * t), slow = w > 0.0 ? s / w : t;
    x = rl_add_scaled(x, share * c, modes->positions[k]);
    x = rl_add_scaled(x, share * slow, modes->velocities[k]);
    v = rl_add_scaled(v, -share * w * s, modes->positions[k]);
    v = rl_add_scaled(v, share * c, modes->velocities[k]);
  }
  *displacement = x;
  *velocity = v;
}
