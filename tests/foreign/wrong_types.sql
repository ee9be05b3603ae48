CREATE TABLE StringIds (id, value);
INSERT INTO StringIds VALUES ('one', 1), (x'00ff', x'ff00'), (NULL, NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName, gridX);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'),
  (9223372036854775807, -9223372036854775808, -1, -1, -1, -1, -1, -1, -1, -1), (1.5, 2.5, 1e300, NULL, NULL, x'00', '', 4, 4, 1);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId, returnValue);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ('a', 'b', 'c', 'd', 'e', 'f'), (-9223372036854775808, 9223372036854775807, -1, -1, -1, -1);
