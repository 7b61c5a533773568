# started(TARGET PATH): a program of ours that other programs of ours start is found at PATH.
#
# The kernel starts no program of another machine.  So where the programs of a cross build are run in an emulator
# (CMAKE_CROSSCOMPILING_EMULATOR), PATH is a script that does so, and the program itself lies in emulated/.
list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " EMULATOR)

# in_emulator(PATH EMULATOR TARGET): a script at PATH that runs the program
function(in_emulator path emulator target)
  list(JOIN emulator " " words)
  file(GENERATE OUTPUT "${path}" CONTENT "#!/bin/sh\nexec ${words} '$<TARGET_FILE:${target}>' \"$@\"\n"
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()

function(started target path)
  get_filename_component(folder "${path}" DIRECTORY)
  if(EMULATOR)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/emulated")
    in_emulator("${path}" "${CMAKE_CROSSCOMPILING_EMULATOR}" ${target})
  else()
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${folder}")
  endif()
endfunction()

# started_natively(TARGET PATH SOURCE…): the same for a program that no emulator can run: at PATH is one of the machine
# that compiles, from the same sources.
function(started_natively target path)
  if(NOT EMULATOR)
    started(${target} "${path}")
    return()
  endif()
  find_program(NATIVE_CC cc REQUIRED)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/emulated")
  get_filename_component(folder "${path}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(OUTPUT "${path}" VERBATIM
    COMMAND ${NATIVE_CC} -std=c11 -O2 -D_GNU_SOURCE -I${CMAKE_SOURCE_DIR}/src ${ARGN} -o "${path}" DEPENDS ${ARGN})
  add_custom_target(${target}-native DEPENDS "${path}")
  add_dependencies(${target} ${target}-native)
endfunction()
