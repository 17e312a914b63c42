set(own device/cuda)
target_sources(wb_device PRIVATE ${own}/backend_cuda.cu ${own}/counters_cupti.cpp ${own}/cupti.cpp
               ${own}/fences.cpp ${own}/nvml.cpp ${own}/trace_cupti.cpp)
target_compile_definitions(wb_device PUBLIC WB_WITH_CUDA)
target_link_libraries(wb_device PUBLIC CUDA::cudart_static)
target_sources(peaks PRIVATE ${own}/ceilings_cuda.cu)
target_link_libraries(peaks PRIVATE CUDA::cublas)
# CUPTI is opened at run time; its headers stand apart in the standard installation.
find_path(WB_CUPTI_INCLUDE cupti.h HINTS ${CUDAToolkit_INCLUDE_DIRS}
          ${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/include)
if(WB_CUPTI_INCLUDE)
  target_include_directories(wb_device PRIVATE ${WB_CUPTI_INCLUDE})
endif()
if(CUDA_cupti_LIBRARY)
  target_compile_definitions(wb_device PRIVATE WB_CUPTI_LIBRARY="${CUDA_cupti_LIBRARY}")
endif()
