.read ../../../foreign/firefox_places.sql
