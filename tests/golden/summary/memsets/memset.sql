.read ../../why/memset_time/memset.sql
