-- A call more than an hour before the recording.
.read ../../inputs/waits.sql
INSERT INTO OSRT_API VALUES (-4192000000000, -4191999000000, 27, 16777216, 4, 0, NULL, 0);
