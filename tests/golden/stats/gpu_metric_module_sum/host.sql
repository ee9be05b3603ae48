.read ../../inputs/host.sql
