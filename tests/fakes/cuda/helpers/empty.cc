/// Stands for libnvperf_host.so and libnvperf_target.so, of which the stand-in asks whether they are loaded.
