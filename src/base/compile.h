// How single functions are compiled.
#ifndef HFI_BASE_COMPILE_H
#define HFI_BASE_COMPILE_H

#if defined(__GNUC__) && !defined(__clang__) && (defined(__FMA__) || defined(__FMA4__) || defined(__AVX512F__))
// cmake/HoldfastFlags.cmake
#error "GCC would fuse products and sums and so change results: compile with -mno-fma -mno-fma4 -mno-avx512f"
#endif

// Every caller gets its own copy of the function, compiled for the constants that it passes, so that branches on these
// disappear. Of a long function that is only `inline`, compilers would make one copy with all branches.
#define HFI_FORCE_INLINE static inline __attribute__((always_inline))

// f(arguments ..., n), with a constant in the place of n if n is a usual size: 6 (a free body; a contact with rolling),
// 3 (a body in a plane; a contact), 4 (a finger; a contact with torsion) or 7 (an arm). f is HFI_FORCE_INLINE, so that
// the compiler writes out its loops.
#define HFI_BY_SIZE(n, f, ...) HFI_BY_SIZE_OR(n, f, f, __VA_ARGS__)
// The same, but for other sizes otherwise(arguments ..., n).
#define HFI_BY_SIZE_OR(n, f, otherwise, ...) \
  ((n) == 6   ? f(__VA_ARGS__, 6)            \
   : (n) == 3 ? f(__VA_ARGS__, 3)            \
   : (n) == 4 ? f(__VA_ARGS__, 4)            \
   : (n) == 7 ? f(__VA_ARGS__, 7)            \
              : otherwise(__VA_ARGS__, n))

// The function is called, never copied into its caller. So paths through the caller that do not reach the call need not
// save registers for it.
#define HFI_NOINLINE __attribute__((noinline))

// For a function that hardly any step calls. The compiler puts it, and the branches that lead to it, apart from the
// code that every step runs, which is larger than the fastest cache of a processor.
#define HFI_COLD __attribute__((cold))

#endif
