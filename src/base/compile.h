// How single functions are compiled.
#ifndef HFI_BASE_COMPILE_H
#define HFI_BASE_COMPILE_H

// Every caller has a copy of the function, made for the constants that it passes: branches on these disappear. Of a long function
// that is only `inline` compilers make one copy that keeps them.
#define HFI_COPIED static inline __attribute__((always_inline))

// The function is called, never copied into its caller: a short way through the caller that does not lead to the call then saves no registers for it.
#define HFI_CALLED __attribute__((noinline))

// A function that hardly any step calls. It and the branches that lead to it are kept apart from the code that every step runs, which is
// larger than the fastest cache of a processor.
#define HFI_RARE __attribute__((cold))

#endif
