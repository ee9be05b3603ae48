CREATE TABLE NVTX_EVENTS (start, end);
CREATE VIEW StringIds AS SELECT id, value FROM StringIds;
