-- Names that would end a cell, a code span, a script or a page, call for a person, or are no UTF-8.
.read ../../inputs/mini.sql
UPDATE StringIds SET value = 'a|b `c` </script><script>alert(1)</script>' || char(10) || '# @everyone #12 ' || CAST(X'FF' AS TEXT) WHERE id = 1;
UPDATE NVTX_EVENTS SET text = '<img src=x onerror=alert(2)>|@me' || char(10) || char(27) || '[31m`' WHERE text = 'forward';
UPDATE TARGET_INFO_GPU SET name = '</title><b>|GPU';
