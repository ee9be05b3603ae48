-- rocprof --hip-trace --roctx-trace: calls, what they put on queues, and ranges.
CREATE TABLE rocTX (BeginNs INTEGER, EndNs INTEGER, pid INTEGER, tid INTEGER, Name TEXT, "Index" INTEGER, __section INTEGER, __lane INTEGER);
CREATE TABLE HIP (BeginNs INTEGER, EndNs INTEGER, pid INTEGER, tid INTEGER, Name TEXT, args TEXT, "Index" INTEGER, Data TEXT, __section INTEGER, __lane INTEGER);
CREATE TABLE HSA (BeginNs INTEGER, EndNs INTEGER, pid INTEGER, tid INTEGER, Name TEXT, args TEXT, "Index" INTEGER, Data TEXT, __section INTEGER, __lane INTEGER);
CREATE TABLE OPS (BeginNs INTEGER, EndNs INTEGER, "dev-id" INTEGER, "queue-id" INTEGER, Name TEXT, pid INTEGER, tid INTEGER, "roctx-range" TEXT, "stream-id" INTEGER, "Index" INTEGER, Data TEXT, __section INTEGER, __lane INTEGER);
CREATE TABLE COPY (BeginNs INTEGER, EndNs INTEGER, "dev-id" INTEGER, "queue-id" INTEGER, Name TEXT, pid INTEGER, tid INTEGER, "roctx-range" TEXT, "stream-id" INTEGER, "Index" INTEGER, Data TEXT, __section INTEGER, __lane INTEGER);
INSERT INTO rocTX VALUES (1000, 90000, 42, 42, 'step', 0, 9, 42), (5000, 5001, 42, 42, 'here', 1, 9, 42), (2000, 80000, 42, 42, 'phase', 2, 9, 0);
INSERT INTO HIP VALUES (2000, 3000, 42, 42, 'hipMemcpyAsync', '', 1, '', 2, 42), (4000, 5000, 42, 42, 'hipLaunchKernel', '', 2, '', 2, 42), (6000, 7000, 42, 42, 'hipMemsetAsync', '', 3, '', 2, 42), (8000, 70000, 42, 42, 'hipDeviceSynchronize', '', 4, '', 2, 42);
INSERT INTO HSA VALUES (4100, 4200, 42, 42, 'hsa_queue_create', '', 2, '', 0, 42);
INSERT INTO OPS VALUES (20000, 60000, 0, 0, '_Z5scalePfi', 42, 42, 'step', 0, 2, '', 6, 0), (60000, 60100, 0, 0, '"<barrier packet>"', 42, 42, '', 0, 5, '', 518, 0);
INSERT INTO COPY VALUES (10000, 19000, 0, 0, 'CopyHostToDevice', 42, 42, 'step', 0, 1, '', 1, 0), (61000, 62000, 0, 0, 'FillBuffer', 42, 42, 'step', 0, 3, '', 1, 0);
