CREATE TABLE "StringIds" (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE "x""; DROP TABLE StringIds; --" (a);
INSERT INTO "x""; DROP TABLE StringIds; --" VALUES (1);
