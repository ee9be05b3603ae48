CREATE TABLE rocpd_string_8f3a (id INTEGER PRIMARY KEY, string TEXT);
CREATE TABLE rocpd_kernel_dispatch_8f3a (id INTEGER PRIMARY KEY, agent_id INTEGER, kernel_id INTEGER, start BIGINT, end BIGINT);
CREATE VIEW rocpd_string AS SELECT * FROM rocpd_string_8f3a;
CREATE VIEW rocpd_kernel_dispatch AS SELECT * FROM rocpd_kernel_dispatch_8f3a;
INSERT INTO rocpd_kernel_dispatch_8f3a VALUES (1, 1, 1, 1000, 2000);
