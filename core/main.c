/* SPDX-License-Identifier: Apache-2.0
 * main.c - options, signals, start and stop; the only file that sees every layer. */
#include "banned.h"

int
main(void)
{
	return 1;
}
