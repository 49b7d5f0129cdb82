// SPDX-License-Identifier: GPL-3.0-or-later
#include "springs.h"

// (4)-(5) The spring that stands for a stiff row.
static rl_spring stand_in(const rl_stand_in *law, double inverse_mass) {
  rl_spring s = {law->stiffness, law->damping, false};
  if (s.stiffness == 0.0 && inverse_mass > 0.0) {
    s.stiffness = law->hardness / (inverse_mass * law->h * law->h);
    s.damping += law->damping_ratio * rl_critical_damping(s.stiffness, inverse_mass);
  }
  return s;
}

rl_spring rl_spring_of(const rl_stand_in *law, const rl_rope *rope, double rest, double compliance,
                       double inverse_mass) {
  rl_spring s =
      compliance > 0.0 ? (rl_spring){1.0 / compliance, 0.0, true} : stand_in(law, inverse_mass);
  s.damping += rope ? rl_element_damping(rope, rest, s.stiffness, inverse_mass) : 0.0;
  return s;
}

// (17) Contacts that share a body share what its substep can bear.
static rl_spring spring_of_contact(const rl_stand_in *law, uint32_t crowd, double inverse_mass) {
  const double shared = (crowd > 0 ? crowd : 1) * inverse_mass * law->h;
  return shared > 0.0 ? (rl_spring){law->contact_hardness / (shared * law->h),
                                    law->contact_damping / shared, false}
                      : (rl_spring){0.0, 0.0, false};
}

static rl_spring spring_of_bodies(const rl_stand_in *law, const rl_row *row) {
  rl_spring s = {law->stiffness, law->damping, false};
  if (s.stiffness == 0.0) {
    const rl_spring automatic = spring_of_contact(law, row->crowd, row->inverse_mass);
    s.stiffness = automatic.stiffness;
    s.damping += automatic.damping;
  }
  return s;
}

// The largest eigenvalue of a symmetric matrix of two rows, from what it gives along both axes and
// between them.
static double largest_inverse_mass(const rl_rows *rows, const rl_row *row, const rl_point *points) {
  if (!row->has_spins) {
    return row->inverse_mass;
  }
  const rl_vec3 *t = row->tangents;
  const double first = rl_contact_inverse_mass(rows, row, t[0], points);
  const double second = rl_contact_inverse_mass(rows, row, t[1], points);
  const double between = rl_contact_inverse_mass(rows, row, rl_add(t[0], t[1]), points);
  const double mean = 0.5 * (first + second);
  const double apart = 0.5 * (first - second), along = between - mean;
  return mean + sqrt(apart * apart + along * along);
}

rl_spring rl_friction_spring(const rl_stand_in *law, const rl_model *model, const rl_rows *rows,
                             const rl_row *row, const rl_point *points) {
  double most = largest_inverse_mass(rows, row, points);
  if (row->crowd == 0) {
    double nodes = 0.0;
    for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
      const rl_entry *e = &rows->entries[i];
      nodes += e->slot < model->node_count ? points[e->slot].w * rl_dot(e->force, e->force) : 0.0;
    }
    most = nodes + row->rubs * (most - nodes);
  }
  return spring_of_contact(law, row->crowd, most);
}

double rl_friction_energy(rl_spring spring, rl_vec3 pull) {
  return spring.stiffness > 0.0 ? 0.5 * rl_dot(pull, pull) / spring.stiffness : 0.0;
}

rl_spring rl_row_spring(const rl_stand_in *law, const rl_model *model, const rl_row *row) {
  if (row->crowd > 0) {
    return spring_of_bodies(law, row);
  }
  const rl_rope *rope =
      row->kind == RL_ROW_SPAN ? &model->ropes[model->link_rope[row->item]] : NULL;
  return rl_spring_of(law, rope, row->rest, row->compliance,
                      row->inverse_mass + (row->piece_count > 0 ? row->crowding : 0.0));
}

static double energy_of(rl_spring s, double value, double lower) {
  const double excess = lower == 0.0 ? fmax(value, 0.0) : value;
  return s.physical ? 0.0 : 0.5 * s.stiffness * excess * excess;
}

double rl_row_spring_energy(const rl_stand_in *law, const rl_model *model, const rl_row *row) {
  return row->crowd > 0 ? 0.0 : energy_of(rl_row_spring(law, model, row), row->value, row->lower);
}

double rl_springs_energy(const rl_stand_in *law, const rl_model *model, const rl_state *state,
                         rl_rows *rows) {
  double energy = 0.0;
  rl_rows_stand(rows);
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      const rl_link *link = &state->links[k];
      const rl_link_value v = rl_link_evaluate(link, state->points);
      const rl_spring s = rl_spring_of(law, &model->ropes[block->rope], link->rest,
                                       link->compliance, v.inverse_mass);
      energy += energy_of(s, v.value, block->lower);
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      rl_row_evaluate(model, state, rows, row, state->points);
      energy += rl_row_spring_energy(law, model, row);
      if (row->friction > 0.0) {
        energy += rl_friction_energy(rl_friction_spring(law, model, rows, row, state->points),
                                     state->frictions[row->item]);
      }
    }
  }
  rl_rows_move(rows);
  return energy;
}
