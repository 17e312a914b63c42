# The harness's own tests.
add_custom_target(harness_tests)
add_dependencies(tests harness_tests)

# One program a file; a test that needs more sources names them.
function(wb_test source)
  cmake_path(GET source STEM name)
  add_executable(${name} EXCLUDE_FROM_ALL ${source} ${ARGN})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/common)
  target_link_libraries(${name} PRIVATE wb_test_main wb_report wb_quick)
  target_precompile_headers(${name} REUSE_FROM wb_test_headers)
  add_dependencies(harness_tests ${name})
  wb_add_googletest(common/${name} ${name})
endfunction()

set(bank wrong dishonest late right gemm)
list(TRANSFORM bank REPLACE "(.+)" "bank/\\1.cpp")
if(WB_WITH_CUDA)
  list(TRANSFORM bank REPLACE "(.+).cpp" "\\1.cpp;\\1.cu")
  set(pipeline bank/pipeline.cu)
endif()

wb_test(statistics_test.cpp)
wb_test(trace_test.cpp)
wb_test(answers_test.cpp)
wb_test(harness_test.cpp bank/right.cpp)
wb_test(runner_test.cpp bank/right.cpp)
wb_test(backend_test.cpp bank/right.cpp)
target_link_libraries(backend_test PRIVATE wb_driver)
target_compile_definitions(backend_test PRIVATE WB_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
wb_test(needs_test.cpp)
wb_test(bank_test.cpp ${bank})
wb_test(disturbance_test.cpp bank/pipeline.cpp ${pipeline})
wb_test(neighbours_test.cpp)
wb_test(rounds_test.cpp)
wb_test(half_test.cpp)
wb_test(options_test.cpp)
wb_test(requests_test.cpp)
wb_test(document_test.cpp)
wb_test(report_test.cpp)
wb_test(json_test.cpp)
wb_test(words_test.cpp)
wb_test(names_test.cpp)
wb_test(timeline_test.cpp)
wb_test(peer_test.cpp)
wb_test(journal_test.cpp)
wb_test(pool_test.cpp)
wb_test(process_test.cpp)
wb_test(plot_test.cpp)
wb_test(sweep_test.cpp)
wb_test(page_test.cpp)
wb_test(language_test.cpp)
wb_test(fuzz_test.cpp)
foreach(test cli doctor exercise)  # these call the driver's own functions
  wb_test(${test}_test.cpp)
  target_link_libraries(${test}_test PRIVATE wb_driver)
endforeach()
wb_test(readme_test.cpp)
foreach(test class_page rubric)
  wb_test(${test}_test.cpp)
  target_link_libraries(${test}_test PRIVATE wb_classroom)
endforeach()
foreach(test document exercise fuzz names needs readme)
  target_link_libraries(${test}_test PRIVATE wb_pages)
endforeach()
target_link_libraries(fuzz_test PRIVATE wb_driver wb_options)
target_link_libraries(options_test PRIVATE wb_options)
target_compile_definitions(cli_test PRIVATE WB_DRIVER="$<TARGET_FILE:workbook_driver>")
target_compile_definitions(exercise_test PRIVATE WB_BUILD_FOLDER="${CMAKE_BINARY_DIR}")
# These read the lessons' folders. `ninja rules` builds and runs them alone.
add_custom_target(rules COMMAND ${CMAKE_COMMAND} -E env GTEST_BRIEF=1
                                ${CMAKE_CTEST_COMMAND} --output-on-failure -L rules USES_TERMINAL)
foreach(test readme names page language exercise peer)
  target_compile_definitions(${test}_test PRIVATE WB_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  set_tests_properties(common/${test}_test PROPERTIES LABELS rules)
  add_dependencies(rules ${test}_test)
endforeach()
add_dependencies(cli_test workbook_driver workbook_classroom workbook_pages)
# A lesson of the tests' own; the driver knows of it in its test alone.
add_library(axes_variants OBJECT EXCLUDE_FROM_ALL axes_lesson/baseline.cpp axes_lesson/optimized.cpp)
target_compile_definitions(axes_variants PRIVATE WB_LESSON="common/tests/axes_lesson")
target_link_libraries(axes_variants PRIVATE wb_settings)
add_executable(axes_lesson EXCLUDE_FROM_ALL $<TARGET_OBJECTS:axes_variants>)
target_link_libraries(axes_lesson PRIVATE wb_lesson_main)
wb_test(axes_test.cpp $<TARGET_OBJECTS:axes_variants>)
target_compile_definitions(axes_test PRIVATE WB_DRIVER="$<TARGET_FILE:workbook_driver>"
                                             WB_AXES_LESSON="$<TARGET_FILE:axes_lesson>")
add_dependencies(axes_test workbook_driver axes_lesson)
# A lesson with an exercise that does not play by the rules.
add_library(dishonest_variants OBJECT EXCLUDE_FROM_ALL dishonest/baseline.cpp dishonest/optimized.cpp)
add_executable(dishonest_lesson EXCLUDE_FROM_ALL $<TARGET_OBJECTS:dishonest_variants>)
add_executable(dishonest_exercise EXCLUDE_FROM_ALL dishonest/exercise.cpp)
add_executable(dishonest_lesson_test EXCLUDE_FROM_ALL $<TARGET_OBJECTS:dishonest_variants>)
wb_test(dishonest_test.cpp $<TARGET_OBJECTS:dishonest_variants>)
target_compile_definitions(dishonest_test PRIVATE
  WB_DRIVER="$<TARGET_FILE:workbook_driver>" WB_LESSON_PROGRAM="$<TARGET_FILE:dishonest_lesson>"
  WB_DISHONEST_EXERCISE="$<TARGET_FILE:dishonest_exercise>"
  WB_LESSON_TEST="$<TARGET_FILE:dishonest_lesson_test>")
add_dependencies(dishonest_test workbook_driver dishonest_lesson dishonest_exercise dishonest_lesson_test)
foreach(target dishonest_variants dishonest_lesson dishonest_exercise dishonest_lesson_test)
  target_compile_definitions(${target} PRIVATE WB_LESSON="common/tests/dishonest")
  target_link_libraries(${target} PRIVATE wb_settings)
endforeach()
target_link_libraries(dishonest_lesson PRIVATE wb_lesson_main)
target_link_libraries(dishonest_exercise PRIVATE wb_lesson_main)
target_link_libraries(dishonest_lesson_test PRIVATE wb_test_main)
if(WB_WITH_CUDA)
  wb_test(cuda/cuda_backend_test.cu)
  add_executable(bank_failing EXCLUDE_FROM_ALL bank/failing.cu)
  target_include_directories(bank_failing PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(bank_failing PRIVATE wb_lesson_main)
  wb_test(cuda/failing_test.cpp)
  target_compile_definitions(failing_test PRIVATE WB_FAILING="$<TARGET_FILE:bank_failing>")
  add_dependencies(failing_test bank_failing)
endif()
# These look at measured times, so no other test runs beside them.
foreach(test cuda_backend neighbours rounds)
  if(TARGET ${test}_test)
    set_tests_properties(common/${test}_test PROPERTIES RUN_SERIAL ON)
  endif()
endforeach()
if(NOT WB_SANITIZE)  # AddressSanitizer maps terabytes, and grading limits memory
  wb_add_test(common/grade ${CMAKE_SOURCE_DIR}/.ci/grade/grade_test.sh ${CMAKE_BINARY_DIR})
  set_tests_properties(common/grade PROPERTIES COST 60)  # the longest: where tests run side by side, first
endif()
wb_add_test(common/bootstrap ${CMAKE_CURRENT_SOURCE_DIR}/bootstrap_test.sh)

# Which headers each room finds.
set(rooms "lessons;$<TARGET_PROPERTY:wb_cpu_variant,INTERFACE_INCLUDE_DIRECTORIES>\n")
foreach(room base model device measure judged report pages driver classroom)
  string(APPEND rooms "${room};$<TARGET_PROPERTY:wb_${room},INCLUDE_DIRECTORIES>\n")
endforeach()
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/rooms.txt CONTENT "${rooms}")
wb_add_test(common/rooms ${CMAKE_CURRENT_SOURCE_DIR}/rooms_test.sh ${CMAKE_CXX_COMPILER}
         ${CMAKE_CURRENT_BINARY_DIR}/rooms.txt)

# The lesson that AUTHORS.md spells out, against the harness that is compiled here. What the
# libraries need (settings, packages) the test's own CMakeLists.txt brings: hence APPEND, which allows
# that.
file(REMOVE ${CMAKE_BINARY_DIR}/harness.cmake)
export(TARGETS wb_base wb_model wb_device wb_measure wb_judged wb_report wb_flags wb_options wb_lesson_main wb_test_main
       APPEND FILE ${CMAKE_BINARY_DIR}/harness.cmake)
wb_add_test(common/readme_lesson
            ${CMAKE_CURRENT_SOURCE_DIR}/readme_lesson_test.sh ${CMAKE_BINARY_DIR}
            -DWB_CUDA=OFF -DHARNESS_WITH_CUDA=${WB_WITH_CUDA} -DWB_SANITIZE=${WB_SANITIZE}
            -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER})
add_dependencies(harness_tests wb_lesson_main wb_report workbook_driver workbook_classroom
                               workbook_pages)
