// Debian's event-config.h defines _GNU_SOURCE, which would change fd_set after Swift's Glibc module has
// fixed it: these two come first.
#include <sys/types.h>
#include <sys/time.h>

#include <event2/event.h>
