/* SPDX-License-Identifier: Apache-2.0
 * banned.h - functions that do not build here.  Include it last; CONTRIBUTING.md says what to use.
 */
#ifndef COSID_BANNED_H
#define COSID_BANNED_H
#undef alloca
#undef sprintf
#undef strerror
#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf strtok atoi atol strtol strtoul  \
	gets alloca
#pragma GCC poison strerror localtime gmtime system
#endif
