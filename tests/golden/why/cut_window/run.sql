.read ../../inputs/behind.sql
