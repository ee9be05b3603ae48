CREATE TABLE a (b);
PRAGMA writable_schema = ON;
UPDATE sqlite_master SET name = char(27) || '[31m' || replace(printf('%100s', ''), ' ', 'x');
UPDATE sqlite_master SET tbl_name = name, sql = 'CREATE TABLE "' || name || '" (b)';
PRAGMA writable_schema = OFF;
