# SPDX-License-Identifier: GPL-3.0-or-later
cmake_policy(VERSION 3.25)
# Writes version.h with the version and the commit that is being built.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                RESULT_VARIABLE failed)
if(failed)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
"// Made by analysis/version.cmake.
#define ROPELAB_VERSION \"@VERSION@\"
#define ROPELAB_COMMIT \"@commit@\"
")
