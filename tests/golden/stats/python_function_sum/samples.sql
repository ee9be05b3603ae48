-- 100 samples of two Python threads of process 700, by stack, state and use of the lock:
--   40  forward < step < <module>   run with the lock, of which 30 in line 12 and 10 in line 14
--   20  forward < step < <module>   wait for the lock
--   10  fact < fact < <module>      run; of the function that calls itself, each counts once
--   25  get < <module>              wait in a system call, in another file
--    2  get < <module>              nobody knows whether they ran
--    3  no stack
.read ../../inputs/schema.sql
INSERT INTO StringIds VALUES (1, 'Model.forward'), (2, 'step'), (3, '<module>'), (4, 'fact'), (5, 'Queue.get'),
  (6, '/app/model.py'), (7, '/app/train.py'), (8, '/usr/lib/python3.11/queue.py');
CREATE TABLE SONDE_PYTHON_SAMPLE (start INTEGER NOT NULL, globalTid INTEGER, threadState INTEGER, gil INTEGER,
  callchainId INTEGER);
CREATE TABLE SONDE_PYTHON_CALLCHAIN (id INTEGER NOT NULL, symbol INTEGER NOT NULL, module INTEGER NOT NULL, line INTEGER,
  stackDepth INTEGER NOT NULL, PRIMARY KEY (id, stackDepth));
INSERT INTO SONDE_PYTHON_CALLCHAIN VALUES (1, 1, 6, 12, 0), (1, 2, 7, 40, 1), (1, 3, 7, 90, 2),
  (2, 1, 6, 14, 0), (2, 2, 7, 40, 1), (2, 3, 7, 90, 2), (3, 4, 7, 50, 0), (3, 4, 7, 50, 1), (3, 3, 7, 91, 2),
  (4, 5, 8, 171, 0), (4, 3, 7, NULL, 1);
CREATE TABLE wanted (amount, thread, state, gil, chain);
INSERT INTO wanted VALUES (30, 1, 1, 1, 1), (10, 1, 1, 1, 2), (20, 2, 7, 2, 1), (10, 1, 1, 1, 3), (25, 2, 7, 0, 4),
  (2, 2, 0, NULL, 4), (3, 2, 7, 0, NULL);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
  INSERT INTO SONDE_PYTHON_SAMPLE SELECT 1000000 * i, 281474976710656 + 700 * 16777216 + thread, state, gil, chain
  FROM wanted JOIN n ON i < amount;
DROP TABLE wanted;
