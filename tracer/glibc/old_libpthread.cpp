// Stand-in for the linker only: see README.md.
extern "C" {
void pthread_create() {}
void pthread_detach() {}
void pthread_join() {}
void pthread_key_create() {}
void pthread_getspecific() {}
void pthread_setspecific() {}
void pthread_mutex_trylock() {}
void pthread_once() {}
void pthread_sigmask() {}
void pthread_setname_np() {}
}
