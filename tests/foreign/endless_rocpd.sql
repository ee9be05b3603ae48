CREATE VIEW rocpd_kernel_dispatch AS
WITH RECURSIVE numbers(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM numbers) SELECT id, 'a' AS guid, 1 AS nid, 1 AS pid,
  1 AS tid, 1 AS agent_id, 1 AS kernel_id, id AS start, id + 1 AS end FROM numbers;
