// Features by cpuid leaf 1, and xgetbv for the registers the system saves (Intel SDM volume 1, 14.3).
#include "base/cpu.h"

#ifdef HFI_WITH_AVX

#include <cpuid.h>
#include <immintrin.h>

int hfi_cpu_has_avx(void) {
  const unsigned needed = 1u << 27 | 1u << 28; // OSXSAVE, AVX
  unsigned eax, ebx, ecx, edx;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || (ecx & needed) != needed) return 0;
  return (_xgetbv(0) & 6) == 6; // xmm and ymm
}

#else

int hfi_cpu_has_avx(void) { return 0; }

#endif
