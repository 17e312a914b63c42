set(own device/simt)
foreach(name IN ITEMS access atomics backend_simt barriers block calls copies counts faults fibers hooks known launches
        lines machine meetings memory ptx requests runtime_memory streams)
  target_sources(wb_device PRIVATE ${own}/${name}.cpp)
  set_source_files_properties(${own}/${name}.cpp PROPERTIES
    COMPILE_OPTIONS "-isystem${CMAKE_CURRENT_SOURCE_DIR}/${own}/include")
endforeach()
target_compile_definitions(wb_device PUBLIC WB_WITH_SIMT)
target_link_libraries(wb_device PUBLIC Boost::context)
# Reads CUDA C++ and writes C++.
add_executable(simt_translate ${own}/translate.cpp)
target_link_libraries(simt_translate PRIVATE wb_settings wb_quick)
