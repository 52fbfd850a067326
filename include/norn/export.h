// NORN_API marks what libnorn.so exports; everything else is hidden.
#pragma once
#if defined(__GNUC__)
#define NORN_API __attribute__((visibility("default")))
#else
#define NORN_API
#endif
