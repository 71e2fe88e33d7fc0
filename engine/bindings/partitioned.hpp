#pragma once

#include <nanobind/nanobind.h>

namespace assay::bindings {

void bind_partitioned(nanobind::module_& m);

}  // namespace assay::bindings
