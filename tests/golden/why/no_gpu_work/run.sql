.read ../../inputs/ranges_only.sql
