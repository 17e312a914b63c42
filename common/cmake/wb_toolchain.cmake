# Compiler settings as interface targets, and whether this build has CUDA.
#
#   WB_CUDA=AUTO|ON|OFF        AUTO: on when nvcc and a GPU are both here
#   WB_CUDA_ARCHITECTURES      empty: this machine's GPU, else 75, 80 and 90a
#   WB_SANITIZE=ON|thread      address and undefined behaviour sanitizers; or ThreadSanitizer, with
#                              clang++, for libgomp gives it false alarms: it sees no barrier there

set(WB_CUDA AUTO CACHE STRING "Build the CUDA variants: AUTO, ON or OFF")
set(WB_CUDA_ARCHITECTURES "" CACHE STRING "CUDA architectures; empty chooses")
set(WB_SANITIZE OFF CACHE STRING "Sanitizers: OFF, ON (address, undefined behaviour) or thread")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
# From CMake 3.27 on the linker would write what it read to a file where `grade` lets it write nothing.
set(CMAKE_LINK_DEPENDS_USE_LINKER OFF)

# ccache that hits in another checkout: paths below this one count as relative, where the build stands
# does not count, and errors still show whole paths. Headers compiled beforehand need the sloppiness
# (ccache's manual, "Precompiled headers"). To ccache -march=native is a word like any other, so what
# the processor can do counts, too: folders are shared between machines. What the user has set stays.
find_program(CCACHE ccache)
if(CCACHE)
  execute_process(COMMAND ${CCACHE} --show-config OUTPUT_VARIABLE ccache_config ERROR_QUIET)
  set(launcher env)
  file(STRINGS /proc/cpuinfo processor REGEX "^(model name|flags|Features)" LIMIT_COUNT 2)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/processor.txt CONTENT "${processor}\n")
  foreach(setting "base_dir CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" "hash_dir CCACHE_NOHASHDIR=1"
                  "extra_files_to_hash CCACHE_EXTRAFILES=${CMAKE_BINARY_DIR}/processor.txt"
                  "absolute_paths_in_stderr CCACHE_ABSSTDERR=1"
                  "depend_mode CCACHE_DEPEND=1" "sloppiness CCACHE_SLOPPINESS=pch_defines,time_macros")
    string(REGEX MATCH "^([a-z_]+) (.*)" setting "${setting}")
    set(assignment "${CMAKE_MATCH_2}")
    if(ccache_config MATCHES "\\(default\\) ${CMAKE_MATCH_1} =")
      list(APPEND launcher "${assignment}")
    endif()
  endforeach()
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher} ${CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${launcher} ${CCACHE})
endif()

find_package(Threads REQUIRED)
find_package(OpenMP COMPONENTS CXX)
if(NOT OpenMP_CXX_FOUND)
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} has no OpenMP: for clang++ install libomp-dev")
endif()

# Everything is compiled with these.
add_library(wb_settings INTERFACE)
cmake_path(SET public_headers NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../include)
target_include_directories(wb_settings INTERFACE ${public_headers})
target_compile_options(wb_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC bug 105651: warns of std::string's own copies.
  target_compile_options(wb_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(WB_SANITIZE STREQUAL "thread")
  # Archer, a part of LLVM's OpenMP, tells the sanitizer of barriers, forks and joins.
  cmake_path(GET OpenMP_omp_LIBRARY PARENT_PATH omp_folder)
  find_library(WB_ARCHER archer HINTS ${omp_folder})
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR NOT WB_ARCHER)
    message(FATAL_ERROR "WB_SANITIZE=thread takes clang++ and libomp-dev with libarcher.so")
  endif()
  target_compile_options(wb_settings INTERFACE -fsanitize=thread)
  target_link_options(wb_settings INTERFACE -fsanitize=thread)
  set(wb_test_environment "OMP_TOOL_LIBRARIES=${WB_ARCHER}"
      "TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1")
elseif(WB_SANITIZE)
  target_compile_options(wb_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined
                                               -fno-sanitize-recover=undefined -fno-omit-frame-pointer>)
  target_link_options(wb_settings INTERFACE -fsanitize=address,undefined)
endif()

# For what runs before and behind that which is timed: compiled in less time. The last -O of a command
# line counts.
add_library(wb_quick INTERFACE)
if(NOT WB_SANITIZE)  # its preset asks for less
  target_compile_options(wb_quick INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Og>)
endif()

# wb_precompile(TARGET [LIBRARY...] HEADERS <header>...): compiles these headers once, for all targets
# with the settings of those libraries: target_precompile_headers(... REUSE_FROM TARGET). Headers of
# the system alone, so that no change of ours compiles everything anew.
function(wb_precompile name)
  cmake_parse_arguments(ARG "" "" "HEADERS" ${ARGN})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${name}.cpp CONTENT "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE ${ARG_UNPARSED_ARGUMENTS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

# CPU variants: what a user would build for the machine at hand.
add_library(wb_cpu_variant INTERFACE)
# Vectors may be wider than the machine's: no function of another compiler takes them. -g1: the lines
# that `./workbook asm` and perf show; it changes no instruction, as -lineinfo above changes none.
# No program here asks for a signal when an operation is invalid. With that said, GCC makes vectors of
# `x < 0 ? a * x : x` where a machine has no masks (AVX2), too, as Clang does unasked.
# How fast a loop is can depend on where it lies in a line of the cache, and where that is on all that is
# linked before it. At the beginning of a line it is as fast in every program.
set(wb_cpu_flags -march=native -Wno-psabi -fno-trapping-math -falign-loops=64)
target_compile_options(wb_cpu_variant INTERFACE ${wb_cpu_flags} -g1)
target_link_libraries(wb_cpu_variant INTERFACE wb_settings OpenMP::OpenMP_CXX)
wb_precompile(wb_variant_headers wb_cpu_variant HEADERS <algorithm> <cmath> <cstdint> <functional>
              <memory> <optional> <stdexcept> <string> <string_view> <vector>)

# oneDNN, an optional yardstick on the CPU: ${onednn} is then a library that defines WB_WITH_ONEDNN.
# The configuration that Debian's package brings demands the headers of OpenCL.
find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
find_library(DNNL_LIBRARY dnnl)
if(DNNL_INCLUDE_DIR AND DNNL_LIBRARY)
  set(onednn DNNL::dnnl)
  add_library(${onednn} UNKNOWN IMPORTED)
  set_target_properties(${onednn} PROPERTIES IMPORTED_LOCATION ${DNNL_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${DNNL_INCLUDE_DIR}
                        INTERFACE_COMPILE_DEFINITIONS WB_WITH_ONEDNN)
endif()

# The GPU's architecture, e.g. "90a-real"; empty without a GPU.
execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                OUTPUT_VARIABLE gpu_capability ERROR_QUIET RESULT_VARIABLE gpu_missing TIMEOUT 10)
set(gpu_architectures "")
if(NOT gpu_missing AND gpu_capability MATCHES "^[0-9]+\\.[0-9]")
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" gpu_architectures "${gpu_capability}")
  list(TRANSFORM gpu_architectures REPLACE "\\." "")
  list(TRANSFORM gpu_architectures REPLACE "^(90|100|120)$" "\\1a")  # wgmma, TMA multicast
  list(TRANSFORM gpu_architectures APPEND "-real")
  list(REMOVE_DUPLICATES gpu_architectures)
endif()

set(WB_WITH_CUDA OFF)
if(WB_CUDA STREQUAL "ON" OR (WB_CUDA STREQUAL "AUTO" AND gpu_architectures))
  if(NOT CMAKE_CUDA_COMPILER AND "$ENV{CUDACXX}" STREQUAL "")
    find_program(WB_NVCC nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda/bin PATH_SUFFIXES bin)
    if(WB_NVCC)
      set(CMAKE_CUDA_COMPILER ${WB_NVCC} CACHE FILEPATH "CUDA compiler")
    endif()
  endif()
  if(CMAKE_CUDA_COMPILER OR NOT "$ENV{CUDACXX}" STREQUAL "" OR WB_CUDA STREQUAL "ON")
    if(WB_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES ${WB_CUDA_ARCHITECTURES})
    elseif(gpu_architectures)
      set(CMAKE_CUDA_ARCHITECTURES ${gpu_architectures})
    else()
      set(CMAKE_CUDA_ARCHITECTURES 75-real 80 90a-real)
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit 12 REQUIRED)
    set(WB_WITH_CUDA ON)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 knows no C++20 flag for nvcc 13
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
    target_compile_options(wb_settings INTERFACE
      $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo --expt-relaxed-constexpr -Xcompiler=-Wall,-fopenmp>)
  endif()
endif()
# An emulated GPU for the same variants, in a build of its own: device/simt.
option(WB_SIMT "Build the CUDA variants for the emulated GPU" OFF)
set(WB_WITH_SIMT OFF)
if(WB_SIMT)
  find_package(Boost REQUIRED COMPONENTS context)
  set(WB_WITH_SIMT ON)
endif()
message(STATUS "CUDA variants: ${WB_WITH_CUDA} ${CMAKE_CUDA_ARCHITECTURES}")
