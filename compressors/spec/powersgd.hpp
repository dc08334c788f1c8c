#pragma once

#include <memory>

#include "compressors/spec/parameters.hpp"
#include "compressors/spec/scheme.hpp"

namespace gradwire {

/// rank: of the factors, at most a matrix's smaller extent. min_compression_rate: a matrix whose
/// factors, times this, are not smaller than itself is sent with the 1-D tensors (PyTorch's
/// powerSGD_hook has 2; 0 compresses every matrix, as the study's code does).
/// start_iter: iterations before it send plain gradients; what is asked about is one behind it, so
/// that it changes nothing here. hook_sync: the DDP hook waits for the whole device behind each
/// bucket's decode, as PyTorch's powerSGD_hook does (torch.cuda.synchronize in its last callback;
/// torch/distributed/algorithms/ddp_comm_hooks/powerSGD_hook.py of the 1.8 to 1.9 era, read in a
/// stored copy).
///
/// Issued: 1-D tensors (packed, uncompressed), P of all matrices, Q of all matrices.
std::unique_ptr<Scheme> make_powersgd(SchemeParameters& parameters);

}  // namespace gradwire
