-- One more synchronization, a copy that turned pageable, and registers 128 -> 136.
.read ../../inputs/mini.sql
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (4210, 4220, 0, 281476654432356, 11, 14, 0, NULL);
UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET dstKind = 0 WHERE copyKind = 2;
UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET registersPerThread = 136 WHERE registersPerThread = 128;
