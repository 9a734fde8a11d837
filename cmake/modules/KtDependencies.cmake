# Libraries, all from the distribution. SQLite, libsodium and zstd are linked
# statically where a static library is installed, so that the package runs on
# machines without them; cJSON too, else its shared library travels with us. With KT_SHARED the distribution's shared
# libraries are linked and none travels: its packages depend on them.
option(KT_SHARED "Link the distribution's shared libraries" OFF)
function(kt_find_library target header)
  cmake_parse_arguments(ARG "" "" "NAMES;LINK" ${ARGN})
  string(MAKE_C_IDENTIFIER ${target} id)
  find_path(${id}_INCLUDE ${header})
  set(static_names "")
  foreach(name ${ARG_NAMES})
    if(NOT KT_SHARED)
      list(APPEND static_names lib${name}.a)
    endif()
  endforeach()
  find_library(${id}_LIBRARY NAMES ${static_names} ${ARG_NAMES})
  if(NOT ${id}_INCLUDE OR NOT ${id}_LIBRARY)
    message(FATAL_ERROR "${header} or its library was not found; script/setup installs what is needed")
  endif()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${${id}_INCLUDE})
  target_link_libraries(${target} INTERFACE ${${id}_LIBRARY} ${ARG_LINK})
endfunction()

kt_find_library(kt::cjson cjson/cJSON.h NAMES cjson)
kt_find_library(kt::sqlite sqlite3.h NAMES sqlite3 LINK m Threads::Threads ${CMAKE_DL_LIBS})
kt_find_library(kt::sodium sodium.h NAMES sodium LINK Threads::Threads)
kt_find_library(kt::zstd zstd.h NAMES zstd)
kt_find_library(kt::zlib zlib.h NAMES z)
# Shared: its static form would want every library that it was built with. The programs that use it are not needed by
# the others, so it does not travel with us.
pkg_check_modules(kt_curl REQUIRED IMPORTED_TARGET GLOBAL libcurl)
add_library(kt::curl ALIAS PkgConfig::kt_curl)

# The plotting library of `ktcc report`, one file that travels with us beside its licence.
find_file(KT_CHART_LIBRARY chart.min.js PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist NO_DEFAULT_PATH)
find_file(KT_CHART_LICENCE copyright PATHS /usr/share/doc/libjs-chart.js /usr/share/doc/node-chart.js NO_DEFAULT_PATH)
if(NOT KT_CHART_LIBRARY OR NOT KT_CHART_LICENCE)
  message(FATAL_ERROR "Chart.js was not found; script/setup installs libjs-chart.js")
endif()

# clang-c headers only: the library itself is loaded at run time.
file(GLOB kt_clang_hints /usr/lib/llvm-*/include)
list(SORT kt_clang_hints COMPARE NATURAL ORDER DESCENDING)
find_path(KT_CLANG_INCLUDE clang-c/Index.h HINTS ${kt_clang_hints})
if(NOT KT_CLANG_INCLUDE)
  message(FATAL_ERROR "clang-c/Index.h was not found; script/setup installs libclang-19-dev")
endif()
add_library(kt::clang_headers INTERFACE IMPORTED GLOBAL)
target_include_directories(kt::clang_headers SYSTEM INTERFACE ${KT_CLANG_INCLUDE})
