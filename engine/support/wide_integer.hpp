/// Integers of 128 bits, for products of two of 64.
#pragma once

namespace assay::support {

// Every compiler that we use has them; the standard does not, which is said here once.
__extension__ typedef __int128 WideInteger;
__extension__ typedef unsigned __int128 WideUnsigned;

}  // namespace assay::support
