// Numbers of binary files, least significant byte first.
#ifndef HFI_IMPORT_LITTLE_ENDIAN_H
#define HFI_IMPORT_LITTLE_ENDIAN_H

#include <stdint.h>
#include <string.h>

static inline uint32_t hfi_get_u32(const char* p) {
  const unsigned char* u = (const unsigned char*)p;
  return u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
}

static inline double hfi_get_float(const char* p) {
  uint32_t bits = hfi_get_u32(p);
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

#endif
