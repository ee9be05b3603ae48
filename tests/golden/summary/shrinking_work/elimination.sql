-- 200 iterations 'row' inside a range 'solve', whose kernels get shorter with the square of what is left; then 0.3 s of writing.
.read ../../inputs/schema.sql
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems'), ('EXPORT_PRODUCT_VERSION', '2025.3.1.90'),
  ('EXPORT_SCHEMA_VERSION', '3.20.2');
INSERT INTO PROCESSES VALUES (281476654432256, 100, 'app');
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'eliminate'), (3, 'write');
CREATE TEMP TABLE iteration AS
  WITH RECURSIVE i(n, at, ns) AS (SELECT 0, 0, 8000000 UNION ALL
    SELECT n + 1, at + ns + 30000, 200 * (199 - n) * (199 - n) + 20000 FROM i WHERE n < 199)
  SELECT n, at, ns FROM i;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT at, at + 5000, 0, 281476654432356, n + 1, 1, 0, NULL FROM iteration;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT at + 10000, at + 10000 + ns, 0, 1, 0, 7, n + 1, 281476654432256, 2, 2, NULL,
  0, 32, 4096, 1, 1, 256, 1, 1, 0, 0, 0, 0, NULL FROM iteration;
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId)
  SELECT at, at + ns + 20000, 59, 'row ' || n, 281476654432356, 0 FROM iteration
  UNION ALL SELECT 0, max(at + ns + 25000), 59, 'solve', 281476654432356, 0 FROM iteration;
INSERT INTO OSRT_API SELECT max(end) + 1000, max(end) + 300000000, 0, 281476654432356, 3, 0, 0, 0 FROM NVTX_EVENTS;
