.read ../../../foreign/endless_view.sql
