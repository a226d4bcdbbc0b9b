// Functions that are compiled anew for each caller.
#ifndef HFI_BASE_COPIED_H
#define HFI_BASE_COPIED_H

// Every caller has a copy of the function, made for the constants that it passes: branches on these disappear. Of a long function
// that is only `inline` compilers make one copy that keeps them.
#define HFI_COPIED static inline __attribute__((always_inline))

#endif
