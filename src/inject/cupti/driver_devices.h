#pragma once

/// What the driver says of the GPUs, where CUPTI said nothing: some versions tell of them only to those that ask before
/// cuInit() is through.
namespace sonde::inject::cupti {

/// Once, with the driver ready. From the worker only.
void tell_devices() noexcept;

}  // namespace sonde::inject::cupti
