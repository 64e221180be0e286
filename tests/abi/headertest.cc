// SPDX-License-Identifier: Apache-2.0
// headertest.cc - the header alone, for tools that are written in C++.
#include "cosi_module.h"

static_assert(sizeof(cosi_kv) == 16, "as in C");
extern "C" uint32_t headertest_cc(const struct cosi_module *module);
extern "C" uint32_t
headertest_cc(const struct cosi_module *module)
{
	return module->magic;
}
