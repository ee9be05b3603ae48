-- 7 kernels of 200,000,221.4 ns in the mean: the last one takes 1.4 s.
.read ../../inputs/mini.sql
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
  (5000, 1400005000, 0, 1, NULL, 13, 100, 281476654432256, 4, 5, 6, 0, 16, 512, 1, 1, 128, 1, 1, 0, 0, 0, 0, NULL);
