// What Debian's libstdc++ wants of glibc and musl does not have: with it the musl binary starts on a machine without Alpine.
typedef unsigned long size_t;
extern long syscall(long, ...);
extern size_t strftime_l(char *, size_t, const char *, const void *, void *);
char __libc_single_threaded = 0;
unsigned __cpu_model[4];
int __cpu_indicator_init(void) { return 0; }
int __cxa_thread_atexit_impl(void (*f)(void *), void *o, void *d) { (void)f; (void)o; (void)d; return 0; }
int _dl_find_object(void *a, void *r) { (void)a; (void)r; return -1; }
unsigned arc4random(void) { unsigned n = 0; syscall(318, &n, sizeof n, 0); return n; }
size_t __strftime_l(char *s, size_t n, const char *f, const void *t, void *l) { return strftime_l(s, n, f, t, l); }
