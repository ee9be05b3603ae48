-- Six steps of one process (pid 100) on one GPU: its main thread 100 computes, thread 101 reads files. Each step of 1000 ns
-- launches one kernel through cuBLAS and keeps 256 bytes. Small enough to add up by hand.
.read schema.sql
CREATE TABLE SCHED_EVENTS (start INTEGER NOT NULL, cpu INTEGER NOT NULL, isSchedIn INTEGER NOT NULL, globalTid INTEGER,
  threadState INTEGER, threadBlock INTEGER);
CREATE TABLE CUBLAS_EVENTS (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER,
  nameId INTEGER NOT NULL);
CREATE TABLE CUDA_CALLCHAINS (id INTEGER NOT NULL, symbol INTEGER, module INTEGER, kernelMode INTEGER, originalIP INTEGER,
  stackDepth INTEGER NOT NULL);
CREATE TABLE OSRT_CALLCHAINS (id INTEGER NOT NULL, symbol INTEGER, module INTEGER, kernelMode INTEGER, originalIP INTEGER,
  stackDepth INTEGER NOT NULL);
CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER NOT NULL, globalPid INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, address INTEGER NOT NULL, pc INTEGER NOT NULL, bytes INTEGER NOT NULL,
  memKind INTEGER NOT NULL, memoryOperationType INTEGER NOT NULL, name TEXT, correlationId INTEGER);
CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER NOT NULL, sourceId INTEGER NOT NULL, typeName TEXT NOT NULL,
  metricId INTEGER NOT NULL, metricName TEXT NOT NULL);
CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER NOT NULL, metricId INTEGER NOT NULL, value INTEGER NOT NULL);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems'), ('EXPORT_PRODUCT_VERSION', '2025.3.1.90'),
  ('EXPORT_SCHEMA_VERSION', '3.20.2');
INSERT INTO StringIds VALUES (1, 'gemm'), (2, '_Z4gemmv'), (10, 'cudaLaunchKernel_v7000'), (11, 'cudaStreamSynchronize_v3020'),
  (12, 'cublasSgemm_v2'), (20, 'main'), (21, 'loader'), (40, 'read'), (41, 'sem_wait'), (42, 'open64'),
  (50, 'load_batch'), (51, 'app'), (52, 'libcublas.so');
INSERT INTO PROCESSES VALUES (281476654432256, 100, 'app');
INSERT INTO ThreadNames VALUES (20, 20, 281476654432356), (21, 20, 281476654432357);
INSERT INTO TARGET_INFO_GPU VALUES (281474976710656, 0, 'NVIDIA T1', '0000:01:00.0', 1, 4194304, 10240, 320000000000,
  1590000000, 40, 'GPU-0', 'TU104', 0, 7, 5);
-- A table of the six steps: t is their start.
CREATE TEMP TABLE step AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i, 1000 * (i + 1) AS t FROM n;
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId)
  SELECT t, t + 1000, 59, 'step ' || i, 281476654432356, 0 FROM step
  UNION ALL SELECT t + 100, t + 300, 59, 'forward', 281476654432356, 0 FROM step;
INSERT INTO CUBLAS_EVENTS SELECT t + 110, t + 250, 29, 281476654432356, 12 FROM step;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT t + 150, t + 200, 0, 281476654432356, 2 * i + 1, 10, 0, 1 FROM step
  UNION ALL SELECT t + 300, t + 900, 0, 281476654432356, 2 * i + 2, 11, 0, NULL FROM step;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName,
  mangledName, registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory,
  localMemoryPerThread, localMemoryTotal)
  SELECT t + 400, t + 900, 0, 1, 7, 2 * i + 1, 281476654432256, 1, 1, 2, 16, 64, 1, 1, 128, 1, 1, 0, 0, 0, 0 FROM step;
INSERT INTO CUDA_CALLCHAINS VALUES (1, 10, 52, 0, 4096, 0), (1, 12, 52, 0, 4112, 1), (1, 20, 51, 0, 8192, 2);
-- The main thread blocks in each synchronization and comes back on core 0 and 1 in turn; once it is preempted for 10 ns.
INSERT INTO SCHED_EVENTS SELECT t + 350, i % 2, 0, 281476654432356, 2, NULL FROM step
  UNION ALL SELECT t + 880, (i + 1) % 2, 1, 281476654432356, NULL, NULL FROM step
  UNION ALL SELECT 1050, 0, 0, 281476654432356, 1, NULL UNION ALL SELECT 1060, 0, 1, 281476654432356, NULL, NULL;
-- The loader reads for 300 ns of each step, 200 of them off its core, and waits for the rest.
INSERT INTO OSRT_API SELECT t, t + 300, 27, 281476654432357, 40, 0, 0, 1 FROM step
  UNION ALL SELECT t + 300, t + 1000, 27, 281476654432357, 41, 0, 0, 0 FROM step
  UNION ALL SELECT 900, 950, 27, 281476654432357, 42, 3, 0, 0;
INSERT INTO OSRT_CALLCHAINS VALUES (1, 40, 51, 0, 4096, 0), (1, 50, 51, 0, 4112, 1);
INSERT INTO SCHED_EVENTS SELECT t + 50, 3, 0, 281476654432357, 3, NULL FROM step
  UNION ALL SELECT t + 250, 3, 1, 281476654432357, NULL, NULL FROM step;
-- 4096 bytes from the beginning, 512 more and 256 less in each step; pinned memory of the host, and one release of what was
-- allocated before the recording.
INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS SELECT 500, 281476654432256, 0, 1, 65536, 0, 4096, 2, 0, NULL, NULL
  UNION ALL SELECT t + 120, 281476654432256, 0, 1, 131072 + 4096 * i, 0, 512, 2, 0, NULL, 2 * i + 1 FROM step
  UNION ALL SELECT t + 130, 281476654432256, 0, 1, 262144 + 4096 * i, 0, 256, 2, 0, NULL, 2 * i + 1 FROM step
  UNION ALL SELECT t + 950, 281476654432256, 0, 1, 131072 + 4096 * i, 0, 512, 2, 1, NULL, NULL FROM step
  UNION ALL SELECT 600, 281476654432256, 0, 1, 1048576, 0, 8192, 1, 0, NULL, NULL
  UNION ALL SELECT 7050, 281476654432256, 0, 1, 524288, 0, 1000, 2, 1, NULL, NULL
  UNION ALL SELECT 7100, 281476654432256, 0, 1, 1048576, 0, 8192, 1, 1, NULL, NULL;
-- Samples every 500 ns: each tells of the 500 ns before it.
INSERT INTO TARGET_INFO_GPU_METRICS VALUES (281479271677952, 0, 'GPU Metrics [T1]', 3, 'SMs Active [Throughput %]'),
  (281479271677952, 0, 'GPU Metrics [T1]', 7, 'PCIe RX Throughput [Throughput %]');
INSERT INTO GPU_METRICS SELECT t + 500, 281479271677952, 3, 20 FROM step UNION ALL SELECT t + 1000, 281479271677952, 3, 80 FROM step
  UNION ALL SELECT 1000, 281479271677952, 3, 0
  UNION ALL SELECT t, 281479271677952, 7, 2 * i FROM step;
DROP TABLE step;
