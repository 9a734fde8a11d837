# find_package(KTune): tuning CUDA kernels in a CMake build.
#
#   KTune::ktcc, KTUNE_EXECUTABLE    the launcher of this installation
#   KTUNE_INCLUDE_DIR                ktune/ktune.h
#
#   ktune_target(TARGET [MODE auto|cached|require|retune|off] [LOCK_DIR DIR] [DEVICE NAME…] [BUDGET SECONDS])
#
# puts ktcc before the CUDA compiler of TARGET, which must exist. MODE (auto
# is none), DEVICE and BUDGET default to the environment at build time, LOCK_DIR
# to ktune.lock beside the calling CMakeLists.txt; the folder is made when it is
# missing. Call it after anything else that sets the target's CUDA launcher:
# ktcc comes first, a compiler cache after it.
#
#   ktune_opencl(TARGET FILE.cl [MODE auto|require] [STD CL1.2] [DEFINES NAME[=VALUE]…] [LOCK_DIR DIR] [DEVICE NAME…]
#                [BUDGET SECONDS])
#
# writes FILE_tuned.cl and FILE_tuned.h into the calling folder's binary folder and lets TARGET, which must exist,
# include the header. STD and DEFINES are the build options that the program passes to clBuildProgram.
#
# The target `ktune` tunes all regions of all such targets and files, and compiles nothing.

get_filename_component(KTUNE_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(KTUNE_EXECUTABLE "${KTUNE_PREFIX}/bin/ktcc${CMAKE_EXECUTABLE_SUFFIX}")
set(KTUNE_INCLUDE_DIR "${KTUNE_PREFIX}/include")
if(NOT EXISTS "${KTUNE_EXECUTABLE}")
  set(KTune_FOUND FALSE)
  set(KTune_NOT_FOUND_MESSAGE "${KTUNE_EXECUTABLE} is missing: this installation is incomplete")
  return()
endif()

if(NOT TARGET KTune::ktcc)
  add_executable(KTune::ktcc IMPORTED GLOBAL)
  set_target_properties(KTune::ktcc PROPERTIES IMPORTED_LOCATION "${KTUNE_EXECUTABLE}")
endif()

# The target that an alias names; a target that compiles nothing, or is compiled elsewhere, is a mistake.
function(_ktune_real out target caller)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "${caller}: there is no such target")
  endif()
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    set(target ${aliased})
  endif()
  get_target_property(type ${target} TYPE)
  get_target_property(imported ${target} IMPORTED)
  if(imported OR type STREQUAL "INTERFACE_LIBRARY")
    message(FATAL_ERROR "${caller}: this target compiles nothing; name those that compile the kernels")
  endif()
  set(${out} ${target} PARENT_SCOPE)
endfunction()

# The launcher words of a target: ktcc with its options, then whatever was there before, but no second ktcc.
# One argument for all options: a word may hold an escaped semicolon, which passing a list on would undo.
function(_ktune_set_launcher target options)
  get_target_property(previous ${target} KTUNE_PREVIOUS_LAUNCHER)
  if(previous STREQUAL "previous-NOTFOUND")
    get_target_property(previous ${target} CUDA_COMPILER_LAUNCHER)
    if(NOT previous)
      set(previous "")
    endif()
    set(kept "")
    foreach(word IN LISTS previous)
      get_filename_component(name "${word}" NAME_WE)
      if(NOT name STREQUAL "ktcc" AND NOT word MATCHES "^--(mode|lock-dir|device|budget|cache-dir)=")
        string(REPLACE ";" "\\;" word "${word}")
        list(APPEND kept "${word}")
      endif()
    endforeach()
    set(previous "${kept}")
    set_property(TARGET ${target} PROPERTY KTUNE_PREVIOUS_LAUNCHER "${previous}")
  endif()
  set(words "${KTUNE_EXECUTABLE};${options}")
  if(previous)
    string(APPEND words ";${previous}")
  endif()
  set_property(TARGET ${target} PROPERTY CUDA_COMPILER_LAUNCHER "${words}")
endfunction()

# The CUDA sources of a target, absolute. Those that a generator expression yields are known only to the build: left out.
function(_ktune_cuda_sources out target)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  set(result "")
  foreach(source IN LISTS sources)
    if(source MATCHES "\\$<")
      continue()
    endif()
    get_filename_component(path "${source}" ABSOLUTE BASE_DIR "${folder}")
    get_source_file_property(language "${path}" TARGET_DIRECTORY ${target} LANGUAGE)
    if(language STREQUAL "CUDA" OR (NOT language AND source MATCHES "\\.cu$"))
      list(APPEND result "${path}")
    endif()
  endforeach()
  set(${out} "${result}" PARENT_SCOPE)
endfunction()

# The target `ktune` is made when the top folder has been read: all targets and their sources are known then.
function(_ktune_defer)
  get_property(deferred GLOBAL PROPERTY KTUNE_DEFERRED)
  if(NOT deferred)
    set_property(GLOBAL PROPERTY KTUNE_DEFERRED TRUE)
    cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL _ktune_add_tuning_target)
  endif()
endfunction()

# The absolute path of LOCK_DIR, which is made; "": the one beside the calling CMakeLists.txt.
function(_ktune_lock_dir out lock_dir caller)
  if(NOT lock_dir)
    set(lock_dir ktune.lock)
  endif()
  get_filename_component(path "${lock_dir}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  if(path MATCHES ";")
    message(FATAL_ERROR "${caller}: the path of LOCK_DIR has a semicolon: ${path}; name another folder")
  endif()
  file(MAKE_DIRECTORY "${path}")
  set(${out} "${path}" PARENT_SCOPE)
endfunction()

# A command of ktune.cmake, each word as it is: brackets around it that are not in it. By numbers: where a word has a
# bracket, a list of them is divided elsewhere.
function(_ktune_add_command out)
  set(words "")
  math(EXPR last "${ARGC} - 1")
  foreach(index RANGE 1 ${last})
    set(word "${ARGV${index}}")
    set(signs "=")
    while("${word}" MATCHES "]${signs}(]|$)")
      string(APPEND signs "=")
    endwhile()
    string(APPEND words " [${signs}[${word}]${signs}]")
  endforeach()
  set(${out} "${${out}}execute_process(COMMAND${words} RESULT_VARIABLE result)\n" PARENT_SCOPE)
endfunction()

# All of them run, even after one fails: a kernel that is left unmodified is no reason to leave others so.
function(_ktune_add_tuning_target)
  if(TARGET ktune)
    return()
  endif()
  set(note "if(NOT result EQUAL 0)\n  set(failed TRUE)\nendif()\n")
  set(script "")
  get_property(targets GLOBAL PROPERTY KTUNE_TARGETS)
  foreach(target IN LISTS targets)
    _ktune_cuda_sources(sources ${target})
    get_property(environment GLOBAL PROPERTY KTUNE_ENVIRONMENT_${target})
    if(sources)
      _ktune_add_command(script "${CMAKE_COMMAND}" -E env ${environment} "${KTUNE_EXECUTABLE}" tune
                         --compile-commands "${CMAKE_BINARY_DIR}" ${sources})
      string(APPEND script "${note}")
    endif()
  endforeach()
  get_property(files GLOBAL PROPERTY KTUNE_OPENCL_FILES)
  foreach(stamp IN LISTS files)
    get_property(file GLOBAL PROPERTY "KTUNE_OPENCL_FILE_${stamp}")
    get_property(flags GLOBAL PROPERTY "KTUNE_OPENCL_FLAGS_${stamp}")
    get_property(environment GLOBAL PROPERTY "KTUNE_OPENCL_ENVIRONMENT_${stamp}")
    _ktune_add_command(script "${CMAKE_COMMAND}" -E env ${environment} "${KTUNE_EXECUTABLE}" tune "${file}" --
                       ${flags})
    string(APPEND script "${note}")
    # Of several kernels some may have been tuned.
    _ktune_add_command(script "${CMAKE_COMMAND}" -E touch "${stamp}")
  endforeach()
  string(APPEND script
         "if(failed)\n  message(FATAL_ERROR \"some kernels are left unmodified: the lines above say why\")\n"
         "endif()\n")
  file(GENERATE OUTPUT "${CMAKE_BINARY_DIR}/ktune.cmake" CONTENT "${script}")
  add_custom_target(ktune COMMAND "${CMAKE_COMMAND}" -P "${CMAKE_BINARY_DIR}/ktune.cmake"
                    WORKING_DIRECTORY "${CMAKE_BINARY_DIR}" USES_TERMINAL VERBATIM COMMENT "Tuning kernels")
endfunction()

function(ktune_target target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MODE;LOCK_DIR;BUDGET" "DEVICE")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "ktune_target(${target}): unexpected ${arg_UNPARSED_ARGUMENTS}${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  _ktune_real(target ${target} "ktune_target(${target})")
  if(arg_MODE AND NOT arg_MODE MATCHES "^(auto|cached|require|retune|off)$")
    message(FATAL_ERROR "ktune_target(${target}): MODE is auto, cached, require, retune or off, not ${arg_MODE}")
  endif()
  _ktune_lock_dir(lock_dir "${arg_LOCK_DIR}" "ktune_target(${target})")

  set(options "--lock-dir=${lock_dir}")
  set(environment "KTUNE_LOCK_DIR=${lock_dir}")
  # The default is no option: KTUNE_MODE in the environment decides, as a CI's `require`.
  if("${arg_MODE}" STREQUAL "auto")
    unset(arg_MODE)
  endif()
  foreach(setting MODE BUDGET)
    if(DEFINED arg_${setting})
      string(TOLOWER ${setting} name)
      string(APPEND options ";--${name}=${arg_${setting}}")
    endif()
  endforeach()
  # Not the mode: a target that is built from entries only is tuned by asking for it.
  if(DEFINED arg_BUDGET)
    list(APPEND environment "KTUNE_BUDGET=${arg_BUDGET}")
  endif()
  if(arg_DEVICE)
    string(REPLACE ";" "\\;" devices "${arg_DEVICE}")
    string(APPEND options ";--device=${devices}")
    string(REPLACE ";" "$<SEMICOLON>" devices "${arg_DEVICE}")
    list(APPEND environment "KTUNE_DEVICE=${devices}")
  endif()

  _ktune_set_launcher(${target} "${options}")
  set_property(TARGET ${target} PROPERTY EXPORT_COMPILE_COMMANDS ON)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Xcompiler=-Wno-unknown-pragmas>")

  _ktune_defer()
  get_property(targets GLOBAL PROPERTY KTUNE_TARGETS)
  if(NOT target IN_LIST targets)
    set_property(GLOBAL APPEND PROPERTY KTUNE_TARGETS ${target})
  endif()
  set_property(GLOBAL PROPERTY KTUNE_ENVIRONMENT_${target} "${environment}")
endfunction()

function(ktune_opencl target file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "MODE;STD;LOCK_DIR;BUDGET" "DEFINES;DEVICE")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR
            "ktune_opencl(${target} ${file}): unexpected ${arg_UNPARSED_ARGUMENTS}${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  _ktune_real(target ${target} "ktune_opencl(${target} ${file})")
  if(arg_MODE AND NOT arg_MODE MATCHES "^(auto|require)$")
    message(FATAL_ERROR "ktune_opencl(${target} ${file}): MODE is auto or require, not ${arg_MODE}")
  endif()
  get_filename_component(source "${file}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT source MATCHES "\\.cl$" OR NOT EXISTS "${source}")
    message(FATAL_ERROR "ktune_opencl(${target} ${file}): there is no such .cl file")
  endif()
  _ktune_lock_dir(lock_dir "${arg_LOCK_DIR}" "ktune_opencl(${target} ${file})")

  set(flags "")
  if(arg_STD)
    list(APPEND flags "-cl-std=${arg_STD}")
  endif()
  foreach(define IN LISTS arg_DEFINES)
    string(REPLACE ";" "$<SEMICOLON>" define "${define}")
    list(APPEND flags "-D${define}")
  endforeach()
  set(environment "KTUNE_LOCK_DIR=${lock_dir}")
  if(arg_DEVICE)
    string(REPLACE ";" "$<SEMICOLON>" devices "${arg_DEVICE}")
    list(APPEND environment "KTUNE_DEVICE=${devices}")
  endif()
  if(DEFINED arg_BUDGET)
    list(APPEND environment "KTUNE_BUDGET=${arg_BUDGET}")
  endif()

  get_filename_component(name "${source}" NAME_WLE)
  set(tuned "${CMAKE_CURRENT_BINARY_DIR}/${name}_tuned")
  # Touched by the target `ktune`; it must exist before that.
  if(NOT EXISTS "${tuned}.stamp")
    file(TOUCH "${tuned}.stamp")
  endif()
  set(mode "")
  if(arg_MODE AND NOT arg_MODE STREQUAL "auto")
    set(mode "KTUNE_MODE=${arg_MODE}")
  endif()
  # The time of LOCK_DIR does not change with what is in an entry's folder, where a checkout writes or removes files.
  file(GLOB entries CONFIGURE_DEPENDS "${lock_dir}/*" "${lock_dir}/*/*.json")
  add_custom_command(OUTPUT "${tuned}.cl" "${tuned}.h"
    COMMAND "${CMAKE_COMMAND}" -E env ${environment} ${mode} "${KTUNE_EXECUTABLE}" emit "${source}" -o "${tuned}.cl"
            --header "${tuned}.h" -- ${flags}
    DEPENDS "${source}" "${lock_dir}" ${entries} "${tuned}.stamp" "${KTUNE_EXECUTABLE}"
    COMMENT "Specialising ${name}.cl" VERBATIM)
  target_sources(${target} PRIVATE "${tuned}.h")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")

  _ktune_defer()
  get_property(files GLOBAL PROPERTY KTUNE_OPENCL_FILES)
  if(NOT "${tuned}.stamp" IN_LIST files)
    set_property(GLOBAL APPEND PROPERTY KTUNE_OPENCL_FILES "${tuned}.stamp")
  endif()
  set_property(GLOBAL PROPERTY "KTUNE_OPENCL_FILE_${tuned}.stamp" "${source}")
  set_property(GLOBAL PROPERTY "KTUNE_OPENCL_FLAGS_${tuned}.stamp" "${flags}")
  set_property(GLOBAL PROPERTY "KTUNE_OPENCL_ENVIRONMENT_${tuned}.stamp" "${environment}")
endfunction()
