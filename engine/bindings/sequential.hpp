/// Programs of the Python machine with one thread, run from beginning to end: how tests compare it with CPython.
#pragma once

#include <nanobind/nanobind.h>

namespace assay::bindings {

void bind_sequential(nanobind::module_& m);

}  // namespace assay::bindings
