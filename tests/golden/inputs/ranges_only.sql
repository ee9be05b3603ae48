-- Two steps of one process (pid 100) with the ranges of a model, and nothing of a GPU: as sonde record -t nvtx makes it.
.read schema.sql
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems'), ('EXPORT_PRODUCT_VERSION', '2025.3.1.90'),
  ('EXPORT_SCHEMA_VERSION', '3.20.2');
INSERT INTO PROCESSES VALUES (281476654432256, 100, 'app');
INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) VALUES
  (0, 1000, 59, 'model', 281476654432356, 0), (100, 400, 59, 'encoder', 281476654432356, 0),
  (2000, 3000, 59, 'model', 281476654432356, 0), (2100, 2500, 59, 'encoder', 281476654432356, 0);
