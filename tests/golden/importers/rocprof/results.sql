-- rocprof --stats: dispatches with their resources.
CREATE TABLE KERN ("Index" INTEGER, "KernelName" TEXT, "gpu-id" INTEGER, "queue-id" INTEGER, "queue-index" INTEGER, "pid" INTEGER, "tid" INTEGER, "grd" INTEGER, "wgr" INTEGER, "lds" INTEGER, "scr" INTEGER, "arch_vgpr" INTEGER, "accum_vgpr" INTEGER, "sgpr" INTEGER, "wave_size" INTEGER, "sig" INTEGER, "obj" INTEGER, "DispatchNs" INTEGER, "BeginNs" INTEGER, "EndNs" INTEGER, "CompleteNs" INTEGER, "DurationNs" INTEGER);
INSERT INTO KERN VALUES
  (0, '"void scale<double>(double*, int) [clone .kd]"', 8, 0, 0, 4242, 4242, 65536, 256, 2048, 0, 40, 0, 48, 64, '0x0', '0x7f25302f5900', 1219236692508366, 1219236692544578, 1219236692594578, 1219236692604578, 50000),
  (1, '"__amd_rocclr_fillBufferAligned.kd"', 8, 0, 1, 4242, 4242, 26624, 256, 0, 0, 12, 4, 32, 64, '0x0', '0x7f25302d5a80', 1219236692565136, 1219236692594578, 1219236692602578, 1219236692612578, 8000),
  (2, '"_Z6reducePf.kd"', 9, 1, 0, 4242, 4243, 1024, 256, 0, 16, 12, 4, 32, 64, '0x0', '0x7f25302d5a80', 1219236692565136, 1219236692600000, 1219236692620000, 1219236692622578, 20000);
