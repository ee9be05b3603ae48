.read ../../inputs/compared_schema.sql
insert into TARGET_INFO_GPU values (0,'NVIDIA A100-SXM4-40GB','x',108,1410000000);
-- The same kernels without ranges, each a half longer, and no two steps alike in their launches.
insert into CUPTI_ACTIVITY_KIND_RUNTIME select i * 1500000, i * 1500000 + 5000, 16777216, i + 1, 1, 0 from step;
insert into CUPTI_ACTIVITY_KIND_KERNEL select i * 1500000 + 10000, i * 1500000 + 1360000, 0, 1, 7, i + 1, 16777216, 12, 12, 32,
  64, 1, 1, 256, 1, 1, 0, 0 from step;
