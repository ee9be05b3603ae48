-- The same, and the kernels of a quarter of a second are lost.
.read ../../inputs/behind.sql
DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start BETWEEN 120000000 AND 370000000;
