# The tick for another instruction set: the given units of a library compiled again, tied into one object that
# defines a single symbol for the linker (docs/decisions/0007-instructions.md).
#
# Inline functions and templates of these units, also those of Eigen and the standard library, are in them as weak
# symbols. The linker keeps one definition of each and would give it to everybody, also on a processor that
# cannot run it. Made local they stay where they are.

# knuckleboom_tick_variant(<library> <name> ENTRY <symbol> OPTIONS <compiler's>... DEFINITIONS <macros>...
#                          SOURCES <units>...)
# ENTRY: part of the mangled name of the function that is called from outside.
function(knuckleboom_tick_variant library name)
  cmake_parse_arguments(PARSE_ARGV 2 variant "" "ENTRY" "OPTIONS;DEFINITIONS;SOURCES")
  set(target ${library}_${name})
  set(object "${CMAKE_CURRENT_BINARY_DIR}/${target}.o")
  add_library(${target} OBJECT ${variant_SOURCES})
  target_link_libraries(${target} PRIVATE Eigen3::Eigen)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_definitions(${target} PRIVATE ${variant_DEFINITIONS})
  # Unique symbols cannot be made local, weak ones can.
  target_compile_options(${target} PRIVATE -ffp-contract=off -fno-gnu-unique ${variant_OPTIONS})
  set_target_properties(
    ${target}
    PROPERTIES POSITION_INDEPENDENT_CODE ON
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON
               INTERPROCEDURAL_OPTIMIZATION OFF)
  add_custom_command(
    OUTPUT "${object}"
    COMMAND "${CMAKE_LINKER}" -r --force-group-allocation -o "${object}" $<TARGET_OBJECTS:${target}>
    COMMAND "${CMAKE_OBJCOPY}" --wildcard "--keep-global-symbol=*${variant_ENTRY}*" "${object}"
    DEPENDS $<TARGET_OBJECTS:${target}>
    COMMENT "Tying ${target}"
    COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_sources(${library} PRIVATE "${object}")
endfunction()
