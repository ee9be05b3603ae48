# Makes find_package() answer for the libraries of which Debian has no archive: they are built here, from the sources or
# headers of Debian's own packages.
set(sonde_portable_sources ${CMAKE_CURRENT_LIST_DIR})

# The instantiations that libfmt.so holds.
function(sonde_portable_add_fmt)
  add_library(sonde_portable_fmt STATIC ${sonde_portable_sources}/fmt_library.cc)
  add_library(fmt::fmt ALIAS sonde_portable_fmt)
endfunction()

function(sonde_portable_add_simdjson)
  add_library(sonde_portable_simdjson STATIC ${CMAKE_SYSROOT}/usr/src/simdjson/simdjson.cpp)
  target_include_directories(sonde_portable_simdjson SYSTEM PUBLIC ${CMAKE_SYSROOT}/usr/src/simdjson)
  add_library(simdjson::simdjson ALIAS sonde_portable_simdjson)
endfunction()

function(sonde_portable_add_yaml-cpp)
  add_library(yaml-cpp INTERFACE IMPORTED GLOBAL)
  target_link_libraries(yaml-cpp INTERFACE -lyaml-cpp)
  file(GLOB package ${CMAKE_SYSROOT}/usr/lib/*/pkgconfig/yaml-cpp.pc)
  file(STRINGS ${package} line REGEX "^Version:")
  string(REGEX REPLACE "^Version: *" "" version "${line}")
  set(yaml-cpp_VERSION ${version} CACHE INTERNAL "")
endfunction()

function(sonde_portable_add_spdlog)
  add_library(spdlog::spdlog INTERFACE IMPORTED GLOBAL)
  target_compile_definitions(spdlog::spdlog INTERFACE SPDLOG_FMT_EXTERNAL)
  target_link_libraries(spdlog::spdlog INTERFACE fmt::fmt)
endfunction()

# For tests only, which a portable build has none of.
function(sonde_portable_add_prometheus-cpp)
endfunction()

macro(sonde_portable_find method name)
  if(COMMAND sonde_portable_add_${name})
    get_property(done GLOBAL PROPERTY sonde_portable_${name})
    if(NOT done)
      cmake_language(CALL sonde_portable_add_${name})
      set_property(GLOBAL PROPERTY sonde_portable_${name} TRUE)
    endif()
    set(${name}_FOUND TRUE)
  endif()
endmacro()
cmake_language(SET_DEPENDENCY_PROVIDER sonde_portable_find SUPPORTED_METHODS FIND_PACKAGE)
