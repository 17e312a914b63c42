# wb_add_lesson(FOLDER [CPU library...] [CUDA library...] [EXERCISE_CPU library...]
#               [EXERCISE_CUDA library...])
#
# Makes a lesson's programs from the files in FOLDER: extension = dialect, stem = role; but
# *_test.cpp, and what lies in bank/, are tests of its own. A variant that chooses among many plans,
# all_shapes, has a folder of that name for itself and its headers. With a folder 02_add that holds
# baseline, optimized, library, exercise and solution:
#   add                  every variant but exercise and solution, interleaved: what comparisons run
#   baseline_add ...     links to it; started by such a name it runs that variant alone
#   solution_add         what add has and the solution, for those who name it
#   add_test             verifies all variants at every test shape, and runs the tests of its own,
#                        which find the headers of common/tests; built by the target `tests`
#   exercise_add         the exercise alone. `add --exercise=exercise_add` puts it beside all of these,
#                        `add_test --exercise=exercise_add` verifies it, and both judge it from
#                        outside. Built by the target `exercises`: nothing else depends on the
#                        student's file.
# by_hand.cpp and by_hand.cu, programs without the harness, are their chapter's.
# CPU and CUDA name what these backends' variants link with, all but the exercise: that links with
# what EXERCISE_CPU and EXERCISE_CUDA name, for a library's product is nobody's own work. The
# variants' list has these, too.
set_property(GLOBAL PROPERTY wb_catalogue "")

include(${CMAKE_CURRENT_LIST_DIR}/wb_backends.cmake)

# wb_add_test(NAME COMMAND [ARGUMENT...]): a test with a time limit, which takes all that it started
# with it.
function(wb_add_test name)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT 900 ENVIRONMENT "${wb_test_environment}")
endfunction()

# The same for a program of GoogleTest. What it found counts as GoogleTest reports it in a file, never
# as the program prints it.
function(wb_add_googletest name program)
  string(REPLACE "/" "_" file ${name})
  wb_add_test(${name} ${program} ${ARGN} --gtest_output=json:${CMAKE_BINARY_DIR}/reports/${file}.json)
endfunction()

function(wb_add_lesson folder)
  if(NOT folder MATCHES "^[A-Za-z0-9_/.-]+$")  # no target has such a name
    message(WARNING "${folder} is left out: a lesson's folder has letters, digits and _ in its name")
    return()
  endif()
  list(TRANSFORM WB_BACKENDS TOUPPER OUTPUT_VARIABLE names)
  list(TRANSFORM names PREPEND EXERCISE_ OUTPUT_VARIABLE exercise_names)
  cmake_parse_arguments(ARG "" "" "${names};${exercise_names}" ${ARGN})
  set(bin ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  set(dir ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
  file(RELATIVE_PATH lesson ${CMAKE_SOURCE_DIR} ${dir})
  string(REGEX REPLACE "^[0-9]+_" "" short ${folder})
  string(REPLACE "/" "_" short ${short})

  set(roles "")
  set(entries "")
  set(left_out "")
  set(libraries "")
  set(exercise_libraries "")
  file(GLOB own_tests CONFIGURE_DEPENDS ${dir}/*_test.cpp)
  foreach(backend ${wb_built})
    string(TOUPPER ${backend} own)
    list(APPEND libraries ${ARG_${own}})
    list(APPEND exercise_libraries ${ARG_EXERCISE_${own}})
    set(dialect ${wb_dialect_${backend}})
    file(GLOB sources CONFIGURE_DEPENDS ${dir}/bank/*${dialect})
    list(APPEND own_tests ${sources})
    file(GLOB sources CONFIGURE_DEPENDS ${dir}/*${dialect} ${dir}/all_shapes/all_shapes${dialect})
    # A candidate is a search's to compile.
    list(FILTER sources EXCLUDE REGEX "_test[.]cpp$|/(candidate|by_hand)[.]")
    foreach(source ${sources})
      cmake_path(GET source STEM role)
      if(backend STREQUAL simt)
        wb_needs_gpu(needs ${source})
        if(needs)
          string(APPEND left_out ",{\"variant\":\"${role}${dialect}\",\"needs\":\"${needs}\"}")
          continue()
        endif()
      endif()
      set(object ${short}_${role}_${backend})
      set(linked ${ARG_${own}})
      if(role STREQUAL "exercise")
        set(linked ${ARG_EXERCISE_${own}})
      endif()
      add_library(${object} OBJECT ${source})
      target_compile_definitions(${object} PRIVATE WB_LESSON="${lesson}" WB_BACKEND="${backend}")
      if(EXISTS ${dir}/baseline${dialect} AND NOT role MATCHES "^(baseline|exercise)$")
        target_compile_definitions(${object} PRIVATE WB_PROBLEM_IN_BASELINE)
      endif()
      if(dialect STREQUAL .cpp)
        target_link_libraries(${object} PRIVATE wb_cpu_variant ${linked})
        target_precompile_headers(${object} REUSE_FROM wb_variant_headers)
      elseif(backend STREQUAL simt)
        wb_emulate(${object} ${source})
        target_link_libraries(${object} PRIVATE wb_settings)
      else()
        target_link_libraries(${object} PRIVATE wb_settings ${linked})
      endif()
      if(role MATCHES "^(exercise|solution)$")  # nobody's build fails because of it, or waits for it
        set_target_properties(${object} PROPERTIES EXCLUDE_FROM_ALL ON)
      endif()
      string(APPEND entries ",{\"variant\":\"${role}\",\"backend\":\"${backend}\"}")
      list(APPEND objects_${role} $<TARGET_OBJECTS:${object}>)
      list(APPEND roles ${role})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES roles)
  if(NOT roles)  # costs no other lesson anything
    file(GLOB elsewhere ${dir}/baseline.*)  # for a backend that this build does not have
    if(NOT elsewhere)
      message(WARNING "${lesson} has no variants, so it is left out")
    endif()
    return()
  endif()

  set(all "")
  file(MAKE_DIRECTORY ${bin})
  foreach(role ${roles})
    if(NOT role MATCHES "^(exercise|solution)$")
      file(CREATE_LINK ${short} ${bin}/${role}_${short} SYMBOLIC)
      list(APPEND all ${objects_${role}})
    endif()
  endforeach()
  set_property(GLOBAL PROPERTY wb_objects_${short} "${all}")  # for further programs of a chapter
  add_executable(${short} ${all})
  target_link_libraries(${short} PRIVATE wb_lesson_main ${libraries})
  add_executable(solution_${short} EXCLUDE_FROM_ALL ${all} ${objects_solution})
  target_link_libraries(solution_${short} PRIVATE wb_lesson_main ${libraries})
  add_executable(${short}_test EXCLUDE_FROM_ALL ${all} ${objects_solution})
  target_link_libraries(${short}_test PRIVATE wb_test_main ${libraries})
  if(own_tests)
    add_library(${short}_own_tests OBJECT EXCLUDE_FROM_ALL ${own_tests})
    target_link_libraries(${short}_own_tests PRIVATE wb_test_main wb_quick)
    target_include_directories(${short}_own_tests PRIVATE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../tests)
    target_precompile_headers(${short}_own_tests REUSE_FROM wb_test_headers)
    target_sources(${short}_test PRIVATE $<TARGET_OBJECTS:${short}_own_tests>)
  endif()
  wb_add_googletest(${lesson} ${short}_test)
  add_dependencies(tests ${short}_test)

  if(objects_exercise)
    add_executable(exercise_${short} EXCLUDE_FROM_ALL ${objects_exercise})
    target_link_libraries(exercise_${short} PRIVATE wb_lesson_main ${exercise_libraries})
    wb_add_googletest(${lesson}/exercise ${short}_test --exercise=$<TARGET_FILE:exercise_${short}>)
    add_dependencies(exercises exercise_${short} ${short}_test)
  endif()

  string(REGEX REPLACE "^," "" entries "${entries}")
  string(REGEX REPLACE "^," "" left_out "${left_out}")
  set_property(GLOBAL APPEND PROPERTY wb_catalogue
    "{\"lesson\":\"${lesson}\",\"program\":\"${short}\",\"variants\":[${entries}],\"left_out\":[${left_out}]}")
endfunction()
add_custom_target(exercises)
add_custom_target(tests)

function(wb_write_catalogue)
  get_property(lessons GLOBAL PROPERTY wb_catalogue)
  list(JOIN lessons ",\n" lessons)
  set(backends "")
  foreach(b ${wb_built})
    list(APPEND backends "${wb_entry_${b}}")
  endforeach()
  list(JOIN backends "," backends)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/lessons.json CONTENT
    "{\"source\":\"${CMAKE_SOURCE_DIR}\",\"backends\":[${backends}],\"lessons\":[\n${lessons}\n]}\n")
endfunction()
