set(own device/cpu)
target_sources(wb_device PRIVATE ${own}/apart.cpp ${own}/backend_cpu.cpp ${own}/ceilings_cpu.cpp
               ${own}/disturbance.cpp ${own}/memory.cpp ${own}/perf_events.cpp ${own}/spans.cpp)
# Measuring what this machine can do needs its instructions.
set_source_files_properties(${own}/ceilings_cpu.cpp PROPERTIES COMPILE_OPTIONS "${wb_cpu_flags}")
