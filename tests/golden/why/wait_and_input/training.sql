-- 20 steps of 50 ms: a batch is copied, a kernel of 15 ms, a wait for it, a kernel of 10 ms. Then the GPU is idle for 24 ms
-- while the host, outside of the step's range, prepares the next batch. Without the wait the host would be 15 ms earlier.
.read ../../inputs/schema.sql
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems'), ('EXPORT_PRODUCT_VERSION', '2025.3.1.90'),
  ('EXPORT_SCHEMA_VERSION', '3.20.2');
INSERT INTO PROCESSES VALUES (281476654432256, 100, 'app');
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'conv'), (3, 'cudaStreamSynchronize_v3020'), (4, 'optimizer'),
  (5, 'cudaMemcpyAsync_v3020');
CREATE TEMP TABLE i AS WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 19) SELECT n, n * 50000000 AS at
  FROM i;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
  SELECT at, at + 5000, 0, 281476654432356, 4 * n + 1, 5, 0, NULL FROM i
  UNION ALL SELECT at + 10000, at + 15000, 0, 281476654432356, 4 * n + 2, 1, 0, NULL FROM i
  UNION ALL SELECT at + 20000, at + 15530000, 0, 281476654432356, 4 * n + 3, 3, 0, NULL FROM i
  UNION ALL SELECT at + 15540000, at + 15545000, 0, 281476654432356, 4 * n + 4, 1, 0, NULL FROM i;
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, greenContextId, streamId, correlationId, globalPid, bytes,
  copyKind, srcKind, dstKind) SELECT at + 10000, at + 510000, 0, 1, 0, 7, 4 * n + 1, 281476654432256, 6000000, 1, 1, 2 FROM i;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
  SELECT at + 520000, at + 15520000, 0, 1, 0, 7, 4 * n + 2, 281476654432256, 2, 2, NULL, 0, 32, 4096, 1, 1, 256, 1, 1, 0, 0, 0, 0,
    NULL FROM i
  UNION ALL SELECT at + 15550000, at + 25550000, 0, 1, 0, 7, 4 * n + 4, 281476654432256, 4, 4, NULL, 0, 32, 4096, 1, 1, 256, 1, 1,
    0, 0, 0, 0, NULL FROM i;
INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId, contextId, greenContextId, streamId, correlationId,
  globalPid, syncType, eventId) SELECT at + 20000, at + 15530000, 0, 1, 0, 7, 4 * n + 3, 281476654432256, 3, 0 FROM i;
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId)
  SELECT at - 1000, at + 15600000, 59, 'step ' || n, 281476654432356, 0 FROM i;
