# SPDX-License-Identifier: GPL-3.0-or-later
# Installs the program and the library. The library has the physics alone; programs that use it find
# it with find_package(ropelab) or pkg-config ropelab.
include(CMakePackageConfigHelpers)
set(data ${CMAKE_INSTALL_DATADIR}/ropelab)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/ropelab)

set_target_properties(ropelab_solvers PROPERTIES OUTPUT_NAME ropelab EXPORT_NAME ropelab)
install(TARGETS ropelab)
install(TARGETS ropelab_solvers EXPORT ropelab)
target_include_directories(ropelab_solvers INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(FILES solvers/ropelab.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ropelab)
file(STRINGS solvers/ropelab.h public_headers REGEX "include \"")
foreach(line ${public_headers})
  string(REGEX REPLACE ".*\"(.*)/(.*)\".*" "\\1" folder ${line})
  string(REGEX REPLACE ".*\"(.*)\".*" "\\1" header ${line})
  install(FILES solvers/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ropelab/${folder})
endforeach()

install(EXPORT ropelab FILE ropelabConfig.cmake NAMESPACE ropelab:: DESTINATION ${package})
write_basic_package_version_file(generated/ropelabConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/generated/ropelabConfigVersion.cmake DESTINATION ${package})

# The paths in ropelab.pc are relative to the file itself, so that the installation can be moved.
set(pc_folder ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH prefix_from_pc ${pc_folder} ${CMAKE_INSTALL_PREFIX}/.)
file(RELATIVE_PATH include_from_pc ${pc_folder} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
file(CONFIGURE OUTPUT generated/ropelab.pc @ONLY CONTENT
"prefix=\${pcfiledir}/@prefix_from_pc@
libdir=\${pcfiledir}/..
includedir=\${pcfiledir}/@include_from_pc@

Name: ropelab
Description: @PROJECT_DESCRIPTION@
Version: @PROJECT_VERSION@
Cflags: -I\${includedir}
Libs: -L\${libdir} -lropelab -lm
")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/generated/ropelab.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Data of the program, in the same folders as in the source, and documents.
install(DIRECTORY scenarios DESTINATION ${data} FILES_MATCHING PATTERN *.yaml PATTERN exact EXCLUDE)
install(DIRECTORY analysis/studies DESTINATION ${data}/analysis FILES_MATCHING PATTERN *.yaml)
install(FILES papers/rope.bib DESTINATION ${data}/papers)
install(DIRECTORY analysis/plots DESTINATION ${data}/analysis FILES_MATCHING PATTERN *.gp)
install(DIRECTORY analysis/report analysis/python DESTINATION ${data}/analysis
        FILES_MATCHING PATTERN *.py PATTERN *.j2 PATTERN *.js PATTERN __pycache__ EXCLUDE)
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
foreach(folder solvers scenarios analysis tests)
  install(FILES ${folder}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()
install(DIRECTORY papers DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN *.md)
install(DIRECTORY analysis/plots DESTINATION ${CMAKE_INSTALL_DOCDIR}/analysis FILES_MATCHING PATTERN *.png)

# The manual page is printed by the program.
add_custom_command(OUTPUT ropelab.1 COMMAND ropelab __man > ropelab.1 DEPENDS ropelab VERBATIM)
add_custom_target(ropelab_man ALL DEPENDS ropelab.1)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ropelab.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES analysis/ropelab.bash RENAME ropelab
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
