# The backends that the sources know, a line each. This is the one table that the others are made
# of: ./workbook reads these lines, the harness base/build_info.h, the driver lessons.json.
#
# wb_backend(NAME EXTENSION .x DEVICE WORD [DISASSEMBLER TOOL] [ACCELERATOR] [SMALL_CASES] [SANITIZER]
#            [UNTIMED] [STEPS NUMBER] [CUDA] [SIMT])
#   EXTENSION    of its variants' files, their dialect, which several backends may share
#   DEVICE       as pages call it
#   DISASSEMBLER lists the machine code of its variants, for `asm`
#   ACCELERATOR  stands beside the host: memory of its own behind a link, work in a queue
#   SMALL_CASES  takes the cases that lessons have for a CPU
#   SANITIZER    compute-sanitizer looks into it
#   UNTIMED      its answers count and its times do not
#   STEPS        that the tests of an exercise may take there, so that they end after a few seconds
#   CUDA         is compiled by nvcc and runs on a GPU of NVIDIA: only builds with CUDA have it
#   SIMT         only builds of the preset simt have it
set(WB_BACKENDS "")
set(wb_built "")  # those of this build
set(wb_backend_table "")  # rows of C++: name, extension, traits
macro(wb_backend name)
  cmake_parse_arguments(wb_arg "ACCELERATOR;SMALL_CASES;SANITIZER;UNTIMED;CUDA;SIMT" "EXTENSION;DEVICE;DISASSEMBLER;STEPS" "" ${ARGN})
  if(NOT wb_arg_STEPS)
    set(wb_arg_STEPS 0)  # any number
  endif()
  string(TOLOWER "${wb_arg_ACCELERATOR}" accelerator)
  string(TOLOWER "${wb_arg_SMALL_CASES}" small_cases)
  string(TOLOWER "${wb_arg_SANITIZER}" sanitizer)
  string(TOLOWER "${wb_arg_UNTIMED}" untimed)
  list(APPEND WB_BACKENDS ${name})
  set(wb_dialect_${name} ${wb_arg_EXTENSION})
  string(CONCAT wb_entry_${name}
    "{\"name\":\"${name}\",\"extension\":\"${wb_arg_EXTENSION}\",\"device\":\"${wb_arg_DEVICE}\","
    "\"disassembler\":\"${wb_arg_DISASSEMBLER}\","
    "\"accelerator\":${accelerator},\"sanitizer\":${sanitizer},\"untimed\":${untimed}}")
  string(APPEND wb_backend_table
    "{\"${name}\", \"${wb_arg_EXTENSION}\", {${accelerator}, ${small_cases}, ${untimed}, ${wb_arg_STEPS}}},")
  if((WB_WITH_CUDA OR NOT wb_arg_CUDA) AND (WB_WITH_SIMT OR NOT wb_arg_SIMT))
    list(APPEND wb_built ${name})
  endif()
endmacro()

# The one that `auto` likes best comes last.
wb_backend(cpu EXTENSION .cpp DEVICE CPU DISASSEMBLER objdump SMALL_CASES)
wb_backend(simt EXTENSION .cu DEVICE "emulated GPU" SMALL_CASES UNTIMED STEPS 10000000 SIMT)
wb_backend(cuda EXTENSION .cu DEVICE GPU DISASSEMBLER nvdisasm ACCELERATOR SANITIZER CUDA)

if(WB_WITH_SIMT)
  include(${CMAKE_CURRENT_LIST_DIR}/../device/simt/emulate.cmake)
endif()
