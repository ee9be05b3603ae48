-- Tables of an Nsight Systems export, for pairs of small runs.
create table StringIds(id integer primary key, value text);
insert into StringIds values (1,'cudaLaunchKernel_v7000'),(2,'cudaMemcpyAsync_v3020'),(3,'cudaMemsetAsync_v3020'),
  (10,'void gemm<(int)64>(float *)'),(11,'void gemm<(int)128>(float *)'),(12,'norm');
create table CUPTI_ACTIVITY_KIND_RUNTIME(start int, end int, globalTid int, correlationId int, nameId int, returnValue int);
create table CUPTI_ACTIVITY_KIND_KERNEL(start int, end int, deviceId int, contextId int, streamId int, correlationId int,
  globalPid int, demangledName int, shortName int, registersPerThread int, gridX int, gridY int, gridZ int, blockX int,
  blockY int, blockZ int, staticSharedMemory int, dynamicSharedMemory int);
create table CUPTI_ACTIVITY_KIND_MEMCPY(start int, end int, deviceId int, contextId int, streamId int, correlationId int,
  globalPid int, bytes int, copyKind int, srcKind int, dstKind int);
create table CUPTI_ACTIVITY_KIND_MEMSET(start int, end int, deviceId int, contextId int, streamId int, correlationId int,
  globalPid int, value int, bytes int);
create table NVTX_EVENTS(start int, end int, eventType int, text text, globalTid int, domainId int, textId int);
create table TARGET_INFO_GPU(id int, name text, uuid text, smCount int, clockRate int);
create table TARGET_INFO_CUDA_DEVICE(gpuId int, cudaId int, pid int, uuid text, numMultiprocessors int);
insert into TARGET_INFO_CUDA_DEVICE values (0,0,1,'x',108);
create temporary table step as with recursive s(i) as (select 0 union all select i + 1 from s where i < 19) select i from s;
