// Options that only store something: their argument as the user wrote it or, without an argument, that they were given.
#ifndef CLI_STORED_OPTION_H
#define CLI_STORED_OPTION_H

#include <stddef.h>
#include <stdint.h>

typedef struct storedOption {
  int key;       // 0 ends a list
  int is_flag;   // 1: the option has no argument
  size_t offset; // place in the struct of options of a const char*, or of an int32_t that becomes 1 [bytes]
} storedOption;

#define STORE_TEXT(key, type, member) {key, 0, offsetof(type, member)}
#define STORE_FLAG(key, type, member) {key, 1, offsetof(type, member)}

// Stores an option of the list in `options`. Returns 0 where the list does not have its key.
static inline int store_option(const storedOption* list, void* options, int key, const char* argument) {
  for (; list->key; ++list) {
    if (list->key != key) continue;
    void* at = (char*)options + list->offset;
    if (list->is_flag) *(int32_t*)at = 1;
    else *(const char**)at = argument;
    return 1;
  }
  return 0;
}

#endif
