-- 100 iterations without ranges: a memset of 4.26 ms, then a kernel of 1.61 ms on the same stream.
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'cudaMemsetAsync_v3020'), (3, 'work');
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT, nameId INT,
 returnValue INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, streamId INT,
 correlationId INT, globalPid INT, demangledName INT, shortName INT, registersPerThread INT, gridX INT, gridY INT,
 gridZ INT, blockX INT, blockY INT, blockZ INT, staticSharedMemory INT, dynamicSharedMemory INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INT, end INT, deviceId INT, contextId INT, streamId INT,
 correlationId INT, globalPid INT, value INT, bytes INT);
CREATE TABLE i (n INT);
WITH RECURSIVE counted(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n < 99) INSERT INTO i SELECT n
 FROM counted;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT n * 6000000, n * 6000000 + 5000, 16777216, 2 * n + 1, 2, 0 FROM i;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT n * 6000000 + 10000, n * 6000000 + 15000, 16777216, 2 * n + 2, 1, 0
 FROM i;
INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET SELECT n * 6000000 + 20000, n * 6000000 + 4280000, 0, 1, 7, 2 * n + 1,
 16777216, 0, 1000000000 FROM i;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT n * 6000000 + 4290000, n * 6000000 + 5900000, 0, 1, 7, 2 * n + 2,
 16777216, 3, 3, 32, 65536, 1, 1, 256, 1, 1, 0, 0 FROM i;
DROP TABLE i;
