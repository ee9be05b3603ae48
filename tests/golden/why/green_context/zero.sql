-- The waits' green context is 0, the kernels' is 0: all are on one stream.
.read ../../inputs/waits.sql
INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION
  SELECT t + 29000000, t + 31950000, 0, 1, 0, 7, t / 40000000 * 10 + 9, 16777216, 3, 4294967295 FROM steps;
