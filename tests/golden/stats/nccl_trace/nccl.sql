.read ../../inputs/nccl.sql
