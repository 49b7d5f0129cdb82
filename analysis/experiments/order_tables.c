// SPDX-License-Identifier: GPL-3.0-or-later
#include "order_tables.h"

#include "results/csv.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

static const double roundings = 1000.0;

// Number of points of a line with its band in fits.csv.
enum { FIT_POINTS = 17 };

double rl_rounding(double size) { return roundings * DBL_EPSILON * size; }

// Converts a slope: to the order, which is positive where the error falls with refinement, or for
// an exponential to the factor by which the error falls per unit.
static double order_of(const rl_order_curve *c, double slope) {
  if (c->rule->law == RL_LAW_EXPONENTIAL) {
    return exp(slope);
  }
  return c->rises ? -slope : slope;
}

static void write_curve(FILE *out, const rl_order_curve *c) {
  rl_csv_text(out, c->scenario);
  fprintf(out, ",%s,", c->solver);
  rl_csv_text(out, c->over);
  fputc(',', out);
  rl_csv_text(out, c->quantity);
}

static bool is_in_range(const rl_order_fit *fit, size_t i) {
  return i >= fit->first && i < fit->first + fit->count;
}

static void write_errors(FILE *out, const rl_order_curve *c) {
  for (size_t i = 0; i < c->count; i++) {
    const rl_order_point *p = &c->points[i];
    write_curve(out, c);
    fprintf(out, ",%s,%s", c->label, p->run);
    rl_csv_number(out, p->value);
    fprintf(out, ",%s", p->status);
    rl_csv_number(out, p->norms.max);
    rl_csv_number(out, p->norms.l2);
    rl_csv_number(out, p->norms.end);
    rl_csv_number(out, p->floor);
    fprintf(out, ",%zu,%d,", p->norms.samples, is_in_range(c->fit, i));
    rl_csv_text(out, p->probe ? p->probe : "nan");
    fputc('\n', out);
  }
}

static void write_order(FILE *out, const rl_order_curve *c) {
  const rl_order_fit *f = c->fit;
  const bool found = f->count > 0;
  const double a = found ? order_of(c, f->slope - f->half) : NAN;
  const double b = found ? order_of(c, f->slope + f->half) : NAN;
  write_curve(out, c);
  rl_csv_number(out, found ? order_of(c, f->slope) : NAN);
  rl_csv_number(out, fmin(a, b));
  rl_csv_number(out, fmax(a, b));
  fprintf(out, ",%zu,%s,%s,%s", f->count, c->label, c->norm, rl_law_names[c->rule->law]);
  rl_csv_number(out, found ? c->points[f->first].value : NAN);
  rl_csv_number(out, found ? c->points[f->first + f->count - 1].value : NAN);
  fputc('\n', out);
}

static void write_fit(FILE *out, const rl_order_curve *c) {
  const rl_order_fit *f = c->fit;
  if (f->count == 0) {
    return;
  }
  const rl_law law = c->rule->law;
  const double from = c->points[f->first].value, to = c->points[f->first + f->count - 1].value;
  for (int i = 0; i < FIT_POINTS; i++) {
    const double share = (double)i / (FIT_POINTS - 1);
    const double value =
        law == RL_LAW_POWER ? from * pow(to / from, share) : from + (to - from) * share;
    double low, high;
    const double error = rl_fit_at(f, law, value, &low, &high);
    write_curve(out, c);
    fprintf(out, ",%s", c->label);
    rl_csv_number(out, value);
    rl_csv_number(out, error);
    rl_csv_number(out, low);
    rl_csv_number(out, high);
    fputc('\n', out);
  }
}

void rl_order_tables_add(rl_order_tables *tables, const rl_order_curve *curve) {
  write_errors(tables->errors.out, curve);
  write_order(tables->orders.out, curve);
  write_fit(tables->fits.out, curve);
}

// Prints how many runs did not end with "done", by status: "; 2 of 5 diverged".
static void print_unfinished(const rl_order_curve *c) {
  for (size_t i = 0; i < c->count; i++) {
    const char *status = c->points[i].status;
    size_t first = c->count, same = 0;
    for (size_t k = 0; k < c->count; k++) {
      if (strcmp(c->points[k].status, status) == 0) {
        first = same++ == 0 ? k : first;
      }
    }
    if (first == i && strcmp(status, "done") != 0) {
      printf("; %zu of %zu %s", same, c->count, status);
    }
  }
}

// Returns 0 for a value that would be printed as -0.
static double rounded(double value, int decimals) {
  return fabs(value) < 0.5 * pow(10.0, -decimals) ? 0.0 : value;
}

void rl_order_print(const rl_order_curve *c) {
  enum { FEWEST = 3, MOST = 6 }; // decimals
  const rl_order_fit *f = c->fit;
  printf("%s, %s, %s: ", c->scenario, c->label, c->quantity);
  if (c->count < c->rule->least) {
    printf("an order takes %zu points, found %zu", c->rule->least, c->count);
  } else if (f->count == 0) {
    printf("no range of %zu points or more with one slope", c->rule->least);
  } else if (fabs(f->slope) + f->half < 0.5 * pow(10.0, -MOST)) {
    printf("does not depend on %s, norm %s, %zu of %zu points", c->over, c->norm, f->count,
           c->count);
  } else {
    const double a = order_of(c, f->slope - f->half), b = order_of(c, f->slope + f->half);
    const double digits = 1.0 - floor(log10(fmax(fabs(b - a), DBL_EPSILON)));
    const int n = (int)fmin(MOST, fmax(FEWEST, digits));
    printf("%s %.*f (%g %%: %.*f to %.*f) over %s, norm %s, %zu of %zu points",
           c->rule->law == RL_LAW_EXPONENTIAL ? "factor" : "order", n,
           rounded(order_of(c, f->slope), n), 100.0 * c->rule->confidence, n,
           rounded(fmin(a, b), n), n, rounded(fmax(a, b), n), c->over, c->norm, f->count, c->count);
  }
  print_unfinished(c);
}

static bool open_table(const char *folder, rl_new_file *file, const char *name,
                       const char *header) {
  char path[RL_PATH_MAX];
  if (!rl_path_join(path, folder, name) || !rl_new_file_open(file, path)) {
    return false;
  }
  fputs(header, file->out);
  return true;
}

bool rl_order_tables_open(rl_order_tables *t, const char *folder) {
  return open_table(folder, &t->errors, "convergence.csv",
                    "# ropelab convergence, format 1: the errors of each run\n"
                    "scenario,solver,over,quantity,label,run,value,status,error_max,error_l2,"
                    "error_end,floor,samples,in_range,probe\n") &&
         open_table(folder, &t->orders, "orders.csv",
                    "# ropelab orders, format 1: fitted to the points in the asymptotic range\n"
                    "scenario,solver,over,quantity,order,ci_low,ci_high,points,label,norm,law,"
                    "from,to\n") &&
         open_table(folder, &t->fits, "fits.csv",
                    "# ropelab fits, format 1: the fitted lines and their confidence bands\n"
                    "scenario,solver,over,quantity,label,value,error,low,high\n");
}

bool rl_order_tables_close(rl_order_tables *t, bool good) {
  rl_new_file *const files[] = {&t->errors, &t->fits, &t->orders};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    if (good) {
      good = rl_new_file_close(files[i]);
    } else if (files[i]->out) {
      const int error = errno;
      rl_new_file_discard(files[i]);
      errno = error;
    }
  }
  return good;
}
