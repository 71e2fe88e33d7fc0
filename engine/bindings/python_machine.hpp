/// Python programs, seen from Python.
#pragma once

#include <nanobind/nanobind.h>

namespace assay::bindings {

void bind_python_machine(nanobind::module_& m);

}  // namespace assay::bindings
