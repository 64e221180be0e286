/* SPDX-License-Identifier: Apache-2.0
 * faults.h - the module's system calls, one of which fails or is the process's last.
 *
 * Calls are counted from fault_arm() to fault_disarm(); the tests' own are never among them.
 */
#ifndef TESTS_POSIX_FAULTS_H
#define TESTS_POSIX_FAULTS_H

enum fault {
	FAULT_ERROR, /* call number nth fails with the errno value */
	FAULT_KILL,  /* the process ends before it; in the middle of it when it is a write */
	FAULT_STOP,  /* the process stops before it (SIGSTOP) */
	FAULT_SHORT, /* every write takes one byte */
};
enum { FAULT_KILLED = 99 }; /* the exit status */

void fault_arm(enum fault fault, unsigned nth, int error);
/* How many calls there were. */
unsigned fault_disarm(void);

/* Called before each fsync(); NULL: nothing is. */
extern void (*faults_at_fsync)(void);

/* From here on each change that succeeds, and each fsync(), is noted as a line, "rename a/b a/c",
 * with paths relative to root. */
void fault_trace(const char *root);
/* The lines; static memory. */
const char *fault_traced(void);

#endif
