.read ../../inputs/mini.sql
CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT, name TEXT, nameEnum INTEGER, value TEXT);
INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (281474976710656, 'GPU', 'NvDriverVersion', 205, '560.35.03');
-- Another run of the same program.
UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET "end" = "end" + 1 WHERE start = (SELECT max(start) FROM CUPTI_ACTIVITY_KIND_KERNEL);
