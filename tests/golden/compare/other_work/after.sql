.read ../../inputs/compared_schema.sql
insert into TARGET_INFO_GPU values (0,'NVIDIA A100-SXM4-40GB','x',108,1410000000);
-- The copies are gone, a memset of 1 ms is new, the gemm has other template arguments and takes 0.9 ms, and the norm moved
-- to a range of its own.
insert into CUPTI_ACTIVITY_KIND_RUNTIME select i * 3000000 + 20000, i * 3000000 + 25000, 16777216, i * 3 + 1, 3, 0 from step;
insert into CUPTI_ACTIVITY_KIND_MEMSET select i * 3000000 + 30000, i * 3000000 + 1030000, 0, 1, 7, i * 3 + 1, 16777216, 0,
  1000000000 from step;
insert into CUPTI_ACTIVITY_KIND_RUNTIME select i * 3000000 + 60000, i * 3000000 + 65000, 16777216, i * 3 + 2, 1, 0 from step;
insert into CUPTI_ACTIVITY_KIND_KERNEL select i * 3000000 + 1040000, i * 3000000 + 1940000, 0, 1, 7, i * 3 + 2, 16777216, 11, 11,
  32, 64, 1, 1, 256, 1, 1, 0, 0 from step;
insert into CUPTI_ACTIVITY_KIND_RUNTIME select i * 3000000 + 70000, i * 3000000 + 75000, 16777216, i * 3 + 3, 1, 0 from step;
insert into CUPTI_ACTIVITY_KIND_KERNEL select i * 3000000 + 1950000, i * 3000000 + 2890000, 0, 1, 7, i * 3 + 3, 16777216, 12, 12,
  32, 64, 1, 1, 256, 1, 1, 0, 0 from step;
insert into NVTX_EVENTS select i * 3000000, i * 3000000 + 2990000, 59, 'step', 16777216, 0, null from step;
insert into NVTX_EVENTS select i * 3000000 + 69000, i * 3000000 + 80000, 59, 'norm layer', 16777216, 0, null from step;
