.read ../../inputs/joined.sql
