// Temporary files that do not outlive the command, however it ends.
#ifndef CLI_GUARD_H
#define CLI_GUARD_H

// Removes the file when this process ends, also when it is killed. Returns 0 where no guard could be started; then the caller
// removes the file itself and only a kill leaves it.
int remove_at_end(const char* path);

// In a child: ends it when its parent ends.
void end_with_parent(void);

#endif
