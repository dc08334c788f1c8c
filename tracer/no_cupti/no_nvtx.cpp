extern "C" {

/// What NVTX calls in the library that NVTX_INJECTION64_PATH names; 0: nothing was injected. For a
/// build without the CUDA toolkit, whose NVTX headers tell what else to do.
[[gnu::visibility("default")]] int
InitializeInjectionNvtx2(  // NOLINT(readability-identifier-naming)
    const void* (*get_export_table)(unsigned));
int InitializeInjectionNvtx2(const void* (* /*get_export_table*/)(unsigned)) { return 0; }

}  // extern "C"
