// libpq, where Debian puts it and pkg-config need not be, or where pkg-config says.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif
