// SPDX-License-Identifier: GPL-3.0-or-later
#include "roots.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multiroots.h>
#include <gsl/gsl_roots.h>
#include <math.h>

#define ITERATIONS_MAX 200

bool rl_exact_root(double (*f)(double x, void *parameters), void *parameters, double low,
                   double high, double *root) {
  gsl_function function = {f, parameters};
  gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
  int status = solver ? gsl_root_fsolver_set(solver, &function, low, high) : GSL_ENOMEM;
  for (int i = 0; i < ITERATIONS_MAX && status == GSL_SUCCESS; i++) {
    status = gsl_root_fsolver_iterate(solver);
    *root = gsl_root_fsolver_root(solver);
    if (gsl_root_test_interval(gsl_root_fsolver_x_lower(solver), gsl_root_fsolver_x_upper(solver),
                               0.0, 1e-15) == GSL_SUCCESS) {
      break;
    }
  }
  gsl_root_fsolver_free(solver);
  return status == GSL_SUCCESS && isfinite(*root);
}

typedef struct pair {
  void (*errors)(const double *x, void *parameters, double *out);
  void *parameters;
} pair;

static int evaluate(const gsl_vector *x, void *memory, gsl_vector *out) {
  const pair *p = memory;
  const double at[2] = {gsl_vector_get(x, 0), gsl_vector_get(x, 1)};
  double errors[2];
  p->errors(at, p->parameters, errors);
  gsl_vector_set(out, 0, errors[0]);
  gsl_vector_set(out, 1, errors[1]);
  return isfinite(errors[0]) && isfinite(errors[1]) ? GSL_SUCCESS : GSL_EBADFUNC;
}

bool rl_exact_roots(void (*errors)(const double *x, void *parameters, double *out),
                    void *parameters, double tolerance, double *x) {
  pair p = {errors, parameters};
  gsl_multiroot_function function = {evaluate, 2, &p};
  gsl_vector *guess = gsl_vector_alloc(2);
  gsl_multiroot_fsolver *solver = gsl_multiroot_fsolver_alloc(gsl_multiroot_fsolver_hybrids, 2);
  bool found = false;
  if (guess && solver) {
    gsl_vector_set(guess, 0, x[0]);
    gsl_vector_set(guess, 1, x[1]);
    int status = gsl_multiroot_fsolver_set(solver, &function, guess);
    for (int i = 0; i < ITERATIONS_MAX && status == GSL_SUCCESS; i++) {
      status = gsl_multiroot_fsolver_iterate(solver);
      if (gsl_multiroot_test_residual(solver->f, 1e-2 * tolerance) == GSL_SUCCESS) {
        break;
      }
    }
    // At rounding level the iteration ends without progress: only small errors count as success.
    found = gsl_multiroot_test_residual(solver->f, tolerance) == GSL_SUCCESS;
    x[0] = gsl_vector_get(solver->x, 0);
    x[1] = gsl_vector_get(solver->x, 1);
  }
  gsl_multiroot_fsolver_free(solver);
  gsl_vector_free(guess);
  return found;
}
