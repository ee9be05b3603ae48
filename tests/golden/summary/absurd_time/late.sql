-- A range that ends in a year.
.read ../../inputs/waits.sql
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) VALUES (1000, 21264860000000000, 59, 'r', 16777216, 0);
