.read ../../inputs/compared_schema.sql
insert into TARGET_INFO_GPU values (0,'NVIDIA A100-SXM4-40GB','x',108,1410000000);
insert into CUPTI_ACTIVITY_KIND_RUNTIME select i * 1000000, i * 1000000 + 5000, 16777216, i + 1, 1, 0 from step;
insert into CUPTI_ACTIVITY_KIND_KERNEL select i * 1000000 + 10000, i * 1000000 + 910000, 0, 1, 7, i + 1, 16777216, 12, 12, 32,
  64, 1, 1, 256, 1, 1, 0, 0 from step;
insert into NVTX_EVENTS select i * 1000000, i * 1000000 + 990000, 59, 'iteration', 16777216, 0, null from step;
