.read ../../../foreign/mlflow.sql
