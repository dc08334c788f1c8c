// Stand-in for the linker only: see README.md.
extern "C" {
void dladdr() {}
void dlclose() {}
void dlerror() {}
void dlopen() {}
void dlsym() {}
}
