// SPDX-License-Identifier: GPL-3.0-or-later
// How much memory there is. What is larger is refused with both numbers instead of being taken
// bit by bit until the system ends the program.
#ifndef RL_MEMORY_THERE_H
#define RL_MEMORY_THERE_H

#include <stddef.h>

#define RL_GIB 1073741824.0 // bytes

// The memory that this process may have [bytes]: the machine's, or less where there is a limit
// (ulimit -v, ulimit -d, or the control group of a container).
size_t rl_memory_there(void);

#endif
