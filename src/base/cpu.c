// Asks the processor for its features by cpuid leaf 1, and by xgetbv whether the system saves the
// AVX registers (Intel SDM volume 1, 14.3). This file itself is compiled without AVX.
#include "base/cpu.h"

#include "base/error.h"

#ifdef __x86_64__

#include <cpuid.h>
#include <immintrin.h>

// Do the processor and the system support AVX?
int hfi_cpu_has_avx(void) {
  const unsigned needed = 1u << 27 | 1u << 28; // OSXSAVE, AVX
  unsigned eax, ebx, ecx, edx;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || (ecx & needed) != needed) return 0;
  return (_xgetbv(0) & 6) == 6; // The system saves the xmm and ymm registers.
}

#else

int hfi_cpu_has_avx(void) { return 0; }

#endif

// Refuses a processor that lacks what this build was compiled for.
hfStatus hf_check_processor(hfError* error) {
  hfi_clear_error(error);
#ifdef HFI_NEEDS_AVX
  if (!hfi_cpu_has_avx())
    return hfi_refuse(error, HF_ERROR_UNSUPPORTED,
                      "this build needs a processor with AVX; configure with -DHF_AVX=OFF for others");
#endif
  (void)error;
  return HF_OK;
}
