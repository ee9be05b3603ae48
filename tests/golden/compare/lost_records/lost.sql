.read ../../inputs/compared_schema.sql
-- Another GPU. Of 40 launches, every second has no kernel.
insert into TARGET_INFO_GPU values (0,'NVIDIA H100 80GB HBM3','x',132,1980000000);
insert into CUPTI_ACTIVITY_KIND_RUNTIME select i * 1000000, i * 1000000 + 5000, 16777216, i + 1, 1, 0 from step;
insert into CUPTI_ACTIVITY_KIND_RUNTIME select i * 1000000 + 6000, i * 1000000 + 8000, 16777216, i + 101, 1, 0 from step;
insert into CUPTI_ACTIVITY_KIND_KERNEL select i * 1000000 + 10000, i * 1000000 + 410000, 0, 1, 7, i + 1, 16777216, 12, 12, 32,
  64, 1, 1, 256, 1, 1, 0, 0 from step;
insert into NVTX_EVENTS select i * 1000000, i * 1000000 + 990000, 59, 'iteration', 16777216, 0, null from step;
