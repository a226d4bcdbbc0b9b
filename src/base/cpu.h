// What the processor at hand can do.
#ifndef HFI_BASE_CPU_H
#define HFI_BASE_CPU_H

// AVX, and a system that keeps its registers. 0 on processors other than x86-64.
int hfi_cpu_has_avx(void);

#endif
