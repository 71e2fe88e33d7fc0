/// Runs one thread until it has to stop.
#pragma once

#include "languages/python/world.hpp"

namespace assay::languages::python {

/// Runs the top frame of `thread` and what it calls. Throws Unsupported; exceptions of the program never leave it.
Stop run(World& world, Thread& thread);

/// A thread that will call `function(*args, **kwargs)`, its first frame entered but nothing executed. `function` may
/// be anything callable by the program. Throws PythonError (for example when the arguments do not fit).
Thread make_thread(World& world, PyObject* function, PyObject* args, PyObject* kwargs);

/// A thread that will run the body of module 0.
Thread make_main_thread(World& world);

/// Calls a function of the program from C++ and runs it to its end. A visible access inside, outside of atomic code,
/// throws Unsupported (the world decides). Throws PythonError if the program raised.
Ref call_nested(World& world, PyObject* function, PyObject* const* arguments, std::size_t count);

}  // namespace assay::languages::python
