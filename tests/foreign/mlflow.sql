CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL);
CREATE TABLE experiments (experiment_id INTEGER PRIMARY KEY, name VARCHAR(256));
CREATE TABLE experiment_tags (key VARCHAR(250), value VARCHAR(5000), experiment_id INTEGER);
CREATE TABLE metrics (key VARCHAR(250), value FLOAT, timestamp BIGINT, run_uuid VARCHAR(32));
