.read ../../../foreign/chrome_history.sql
