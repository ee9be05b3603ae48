-- Eleven samples with a chain and one without: seven in `work`, of which two below itself; two in `wait` of another file;
-- one in a function of the same name in that file, without callers; one in the kernel, with the kernel's callers alone.
.read ../../inputs/schema.sql
INSERT INTO StringIds VALUES (1, 'work'), (2, 'main'), (3, 'wait'), (4, '/opt/someone/program'), (5, '/usr/lib/libc.so.6'), (6, '_start'), (7, 'do_read'), (8, 'sys_read'), (9, '[kernel]');
CREATE TABLE COMPOSITE_EVENTS (id INTEGER NOT NULL PRIMARY KEY, start INTEGER NOT NULL, cpu INTEGER, threadState INTEGER,
  globalTid INTEGER, cpuCycles INTEGER NOT NULL);
CREATE TABLE SAMPLING_CALLCHAINS (id INTEGER NOT NULL, symbol INTEGER NOT NULL, module INTEGER NOT NULL, kernelMode INTEGER,
  thumbCode INTEGER, unresolved INTEGER, specialEntry INTEGER, originalIP INTEGER, unwindMethod INTEGER,
  stackDepth INTEGER NOT NULL, PRIMARY KEY (id, stackDepth));
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
  INSERT INTO COMPOSITE_EVENTS SELECT i, 1000 * i, 0, 1, 281479271677953, 0 FROM n;
-- 1 to 5: work < main < _start
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5)
  INSERT INTO SAMPLING_CALLCHAINS (id, symbol, module, stackDepth)
  SELECT i, 1, 4, 0 FROM n UNION ALL SELECT i, 2, 4, 1 FROM n UNION ALL SELECT i, 6, 4, 2 FROM n;
-- 6, 7: work < work < main; 8, 9: wait < main; 10: work of the other file
INSERT INTO SAMPLING_CALLCHAINS (id, symbol, module, stackDepth) VALUES (6, 1, 4, 0), (6, 1, 4, 1), (6, 2, 4, 2), (7, 1, 4, 0),
  (7, 1, 4, 1), (7, 2, 4, 2), (8, 3, 5, 0), (8, 2, 4, 1), (9, 3, 5, 0), (9, 2, 4, 1), (10, 1, 5, 0);
INSERT INTO SAMPLING_CALLCHAINS (id, symbol, module, kernelMode, stackDepth) VALUES (11, 7, 9, 1, 0), (11, 8, 9, 1, 1);
