-- What NCCL told its plugin in rank 3 of 8 (process 700), and the kernels of it. In order of time:
--   AllReduce of 1,000,000 floats, whose launch NCCL reported: the kernel in it took 100 us
--   AllGather of 500,000 bytes a rank: the last kernel that the thread launched before took 50 us
--   Send and Recv of 512 floats in one kernel, which took 30 us for both
--   ReduceScatter of 10,000 bf16 values a rank, captured into a graph: known by its two channels, 20 us by the GPU's timer
--   the same AllReduce again, of which nothing on the GPU was recorded, in a communicator of unknown size
-- The kernel that another library launched after the AllGather's is none of NCCL's.
.read schema.sql
INSERT INTO StringIds VALUES (1, 'AllReduce'), (2, 'AllGather'), (3, 'Send'), (4, 'Recv'), (5, 'ReduceScatter'),
  (6, 'ncclFloat32'), (7, 'ncclInt8'), (8, 'ncclBfloat16'), (9, 'RING'), (10, 'NVLS'), (11, 'LL128'), (12, 'SIMPLE'),
  (13, 'world'), (14, 'cuLaunchKernelExC'), (15, 'ncclDevKernel_AllReduce_Sum_f32_RING_LL'),
  (16, 'ncclDevKernel_AllGather_RING_LL'), (17, 'ncclDevKernel_SendRecv'), (18, 'gemm');
INSERT INTO TARGET_INFO_GPU (vmId, id, name, cuDevice) VALUES (281474976710656, 0, 'NVIDIA H100', 0);
CREATE TABLE SONDE_NCCL_COMMUNICATOR (id INTEGER NOT NULL PRIMARY KEY, globalPid INTEGER, number INTEGER, hash INTEGER,
  nameId INTEGER, ranks INTEGER, rank INTEGER, nodes INTEGER, interface INTEGER);
INSERT INTO SONDE_NCCL_COMMUNICATOR VALUES (0, 281474976710656 + 700 * 16777216, 1, -1, 13, 8, 3, 1, 6),
  (1, 281474976710656 + 700 * 16777216, 2, 255, NULL, NULL, 3, NULL, 3);
CREATE TABLE SONDE_NCCL_OPERATION (start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, communicatorId INTEGER,
  kind INTEGER, functionId INTEGER, count INTEGER, datatypeId INTEGER, bytes INTEGER, algorithmId INTEGER,
  protocolId INTEGER, channels INTEGER, warps INTEGER, peer INTEGER, sequence INTEGER, groupId INTEGER,
  graphCaptured INTEGER, launchStart INTEGER, launchEnd INTEGER, gpuStart INTEGER, gpuEnd INTEGER, gpuChannels INTEGER);
INSERT INTO SONDE_NCCL_OPERATION VALUES
  (20000, 21000, 281474976710656 + 700 * 16777216 + 701, 0, 0, 1, 1000000, 6, 4000000, 9, 11, 16, 20, 0, 0, 11, 0, 10000,
   19000, NULL, NULL, NULL),
  (50000, 51000, 281474976710656 + 700 * 16777216 + 701, 0, 0, 2, 500000, 7, 4000000, 9, 12, 8, 20, 0, 0, 12, 0, NULL,
   NULL, NULL, NULL, NULL),
  (80000, 81000, 281474976710656 + 700 * 16777216 + 701, 0, 1, 3, 512, 6, 2048, NULL, NULL, 1, NULL, 4, NULL, 13, 0, 70000,
   79000, NULL, NULL, NULL),
  (80100, 81100, 281474976710656 + 700 * 16777216 + 701, 0, 1, 4, 512, 6, 2048, NULL, NULL, 1, NULL, 2, NULL, 13, 0, 70000,
   79000, NULL, NULL, NULL),
  (90000, NULL, 281474976710656 + 700 * 16777216 + 702, 0, 0, 5, 10000, 8, 160000, 10, 12, 2, 16, 0, 0, 14, 1, NULL, NULL,
   1000000000, 1000020000, 2),
  (95000, 96000, 281474976710656 + 700 * 16777216 + 702, 1, 0, 1, 1000000, 6, 4000000, 9, 11, 16, 20, 0, 0, 15, 0, NULL, NULL,
   NULL, NULL, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
  (12000, 18000, 1, 281474976710656 + 700 * 16777216 + 701, 1, 14, 0, NULL),
  (42000, 44000, 1, 281474976710656 + 700 * 16777216 + 701, 2, 14, 0, NULL),
  (45000, 46000, 1, 281474976710656 + 700 * 16777216 + 701, 3, 14, 0, NULL),
  (71000, 78000, 1, 281474976710656 + 700 * 16777216 + 701, 4, 14, 0, NULL);
CREATE TABLE ran (start, end, correlation, name);
INSERT INTO ran VALUES (30000, 130000, 1, 15), (140000, 190000, 2, 16), (200000, 260000, 3, 18), (270000, 300000, 4, 17);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start, end, 0, 1, NULL, 7, correlation, 281474976710656 + 700 * 16777216,
  name, name, name, NULL, 32, 16, 1, 1, 512, 1, 1, 0, 0, 0, 0, NULL FROM ran;
DROP TABLE ran;
