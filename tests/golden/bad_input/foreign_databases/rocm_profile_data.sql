.read ../../../foreign/rocm_profile_data.sql
