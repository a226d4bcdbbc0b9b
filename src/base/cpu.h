// What the processor of this machine can do.
#ifndef HFI_BASE_CPU_H
#define HFI_BASE_CPU_H

// Does the processor have AVX, and does the system save its registers? 0 on processors other than x86-64.
int hfi_cpu_has_avx(void);

#endif
