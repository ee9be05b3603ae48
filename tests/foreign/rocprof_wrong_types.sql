CREATE TABLE KERN ("Index", "KernelName", "gpu-id", "BeginNs", "EndNs", pid, tid, grd, wgr);
INSERT INTO KERN VALUES ('a', 1, 'b', 'c', 'd', 'e', 'f', 'g', 'h'), (1, '"', -1, 9223372036854775807, 1, -1, -1, -1, 0), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE HIP (BeginNs, EndNs);
INSERT INTO HIP VALUES ('a', 'b'), (1, 2);
