# A room is a folder of C files that becomes one static library, kt_NAME, and
# may use the rooms named behind USES. Includes are written from ktcc/ down
# ("store/store.h"), so a glance at a file shows which rooms it uses.
function(kt_room name)
  cmake_parse_arguments(ARG "" "" "USES;LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c)
  add_library(kt_${name} STATIC ${sources})
  target_include_directories(kt_${name} PUBLIC ${PROJECT_SOURCE_DIR}/ktcc)
  foreach(room ${ARG_USES})
    target_link_libraries(kt_${name} PUBLIC kt_${room})
  endforeach()
  target_link_libraries(kt_${name} PUBLIC ${ARG_LIBRARIES})
endfunction()

# One cmocka program per tests/unit/NAME/test_*.c, linked with the room NAME.
function(kt_unit_tests name)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/test_*.c)
  foreach(source ${sources})
    get_filename_component(test ${source} NAME_WE)
    set(target unit_${name}_${test})
    add_executable(${target} ${source})
    target_link_libraries(${target} PRIVATE ${ARG_USES} cmocka)
    target_compile_definitions(${target} PRIVATE KT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    add_test(NAME unit/${name}/${test} COMMAND ${target})
  endforeach()
endfunction()
