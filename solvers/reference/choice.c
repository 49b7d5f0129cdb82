// SPDX-License-Identifier: GPL-3.0-or-later
#include "choice.h"

#include <string.h>

void rl_choice_lay_out(rl_choice *choice, const rl_model *model, rl_carver *c) {
  const size_t unknowns = rl_unknown_capacity(model);
  choice->contacts = rl_carve(c, model->contact_capacity, sizeof *choice->contacts);
  choice->now = rl_carve(c, model->contact_capacity, sizeof *choice->now);
  choice->touched = rl_carve(c, model->contact_capacity, sizeof *choice->touched);
  choice->rubbing = rl_carve(c, model->contact_capacity, sizeof *choice->rubbing);
  choice->acts = rl_carve(c, unknowns, sizeof *choice->acts);
  choice->shares = rl_carve(c, unknowns, sizeof *choice->shares);
  choice->impulses = rl_carve(c, unknowns, sizeof *choice->impulses);
}

// Returns the contact of the tangents k.
static uint32_t contact_of(const rl_equations *e, uint32_t k) {
  return e->rows->rows[e->lcp.direct.tangents[k].row].item;
}

void rl_choice_keep(rl_choice *choice, const rl_equations *e) {
  const size_t contacts = e->state->contact_count, rows = e->lcp.direct.row_count;
  choice->is_known = true;
  choice->speed = e->speed;
  choice->force = e->force;
  choice->row_count = (uint32_t)rows;
  choice->contact_count = (uint32_t)contacts;
  memcpy(choice->contacts, e->state->contacts, contacts * sizeof *choice->contacts);
  memcpy(choice->touched, e->touched, contacts * sizeof *choice->touched);
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    choice->rubbing[contact_of(e, k)] = e->rubbing[k];
  }
  memcpy(choice->acts, e->acts, rows * sizeof *choice->acts);
  memcpy(choice->shares, e->shares, rows * sizeof *choice->shares);
  memcpy(choice->impulses, e->impulses, rows * sizeof *choice->impulses);
}

static bool is_same(const rl_contact *a, const rl_contact *b) {
  return a->rope == b->rope && a->node == b->node && a->slot == b->slot && a->next == b->next &&
         a->body == b->body && a->part == b->part && a->second == b->second;
}

// Finds the places of the kept contacts in the present list, which has the same order. Returns
// false if an active one is not in it.
static bool find_contacts(rl_choice *choice, const rl_equations *e) {
  uint32_t from = 0;
  for (uint32_t i = 0; i < choice->contact_count; i++) {
    uint32_t n = from;
    while (n < e->state->contact_count && !is_same(&choice->contacts[i], &e->state->contacts[n])) {
      n++;
    }
    const bool is_there = n < e->state->contact_count;
    choice->now[i] = is_there ? n : RL_NONE;
    from = is_there ? n + 1 : from;
    if (!is_there && choice->acts[e->model->link_count + i]) {
      return false;
    }
  }
  return true;
}

static void take_rows(const rl_choice *choice, rl_equations *e, uint32_t from, uint32_t to,
                      uint32_t count) {
  memcpy(&e->acts[to], &choice->acts[from], count * sizeof *e->acts);
  memcpy(&e->shares[to], &choice->shares[from], count * sizeof *e->shares);
  memcpy(&e->impulses[to], &choice->impulses[from], count * sizeof *e->impulses);
}

static void take_contacts(const rl_choice *choice, rl_equations *e) {
  const uint32_t links = e->model->link_count, spans = e->rows->span_count;
  uint32_t k = 0; // of the tangents
  memset(&e->acts[links], 0, e->state->contact_count * sizeof *e->acts);
  memset(&e->impulses[links], 0, e->state->contact_count * sizeof *e->impulses);
  for (uint32_t i = 0; i < choice->contact_count; i++) {
    const uint32_t now = choice->now[i], beside = choice->touched[i].beside;
    if (now == RL_NONE) {
      continue;
    }
    take_rows(choice, e, links + i, links + now, 1);
    e->touched[now] = choice->touched[i];
    if (beside != RL_NONE) {
      const uint32_t other = choice->now[beside - spans];
      e->touched[now].beside = other != RL_NONE ? spans + other : RL_NONE;
    }
    while (k < e->lcp.direct.tangents_count && contact_of(e, k) < now) {
      k++;
    }
    if (k < e->lcp.direct.tangents_count && contact_of(e, k) == now) {
      e->rubbing[k] = choice->rubbing[i];
    }
  }
}

bool rl_choice_take(rl_choice *choice, rl_equations *e) {
  const uint32_t links = e->model->link_count, count = (uint32_t)e->state->contact_count;
  const uint32_t first_split = links + choice->contact_count;
  const uint32_t splits = choice->row_count - first_split;
  if (!choice->is_known || splits != e->lcp.direct.row_count - links - count ||
      !find_contacts(choice, e)) {
    return false;
  }
  e->speed = choice->speed;
  e->force = choice->force;
  take_rows(choice, e, 0, 0, links);
  take_rows(choice, e, first_split, links + count, splits);
  take_contacts(choice, e);
  return true;
}
