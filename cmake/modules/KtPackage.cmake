# What is installed, and the archive. The folders are literal rather than
# GNUInstallDirs': programs find each other relative to their own place, which
# is what lets the tree run from any folder.
#
#   bin/ktcc  libexec/ktcc/*  lib/ktcc/*.so.N  lib/cmake/KTune  include/ktune  share/ktcc (docs, samples, python, templates)

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
  if(KT_SHARED OR NOT library MATCHES "\\.so($|\\.)")
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
# Without docs/performance, which is raw data of measurements.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION share/ktcc/docs FILES_MATCHING PATTERN "*.md"
        PATTERN "*.schema.json" PATTERN "*.png" PATTERN performance EXCLUDE)
# The samples with their entries, as pages of docs/ link to them.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/samples/ DESTINATION share/ktcc/samples
        PATTERN "build*" EXCLUDE PATTERN "__pycache__" EXCLUDE PATTERN "*.swp" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/ktcc DESTINATION share/ktcc/python FILES_MATCHING PATTERN "*.py" PATTERN "py.typed")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/ktcc)

# A libclang that travels with us, and the headers that belong to it (lib/clang/N/include): of one version. It finds them
# from its own place.
set(KT_LIBCLANG "" CACHE FILEPATH "A libclang to install")
set(KT_LIBCLANG_HEADERS "" CACHE PATH "Its builtin headers, the folder include")
if(KT_LIBCLANG)
  if(NOT KT_LIBCLANG_HEADERS MATCHES "/clang/([0-9]+)[0-9.]*/include$" OR
     NOT EXISTS ${KT_LIBCLANG_HEADERS}/__clang_cuda_runtime_wrapper.h)
    message(FATAL_ERROR "KT_LIBCLANG_HEADERS=${KT_LIBCLANG_HEADERS} is no folder clang/N/include with the headers for CUDA")
  endif()
  install(PROGRAMS ${KT_LIBCLANG} DESTINATION lib/ktcc/llvm/lib RENAME libclang.so)
  install(DIRECTORY ${KT_LIBCLANG_HEADERS} DESTINATION lib/ktcc/llvm/lib/clang/${CMAKE_MATCH_1})
endif()

set(CPACK_GENERATOR TXZ)
set(CPACK_PACKAGE_NAME ktcc)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_FILE_NAME ktcc-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_INCLUDE_TOPLEVEL_DIRECTORY ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

# The Debian package, of a build with KT_SHARED and the prefix /usr: `script/package deb`.
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "ktcc maintainers <maintainers@ktcc.example>")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
foreach(version 19 22 21 20 18 17 16)
  list(APPEND libraries "libclang1-${version}")
  list(APPEND headers "libclang-common-${version}-dev")
endforeach()
list(JOIN libraries " | " libraries)
list(JOIN headers " | " headers)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "${libraries}, ${headers}")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "nvidia-cuda-toolkit, compute-sanitizer, oclgrind, cmake")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compiler launcher that tunes CUDA kernels")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "ktcc runs nvcc. Where a source has kernels that are marked with #pragma ktune,
they are tuned on the GPU in the machine, and the object holds the fastest
variants that give right results. A build without a GPU uses recorded entries.
OpenCL sources are tuned as well.")
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian.cmake)
include(CPack)
