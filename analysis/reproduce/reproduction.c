// SPDX-License-Identifier: GPL-3.0-or-later
#include "reproduction.h"

#include "results/csv.h"
#include "version.h"

#include <string.h>

static const char *relation_sign(const rl_claim *claim) {
  static const char *const signs[] = {"", "<= ", ">= ", ""};
  return signs[claim->relation];
}

// Returns the difference of ours from the published number, relative to that unless it is 0.
static double difference(const rl_claim *claim, double ours) {
  const double scale = claim->published != 0.0 ? claim->published : 1.0;
  return claim->relation == RL_DRAWN ? NAN : (ours - claim->published) / scale;
}

// Formats a number for a table: integers exactly, others with `digits` digits.
static void show_number(char *text, size_t size, double value, int digits) {
  if (isnan(value)) {
    snprintf(text, size, "-");
  } else if (value == floor(value) && fabs(value) < 1e6) {
    snprintf(text, size, "%.0f", value);
  } else {
    snprintf(text, size, "%.*g", digits, value);
  }
}

static void show_difference(char *text, size_t size, const rl_claim *claim, double ours) {
  const double d = difference(claim, ours);
  const double least = 5e-8; // smaller differences are in digits that are not printed
  if (isnan(d) || claim->relation == RL_AT_LEAST || claim->relation == RL_AT_MOST) {
    snprintf(text, size, "-");
  } else if (fabs(d) < least) {
    snprintf(text, size, "0");
  } else if (claim->published == 0.0) {
    snprintf(text, size, "%+.1e", d);
  } else {
    snprintf(text, size, "%+.2g %%", 100.0 * d);
  }
}

// Returns why the experiment has no result; empty if it has one.
static const char *message_of(const rl_reproduction_task *t) {
  return *t->message || rl_task_is_finished(t) ? t->message : "not finished";
}

// Returns the explanation of a row: why it has no number, or the remark of the claim.
static const char *reason_of(const rl_reproduction_task *t, size_t claim) {
  const char *remark = t->experiment->claims[claim].remark, *message = message_of(t);
  return isnan(t->ours[claim]) && *message ? message : remark ? remark : "";
}

static void print_row(FILE *out, const rl_reproduction_task *t, size_t i, const char *previous) {
  enum { DIGITS = 7 };
  const rl_claim *claim = &t->experiment->claims[i];
  const bool is_curve = claim->relation == RL_DRAWN, is_known = !isnan(t->ours[i]);
  char published[64] = "curve", ours[64], off[64];
  if (!is_curve) {
    show_number(published, sizeof published, claim->published, DIGITS);
  }
  show_number(ours, sizeof ours, t->ours[i], DIGITS);
  show_difference(off, sizeof off, claim, t->ours[i]);
  const char *unit = strcmp(claim->unit, "1") == 0 ? "" : claim->unit;
  const rl_verdict verdict = rl_claim_verdict(claim, t->ours[i]);
  const char *reason = verdict == RL_MATCHES ? "" : reason_of(t, i);
  fprintf(out, "| %s | %s | %s, %s | %s%s%s%s | %s%s%s | %s | %s%s%s%s |\n",
          strcmp(previous, t->paper->name) == 0 ? "" : t->paper->name, claim->quantity,
          claim->where, rl_evidence_name(claim->evidence), relation_sign(claim), published,
          *unit && !is_curve ? " " : "", is_curve ? "" : unit, ours, *unit && is_known ? " " : "",
          is_known ? unit : "", off, rl_verdict_name(verdict),
          claim->depends_on_machine ? " (depends on the machine)" : "", *reason ? ": " : "",
          reason);
}

void rl_reproduction_print(FILE *out, const rl_reproduction *r) {
  fputs("| paper | quantity | where | published | ours | difference | verdict |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n",
        out);
  const char *previous = "";
  for (size_t k = 0; k < r->count; k++) {
    for (size_t i = 0; i < r->tasks[k].experiment->claim_count; i++) {
      print_row(out, &r->tasks[k], i, previous);
      previous = r->tasks[k].paper->name;
    }
  }
}

static json_t *number_or_null(double value) {
  return isnan(value) ? json_null() : json_real(value);
}

static json_t *claim_json(const rl_reproduction_task *t, size_t i) {
  static const char *const relations[] = {"equals", "at most", "at least", "drawn"};
  const rl_claim *c = &t->experiment->claims[i];
  const double ours = t->ours[i];
  return json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:f, s:s, s:s, s:s, s:s, s:b}",     //
                   "paper", t->paper->name, "experiment", t->experiment->name,                   //
                   "quantity", c->quantity, "relation", relations[c->relation],                  //
                   "published", number_or_null(c->relation == RL_DRAWN ? NAN : c->published),    //
                   "unit", c->unit, "ours", number_or_null(ours),                                //
                   "difference", number_or_null(difference(c, ours)), "tolerance", c->tolerance, //
                   "verdict", rl_verdict_name(rl_claim_verdict(c, ours)), "where", c->where,     //
                   "evidence", rl_evidence_name(c->evidence), "remark", reason_of(t, i),         //
                   "depends_on_machine", c->depends_on_machine ? 1 : 0);
}

static json_t *plot_json(const rl_reproduction_task *t) {
  const rl_plot *p = t->experiment->plot;
  return p ? json_pack("{s:s, s:s, s:s, s:b, s:b, s:s}", "title", p->title, "x", p->x, "y", p->y,
                       "log_x", p->log_x ? 1 : 0, "log_y", p->log_y ? 1 : 0, "caption", p->caption)
           : json_null();
}

static json_t *experiment_json(const rl_reproduction_task *t) {
  json_t *claims = json_array();
  for (size_t i = 0; i < t->experiment->claim_count; i++) {
    json_array_append_new(claims, claim_json(t, i));
  }
  return json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:o}", "paper", t->paper->name, "citation",
                   t->paper->citation, "note", t->paper->note, "name", t->experiment->name,
                   "seconds", number_or_null(*t->seconds), "message", message_of(t), "plot",
                   plot_json(t), "claims", claims);
}

json_t *rl_reproduction_json(const rl_reproduction *r) {
  json_t *list = json_array();
  for (size_t k = 0; k < r->count; k++) {
    json_array_append_new(list, experiment_json(&r->tasks[k]));
  }
  return json_pack("{s:i, s:s, s:s, s:s, s:s, s:o}", "format", 1, "version", ROPELAB_VERSION,
                   "commit", ROPELAB_COMMIT, "compiler", ROPELAB_COMPILER, "flags", ROPELAB_FLAGS,
                   "experiments", list);
}

static void write_claim(FILE *out, const rl_reproduction_task *t, size_t i) {
  static const char *const texts[] = {"paper",   "experiment", "quantity", "relation", "unit",
                                      "verdict", "where",      "evidence", "remark"};
  static const char *const numbers[] = {"published", "ours", "difference", "tolerance"};
  json_t *claim = claim_json(t, i);
  for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
    const char *text = json_string_value(json_object_get(claim, texts[k]));
    fputs(k > 0 ? "," : "", out);
    rl_csv_text(out, text ? text : "");
  }
  for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
    const json_t *number = json_object_get(claim, numbers[k]);
    rl_csv_number(out, json_is_real(number) ? json_number_value(number) : NAN);
  }
  fprintf(out, ",%d\n", t->experiment->claims[i].depends_on_machine ? 1 : 0);
  json_decref(claim);
}

bool rl_reproduction_write_csv(const rl_reproduction *r) {
  char path[RL_PATH_MAX];
  rl_new_file file;
  if (!rl_path_join(path, r->folder, "reproduce.csv") || !rl_new_file_open(&file, path)) {
    return false;
  }
  fputs("# ropelab reproduce, format 1: one row a claim; difference relative to the published "
        "number, or as it is where that is 0\n"
        "paper,experiment,quantity,relation,unit,verdict,where,evidence,remark,published,ours,"
        "difference,tolerance,depends_on_machine\n",
        file.out);
  for (size_t k = 0; k < r->count; k++) {
    for (size_t i = 0; i < r->tasks[k].experiment->claim_count; i++) {
      write_claim(file.out, &r->tasks[k], i);
    }
  }
  return rl_new_file_close(&file);
}

bool rl_reproduction_write_json(const rl_reproduction *r) {
  char path[RL_PATH_MAX];
  rl_new_file file;
  if (!rl_path_join(path, r->folder, "reproduce.json") || !rl_new_file_open(&file, path)) {
    return false;
  }
  json_t *json = rl_reproduction_json(r);
  const bool good =
      json && json_dumpf(json, file.out, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) == 0;
  json_decref(json);
  if (!good) {
    rl_new_file_discard(&file);
    return false;
  }
  return rl_new_file_close(&file);
}
