// libpq in Debian's place, without pkg-config, or in that of pkg-config.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif
