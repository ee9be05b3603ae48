-- 2 s in which a launch follows each 100 ms, after 1 s of other calls; then 40 iterations of three kernels, without ranges.
.read ../../inputs/schema.sql
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems'), ('EXPORT_PRODUCT_VERSION', '2025.3.1.90'),
  ('EXPORT_SCHEMA_VERSION', '3.20.2');
INSERT INTO PROCESSES VALUES (281476654432256, 100, 'app');
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'prepare'), (3, 'gemm'), (4, 'relu'), (5, 'norm'), (6, 'read');
INSERT INTO OSRT_API VALUES (0, 990000000, 0, 281476654432356, 6, 0, 0, 0);
CREATE TEMP TABLE launch AS
  WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 119)
  SELECT 1000000000 + n * 100000000 AS at, 2 AS name, 200000 AS ns FROM i WHERE n < 20
  UNION ALL SELECT 3000000000 + n * 5000000 + n / 3 * 2000000, 3 + n % 3, 4800000 FROM i;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT at, at + 5000, 0, 281476654432356, rowid, 1, 0, NULL FROM launch;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT at + 10000, at + 10000 + ns, 0, 1, 0, 7, rowid, 281476654432256, name, name, NULL,
  0, 32, 4096, 1, 1, 256, 1, 1, 0, 0, 0, 0, NULL FROM launch;
