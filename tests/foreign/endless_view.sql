-- Each of these views has rows without end.
CREATE VIEW StringIds AS
WITH RECURSIVE numbers(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM numbers) SELECT id, 'name' AS value FROM numbers;
CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT id AS start, id + 1 AS end, 0 AS deviceId, 1 AS contextId, 7 AS streamId,
  id AS correlationId, 16777216 AS globalPid, 1 AS demangledName, 1 AS shortName FROM StringIds;
CREATE VIEW CUPTI_ACTIVITY_KIND_RUNTIME AS SELECT id AS start, id + 1 AS end, 16777216 AS globalTid, id AS correlationId,
  1 AS nameId, 0 AS returnValue FROM StringIds;
