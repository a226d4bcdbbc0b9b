// What the symbol test must find: one writable global of each kind, beside constants it must not.
// Compiled by hand in the test, not linked anywhere.
int counter_in_bss;
int counter_in_data = 1;
static int hidden_counter;
_Thread_local int counter_of_thread;
int* take_address(void) { return ++hidden_counter, &hidden_counter; }
static const int table[2] = {1, 2};
const int* const pointer_table[2] = {table, table + 1}; // relocated, then read-only
