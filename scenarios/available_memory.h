// SPDX-License-Identifier: GPL-3.0-or-later
// The memory available to the process. Larger requests are refused with both numbers instead of
// letting the system end the program.
#ifndef RL_AVAILABLE_MEMORY_H
#define RL_AVAILABLE_MEMORY_H

#include <stddef.h>

#define RL_GIB 1073741824.0 // bytes

// Returns the memory that this process may use [bytes]: that of the machine, or less if there is a
// limit (ulimit -v, ulimit -d, or the control group of a container).
size_t rl_available_memory(void);

#endif
