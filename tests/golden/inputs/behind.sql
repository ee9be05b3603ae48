-- A host that launches a kernel each ms, and a GPU that needs 2 ms for each and began 100 ms behind. The recording has
-- 400 ms of it: kernels launched before, then those of the first launches.
.read schema.sql
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (4, 'work');
CREATE TABLE work (i INTEGER);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 399) INSERT INTO work SELECT i FROM n;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * 1000000, i * 1000000 + 5000, 0, 16777216, i + 1000, 1, 0, NULL FROM work;
CREATE TABLE ran (i INTEGER);
INSERT INTO ran SELECT i FROM work WHERE i < 199;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
  SELECT i * 2000000, i * 2000000 + 1900000, 0, 1, 0, 7, i + 950, 16777216, 4, 4, NULL, 0, 32, 65536, 1, 1, 256, 1, 1, 0, 0,
    0, 0, NULL FROM ran;
