-- A server that answers 20 requests at once: request n begins n us after the start and takes n ms, so that all overlap.
-- numpy.percentile(1e6 * numpy.arange(1, 21), [50, 95]): 10.5 ms and 19.05 ms. One more never ends.
.read ../../inputs/schema.sql
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems'), ('EXPORT_PRODUCT_VERSION', '2025.3.1.90'),
  ('EXPORT_SCHEMA_VERSION', '3.20.2');
INSERT INTO PROCESSES VALUES (281476654432256, 100, 'server');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, endGlobalTid, domainId)
  SELECT i * 1000, i * 1000 + i * 1000000, 60, 'request ' || i, 281476654432356, 281476654432357, 0 FROM n;
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) VALUES
  (30000, NULL, 60, 'request 21', 281476654432356, 0);
