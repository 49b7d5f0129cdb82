// SPDX-License-Identifier: GPL-3.0-or-later
// `--set path=value`: changes to the tree before it is read.
#ifndef RL_OVERRIDE_H
#define RL_OVERRIDE_H

#include "reader.h"

// Sets the value at a path ("bodies.heavy.mass", "ropes.line.over.0.eye"). Missing keys on the way
// are added, except bodies and ropes, which need a whole definition. False with a fault.
bool rl_override_apply(rl_reader *reader, rl_tree *root, const rl_override *override);

#endif
