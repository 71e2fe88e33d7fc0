/// The part of the Python face that is about scripts and certificates.
#pragma once

#include <nanobind/nanobind.h>

namespace assay::bindings {

void bind_graph_log(nanobind::module_& m);
void bind_evidence(nanobind::module_& m);

}  // namespace assay::bindings
