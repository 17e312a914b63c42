# oneDNN, a yardstick on the CPU: sets dnnl_FOUND and makes the target DNNL::dnnl, which defines
# WB_WITH_ONEDNN. It goes before the configuration that the package brings, because Debian's demands
# the headers of OpenCL.
find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
find_library(DNNL_LIBRARY dnnl)
mark_as_advanced(DNNL_INCLUDE_DIR DNNL_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(dnnl REQUIRED_VARS DNNL_LIBRARY DNNL_INCLUDE_DIR)
if(dnnl_FOUND AND NOT TARGET DNNL::dnnl)
  add_library(DNNL::dnnl UNKNOWN IMPORTED)
  set_target_properties(DNNL::dnnl PROPERTIES IMPORTED_LOCATION ${DNNL_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${DNNL_INCLUDE_DIR}
                        INTERFACE_COMPILE_DEFINITIONS WB_WITH_ONEDNN)
endif()
