-- 20 steps 'step n' of 40 ms on thread 356: 25 ms of a kernel, and 15 ms of waiting for the batch that thread 357, which
-- launches nothing, loads in ranges 'RunCPU' of its own and copies to the GPU.
.read ../../inputs/schema.sql
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems'), ('EXPORT_PRODUCT_VERSION', '2025.3.1.90'),
  ('EXPORT_SCHEMA_VERSION', '3.20.2');
INSERT INTO PROCESSES VALUES (281476654432256, 100, 'app');
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'conv'), (3, 'cudaMemcpyAsync_v3020');
CREATE TEMP TABLE i AS WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 39) SELECT n FROM i;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT n * 40000000 + 15000000, n * 40000000 + 15005000, 0, 281476654432356, n + 1, 1, 0,
  NULL FROM i WHERE n < 20;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT n * 40000000 + 15010000, n * 40000000 + 39990000, 0, 1, 0, 7, n + 1,
  281476654432256, 2, 2, NULL, 0, 32, 4096, 1, 1, 256, 1, 1, 0, 0, 0, 0, NULL FROM i WHERE n < 20;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT n * 20000000 + 9000000, n * 20000000 + 9005000, 0, 281476654432357, n + 101, 3, 0,
  NULL FROM i;
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, greenContextId, streamId, correlationId, globalPid, bytes,
  copyKind, srcKind, dstKind) SELECT n * 20000000 + 9010000, n * 20000000 + 10010000, 0, 1, 0, 13, n + 101, 281476654432256,
  24000000, 1, 1, 2 FROM i;
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId)
  SELECT n * 40000000, n * 40000000 + 39900000, 59, 'step ' || n, 281476654432356, 0 FROM i WHERE n < 20
  UNION ALL SELECT n * 20000000, n * 20000000 + 19900000, 59, 'RunCPU', 281476654432357, 0 FROM i;
