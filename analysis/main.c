// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include <gsl/gsl_errno.h>

int main(int argc, char **argv) {
  gsl_set_error_handler_off(); // the status of every GSL call is checked instead
  return rl_main(argc, argv);
}
