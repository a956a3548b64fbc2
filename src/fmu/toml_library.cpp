// As libraries.cpp; a unit of its own, since it takes long.
#define TOML_HEADER_ONLY 0
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
