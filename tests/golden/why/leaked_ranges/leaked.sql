-- 20 iterations of 50 ms, after 4 s of reading. The first ten push iteration10 to iteration19 and pop nothing; the last ten
-- pop without a push, so each ends the range of an iteration long before. Half a second of writing follows.
.read ../../inputs/schema.sql
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems'), ('EXPORT_PRODUCT_VERSION', '2025.3.1.90'),
  ('EXPORT_SCHEMA_VERSION', '3.20.2');
INSERT INTO PROCESSES VALUES (281476654432256, 100, 'app');
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'conv'), (3, 'read'), (4, 'write');
CREATE TEMP TABLE i AS WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 19)
  SELECT n, 4000000000 + n * 50000000 AS at FROM i;
INSERT INTO OSRT_API VALUES (0, 4000000000, 0, 281476654432356, 3, 0, 0, 0), (5000000000, 5500000000, 0, 281476654432356, 4, 0, 0, 0);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT at + 10000, at + 15000, 0, 281476654432356, n + 1, 1, 0, NULL FROM i;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
  SELECT at + 20000, at + 49990000, 0, 1, 0, 7, n + 1, 281476654432256, 2, 2, NULL, 0, 32, 4096, 1, 1, 256, 1, 1, 0, 0, 0, 0,
    NULL FROM i;
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId)
  SELECT at, 4000000000 + (20 - n) * 50000000 - 1000, 59, 'iteration' || (10 + n), 281476654432356, 0 FROM i WHERE n < 10;
