"""NVTX ranges for the modules and steps of a PyTorch program, without a change of it. See docs/record/record.md."""
