// How single functions are compiled.
#ifndef HFI_BASE_COMPILE_H
#define HFI_BASE_COMPILE_H

#if defined(__GNUC__) && !defined(__clang__) && (defined(__FMA__) || defined(__FMA4__) || defined(__AVX512F__))
#error "GCC would fuse products and sums and so change results: compile with -mno-fma -mno-fma4 -mno-avx512f (cmake/HoldfastFlags.cmake)"
#endif

// Every caller gets its own copy of the function, compiled for the constants that it passes, so that branches on these disappear. Of a long function
// that is only `inline`, compilers would make one copy with all branches.
#define HFI_COPIED static inline __attribute__((always_inline))

// The function is called, never copied into its caller. So paths through the caller that do not reach the call need not save registers for it.
#define HFI_CALLED __attribute__((noinline))

// For a function that hardly any step calls. The compiler puts it, and the branches that lead to it, apart from the code that every step runs, which
// is larger than the fastest cache of a processor.
#define HFI_RARE __attribute__((cold))

#endif
