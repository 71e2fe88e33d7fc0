/// States that travel between processes, seen from Python.
#pragma once

#include <nanobind/nanobind.h>

namespace assay::bindings {

void bind_portable(nanobind::module_& m);

}  // namespace assay::bindings
