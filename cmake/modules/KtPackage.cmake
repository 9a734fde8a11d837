# What is installed, and the archive. The folders are literal rather than
# GNUInstallDirs': programs find each other relative to their own place, which
# is what lets the tree run from any folder.
#
#   bin/ktcc  libexec/ktcc/*  lib/ktcc/*.so.N  lib/cmake/KTune  include/ktune  share/ktcc

# Installs a program and lets it find the libraries that travel in lib/ktcc.
function(kt_install_program target folder runpath)
  if(NOT TARGET ${target})
    return()
  endif()
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "${runpath}")
  install(TARGETS ${target} RUNTIME DESTINATION ${folder})
endfunction()

kt_install_program(ktcc bin "$ORIGIN/../lib/ktcc")
foreach(program ktcc-clang ktcc-runner ktcc-remote ktcc-llm ktcc-nvrtc)
  kt_install_program(${program} libexec/ktcc "$ORIGIN/../../lib/ktcc")
endforeach()

# A library that was linked as a shared one is copied under its SONAME, the name the loader asks for.
function(kt_install_shared library)
  if(NOT library MATCHES "\\.so($|\\.)")
    return()
  endif()
  file(REAL_PATH ${library} file)
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${file} OUTPUT_VARIABLE headers RESULT_VARIABLE failed ERROR_QUIET)
  if(failed OR NOT headers MATCHES "SONAME[ \t]+([^ \t\r\n]+)")
    message(FATAL_ERROR "${file} has no SONAME")
  endif()
  install(PROGRAMS ${file} DESTINATION lib/ktcc RENAME ${CMAKE_MATCH_1})
endfunction()

foreach(library kt__cjson kt__sqlite kt__sodium kt__zstd)
  kt_install_shared("${${library}_LIBRARY}")
endforeach()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/templates/ DESTINATION share/ktcc/templates)
install(FILES ${KT_CHART_LIBRARY} DESTINATION share/ktcc/report RENAME chart.js)
install(FILES ${KT_CHART_LICENCE} DESTINATION share/ktcc/report RENAME chart.js.copyright)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION share/ktcc/docs FILES_MATCHING PATTERN "*.md"
        PATTERN "*.schema.json" PATTERN "*.png")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/ktcc DESTINATION share/ktcc/python FILES_MATCHING PATTERN "*.py")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/ktcc)

set(CPACK_GENERATOR TXZ)
set(CPACK_PACKAGE_NAME ktcc)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_FILE_NAME ktcc-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_INCLUDE_TOPLEVEL_DIRECTORY ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
