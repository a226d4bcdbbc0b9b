// Keeps the support library non-empty for every compiler.
typedef int hf_test_support_is_not_empty;
