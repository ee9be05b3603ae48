.read ../../../foreign/another_program.sql
