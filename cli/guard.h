// Temporary files that do not outlive the command, however it ends.
#ifndef CLI_GUARD_H
#define CLI_GUARD_H

// Removes a file, or a folder with all that is in it; what links in it point to stays. Returns 1 if nothing is there
// any more.
int remove_tree(const char* path);

// Removes the file, or the folder with all that is in it, when this process ends, also when it is killed. Returns 0
// where no guard could be started; then the caller removes the file itself and only a kill leaves it.
int remove_at_end(const char* path);

enum { TEMPORARY_PATH = 512 }; // bytes of the path of a temporary folder

// Makes a folder in TMPDIR, or else in /tmp, that is removed, with all that is in it, when this process ends. Returns
// 0, or -1 after a message.
int make_temporary_folder(char path[TEMPORARY_PATH], const char* name);

// In a child: ends it when its parent ends.
void end_with_parent(void);

#endif
