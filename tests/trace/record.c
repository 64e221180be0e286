/* SPDX-License-Identifier: Apache-2.0
 * record.c - preloaded into a build with -finstrument-functions: notes each function that begins or
 * ends.
 *
 * What it writes is the file $COSID_TRACE, which trace.py has made and maps, too: a head, then
 * events.  The word `state` is trace.py's: nothing happens until it says RECORD; upon DUMP the next
 * function that begins writes $COSID_TRACE.maps, by which addresses become lines: "image BASE
 * BUILD-ID" and "thread TID NAME". */
#include <dirent.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "banned.h"

enum { IDLE, RECORD, DUMP, DUMPED };

struct record_head {
	_Atomic uint32_t state;
	uint32_t unused;
	_Atomic uint64_t n; /* of all events, also of those for which there was no room */
};

struct record_entry {
	uint64_t address; /* of the function */
	uint32_t tid;
	uint32_t ends; /* 0: it begins */
};

static struct record_head *record_head;
static struct record_entry *record_events;
static uint64_t record_room;

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

__attribute__((constructor)) static void
record_open(void)
{
	const char *path = getenv("COSID_TRACE");
	int fd = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
	struct stat info;
	void *mapped;

	if (fd < 0)
		return;
	if (fstat(fd, &info) == 0) {
		mapped =
			mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (mapped != MAP_FAILED) {
			record_events =
				(struct record_entry *)((char *)mapped + sizeof *record_head);
			record_room = ((uint64_t)info.st_size - sizeof *record_head) /
				      sizeof *record_events;
			record_head = mapped;
		}
	}
	(void)close(fd);
}

static int
record_image(struct dl_phdr_info *info, size_t size, void *out)
{
	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const char *at = (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
		const char *end = at + info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type != PT_NOTE)
			continue;
		while (at + sizeof(ElfW(Nhdr)) < end) {
			ElfW(Nhdr) note;
			const char *name = at + sizeof note;
			const char *data;

			memcpy(&note, at, sizeof note);
			data = name + ((note.n_namesz + 3u) & ~3u);
			if (note.n_type == NT_GNU_BUILD_ID && memcmp(name, "GNU", 4) == 0) {
				(void)fprintf(out, "image %llx ",
					      (unsigned long long)info->dlpi_addr);
				for (size_t j = 0; j < note.n_descsz; j++)
					(void)fprintf(out, "%02x", (unsigned char)data[j]);
				(void)fputc('\n', out);
			}
			at = data + ((note.n_descsz + 3u) & ~3u);
		}
	}
	return 0;
}

static void
record_threads(FILE *out)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *task;

	while (tasks != NULL && (task = readdir(tasks)) != NULL) {
		char path[64], name[64] = "";
		FILE *file;

		if (task->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof path, "/proc/self/task/%.16s/comm", task->d_name);
		file = fopen(path, "re");
		if (file == NULL)
			continue;
		if (fgets(name, sizeof name, file) != NULL)
			(void)fprintf(out, "thread %s %s", task->d_name, name);
		(void)fclose(file);
	}
	if (tasks != NULL)
		(void)closedir(tasks);
}

static void
record_maps(void)
{
	char path[4096];
	FILE *out;

	(void)snprintf(path, sizeof path, "%s.maps", getenv("COSID_TRACE"));
	out = fopen(path, "we");
	if (out == NULL)
		return;
	(void)dl_iterate_phdr(record_image, out);
	record_threads(out);
	(void)fputs("end\n", out);
	(void)fclose(out);
}

static void
record_event(void *function, uint32_t ends)
{
	uint64_t i;

	if (record_head == NULL || record_head->state != RECORD)
		return;
	i = atomic_fetch_add(&record_head->n, 1);
	if (i < record_room)
		record_events[i] = (struct record_entry){ (uintptr_t)function,
							  (uint32_t)syscall(SYS_gettid), ends };
}

void
__cyg_profile_func_enter(void *function, void *site)
{
	uint32_t dump = DUMP;

	(void)site;
	record_event(function, 0);
	if (record_head != NULL && record_head->state == DUMP &&
	    atomic_compare_exchange_strong(&record_head->state, &dump, DUMPED))
		record_maps();
}

void
__cyg_profile_func_exit(void *function, void *site)
{
	(void)site;
	record_event(function, 1);
}
