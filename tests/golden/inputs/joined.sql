-- A model of three modules on one GPU that moves 1000 bytes a nanosecond and takes 2000 ns a kernel besides: a kernel of
-- b bytes of joined.ncu.json takes b / 1000 + 2000 ns here. encoder: 12 MB in 18 us, decoder: 20 MB in 24 us, head: 4 MB in
-- 8 us. The second relu of encoder was not measured, sort_keys neither.
.read schema.sql
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems'), ('EXPORT_PRODUCT_VERSION', '2025.3.1.90'),
  ('EXPORT_SCHEMA_VERSION', '3.20.2');
INSERT INTO StringIds VALUES (1, 'void net::gemm<(int)64, float>(const T2 *, T2 *, int)'),
  (2, 'gemm'),
  (4, 'net::relu(float *, int)'),
  (5, 'relu'),
  (6, 'softmax(float const*, float*)'),
  (7, 'softmax'),
  (8, 'sort_keys(int *)'),
  (9, 'sort_keys'),
  (10, 'cudaLaunchKernel_v7000');
INSERT INTO PROCESSES VALUES (281476654432256, 100, 'app');
INSERT INTO TARGET_INFO_GPU VALUES (281474976710656, 0, 'NVIDIA T1', '0000:01:00.0', 1, 4194304, 16000000000, 1200000000000,
  1590000000, 40, 'GPU-0', 'TU104', 0, 7, 5);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
  (1000, 1050, 0, 281476654432356, 1, 10, 0, NULL),
  (1100, 1150, 0, 281476654432356, 2, 10, 0, NULL),
  (1200, 1250, 0, 281476654432356, 3, 10, 0, NULL),
  (1300, 1350, 0, 281476654432356, 4, 10, 0, NULL),
  (1400, 1450, 0, 281476654432356, 5, 10, 0, NULL),
  (1500, 1550, 0, 281476654432356, 6, 10, 0, NULL),
  (1600, 1650, 0, 281476654432356, 7, 10, 0, NULL),
  (1700, 1750, 0, 281476654432356, 8, 10, 0, NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
  (2000, 12000, 0, 1, NULL, 7, 1, 281476654432256, 1, 2, NULL, 0, 128, 64, 1, 1, 256, 1, 1, 0, 0, 0, 0, NULL),
  (12000, 16000, 0, 1, NULL, 7, 2, 281476654432256, 4, 5, NULL, 0, 16, 32, 1, 1, 256, 1, 1, 0, 0, 0, 0, NULL),
  (16000, 20000, 0, 1, NULL, 7, 3, 281476654432256, 4, 5, NULL, 0, 16, 32, 1, 1, 256, 1, 1, 0, 0, 0, 0, NULL),
  (20000, 26000, 0, 1, NULL, 7, 4, 281476654432256, 1, 2, NULL, 0, 128, 64, 1, 1, 256, 1, 1, 0, 0, 0, 0, NULL),
  (26000, 44000, 0, 1, NULL, 7, 5, 281476654432256, 1, 2, NULL, 0, 128, 128, 1, 1, 256, 1, 1, 0, 0, 0, 0, NULL),
  (44000, 47000, 0, 1, NULL, 7, 6, 281476654432256, 4, 5, NULL, 0, 16, 32, 1, 1, 256, 1, 1, 0, 0, 0, 0, NULL),
  (47000, 52000, 0, 1, NULL, 7, 7, 281476654432256, 6, 7, NULL, 0, 24, 32, 1, 1, 256, 1, 1, 0, 0, 0, 0, NULL),
  (52000, 53000, 0, 1, NULL, 7, 8, 281476654432256, 8, 9, NULL, 0, 32, 8, 1, 1, 256, 1, 1, 0, 0, 0, 0, NULL);
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) VALUES
  (980, 1270, 59, 'encoder', 281476654432356, 0),
  (1280, 1470, 59, 'decoder', 281476654432356, 0),
  (1480, 1670, 59, 'head', 281476654432356, 0),
  (950, 1800, 59, 'model', 281476654432356, 0);
