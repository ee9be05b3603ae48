-- Three GPUs: an A10G, one of a compute capability that nobody knows, and an A100 of which the driver states 8 blocks an SM.
.read ../../inputs/schema.sql
ALTER TABLE TARGET_INFO_GPU ADD COLUMN maxBlocksPerSm INTEGER;
ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN sharedMemoryExecuted INTEGER;
ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN clusterX INTEGER;
ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN clusterY INTEGER;
ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN clusterZ INTEGER;
INSERT INTO StringIds VALUES (1, 'tiles(float *)'), (2, 'tiles'), (4, 'tiny(float *)'), (5, 'tiny'), (7, 'pairs(float *)'), (8, 'pairs');
INSERT INTO TARGET_INFO_GPU VALUES
  (281474976710656, 0, 'NVIDIA A10G', '0000:01:00.0', 1, 0, 0, 0, 0, 80, 'GPU-0', 'GA102', 0, 8, 6, NULL),
  (281474976710656, 1, 'NVIDIA X1', '0000:02:00.0', 1, 0, 0, 0, 0, 80, 'GPU-1', 'GX100', 1, 99, 0, 16),
  (281474976710656, 2, 'NVIDIA A100', '0000:03:00.0', 1, 0, 0, 0, 0, 108, 'GPU-2', 'GA100', 2, 8, 0, 8);
-- 256 blocks on 80 SMs of 2 blocks each: 1.6 waves, the second leaves 64 of 160 places idle: 0.4 / 2 of the time.
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
  (1000, 1900, 0, 1, NULL, 7, 1, 281476654432256, 1, 2, NULL, 1, 51, 16, 16, 1, 512, 1, 1, 4096, 0, 0, 0, NULL, 16384, 0, 0, 0),
  (2000, 2900, 0, 1, NULL, 7, 2, 281476654432256, 1, 2, NULL, 1, 51, 16, 16, 1, 512, 1, 1, 4096, 0, 0, 0, NULL, 16384, 0, 0, 0),
-- The same without the carve-out, in a green context, on the GPU that is not known, and where 8 blocks are the limit.
  (3000, 3800, 0, 1, NULL, 7, 3, 281476654432256, 1, 2, NULL, 1, 51, 16, 16, 1, 512, 1, 1, 4096, 0, 0, 0, NULL, NULL, 0, 0, 0),
  (4000, 4700, 0, 1, 5, 8, 4, 281476654432256, 1, 2, NULL, 1, 51, 16, 16, 1, 512, 1, 1, 4096, 0, 0, 0, NULL, 16384, 0, 0, 0),
  (5000, 5600, 1, 2, NULL, 7, 5, 281476654432256, 1, 2, NULL, 1, 51, 16, 16, 1, 512, 1, 1, 4096, 0, 0, 0, NULL, 16384, 0, 0, 0),
  (6000, 6500, 2, 3, NULL, 7, 6, 281476654432256, 4, 5, NULL, 1, 16, 1, 1, 1, 10, 1, 1, 0, 0, 0, 0, NULL, 32768, 0, 0, 0),
-- 1728 blocks are two whole waves of 108 SMs with 8 blocks: no tail. Clusters need room together: at most.
  (7000, 7400, 2, 3, NULL, 7, 7, 281476654432256, 7, 8, NULL, 1, 16, 1728, 1, 1, 32, 1, 1, 0, 0, 0, 0, NULL, 32768, 2, 1, 1),
-- 300 registers a thread are more than any GPU gives: what cannot have run has no occupancy.
  (8000, 8300, 0, 1, NULL, 7, 8, 281476654432256, 4, 5, NULL, 1, 300, 1, 1, 1, 1024, 1, 1, 0, 0, 0, 0, NULL, 8192, 0, 0, 0);
