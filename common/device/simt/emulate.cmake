# wb_emulated(RESULT FILE): whether the emulated GPU can have this file. Not where it, or what it
# includes, names a library of CUDA's, a cluster or an instruction of Hopper's.
function(wb_emulated result file)
  get_property(known GLOBAL PROPERTY wb_emulated_${file})
  if("${known}" STREQUAL "")
    set(known yes)
    set_property(GLOBAL PROPERTY wb_emulated_${file} yes)  # headers may include each other
    file(READ ${file} text)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    if(text MATCHES "cublas|curand|<cub/|nccl|this_cluster|cluster[.]|mbarrier|wgmma|cuda[.]h>|tensor_map|cudaGraphExecKernelNode")
      set(known no)
    else()
      string(REGEX MATCHALL "#include \"[^\"]+\"" includes "${text}")
      cmake_path(GET file PARENT_PATH folder)
      foreach(include ${includes})
        string(REGEX REPLACE ".*\"(.*)\"" "\\1" name "${include}")
        cmake_path(SET header NORMALIZE ${folder}/${name})
        if(EXISTS ${header})
          wb_emulated(good ${header})
          if(NOT good)
            set(known no)
          endif()
        endif()
      endforeach()
    endif()
    set_property(GLOBAL PROPERTY wb_emulated_${file} ${known})
  endif()
  set(${result} ${known} PARENT_SCOPE)
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
