-- 20 iterations without ranges: 512 MB go to the GPU in 100 ms, a kernel runs for 20 ms, 512 MB come back in 100 ms.
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'cuLaunchKernel'), (2, 'cuMemcpyHtoDAsync_v2'), (3, 'cuMemcpyDtoHAsync_v2'),
 (4, 'solve');
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT, nameId INT,
 returnValue INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, streamId INT,
 correlationId INT, globalPid INT, demangledName INT, shortName INT, registersPerThread INT, gridX INT, gridY INT,
 gridZ INT, blockX INT, blockY INT, blockZ INT, staticSharedMemory INT, dynamicSharedMemory INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, contextId INT, streamId INT,
 correlationId INT, globalPid INT, bytes INT, copyKind INT, srcKind INT, dstKind INT);
CREATE TABLE i (n INT, t INT);
WITH RECURSIVE counted(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n < 19) INSERT INTO i
 SELECT n, n * 220050000 FROM counted;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT t, t + 100005000, 16777216, 3 * n + 1, 2, 0 FROM i;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT t + 100006000, t + 100010000, 16777216, 3 * n + 2, 1, 0 FROM i;
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT t + 100011000, t + 220030000, 16777216, 3 * n + 3, 3, 0 FROM i;
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT t + 2000, t + 100002000, 0, 1, 7, 3 * n + 1, 16777216, 512000000, 1, 0, 2
 FROM i;
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT t + 100012000, t + 120012000, 0, 1, 7, 3 * n + 2, 16777216, 4, 4, 32,
 500000, 1, 1, 128, 1, 1, 0, 0 FROM i;
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT t + 120015000, t + 220015000, 0, 1, 7, 3 * n + 3, 16777216, 512000000, 2,
 2, 0 FROM i;
DROP TABLE i;
