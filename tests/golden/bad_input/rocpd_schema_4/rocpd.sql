-- Schema version 4: the times of a dispatch are in a table of their own.
CREATE TABLE rocpd_string_8f3a (id INTEGER PRIMARY KEY, string TEXT);
CREATE TABLE rocpd_timestamp_8f3a (id INTEGER PRIMARY KEY, value BIGINT, track_id INTEGER);
CREATE TABLE rocpd_kernel_dispatch_8f3a (id INTEGER PRIMARY KEY, track_id INTEGER, kernel_id INTEGER, start_id INTEGER, end_id INTEGER);
CREATE VIEW rocpd_string AS SELECT * FROM rocpd_string_8f3a;
CREATE VIEW rocpd_kernel_dispatch AS SELECT * FROM rocpd_kernel_dispatch_8f3a;
INSERT INTO rocpd_kernel_dispatch_8f3a VALUES (1, 1, 1, 1, 2);
