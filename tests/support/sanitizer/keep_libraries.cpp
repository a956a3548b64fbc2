// For sanitizer builds only: libraries that a process opens stay until its end, so that a report about
// a graphics driver can name it, and be suppressed by that name.
// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name)
extern "C" int dlclose(void* /*handle*/) { return 0; }
