# What the emulated GPU does not have: a name in the code, and what a reader calls it.
set(wb_needs_gpu_of
  "cublas=cuBLAS" "curand=cuRAND" "<cub/=CUB" "nccl=NCCL" "nvrtc|candidate_cuda[.]h=NVRTC"
  "wgmma|tensor_map|<cuda[.]h>=instructions of Hopper's")

# wb_needs_gpu(RESULT FILE): what the emulated GPU lacks for this file and all that it includes, ""
# where it lacks nothing. Comments may name anything.
function(wb_needs_gpu result file)
  get_property(known GLOBAL PROPERTY wb_needs_gpu_${file} SET)
  if(NOT known)
    set_property(GLOBAL PROPERTY wb_needs_gpu_${file} "")  # headers may include each other
    file(READ ${file} text)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    string(REGEX REPLACE "//[^\n]*" "" text "${text}")
    set(needs "")
    foreach(pair ${wb_needs_gpu_of})
      string(REGEX MATCH "^(.*)=(.*)$" pair "${pair}")
      set(name "${CMAKE_MATCH_1}")
      set(what "${CMAKE_MATCH_2}")
      if(NOT needs AND text MATCHES "${name}")
        set(needs "${what}")
      endif()
    endforeach()
    string(REGEX MATCHALL "#include \"[^\"]+\"" includes "${text}")
    cmake_path(GET file PARENT_PATH folder)
    foreach(include ${includes})
      string(REGEX REPLACE ".*\"(.*)\"" "\\1" name "${include}")
      cmake_path(SET header NORMALIZE ${folder}/${name})
      if(NOT needs AND EXISTS ${header})
        wb_needs_gpu(needs ${header})
      endif()
    endforeach()
    set_property(GLOBAL PROPERTY wb_needs_gpu_${file} "${needs}")
  endif()
  get_property(needs GLOBAL PROPERTY wb_needs_gpu_${file})
  set(${result} "${needs}" PARENT_SCOPE)
endfunction()

# wb_emulate(TARGET SOURCE...): these CUDA sources of the target are compiled for the emulated GPU.
function(wb_emulate target)
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX)
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
    "${PROJECT_SOURCE_DIR}/common/device/simt/compile.sh;$<TARGET_FILE:simt_translate>")
  target_include_directories(${target} SYSTEM PRIVATE ${PROJECT_SOURCE_DIR}/common/device/simt/include
                             ${PROJECT_SOURCE_DIR}/common)
  add_dependencies(${target} simt_translate)
endfunction()
