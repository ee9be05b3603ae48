.read ../../inputs/compared_schema.sql
insert into TARGET_INFO_GPU values (0,'NVIDIA A100-SXM4-40GB','x',108,1410000000);
-- A step of 2 ms: a pageable copy in 'load', a gemm and a norm in 'step'.
insert into CUPTI_ACTIVITY_KIND_RUNTIME select i * 2000000 + 20000, i * 2000000 + 25000, 16777216, i * 3 + 1, 2, 0 from step;
insert into CUPTI_ACTIVITY_KIND_MEMCPY select i * 2000000 + 30000, i * 2000000 + 430000, 0, 1, 7, i * 3 + 1, 16777216, 8000000,
  1, 0, 2 from step;
insert into CUPTI_ACTIVITY_KIND_RUNTIME select i * 2000000 + 60000, i * 2000000 + 65000, 16777216, i * 3 + 2, 1, 0 from step;
insert into CUPTI_ACTIVITY_KIND_KERNEL select i * 2000000 + 440000, i * 2000000 + 1040000, 0, 1, 7, i * 3 + 2, 16777216, 10, 10,
  32, 64, 1, 1, 256, 1, 1, 0, 0 from step;
insert into CUPTI_ACTIVITY_KIND_RUNTIME select i * 2000000 + 70000, i * 2000000 + 75000, 16777216, i * 3 + 3, 1, 0 from step;
insert into CUPTI_ACTIVITY_KIND_KERNEL select i * 2000000 + 1050000, i * 2000000 + 1990000, 0, 1, 7, i * 3 + 3, 16777216, 12, 12,
  32, 64, 1, 1, 256, 1, 1, 0, 0 from step;
insert into NVTX_EVENTS select i * 2000000, i * 2000000 + 1990000, 59, 'step', 16777216, 0, null from step;
insert into NVTX_EVENTS select i * 2000000 + 10000, i * 2000000 + 40000, 59, 'load', 16777216, 0, null from step;
