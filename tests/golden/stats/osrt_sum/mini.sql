.read ../../inputs/mini.sql
