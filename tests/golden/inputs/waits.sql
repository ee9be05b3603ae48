-- 20 steps of 8 launches and one wait for their stream, whose kernels keep the GPU busy. The table of the waits has no
-- rows here yet.
.read schema.sql
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (3, 'cudaStreamSynchronize_v3020'), (4, 'work');
CREATE TABLE steps (t INTEGER);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19) INSERT INTO steps SELECT i * 40000000 FROM n;
CREATE TABLE works (a INTEGER, k INTEGER);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 7)
  INSERT INTO works SELECT t + i * 4000000, t / 40000000 * 10 + i + 1 FROM steps, n;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT a, a + 5000, 0, 16777216, k, 1, 0, NULL FROM works;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
  SELECT a + 10000, a + 3900000, 0, 1, 0, 7, k, 16777216, 4, 4, NULL, 0, 32, 65536, 1, 1, 256, 1, 1, 0, 0, 0, 0, NULL
  FROM works;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
  SELECT t + 29000000, t + 31950000, 0, 16777216, t / 40000000 * 10 + 9, 3, 0, NULL FROM steps;
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId)
  SELECT t, t + 39900000, 59, 'step', 16777216, 0 FROM steps;
