-- 30 steps with a kernel each, that take 1.00, 1.01, ... 1.29 ms in mixed order.
-- numpy.percentile(1000000 + 10000 * numpy.arange(30), 95) is 1275500 ns.
.read ../../inputs/schema.sql
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems'), ('EXPORT_PRODUCT_VERSION', '2025.3.1.90'),
  ('EXPORT_SCHEMA_VERSION', '3.20.2');
INSERT INTO PROCESSES VALUES (281476654432256, 100, 'app');
INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel_v7000');
CREATE TABLE steps (i INTEGER, start INTEGER, next INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
INSERT INTO steps SELECT i, 0, 1000000 + i * 7 % 30 * 10000 FROM n;
UPDATE steps SET start = (SELECT coalesce(sum(before.next), 0) FROM steps AS before WHERE before.i < steps.i);
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId)
  SELECT start, start + next - 1000, 59, 'step', 281476654432356, 0 FROM steps;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT start + 1000, start + 2000, 0, 281476654432356, i, 2, 0, NULL FROM steps;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start + 3000, start + 500000, 0, 1, NULL, 7, i, 281476654432256, 1, 1, NULL, 0,
  32, 16, 1, 1, 128, 1, 1, 0, 0, 0, 0, NULL FROM steps;
DROP TABLE steps;
