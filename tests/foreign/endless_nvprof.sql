CREATE VIEW StringTable AS
WITH RECURSIVE numbers(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM numbers) SELECT id AS _id_, 'name' AS value FROM numbers;
CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT _id_ AS start, _id_ + 1 AS end, 1 AS name FROM StringTable;
CREATE VIEW CUPTI_ACTIVITY_KIND_RUNTIME AS SELECT _id_ AS start, _id_ + 1 AS end, 13 AS cbid FROM StringTable;
