// The page lies between two symbols of an assembled file (cmake/HoldfastPage.cmake).
#include "io/record/page.h"

extern const char hfi_page_begin[], hfi_page_end[];

const char* hfi_page(size_t* size) {
  *size = (size_t)(hfi_page_end - hfi_page_begin);
  return hfi_page_begin;
}
