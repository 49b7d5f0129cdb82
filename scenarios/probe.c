// SPDX-License-Identifier: GPL-3.0-or-later
// The names of probes.
#include "probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnostic.h"
#include "words.h"
#include "world/model/definition.h"
#include "world/paths/wrap.h"

#define NAME_BYTES 192 // no probe has a longer name
#define WORDS_MAX 5
#define COUNT(table) (sizeof(table) / sizeof(table)[0])

// Names are looked up in a model or, if there is none, in a definition.
typedef struct scene {
  const rl_model *model;
  const rl_definition *definition;
} scene;

static size_t body_count(scene s) {
  return s.model ? s.model->body_count : s.definition->body_count;
}

static size_t rope_count(scene s) {
  return s.model ? s.model->rope_count : s.definition->rope_count;
}

static const char *body_name(scene s, size_t i) {
  return s.model ? s.model->bodies[i].name : s.definition->bodies[i].name;
}

static const char *rope_name(scene s, size_t i) {
  return s.model ? s.model->ropes[i].name : s.definition->ropes[i].name;
}

static size_t element_count(scene s, size_t rope) {
  return s.model ? s.model->ropes[rope].link_count
                 : rl_definition_elements(&s.definition->ropes[rope]);
}

// Returns the largest number of straight pieces of a massless rope, or the elements of a rope with
// mass.
static size_t piece_count(scene s, size_t rope) {
  const rl_rope *r = s.model ? &s.model->ropes[rope] : NULL;
  const rl_rope_definition *d = s.model ? NULL : &s.definition->ropes[rope];
  if (r ? !r->massless : d->segments > 0) {
    return element_count(s, rope);
  }
  const size_t wraps = r ? r->wrap_capacity : rl_definition_wrap_capacity(s.definition, d);
  return 1 + (wraps > 0 ? wraps : r ? r->eye_count : d->waypoint_count);
}

static size_t node_count(scene s, size_t rope) {
  return s.model ? rl_rope_node_count(&s.model->ropes[rope])
                 : rl_definition_nodes(&s.definition->ropes[rope]);
}

static bool is_closed(scene s, size_t rope) {
  return s.model ? s.model->ropes[rope].closed : s.definition->ropes[rope].closed;
}

// Whether a rope runs through an eye on the body.
static bool has_eye_on(scene s, size_t rope, size_t body) {
  const rl_rope *r = s.model ? &s.model->ropes[rope] : NULL;
  const size_t count = r ? r->eye_count + r->ring_count : s.definition->ropes[rope].waypoint_count;
  for (size_t i = 0; i < count; i++) {
    if (r ? s.model->eyes[r->first_eye + i].slot == rl_body_slot(s.model, (uint32_t)body)
          : s.definition->ropes[rope].waypoints[i].body == body) {
      return true;
    }
  }
  return false;
}

// Whether a rope can touch the body or runs through an eye on it.
static bool can_touch(scene s, size_t rope, size_t body) {
  return (s.model
              ? rl_rope_touches(s.model, (uint32_t)rope, (uint32_t)body)
              : rl_definition_touches(s.definition, &s.definition->ropes[rope], (uint32_t)body)) ||
         has_eye_on(s, rope, body);
}

static size_t find_body(scene s, const char *word) {
  size_t i = 0;
  while (i < body_count(s) && strcmp(body_name(s, i), word) != 0) {
    i++;
  }
  return i;
}

static size_t find_rope(scene s, const char *word) {
  size_t i = 0;
  while (i < rope_count(s) && strcmp(rope_name(s, i), word) != 0) {
    i++;
  }
  return i;
}

// A probe that is being read, as words between dots.
typedef struct query {
  scene scene;
  const char *text; // printable copy
  const char *words[WORDS_MAX];
  size_t count;
  rl_probe *probe;
  char *message;
  size_t size;
} query;

static rl_probe_status fail(query *q, rl_probe_status status, const char *format, ...) {
  char reason[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  snprintf(q->message, q->size, "probe '%s': %s", q->text, reason);
  return status;
}

static rl_probe_status fail_word(query *q, const char *found, const char *what,
                                 const char *const *words, size_t count) {
  char suggestion[300];
  rl_suggest(suggestion, sizeof suggestion, found, words, count);
  return fail(q, RL_PROBE_UNKNOWN, "%s '%s'; %s", what, found, suggestion);
}

static rl_probe_status unsupported(query *q, const char *what) {
  return fail(q, RL_PROBE_UNSUPPORTED, "not supported by this version: %s", what);
}

// Checks that nothing follows the word at `last`.
static rl_probe_status finish(query *q, size_t last) {
  if (q->count > last + 1) {
    return fail(q, RL_PROBE_UNKNOWN, "nothing can follow '%s', found '%s'", q->words[last],
                q->words[last + 1]);
  }
  return RL_PROBE_OK;
}

// The components, in the order of the probe kinds.
static const char *const components[] = {"x", "y", "z", "vx", "vy", "vz", "speed"};

// Reads a component, the last word, at `at`; `first` is the kind of the first component.
static rl_probe_status read_component(query *q, size_t at, rl_probe_kind first, size_t count) {
  if (at >= q->count) {
    char suggestion[80];
    rl_suggest(suggestion, sizeof suggestion, "", components, count);
    return fail(q, RL_PROBE_UNKNOWN, "after '%s': %s", q->words[at - 1], suggestion);
  }
  for (size_t i = 0; i < count; i++) {
    if (strcmp(q->words[at], components[i]) == 0) {
      q->probe->kind = (rl_probe_kind)((size_t)first + i);
      return finish(q, at);
    }
  }
  return fail_word(q, q->words[at], "unknown quantity", components, count);
}

// In the order of the probe kinds.
const char *const rl_probe_body_quantities[] = {"x",  "y",     "z",     "vx",   "vy",
                                                "vz", "speed", "angle", "spin", NULL};

static rl_probe_status read_body(query *q) {
  const char *const *quantities = rl_probe_body_quantities;
  const size_t count = COUNT(rl_probe_body_quantities) - 1;
  const char *word = q->words[1];
  for (size_t i = 0; i < count; i++) {
    if (strcmp(word, quantities[i]) == 0) {
      q->probe->kind = (rl_probe_kind)(RL_PROBE_BODY_X + i);
      return finish(q, 1);
    }
  }
  return fail_word(q, word, "unknown quantity of a body", quantities, count);
}

// Reads an index along the rope; negative ones count from the end, -1 is the last.
static rl_probe_status read_index(query *q, const char *word, const char *what,
                                  const char *expected, size_t count) {
  const size_t sign = word[0] == '-' || word[0] == '+' ? 1 : 0;
  const size_t digits = strspn(word + sign, "0123456789");
  if (digits == 0 || word[sign + digits] != 0) {
    return fail(q, RL_PROBE_UNKNOWN, "expected %s, found '%s'", expected, word);
  }
  const long index = digits <= 9 ? strtol(word, NULL, 10) : 1000000000L;
  const long from_start = index < 0 ? index + (long)count : index;
  if (from_start < 0 || from_start >= (long)count) {
    if (count == 1) {
      return fail(q, RL_PROBE_UNKNOWN, "%s %s: expected 0 or -1, the only one", what, word);
    }
    return fail(q, RL_PROBE_UNKNOWN, "%s %s: expected 0 to %zu, or -1, the last, to -%zu", what,
                word, count - 1, count);
  }
  q->probe->from_end = index < 0;
  q->probe->element = (uint32_t)(index < 0 ? -1 - index : index);
  return RL_PROBE_OK;
}

// Refuses a probe of an end for a closed rope.
static rl_probe_status fail_end(query *q, const char *word, const char *instead) {
  return fail(q, RL_PROBE_UNKNOWN, "a closed rope has no ends, so no '%s'; expected %s", word,
              instead);
}

static rl_probe_status read_node(query *q) {
  if (q->count < 3) {
    return fail(q, RL_PROBE_UNKNOWN, "expected the number of a node after 'node'");
  }
  const size_t nodes = node_count(q->scene, q->probe->index);
  const rl_probe_status status = read_index(q, q->words[2], "node", "the number of a node", nodes);
  return status == RL_PROBE_OK ? read_component(q, 3, RL_PROBE_ROPE_NODE_X, COUNT(components))
                               : status;
}

static rl_probe_status read_tip(query *q) {
  q->probe->from_end = true;
  return read_component(q, 2, RL_PROBE_ROPE_NODE_X, COUNT(components));
}

// Refuses the word `at`, which is missing, no body, or none that the rope can touch; suggests
// those.
static rl_probe_status fail_body(query *q, size_t at) {
  const char *word = q->count <= at ? "" : q->words[at];
  const bool there = find_body(q->scene, word) < body_count(q->scene);
  const char **names = calloc(body_count(q->scene) + 1, sizeof *names);
  size_t count = 0;
  for (size_t i = 0; names && i < body_count(q->scene); i++) {
    if (can_touch(q->scene, q->probe->index, i)) {
      names[count++] = body_name(q->scene, i);
    }
  }
  char bodies[300] = "the rope can touch none";
  if (count > 0) {
    rl_suggest(bodies, sizeof bodies, word, names, count);
  }
  free(names);
  return word[0] == 0 ? fail(q, RL_PROBE_UNKNOWN, "no body after '%s', as in '%s.%s%s%s.BODY'; %s",
                             q->words[at - 1], q->words[0], q->words[1], at > 2 ? "." : "",
                             at > 2 ? q->words[2] : "", bodies)
                      : fail(q, RL_PROBE_UNKNOWN, "%s '%s'; %s",
                             there ? "the rope touches no body" : "no body", word, bodies);
}

// Reads a quantity of a rope and a body that it can touch; the body is the word `at`.
static rl_probe_status read_pair(query *q, size_t at, rl_probe_kind kind, bool is_position) {
  const char *word = q->count <= at ? "" : q->words[at];
  const size_t body = find_body(q->scene, word);
  if (body == body_count(q->scene) || !can_touch(q->scene, q->probe->index, body)) {
    return fail_body(q, at);
  }
  q->probe->body = (uint32_t)body;
  q->probe->kind = kind;
  const rl_probe_status status = is_position ? read_component(q, at + 1, kind, 3) : finish(q, at);
  const bool needs_ends = kind == RL_PROBE_ROPE_WRAP;
  return status == RL_PROBE_OK && needs_ends && is_closed(q->scene, q->probe->index) &&
                 element_count(q->scene, q->probe->index) > 1
             ? unsupported(q, "wrap angle of a closed rope")
             : status;
}

static rl_probe_status read_tension(query *q) {
  static const struct {
    const char *word;
    rl_probe_kind kind;
    bool of_end;
  } named[] = {{"from", RL_PROBE_ROPE_TENSION_FROM, true},
               {"to", RL_PROBE_ROPE_TENSION_TO, true},
               {"before", RL_PROBE_ROPE_TENSION_BEFORE, false},
               {"after", RL_PROBE_ROPE_TENSION_AFTER, false}};
  const size_t rope = q->probe->index;
  if (q->count == 2) {
    q->probe->kind = RL_PROBE_ROPE_TENSION;
    return RL_PROBE_OK;
  }
  const char *word = q->words[2];
  for (size_t i = 0; i < COUNT(named); i++) {
    if (strcmp(word, named[i].word) != 0) {
      continue;
    }
    if (named[i].of_end && is_closed(q->scene, rope)) {
      return fail_end(q, word, "'tension', or 'tension.i' of an element");
    }
    q->probe->kind = named[i].kind;
    return named[i].of_end ? finish(q, 2) : read_pair(q, 3, named[i].kind, false);
  }
  q->probe->kind = RL_PROBE_ROPE_TENSION_AT;
  const size_t count = piece_count(q->scene, rope);
  const rl_probe_status status =
      read_index(q, word, "element", "from, to, before, after or the number of an element", count);
  return status == RL_PROBE_OK ? finish(q, 2) : status;
}

const char *const rl_probe_rope_quantities[] = {"length",   "rest",    "stretch", "angle", "sag",
                                                "contacts", "tension", "node",    "tip",   "wrap",
                                                "force",    "slip",    "entry",   "exit",  NULL};

static rl_probe_status read_rope(query *q) {
  const char *const *quantities = rl_probe_rope_quantities;
  static const rl_probe_kind plain[] = {RL_PROBE_ROPE_LENGTH,  RL_PROBE_ROPE_REST,
                                        RL_PROBE_ROPE_STRETCH, RL_PROBE_ROPE_ANGLE,
                                        RL_PROBE_ROPE_SAG,     RL_PROBE_ROPE_CONTACTS};
  static const char *const of_ends[] = {"angle", "sag", "tip"};
  const char *word = q->words[1];
  for (size_t i = 0; i < COUNT(of_ends) && is_closed(q->scene, q->probe->index); i++) {
    if (strcmp(word, of_ends[i]) == 0) {
      return fail_end(q, word, "'node.i' of a node, from 0");
    }
  }
  for (size_t i = 0; i < COUNT(plain); i++) {
    if (strcmp(word, quantities[i]) == 0) {
      q->probe->kind = plain[i];
      return finish(q, 1);
    }
  }
  if (strcmp(word, "tension") == 0) {
    return read_tension(q);
  }
  if (strcmp(word, "node") == 0) {
    return read_node(q);
  }
  if (strcmp(word, "tip") == 0) {
    return read_tip(q);
  }
  static const struct {
    const char *word;
    rl_probe_kind kind;
    bool is_position;
  } pairs[] = {{"wrap", RL_PROBE_ROPE_WRAP, false},
               {"force", RL_PROBE_ROPE_FORCE, false},
               {"slip", RL_PROBE_ROPE_SLIP, false},
               {"entry", RL_PROBE_ROPE_ENTRY_X, true},
               {"exit", RL_PROBE_ROPE_EXIT_X, true}};
  for (size_t i = 0; i < COUNT(pairs); i++) {
    if (strcmp(word, pairs[i].word) == 0) {
      return read_pair(q, 2, pairs[i].kind, pairs[i].is_position);
    }
  }
  return fail_word(q, word, "unknown quantity of a rope", quantities,
                   COUNT(rl_probe_rope_quantities) - 1);
}

// Refuses a word that is neither a body nor a rope; suggests one of them.
static rl_probe_status fail_name(query *q) {
  const size_t bodies = body_count(q->scene), ropes = rope_count(q->scene);
  const char **names = calloc(bodies + ropes + 1, sizeof *names);
  if (!names) {
    return fail(q, RL_PROBE_UNKNOWN, "no body or rope '%s'", q->words[0]);
  }
  for (size_t i = 0; i < bodies + ropes; i++) {
    names[i] = i < bodies ? body_name(q->scene, i) : rope_name(q->scene, i - bodies);
  }
  const rl_probe_status status =
      fail_word(q, q->words[0], "no body or rope", names, bodies + ropes);
  free(names);
  return status;
}

static rl_probe_status read_words(query *q) {
  const size_t body = find_body(q->scene, q->words[0]);
  const size_t rope = find_rope(q->scene, q->words[0]);
  const bool is_body = body < body_count(q->scene);
  if (!is_body && rope == rope_count(q->scene)) {
    return fail_name(q);
  }
  if (q->count < 2) {
    return fail(q, RL_PROBE_UNKNOWN, "expected a quantity after the name, as in '%s.%s'",
                q->words[0], is_body ? "y" : "tension");
  }
  q->probe->index = (uint32_t)(is_body ? body : rope);
  return is_body ? read_body(q) : read_rope(q);
}

static rl_probe_status parse(scene s, const char *text, rl_probe *probe, char *message,
                             size_t size) {
  char shown[64], words[NAME_BYTES];
  const size_t length = strlen(text);
  rl_printable(shown, sizeof shown, text, length);
  *probe = (rl_probe){.kind = RL_PROBE_BODY_X};
  query q = {.scene = s, .text = shown, .probe = probe, .message = message, .size = size};
  // Names are printable, so that a printable copy names the same.
  if (rl_printable(words, sizeof words, text, length) < length) {
    return fail(&q, RL_PROBE_UNKNOWN, "too long for the name of a probe");
  }
  for (char *rest = words; rest;) {
    if (q.count == WORDS_MAX) {
      return fail(&q, RL_PROBE_UNKNOWN, "too many dots");
    }
    q.words[q.count++] = rest;
    rest = strchr(rest, '.');
    if (rest) {
      *rest++ = 0;
    }
  }
  return read_words(&q);
}

rl_probe_status rl_probe_parse(const rl_model *model, const char *text, rl_probe *probe,
                               char *message, size_t size) {
  return parse((scene){.model = model}, text, probe, message, size);
}

rl_probe_status rl_probe_check(const rl_definition *definition, const char *text, char *message,
                               size_t size) {
  rl_probe probe;
  return parse((scene){.definition = definition}, text, &probe, message, size);
}
