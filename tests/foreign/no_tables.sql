PRAGMA user_version = 3;
CREATE TABLE gone (a);
DROP TABLE gone;
