.read ../../inputs/mini.sql
-- Another run of the same program.
UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET "end" = "end" + 1 WHERE start = (SELECT max(start) FROM CUPTI_ACTIVITY_KIND_KERNEL);
