// SPDX-License-Identifier: GPL-3.0-or-later
// The whole public interface of the library, for C and C++. A model is made from a definition
// (world/model.h); a driver (world/driver.h) advances its state (world/state.h) with a solver
// (world/solver.h). To write a solver, read world/rows.h too.
#ifndef ROPELAB_H
#define ROPELAB_H

#define RL_VERSION_MAJOR 0
#define RL_VERSION_MINOR 1
#define RL_VERSION_PATCH 0
#define RL_VERSION "0.1.0"

// Headers of the C library come first: C++ must not include them as extern "C".
#include <math.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "world/bodies/shape.h"
#include "world/driver.h"
#include "world/ledger.h"
#include "world/memory.h"
#include "world/model.h"
#include "world/paths/bend.h"
#include "world/paths/path.h"
#include "world/paths/path_link.h"
#include "world/paths/path_solid.h"
#include "world/paths/wrap.h"
#include "world/ropes/elements.h"
#include "world/ropes/flexure.h"
#include "world/rotation.h"
#include "world/rows.h"
#include "world/solver.h"
#include "world/state.h"
#include "world/trigonometry.h"
#include "world/vector.h"

#ifdef __cplusplus
}
#endif

#endif
